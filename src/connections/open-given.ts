import type { OpenChannel } from '../wire/channel.ts'
import { WireError } from '../wire/wire-error.ts'
import { talk } from './link.ts'
import type { Link, LinkContext } from './link.ts'

/** Greets a server over a channel that somebody else made: one in memory, or a recording. */
export async function openGiven(
  channel: OpenChannel,
  context: LinkContext,
  signal: AbortSignal,
): Promise<Link> {
  context.on.step('greeting')
  const { rpc, greet } = talk(channel, context, { signal, finish: async () => undefined })
  try {
    return await greet(context.protocol)
  } catch (error) {
    await rpc.close(new WireError('closed', 'The connection was given up.', { cause: error }))
    throw error
  }
}
