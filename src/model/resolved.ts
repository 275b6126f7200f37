import type { Secret } from './secret.ts'

export type Resolved = string | Secret

/** The fields of a server that placeholders changed, as they would be used. */
export interface ResolvedValues {
  readonly command?: Resolved
  readonly args?: readonly Resolved[]
  readonly env?: Readonly<Record<string, Resolved>>
  readonly cwd?: Resolved
  readonly envFile?: Resolved
  readonly url?: Resolved
  readonly headers?: Readonly<Record<string, Resolved>>
  readonly auth?: Readonly<Record<string, Resolved>>
}
