import { Redactor } from '../../model/secret.ts'
import type { Server, TrustState } from '../../model/server.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Source, World } from '../../sources/source.ts'
import { CommandCache, commandLimits } from './command-values.ts'
import type { CommandLimits } from './command-values.ts'
import type { AnswerInput, Answers } from '../../model/answers.ts'
import { needsTrust } from '../trust/trust-store.ts'

export interface ResolveOptions {
  /** The source that read the server: its rules say how values are written. */
  readonly source: Source
  readonly world: World
  readonly platform: Pick<Platform, 'files' | 'run' | 'keychain'>
  readonly trust: TrustState
  /** The variables a person granted. Without it a server of the project gets none, any other one what it names. */
  readonly granted?: readonly string[] | undefined
  /** Learns every secret, so that all output can be cleared of them. */
  readonly redactor?: Redactor
  /** What a person answered for inputs, or who asks them when a value needs one. */
  readonly answers?: Answers | AnswerInput
  /** Remembers what commands answered; by default nothing outlives the call. */
  readonly cache?: CommandCache
  readonly limits?: Partial<CommandLimits>
  readonly signal?: AbortSignal
}

/** Everything that looking up needs, with its defaults. */
export interface Context extends ResolveOptions {
  /** Every variable when absent. */
  readonly grants: ReadonlySet<string> | undefined
  readonly redactor: Redactor
  readonly answers: Answers | AnswerInput
  readonly cache: CommandCache
  readonly limits: CommandLimits
}

export function contextOf(server: Server, options: ResolveOptions): Context {
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
