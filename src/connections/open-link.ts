import type { ResolvedTransport } from '../model/resolved.ts'
import type { OpenChannel } from '../wire/channel.ts'
import { WireError } from '../wire/wire-error.ts'
import type { Link, LinkContext } from './link.ts'

/** What to open: the transport of the entry, or a channel of the embedder. */
export type Target = ResolvedTransport | { readonly kind: 'given'; readonly channel: OpenChannel }

/** Opens a link. The code of a transport is loaded with its first server. */
export async function openLink(target: Target, context: LinkContext, signal: AbortSignal): Promise<Link> {
  if (target.kind === 'stdio') {
    const { openProcess } = await import('./open-process.ts')
    return openProcess(target, context, signal)
  }
  if (target.kind === 'given') return openGiven(target.channel, context, signal)
  const { openRemote } = await import('./open-remote.ts')
  return openRemote(target, context, signal)
}

/** Greets a server over a channel of the embedder: in memory, or a recording. */
async function openGiven(channel: OpenChannel, context: LinkContext, signal: AbortSignal): Promise<Link> {
  const { startRpc } = await import('./link.ts')
  const { guardChannel } = await import('./given-channel.ts')
  context.on.step('greeting')
  const guarded = guardChannel(channel, context.platform.clock)
  const { rpc, greet } = startRpc(guarded, context, { signal, finish: async () => undefined })
  try {
    return await greet(context.protocol)
  } catch (error) {
    await rpc.close(new WireError('closed', 'The connection was given up.', { cause: error }))
    throw error
  }
}
