import { readServerOffers } from '../../../facts/findings/server-offers.ts'
import { EarlyExit, exitOf, faultOf } from '../../errors.ts'
import { deadlineOf } from '../../with-host.ts'
import type { HostContext } from '../../with-host.ts'

/**
 * Connects to a server and reads what it offers now. Throws if it does not list it: `host.ready` leaves such a server as it was,
 * and one of which nothing is known would count as one without anything that is held or differs (T12).
 */
export async function learnOffers(name: string, context: HostContext): Promise<void> {
  const { host, waitLine } = context
  waitLine.show(`${name}: reading what it offers`)
  const signal = deadlineOf(context)
  const timeoutMs = context.remainingMs()
  const limits = { signal, ...(timeoutMs !== undefined && { timeoutMs }) }
  // Connecting first reports why a server does not start.
  await host.connect(name, { signal })
  const list = () => host.ready({ servers: [name], from: 'servers', ...limits })
  await list()
  if (hasListed(name, context)) return
  await readServerOffers(host, name, limits).catch(throwReason)
  await list()
  if (!hasListed(name, context)) throw new EarlyExit('unavailable', 'It did not list what it offers.')
}

/** Whether the server has carried out the request does not matter: a list changes nothing. */
function throwReason(error: unknown): never {
  throw exitOf(error) === 'outcomeUnknown' ? new EarlyExit('unavailable', faultOf(error).message) : error
}

function hasListed(name: string, { host }: Pick<HostContext, 'host'>): boolean {
  const isUp = host.servers().some((each) => each.name === name && each.status.state === 'ready')
  return isUp && host.definitions(name) !== undefined
}
