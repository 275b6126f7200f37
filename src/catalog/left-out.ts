import { matchGlob } from '../model/glob.ts'
import type { NamingRules } from '../model/preset.ts'
import type { ToolFilter } from '../model/server.ts'
import { toRef } from '../model/tool.ts'
import type { Catalog } from './catalog.ts'
import { createFilter } from './tool-filter.ts'
import { createClaims, isUnfit, nameAt } from './naming.ts'

/** A tool that its server offers and that the server's entry leaves out. */
export interface LeftOut {
  readonly server: string
  readonly ref: string
  /** What it would be called. */
  readonly name: string
  /** The pattern that denies it; absent where the entry lists the tools it wants, and not this one. */
  readonly pattern?: string
}

interface LookOptions {
  readonly naming: NamingRules
  readonly filterOf: (server: string) => ToolFilter | undefined
}

/** By its ref or by the name it would have. Looked for only when somebody asks why they do not see it. */
export function findLeftOut(
  nameOrRef: string,
  catalog: Pick<Catalog, 'servers' | 'snapshotOf'>,
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
