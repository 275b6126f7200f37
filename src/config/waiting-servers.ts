import type { Diagnostic } from '../model/diagnostic.ts'
import type { DeclaredEntry, Origin, Server, ShadowedServer } from '../model/server.ts'
import { nextCommand } from '../model/next-command.ts'
import type { MergedReading } from './merge-readings.ts'
import type { Judgment } from './trust/trust-store.ts'

/** Reads the sources again as if some entries were not there. */
export type ReadWithout = (leaveOut: (origin: Origin) => boolean) => Promise<MergedReading>

interface WaitingContext {
  readonly readWithout: ReadWithout
  readonly judge: (server: Server) => Promise<Judgment>
  /** Whether the owner documents that an entry claims its name also while it waits for trust. */
  readonly claims: (server: Server) => boolean
}

/**
 * T01: leaves out the project's entries that wait for trust, where another declaration of their name can be used: an
 * untrusted entry must not switch off a person's own server. Such entries are `shadowed` with their trust state, and come
 * into force once they are trusted. Where nothing else is left of a name, its entry stays in force and waits.
 */
export async function yieldToUsable(merged: MergedReading, context: WaitingContext): Promise<MergedReading> {
  let waiting: readonly Server[] = []
  let current = merged
  for (;;) {
    const found = await findWaiting(current, context)
    const next = found.filter((server) => hasOthers(server, current) && !waiting.some(isSameEntryAs(server)))
    if (next.length === 0) break
    waiting = [...waiting, ...next]
    current = await context.readWithout(isEntryOf(waiting))
  }
  const unusable = await findWaiting(current, context)
  const yielded = waiting.filter((server) => {
    const isReplaced = current.servers.some(isNamesakeOf(server))
    return isReplaced && !unusable.some(isNamesakeOf(server))
  })
  if (yielded.length < waiting.length) current = await context.readWithout(isEntryOf(yielded))
  return withWaiting(
    current,
    await Promise.all(yielded.map(async (server) => ({ server, ...(await context.judge(server)) }))),
  )
}

async function findWaiting(
  { servers }: MergedReading,
  { judge, claims }: WaitingContext,
): Promise<readonly Server[]> {
  const judged = await Promise.all(
    servers.map(async (server) => !claims(server) && (await judge(server)).state !== 'trusted'),
  )
  return servers.filter((_, index) => judged[index])
}

/** Whether a name has another declaration, or this one has a layer that is not the project's. */
function hasOthers(server: Server, { shadowed }: MergedReading): boolean {
  const isJoined = server.declared.some(({ origin }) => origin.authority !== 'project')
  return isJoined || shadowed.some((hidden) => isNamesakeOf(server)(hidden.server))
}

const isNamesakeOf = (server: Server) => (other: Server) =>
  other.name === server.name && other.agent === server.agent

const isSameEntryAs = (server: Server) => {
  const places = new Set(projectPlaces(server))
  return (other: Server) => projectPlaces(other).some((place) => places.has(place))
}

/** Whether an origin is that of a project's entry of these servers. */
export function isEntryOf(servers: readonly Server[]): (origin: Origin) => boolean {
  const places = new Set(servers.flatMap(projectPlaces))
  return (origin) => places.has(placeOf(origin))
}

function projectPlaces({ declared }: Server): readonly string[] {
  return declared.filter(isOfProject).map(({ origin }) => placeOf(origin))
}

function isOfProject({ origin }: DeclaredEntry): boolean {
  return origin.authority === 'project'
}

function placeOf({ file, pointer }: Origin): string {
  return `${file}#${pointer}`
}

function withWaiting(
  { servers, shadowed, diagnostics }: MergedReading,
  waiting: readonly (Judgment & { readonly server: Server })[],
): MergedReading {
  const rows = waiting.flatMap(({ server, state }): readonly (ShadowedServer & { readonly by: Origin })[] => {
    const holder = servers.find(isNamesakeOf(server))
    return holder ? [{ server, by: holder.origin, trust: state }] : []
  })
  return {
    servers,
    shadowed: [...rows, ...shadowed],
    diagnostics: [...diagnostics, ...rows.map(waitsForTrust)],
  }
}

function waitsForTrust({ server, by }: ShadowedServer): Diagnostic {
  return {
    code: 'waits-for-trust',
    severity: 'info',
    message: `The project’s "${server.name}" waits for your trust. Until then, the ${by.scope} entry in ${by.file} is in force.`,
    hint: `Look at it and decide: ${nextCommand('trust', server.name)}`,
    server: server.name,
    origin: server.origin,
  }
}
