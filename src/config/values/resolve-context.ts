import { Redactor } from '../../model/secrets/redactor.ts'
import type { Server, TrustState } from '../../model/server.ts'
import type { Platform } from '../../platform/platform.ts'
import type { ValueSource, World } from '../../sources/source.ts'
import { CommandCache, commandLimits } from './command-values.ts'
import type { CommandLimits } from './command-values.ts'
import type { EnvFileSeal } from './env-file.ts'
import type { AnswerInput, Answers } from '../../model/answers.ts'
import { needsTrust } from '../trust/trust-store.ts'

export interface ResolveOptions {
  /** The source that read the server; its rules define the syntax of values. */
  readonly source: ValueSource
  readonly world: World
  readonly platform: Pick<Platform, 'files' | 'run' | 'keychain' | 'uid'>
  readonly trust: TrustState
  /** The variables a person granted. By default a project server gets none, any other server all that it names. */
  readonly granted?: readonly string[] | undefined
  /** T53: what the envFile set when a person trusted it, or that no seal was kept. Not checked when absent. */
  readonly envFile?: EnvFileSeal | 'unsealed' | undefined
  /** Receives every secret, so that it can be masked in all output. */
  readonly redactor?: Redactor
  /** Answers to inputs by id, or a function that asks a person when a value needs one. */
  readonly answers?: Answers | AnswerInput
  /** Remembers the output of commands. By default nothing outlives the call. */
  readonly cache?: CommandCache
  readonly limits?: Partial<CommandLimits>
  readonly signal?: AbortSignal
}

/** The options of a lookup with defaults filled in. */
export interface ResolveContext extends ResolveOptions {
  /** The granted variables; all variables when absent. */
  readonly grants: ReadonlySet<string> | undefined
  readonly redactor: Redactor
  readonly answers: Answers | AnswerInput
  readonly cache: CommandCache
  readonly limits: CommandLimits
}

export function createResolveContext(server: Server, options: ResolveOptions): ResolveContext {
  const granted = options.granted ?? (needsTrust(server) ? [] : undefined)
  return {
    ...options,
    grants: granted && new Set(granted),
    redactor: options.redactor ?? new Redactor(),
    answers: options.answers ?? {},
    cache: options.cache ?? new CommandCache(),
    limits: { ...commandLimits, ...options.limits },
  }
}
