import { matchGlob } from '../model/glob.ts'
import type { ToolFilter } from '../model/server.ts'

/** What an entry itself says about its server's tools, by the server's own names for them. */
export interface ServerFilter {
  admits(tool: string): boolean
  /** Why a tool is left out, if it is. */
  refusal(tool: string): string | undefined
}

/** Denied beats allowed; no allow-list admits every tool, an empty one none. `!` means nothing here. */
export function toServerFilter({ allow, deny }: ToolFilter): ServerFilter {
  const allowing = allow && toFinder(allow)
  const denying = toFinder(deny)
  const refusal = (tool: string): string | undefined => {
    const denied = denying(tool)
    if (denied !== undefined) return `The pattern ${JSON.stringify(denied)} in its server's entry denies it.`
    return allowing && allowing(tool) === undefined ? "Its server's entry does not list it." : undefined
  }
  return { refusal, admits: (tool) => refusal(tool) === undefined }
}

/** The pattern that matches a name, if one does. */
function toFinder(patterns: readonly string[]): (tool: string) => string | undefined {
  const exact = new Set(patterns)
  const wild = patterns.filter((pattern) => pattern.includes('*'))
  return (tool) => (exact.has(tool) ? tool : wild.find((pattern) => matchGlob(pattern, tool)))
}
