import type { Secret } from './secret.ts'
import type { Json } from './json.ts'
import type { Transport } from './server.ts'

export type ResolvedValue = string | Secret

/** The fields of a server that contained placeholders, resolved. */
export interface ResolvedValues {
  readonly command?: ResolvedValue
  readonly args?: readonly ResolvedValue[]
  readonly env?: Readonly<Record<string, ResolvedValue>>
  readonly cwd?: ResolvedValue
  readonly envFile?: ResolvedValue
  readonly url?: ResolvedValue
  readonly headers?: Readonly<Record<string, ResolvedValue>>
  readonly auth?: Readonly<Record<string, ResolvedValue>>
}

/** The values of a server as far as they can be resolved without starting it, for display. */
export interface Preview extends ResolvedValues {
  readonly login?: Readonly<Record<string, ResolvedValue>>
  /** Why a value could not be resolved, by its place: `env.TOKEN`, `args.1`, `url`. */
  readonly unresolved?: Readonly<Record<string, string>>
}

/** A transport that is ready to open: every value resolved, and the complete environment of the child. */
export type ResolvedTransport =
  | (Pick<Transport & { kind: 'stdio' }, 'kind' | 'framing'> & {
      readonly command: ResolvedValue
      readonly args: readonly ResolvedValue[]
      readonly env: Readonly<Record<string, ResolvedValue>>
      readonly cwd?: ResolvedValue
      /** What a person should know if the program does not start. */
      readonly note?: string
      readonly auth?: ResolvedAuth
    })
  | (Pick<
      Transport & { kind: 'http' | 'sse' },
      'kind' | 'socketPath' | 'headersCommand' | 'fallback' | 'tls' | 'launch'
    > & {
      readonly url: ResolvedValue
      readonly headers: Readonly<Record<string, ResolvedValue>>
      /** The part of our environment that `headersCommand` may see. */
      readonly commandEnv?: Readonly<Record<string, string>>
      readonly env?: Readonly<Record<string, ResolvedValue>>
      readonly auth?: ResolvedAuth
    })

export type ResolvedAuth = Readonly<Record<string, Json | Secret | undefined>>

/** The plain text of a value: the one place where a secret is unwrapped for a server. */
export function reveal(value: ResolvedValue): string {
  return typeof value === 'string' ? value : value.reveal()
}

export function revealAll(values: Readonly<Record<string, ResolvedValue>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, reveal(value)]))
}
