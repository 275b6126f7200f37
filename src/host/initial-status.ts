import { HostError } from '../model/error.ts'
import type { Discovery, Server } from '../model/server.ts'
import type { Status } from '../model/status.ts'

/** The status of a server before it is connected to: whether it is switched on and trusted. */
export function initialStatus(
  server: Server,
  discovery: Discovery,
  { canAsk, since }: { readonly canAsk: boolean; readonly since: number },
): Status {
  const trust = discovery.trust.get(server) ?? 'pending'
  if (!server.enabled) return { state: 'disabled', reason: 'switched-off', since }
  if (trust === 'trusted' || canAsk) return { state: 'idle', reason: 'declared', since }
  return { state: 'untrusted', reason: trust === 'changed' ? 'trust-changed' : 'not-trusted', since }
}

/** The error of a damaged trust store: no project server is trusted until it is repaired. */
export function damagedStore({ diagnostics }: Discovery): HostError<'store.damaged'> | undefined {
  const damage = diagnostics.find(({ code }) => code === 'store-damaged')
  if (!damage) return undefined
  const { message, hint, origin } = damage
  return new HostError(
    'store.damaged',
    { file: origin?.file ?? '' },
    message,
    hint === undefined ? {} : { hint },
  )
}
