import { HostError } from '../model/error.ts'
import type { ViewContext } from './view/view-context.ts'

interface Learning {
  readonly method: string
  /** The only one that matters. */
  readonly server?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** What is not known may be among what is still to be learned. What is known waits for nobody. */
export async function learned(
  { ready, isReady, catalog }: Pick<ViewContext, 'ready' | 'isReady' | 'catalog'>,
  { method, server, signal }: Learning,
): Promise<void> {
  if (isReady() || (server !== undefined && catalog.snapshotOf(server))) return
  try {
    await ready({ ...(server !== undefined && { servers: [server] }), ...(signal && { signal }) })
  } catch (error) {
    if (!signal?.aborted) throw error
    const data = { server: server ?? '', method, sent: false }
    throw new HostError('call.cancelled', data, 'Cancelled before it was sent.', { cause: error })
  }
}
