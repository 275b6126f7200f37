import type { ListDialect } from '../model/agent.ts'
import { toRef } from '../model/tool.ts'
import { cleanName, serverPart } from '../model/server-part.ts'
import type { GlobOptions } from './globs.ts'
import type { Subject } from './read-only.ts'

/** Patterns of opencode support `?` (C24). */
export function globOptions(dialect: ListDialect | undefined): GlobOptions {
  return { questionMark: dialect === 'opencode' }
}

/** Adds the names that another system uses for a server's tool: its lists may contain those names or ours. */
export function withDialectNames(tool: Subject, dialect: ListDialect | undefined): Subject {
  const { name, ref, server, tool: own } = tool
  // Copilot writes `server/tool`, which is our own ref.
  if (dialect === undefined || dialect === 'copilot' || server === undefined || own === undefined) return tool
  const named = dialect === 'opencode' ? toOpencode(name, server, own) : toClaudeCode(name, server, own)
  return { ...named, ...(ref !== undefined && { ref }) }
}

/** The start of all names that another system uses for tools of this server. */
export function dialectStart(server: string, dialect: ListDialect): string {
  if (dialect === 'copilot') return toRef(server, '')
  return dialect === 'opencode' ? `${cleanName(server)}_` : `mcp__${serverPart(server)}__`
}

/** No ambiguous names here: opencode's own names do not say either where the server part ends. */
function toOpencode(name: string, server: string, tool: string): Subject {
  return { name, alias: dialectStart(server, 'opencode') + cleanName(tool) }
}

/**
 * A pattern such as `mcp__github__*` admits only tools of the server with exactly that name: not of `github__evil`, not
 * of a server whose name becomes the same when cleaned, not the tool `github__x` of a server named `mcp`. A pattern that
 * restricts applies to all of these (`ambiguous`).
 */
function toClaudeCode(name: string, server: string, tool: string): Subject {
  const start = dialectStart(server, 'claude-code')
  const alias = start + cleanName(tool)
  const cleaned = `mcp__${cleanName(server)}__${cleanName(tool)}`
  const isMisleading = name.startsWith('mcp__') && !name.startsWith(start)
  const ambiguous = [...(cleaned === alias ? [] : [cleaned]), ...(isMisleading ? [name] : [])]
  return { name: isMisleading ? alias : name, alias, ...(ambiguous.length > 0 && { ambiguous }) }
}
