import { toRef } from '../model/tool.ts'
import { parseGlobs } from './globs.ts'
import { toServerSubject } from './layers.ts'
import type { CompiledLayer } from './layers.ts'

/**
 * Whether a layer hides every tool that a server could offer, judged by the start of their names: callers then need not
 * wait for that server. False when in doubt.
 */
export function hidesServer(
  { layer, off, servers }: CompiledLayer,
  { server, prefix }: { readonly server: string; readonly prefix: string },
): boolean {
  if (off.has(server) || servers?.admits(toServerSubject(server)) === false) return true
  // The lists of another system use its own names for tools.
  return (
    layer.tools !== undefined && layer.dialect === undefined && !mayAdmit(layer.tools, { server, prefix })
  )
}

/** The last match decides, and without a match a tool is denied. */
function mayAdmit(
  patterns: readonly string[],
  { server, prefix }: { readonly server: string; readonly prefix: string },
): boolean {
  for (const { admits, isRef, text } of parseGlobs(patterns).toReversed()) {
    const start = isRef ? toRef(server, '') : prefix
    if (admits && mayMatch(text, start)) return true
    if (!admits && matchesAll(text, start)) return false
  }
  return false
}

/** Whether the pattern matches any text that begins with `start`. */
function mayMatch(pattern: string, start: string): boolean {
  const star = pattern.indexOf('*')
  if (star < 0) return pattern.startsWith(start)
  const head = pattern.slice(0, star)
  return head.startsWith(start) || start.startsWith(head)
}

/** Whether the pattern matches every text that begins with `start`. */
function matchesAll(pattern: string, start: string): boolean {
  const star = pattern.indexOf('*')
  return star >= 0 && /^\*+$/.test(pattern.slice(star)) && start.startsWith(pattern.slice(0, star))
}
