import type { Machine } from './programs/cli.ts'

/** A row of `sources --json`. */
export interface SourceRow {
  readonly id: string
  readonly use: string
  readonly servers: readonly { readonly name: string }[]
  readonly files: readonly { readonly file: string; readonly found: boolean; readonly own: boolean }[]
  readonly diagnostics: readonly unknown[]
}

export function byId(a: { readonly id: string }, b: { readonly id: string }): number {
  return a.id < b.id ? -1 : 1
}

export async function survey(machine: Machine, ...flags: readonly string[]): Promise<readonly SourceRow[]> {
  return (await machine.json<{ readonly sources: readonly SourceRow[] }>('sources', ...flags)).sources
}
