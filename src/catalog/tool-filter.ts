import { matchGlob } from '../model/glob.ts'
import type { NamingRules } from '../model/preset.ts'
import type { ToolFilter } from '../model/server.ts'
import { toRef } from '../model/tool.ts'
import { createClaims, isUnfit, nameAt } from './tool-names.ts'

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

/** A tool that its server offers and that the server's entry leaves out. */
export interface LeftOut {
  readonly server: string
  readonly ref: string
  /** What it would be called. */
  readonly name: string
  /** The pattern that denies it; absent where the entry lists the tools it wants, and not this one. */
  readonly pattern?: string
}

/** As much of a catalog as the search needs. */
interface Offers {
  servers(): readonly string[]
  snapshotOf(server: string): { readonly tools: readonly { readonly name: string }[] } | undefined
}

interface LookOptions {
  readonly naming: NamingRules
  readonly filterOf: (server: string) => ToolFilter | undefined
}

/** By its ref or by the name it would have. Looked for only when somebody asks why they do not see it. */
export function findLeftOut(
  nameOrRef: string,
  catalog: Offers,
  { naming, filterOf }: LookOptions,
): LeftOut | undefined {
  for (const server of catalog.servers()) {
    const filter = filterOf(server)
    if (!filter) continue
    const isAdmitted = createFilter(filter)
    const claimOf = createClaims(naming, server)
    for (const { name: tool } of catalog.snapshotOf(server)?.tools ?? []) {
      if (isAdmitted(tool)) continue
      const [ref, claim] = [toRef(server, tool), claimOf(tool)]
      const name = nameAt(claim, isUnfit(claim) ? 1 : 0)
      if (nameOrRef !== ref && nameOrRef !== name) continue
      const pattern = filter.deny.find((each) => matchGlob(each, tool))
      return { server, ref, name, ...(pattern !== undefined && { pattern }) }
    }
  }
  return undefined
}
