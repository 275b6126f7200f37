import type { ResolvedTransport } from '../model/resolved.ts'
import type { Link, LinkContext } from './link.ts'

/** Opens a link over whatever the entry names. What a transport needs is loaded with its first server. */
export async function openLink(
  transport: ResolvedTransport,
  context: LinkContext,
  signal: AbortSignal,
): Promise<Link> {
  if (transport.kind === 'stdio') {
    const { openProcess } = await import('./open-process.ts')
    return openProcess(transport, context, signal)
  }
  const { openRemote } = await import('./open-remote.ts')
  return openRemote(transport, context, signal)
}
