import { mayOwnName } from '../../catalog/tool-names.ts'
import { HostError } from '../../model/error.ts'
import { fromRef } from '../../model/tool.ts'
import type { Clock } from '../../platform/platform.ts'
import type { CallOptions } from './view.ts'
import type { CatalogWaitOptions, ViewContext } from './view-context.ts'
import type { Visibility } from './visibility.ts'

/** Waiting for servers, so that a caller waits only for those that its request may concern. */
export interface ServerWaits {
  /** For every server that may have something visible here. */
  all(options?: CatalogWaitOptions): Promise<void>
  /** Whether a server that a tool may belong to is unknown, and may be asked now: after a failure, for example. */
  isToolDue(nameOrRef: string): boolean
  /** For the servers that a tool may belong to by its name or ref; for all if a name fits none. */
  forTool(nameOrRef: string, options?: CatalogWaitOptions): Promise<void>
  /** For the servers that `mayOwn` accepts; for all if there are none. */
  forOwner(mayOwn: (server: string) => boolean, options?: CatalogWaitOptions): Promise<void>
  /** For this server; for none if there is no such server here. */
  forServer(server: string, options?: CatalogWaitOptions): Promise<void>
}

export function createWaits(context: ViewContext, visibility: () => Visibility): ServerWaits {
  const visible = () => {
    const { layers, mayShow } = visibility()
    return layers.length === 0 ? 'all' : context.servers().filter(mayShow)
  }
  const ownersAmong = (servers: readonly string[], mayOwn: (server: string) => boolean) => {
    const { mayShow } = visibility()
    return servers.filter((server) => mayOwn(server) && mayShow(server))
  }
  const all = (options: CatalogWaitOptions = {}) => context.wait(visible(), options)
  const settle = (servers: readonly string[], options: CatalogWaitOptions = {}) =>
    context.wait(servers, { ...options, timeoutMs: options.timeoutMs ?? 'settled' })
  const forOwner: ServerWaits['forOwner'] = (mayOwn, options) => {
    const owners = ownersAmong(context.servers(), mayOwn)
    return owners.length === 0 ? all(options) : settle(owners, options)
  }
  const forServer: ServerWaits['forServer'] = async (server, options) => {
    const owners = ownersAmong(context.servers(), (name) => name === server)
    if (owners.length > 0) await settle(owners, options)
  }
  const mayOwnTool = (name: string) => (server: string) => mayOwnName(context.calling.naming, server, name)
  return {
    all,
    forOwner,
    forServer,
    isToolDue(nameOrRef) {
      const ref = fromRef(nameOrRef)
      const mayOwn = ref ? (server: string) => server === ref.server : mayOwnTool(nameOrRef)
      return ownersAmong(context.askable(), mayOwn).length > 0
    },
    forTool(nameOrRef, options) {
      const ref = fromRef(nameOrRef)
      return ref ? forServer(ref.server, options) : forOwner(mayOwnTool(nameOrRef), options)
    },
  }
}

/** The limits of a request that waits for servers before it is sent. */
export interface SendingLimits {
  readonly method: string
  readonly server?: string
  readonly signal?: AbortSignal | undefined
  readonly maxTimeoutMs?: number | undefined
  /** When `maxTimeoutMs` ends, on the monotonic clock. */
  readonly deadline?: number | undefined
  readonly clock: Clock
}

/** Waits before a request; an abort and the caller's deadline become the error of a request that was not sent. */
export async function beforeSending(waited: Promise<unknown>, limits: SendingLimits): Promise<void> {
  const { method, server = '', signal, maxTimeoutMs, deadline, clock } = limits
  const data = { server, method, sent: false }
  let timer: Disposable | undefined
  const late = new Promise<never>((_resolve, reject) => {
    if (deadline === undefined) return
    const subject = server === '' ? 'Its server' : `"${server}"`
    const message = `${subject} was not ready within ${maxTimeoutMs} ms; nothing was sent.`
    const hint = 'It goes on starting: try again, or allow more time (maxTimeoutMs).'
    const onDue = () => reject(new HostError('call.timeout', data, message, { hint }))
    timer = clock.timer(Math.max(0, deadline - clock.monotonic()), onDue)
  })
  try {
    await (deadline === undefined ? waited : Promise.race([waited, late]))
  } catch (error) {
    if (!signal?.aborted) throw error
    throw new HostError('call.cancelled', data, 'Cancelled before it was sent.', { cause: error })
  } finally {
    timer?.[Symbol.dispose]()
  }
}

/** Options of a request whose `maxTimeoutMs` may have begun. */
export type StartedOptions = CallOptions & Pick<Partial<SendingLimits>, 'deadline'>

/** Starts the caller's limit, unless it has begun. */
export function withDeadline(options: StartedOptions, clock: Clock): StartedOptions {
  const { maxTimeoutMs = 0, deadline } = options
  if (maxTimeoutMs <= 0 || deadline !== undefined) return options
  return { ...options, deadline: clock.monotonic() + maxTimeoutMs }
}
