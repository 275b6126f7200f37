import type { AcceptanceStore } from '../../acceptances/acceptance-store.ts'
import { createAcceptanceFiles } from '../../acceptances/file-acceptances.ts'
import type { Server } from '../../model/server.ts'
import type { AcceptWord } from '../../model/definition/accept-word.ts'
import type { Discovery } from '../../model/server.ts'
import type { HostContext } from '../host-context.ts'
import { OfferGate } from './offer-gate.ts'

export function createGate(
  context: HostContext,
  mode: () => AcceptWord,
  discovery: () => Discovery,
): OfferGate {
  const { directories, platform, options, events } = context
  const { channels = {}, keeps = true } = options
  return new OfferGate({
    mode,
    store: openAcceptances(context),
    // What is behind a channel may change with every run, and a recording is not the server of the entry. A preset that keeps
    // nothing still keeps acceptances, which are only made on request: with a new start every definition would be new.
    isStored: ({ name, transport }: Server) =>
      keeps && transport.kind !== 'channel' && !Object.hasOwn(channels, name),
    async accountOf(server) {
      if (server.transport.kind === 'stdio' || server.transport.kind === 'channel') return ''
      const { accountInUse } = await import('../../login/account-in-use.ts')
      return accountInUse(server, {
        platform,
        directory: directories.logins,
        shared: await context.team?.logins(),
      })
    },
    async lockOf(server) {
      const { locks } = discovery()
      // A server that is the same after a reload keeps its object.
      const state = locks && [...locks].find(([{ id }]) => id === server.id)?.[1]
      if (!state) return undefined
      const { lockedOffersOf } = await import('./locked-offers-of.ts')
      return lockedOffersOf(server, state, context)
    },
    ignored: context.ignoredFindings,
    clock: platform.clock,
    emit: (event) => events.emit(event),
  })
}

/** In files of this machine, or in the database of a team. */
function openAcceptances({ directories, platform, redactor, team }: HostContext): AcceptanceStore {
  const isStorable = (text: string) => !redactor.hasDistinctSecretInJson(text)
  if (!team) return createAcceptanceFiles({ directory: directories.acceptances, platform, isStorable })
  let loading: Promise<AcceptanceStore> | undefined
  const load = async () => {
    const { createTeamAcceptances } = await import('../team/team-acceptances.ts')
    return createTeamAcceptances(team, isStorable)
  }
  const opened = () => (loading ??= load())
  return {
    read: async (owner) => (await opened()).read(owner),
    change: async (owner, change) => (await opened()).change(owner, change),
  }
}
