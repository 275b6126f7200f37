import type { ListDialect } from '../model/agent.ts'
import type { GlobOptions } from './globs.ts'
import type { Subject } from './read-only.ts'

/** C24: opencode's patterns know `?`. */
export function globOptions(dialect: ListDialect | undefined): GlobOptions {
  return { questionMark: dialect === 'opencode' }
}

/** Lists written for another system use its names for servers' tools; ours count there too. */
export function inDialect(tool: Subject, dialect: ListDialect | undefined): Subject {
  if (dialect === undefined || tool.server === undefined || tool.tool === undefined) return tool
  const { name, ref } = tool
  const [server, own] = [clean(tool.server), clean(tool.tool)]
  const alias = dialect === 'opencode' ? `${server}_${own}` : `mcp__${server}__${own}`
  return { name, alias, ...(ref !== undefined && { ref }) }
}

function clean(text: string): string {
  return text.replace(/[^A-Za-z0-9_-]/g, '_')
}
