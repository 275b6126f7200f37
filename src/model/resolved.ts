import type { Secret } from './secret.ts'
import type { Json } from './json.ts'
import type { Transport } from './server.ts'

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

/** How values would come out, for a person to see: what can be known without a start, and why the rest cannot. */
export interface Preview extends ResolvedValues {
  readonly login?: Readonly<Record<string, Resolved>>
  /** The reason, by the place of the value: `env.TOKEN`, `args.1`, `url`. */
  readonly unresolved?: Readonly<Record<string, string>>
}

type Texts = Readonly<Record<string, Resolved>>

/** A transport that can be used as it is: every value looked up, and the child's whole environment. */
export type ResolvedTransport =
  | (Pick<Transport & { kind: 'stdio' }, 'kind' | 'framing'> & {
      readonly command: Resolved
      readonly args: readonly Resolved[]
      readonly env: Texts
      readonly cwd?: Resolved
      readonly auth?: ResolvedAuth
    })
  | (Pick<
      Transport & { kind: 'http' | 'sse' },
      'kind' | 'socketPath' | 'headersCommand' | 'fallback' | 'tls' | 'launch'
    > & {
      readonly url: Resolved
      readonly headers: Texts
      /** What the command that gives headers may see of our environment. */
      readonly commandEnv?: Readonly<Record<string, string>>
      readonly env?: Texts
      readonly auth?: ResolvedAuth
    })

export type ResolvedAuth = Readonly<Record<string, Json | Secret | undefined>>

/** A value as it is used: the one place where a secret leaves its wrapping for a server. */
export function reveal(value: Resolved): string {
  return typeof value === 'string' ? value : value.reveal()
}

export function revealAll(values: Readonly<Record<string, Resolved>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, reveal(value)]))
}
