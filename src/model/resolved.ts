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
      /** Text that the program reads from file descriptor 3: for what must not be on its command line. */
      readonly handed?: string
      /** The container that the program is the client of. */
      readonly container?: StartedContainer
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

/** A container, which does not end with its client. */
export interface StartedContainer {
  readonly engine: 'podman' | 'docker'
  /** Arguments of the engine before its command. */
  readonly options: readonly string[]
  /** The variables of the engine itself. */
  readonly env: Readonly<Record<string, string>>
  /** The private folder of its files: made for a start, removed after it. */
  readonly folder: string
  readonly cidFile: string
  /** Has the variables of the server; removed as soon as the engine has read it. */
  readonly envFile: string
  /** The text of that file. */
  readonly variables: Secret
  /** Its limit, for the reason of an end. */
  readonly memory?: string
}

export type ResolvedAuth = Readonly<Record<string, Json | Secret | undefined>>

/** The plain text of a value: the one place where a secret is unwrapped for a server. */
export function reveal(value: ResolvedValue): string {
  return typeof value === 'string' ? value : value.reveal()
}

export function revealAll(values: Readonly<Record<string, ResolvedValue>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, reveal(value)]))
}
