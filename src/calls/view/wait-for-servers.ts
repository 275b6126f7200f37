import { mayOwnName } from '../../catalog/tool-names.ts'
import { HostError } from '../../model/error.ts'
import { fromRef } from '../../model/tool.ts'
import type { CatalogWaitOptions, ViewContext } from './view-context.ts'
import type { Visibility } from './visibility.ts'

/** Waiting for servers, so that a caller waits only for those that its request may concern. */
export interface ServerWaits {
  /** For every server that may have something visible here. */
  all(options?: CatalogWaitOptions): Promise<void>
  /** For the servers that a tool may belong to by its name or ref; for all if it fits none. */
  forTool(nameOrRef: string, options?: CatalogWaitOptions): Promise<void>
  /** For the servers that `mayOwn` accepts; for all if there are none. */
  forOwner(mayOwn: (server: string) => boolean, options?: CatalogWaitOptions): Promise<void>
}

export function createWaits(context: ViewContext, visibility: () => Visibility): ServerWaits {
  const visible = () => {
    const { layers, mayShow } = visibility()
    return layers.length === 0 ? 'all' : context.servers().filter(mayShow)
  }
  const all = (options: CatalogWaitOptions = {}) => context.wait(visible(), options)
  const forOwner: ServerWaits['forOwner'] = (mayOwn, options = {}) => {
    const { mayShow } = visibility()
    const owners = context.servers().filter((server) => mayOwn(server) && mayShow(server))
    if (owners.length === 0) return all(options)
    return context.wait(owners, { timeoutMs: 'settled', ...options })
  }
  return {
    all,
    forOwner,
    forTool(nameOrRef, options) {
      const ref = fromRef(nameOrRef)
      const { naming } = context.calling
      return forOwner(
        (server) => (ref ? ref.server === server : mayOwnName(naming, server, nameOrRef)),
        options,
      )
    },
  }
}

/** Waits before a request; an abort becomes the error of a request that was not sent. */
export async function beforeSending(
  waited: Promise<void>,
  {
    method,
    server = '',
    signal,
  }: { readonly method: string; readonly server?: string; readonly signal?: AbortSignal | undefined },
): Promise<void> {
  try {
    await waited
  } catch (error) {
    if (!signal?.aborted) throw error
    const data = { server, method, sent: false }
    throw new HostError('call.cancelled', data, 'Cancelled before it was sent.', { cause: error })
  }
}
