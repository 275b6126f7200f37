import type { ListDialect } from '../model/agent.ts'
import { cleanName, serverPart } from '../model/server-part.ts'
import type { GlobOptions } from './globs.ts'
import type { Subject } from './read-only.ts'

/** C24: opencode's patterns know `?`. */
export function globOptions(dialect: ListDialect | undefined): GlobOptions {
  return { questionMark: dialect === 'opencode' }
}

/** Lists written for another system use its names for servers' tools; ours count there too. */
export function inDialect(tool: Subject, dialect: ListDialect | undefined): Subject {
  const { name, ref, server, tool: own } = tool
  if (dialect === undefined || server === undefined || own === undefined) return tool
  const named = dialect === 'opencode' ? inOpencode(name, server, own) : inClaudeCode(name, server, own)
  return { ...named, ...(ref !== undefined && { ref }) }
}

/** Its own names are just as unclear about where the server's part ends. */
function inOpencode(name: string, server: string, tool: string): Subject {
  return { name, alias: `${cleanName(server)}_${cleanName(tool)}` }
}

/**
 * `mcp__github` means the server that is called exactly so: neither `github__evil`, nor one that cleaning would make
 * the same, nor the tool `github__x` of a server called `mcp`. Against a tool all that it may be called counts.
 */
function inClaudeCode(name: string, server: string, tool: string): Subject {
  const start = `mcp__${serverPart(server)}__`
  const alias = start + cleanName(tool)
  const cleaned = `mcp__${cleanName(server)}__${cleanName(tool)}`
  const isAnothers = name.startsWith('mcp__') && !name.startsWith(start)
  const against = [...(cleaned === alias ? [] : [cleaned]), ...(isAnothers ? [name] : [])]
  return { name: isAnothers ? alias : name, alias, ...(against.length > 0 && { against }) }
}
