import { matchGlob } from '../model/glob.ts'
import type { NamingRules } from '../model/preset.ts'
import type { ToolFilter } from '../model/server.ts'
import { toRef } from '../model/tool.ts'
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

/** A tool that the filter of its server's entry removes. */
export interface FilteredTool {
  readonly server: string
  readonly ref: string
  /** The name it would have. */
  readonly name: string
  /** The pattern that denies it; absent when the entry has an `allow` list without this tool. */
  readonly pattern?: string
}

/** The part of a catalog that the search needs. */
interface SnapshotSource {
  servers(): readonly string[]
  snapshotOf(server: string): { readonly tools: readonly { readonly name: string }[] } | undefined
}

interface FilterLookup {
  readonly naming: NamingRules
  readonly filterOf: (server: string) => ToolFilter | undefined
}

/** Finds a filtered tool by its ref or by the name it would have. Used to explain why a tool is missing. */
export function findFilteredTool(
  nameOrRef: string,
  catalog: SnapshotSource,
  { naming, filterOf }: FilterLookup,
): FilteredTool | undefined {
  for (const server of catalog.servers()) {
    const filter = filterOf(server)
    if (!filter) continue
    const isAdmitted = createFilter(filter)
    const claimOf = createClaims(naming, server)
    for (const { name: tool } of catalog.snapshotOf(server)?.tools ?? []) {
      if (isAdmitted(tool)) continue
      const [ref, claim] = [toRef(server, tool), claimOf(tool)]
      const name = candidateName(claim, needsMark(claim) ? 1 : 0)
      if (nameOrRef !== ref && nameOrRef !== name) continue
      const pattern = filter.deny.find((each) => matchGlob(each, tool))
      return { server, ref, name, ...(pattern !== undefined && { pattern }) }
    }
  }
  return undefined
}
