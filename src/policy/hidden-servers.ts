import { toRef } from '../model/tool.ts'
import { parseGlobs } from './globs.ts'
import { dialectStart } from './list-dialect.ts'
import { toServerSubject } from './layers.ts'
import type { CompiledLayer } from './layers.ts'

/**
 * Whether a layer hides every tool that a server could offer, judged by the start of their names: callers then need not
 * wait for that server. False when in doubt.
 */
export function hidesServer(
  { layer, off, servers }: CompiledLayer,
  { server, starts, isAnyServers }: ServerNames,
): boolean {
  if (off.has(server) || servers?.admits(toServerSubject(server)) === false) return true
  const { tools, dialect } = layer
  if (tools === undefined) return false
  // A list of another system may use its names or ours.
  const names = dialect === undefined ? [starts] : [starts, [dialectStart(server, dialect)]]
  return !mayAdmit(tools, { names, refs: [[toRef(server, '')]], isAnyServers })
}

/** The names that the tools of a server may have. */
interface ServerNames {
  readonly server: string
  /** One of these begins each name. */
  readonly starts: readonly string[]
  /** Whether a tool of any server may have this name. */
  readonly isAnyServers: (name: string) => boolean
}

interface NameStarts extends Pick<ServerNames, 'isAnyServers'> {
  /** By system: how the names of the server's tools begin there. */
  readonly names: readonly (readonly string[])[]
  readonly refs: readonly (readonly string[])[]
}

/** The last match decides, and without a match a tool is denied. */
function mayAdmit(patterns: readonly string[], { names, refs, isAnyServers }: NameStarts): boolean {
  for (const { admits, isRef, text } of parseGlobs(patterns).toReversed()) {
    const systems = isRef ? refs : names
    if (admits && (isAnyServers(text) || systems.flat().some((start) => mayMatch(text, start)))) return true
    if (!admits && systems.some((starts) => starts.every((start) => matchesAll(text, start)))) return false
  }
  return false
}

const wildcard = /[*?]/

/** Whether the pattern matches any text that begins with `start`. */
function mayMatch(pattern: string, start: string): boolean {
  const at = pattern.search(wildcard)
  if (at < 0) return pattern.startsWith(start)
  const head = pattern.slice(0, at)
  return head.startsWith(start) || start.startsWith(head)
}

/** Whether the pattern matches every text that begins with `start`. */
function matchesAll(pattern: string, start: string): boolean {
  const at = pattern.search(wildcard)
  return at >= 0 && /^\*+$/.test(pattern.slice(at)) && start.startsWith(pattern.slice(0, at))
}
