import { matchGlob } from '../model/glob.ts'
import type { NamingRules } from '../model/preset.ts'
import type { ToolFilter } from '../model/server.ts'
import { isForModels, toRef } from '../model/tool.ts'
import type { ToolDefinition } from '../model/tool.ts'
import { createClaims, needsMark, candidateName } from './tool-names.ts'

/** The tool filter of an entry, by the server's names for its tools; `deny` wins over `allow`. */
export function createFilter({ allow, deny }: Pick<ToolFilter, 'allow' | 'deny'>): (tool: string) => boolean {
  const isDenied = createMatcher(deny)
  if (allow === null) return deny.length === 0 ? () => true : (tool) => !isDenied(tool)
  const isAllowed = createMatcher(allow)
  return (tool) => isAllowed(tool) && !isDenied(tool)
}

/** Plain names are looked up in a set; only patterns with a `*` are tried one by one. */
function createMatcher(patterns: readonly string[]): (tool: string) => boolean {
  const names = new Set(patterns)
  const globs = patterns.filter((pattern) => pattern.includes('*'))
  return (tool) => names.has(tool) || globs.some((glob) => matchGlob(glob, tool))
}

/** A tool of a server that no view offers. */
export interface FilteredTool {
  readonly server: string
  readonly ref: string
  /** The name it would have. */
  readonly name: string
  /** `app`: the server keeps it for its own view. `denied` and `not-listed`: the entry of the server removes it. */
  readonly by: 'app' | 'denied' | 'not-listed'
  /** The pattern that denies it. */
  readonly pattern?: string
}

/** The part of a catalog that the search needs. */
interface SnapshotSource {
  servers(): readonly string[]
  snapshotOf(server: string): { readonly tools: readonly ToolDefinition[] } | undefined
}

interface FilterLookup {
  readonly naming: NamingRules
  readonly filterOf: (server: string) => ToolFilter | undefined
}

/** The tools that no view offers. Used to explain why a tool is missing. */
export function filteredTools(
  catalog: SnapshotSource,
  { naming, filterOf }: FilterLookup,
): readonly FilteredTool[] {
  return catalog.servers().flatMap((server) => {
    const filter = filterOf(server) ?? { allow: null, deny: [] }
    const isAdmitted = createFilter(filter)
    const claimOf = createClaims(naming, server)
    return (catalog.snapshotOf(server)?.tools ?? []).flatMap((definition): readonly FilteredTool[] => {
      const { name: tool } = definition
      const isListed = isAdmitted(tool)
      if (isListed && isForModels(definition)) return []
      const claim = claimOf(tool)
      const name = candidateName(claim, needsMark(claim) ? 1 : 0)
      const found = { server, ref: toRef(server, tool), name }
      if (isListed) return [{ ...found, by: 'app' }]
      const pattern = filter.deny.find((each) => matchGlob(each, tool))
      return [pattern === undefined ? { ...found, by: 'not-listed' } : { ...found, by: 'denied', pattern }]
    })
  })
}
