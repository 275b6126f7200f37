import type { Server, ServerNotifier, Tool } from '@modelcontextprotocol/server'

interface Shared {
  readonly tools: Tool[]
  notify: ServerNotifier | undefined
}

export declare function createShared(): Shared
export declare function createV2Server(
  context: { readonly era: 'legacy' | 'modern' },
  note: (line: string) => void,
  shared: Shared,
): Server
