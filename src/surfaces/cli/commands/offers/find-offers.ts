import type { ServerStatus, View } from '../../../../index.ts'
import type { WaitFlags } from '../../command-context.ts'
import { narrowToScope } from '../../discover-servers.ts'
import type { HostContext } from '../../with-host.ts'

/** Flags of commands that use what servers offer. */
export interface ViewFlags extends WaitFlags {
  readonly agent?: string
}

/** Flags of commands that only show offers. */
export interface OfferFlags extends ViewFlags {
  /** Only what is known from disk. */
  readonly noStart?: boolean
}

/** The longest wait for a server that a command names, also if its entry allows more. */
export const longestMs = 120_000

/** What to load: the named servers, or those that a view may show. */
interface OfferChoice {
  readonly names?: readonly string[] | undefined
  readonly view: View
}

/**
 * Loads what servers offer: from disk if known, else by connecting. Named servers are waited for until they are known or
 * failed; without names, all servers of the scope that the view may show, each as long as the host finds sensible.
 */
export async function loadOffers(
  { host, output, waitLine, signal, remainingMs, given }: HostContext,
  flags: OfferFlags,
  { names = given === undefined ? undefined : [given], view }: OfferChoice,
): Promise<void> {
  const servers =
    names ?? (flags.scope && narrowToScope(host.discovery, flags.scope).servers.map(({ name }) => name))
  const isWanted = ({ name }: ServerStatus) => servers?.includes(name) ?? true
  // Names of tools depend on all servers that are known.
  await host.ready({ from: 'disk' })
  if (flags.noStart) {
    if (host.servers().some((each) => isWanted(each) && isUnexplored(each)))
      output.note('No server was started: servers that were never connected are not included.')
    return
  }
  waitLine.awaitServers(host.servers().filter(isWanted))
  const timeoutMs = remainingMs() ?? (names && longestMs)
  const limits = { signal, ...(timeoutMs !== undefined && { timeoutMs }) }
  await (servers ? host.ready({ ...limits, servers }) : view.ready(limits))
  signal.throwIfAborted()
}

/** How long others are waited for once a server has something. */
const moreMs = 1000

/** Loads offers until something is found, and a little longer: one slow server must not delay the answer. */
export async function loadUntil(
  isFound: () => boolean,
  context: HostContext,
  flags: OfferFlags,
  view: View,
): Promise<void> {
  await context.host.ready({ from: 'disk' })
  if (isFound()) return
  const enough = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const listening = context.host.on(({ type }) => {
    if (type === 'catalog.changed' && isFound()) timer ??= setTimeout(() => enough.abort(), moreMs)
  })
  try {
    await loadOffers({ ...context, signal: AbortSignal.any([context.signal, enough.signal]) }, flags, {
      view,
    })
  } catch (error) {
    if (!enough.signal.aborted) throw error
  } finally {
    clearTimeout(timer)
    listening[Symbol.dispose]()
  }
}

/** A server that could be connected, but never was. */
export function isUnexplored({ isKnown, status }: ServerStatus): boolean {
  return !isKnown && status.state !== 'disabled' && status.state !== 'untrusted'
}

/** The view of the agent, or the general one. */
export function viewOf(
  { host, conversation }: Pick<HostContext, 'host' | 'conversation'>,
  { agent }: ViewFlags,
): Promise<View> {
  return host.scope({
    ...(agent !== undefined && { agent }),
    ...(conversation !== undefined && { conversation }),
  })
}
