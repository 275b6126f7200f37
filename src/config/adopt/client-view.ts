import type { Server, ToolFilter } from '../../model/server.ts'
import type { LostField } from '../../sources/entries/write-rules.ts'
import type { GatewayViewSettings } from '../gateway-views.ts'

/** A server with the name that it has in our file. */
export interface NamedServer {
  readonly as: string
  readonly server: Server
}

/** What the client is offered: its servers, without the tools that its own entries left out. */
export function toClientView(moved: readonly NamedServer[]): GatewayViewSettings {
  const patterns = moved.flatMap(({ as, server: { tools } }) => patternsOf(as, tools))
  return {
    servers: moved.map(({ as }) => as),
    ...(patterns.length > 0 && { tools: ['*', ...patterns] }),
  }
}

/** The last pattern that matches decides, so an allow-list first takes all tools of its server away. */
function patternsOf(server: string, { allow, deny }: ToolFilter): readonly string[] {
  return [
    ...(allow === null ? [] : [`!${server}/*`, ...allow.map((tool) => `${server}/${tool}`)]),
    ...deny.map((tool) => `!${server}/${tool}`),
  ]
}

/** What clients accept as the name of a tool; other names get a hash, which only the running server decides. */
const plainName = /^[A-Za-z0-9_-]{1,64}$/

/** The tools that the client may call without asking, by their new names, and those that have none. */
export function renameApproved(moved: readonly NamedServer[]): {
  readonly approved: readonly string[]
  readonly lost: readonly LostField[]
} {
  const lost: LostField[] = []
  const approved = moved.flatMap(({ as, server: { tools } }) =>
    (tools.autoApprove ?? []).flatMap((tool) => {
      const name = `${as}__${tool}`
      if (plainName.test(name)) return [name]
      const reason = `${tool === '*' ? 'All tools were' : `"${tool}" was`} approved in advance; the client asks now.`
      lost.push({ field: `${as}.autoApprove`, reason })
      return []
    }),
  )
  return { approved, lost }
}
