import { matchGlob } from '../model/glob.ts'
import type { ToolFilter } from '../model/server.ts'

/** An entry's own word on its server's tools, by the names the server gives them; a denial counts more. */
export function createFilter({ allow, deny }: Pick<ToolFilter, 'allow' | 'deny'>): (tool: string) => boolean {
  const isDenied = createMatcher(deny)
  if (allow === null) return deny.length === 0 ? () => true : (tool) => !isDenied(tool)
  const isAllowed = createMatcher(allow)
  return (tool) => isAllowed(tool) && !isDenied(tool)
}

/** Long lists are lists of names: only what holds a `*` is compared one by one. */
function createMatcher(patterns: readonly string[]): (tool: string) => boolean {
  const names = new Set(patterns)
  const globs = patterns.filter((pattern) => pattern.includes('*'))
  return (tool) => names.has(tool) || globs.some((glob) => matchGlob(glob, tool))
}
