import type { Authority } from './server.ts'

/** Whose names and patterns a list of tools is written in; absent where it is ours. */
export type ListDialect = 'claude-code' | 'opencode'

/** A named role for a model, with the tools it may see. */
export interface Agent {
  readonly name: string
  readonly description?: string
  /** Globs, in order. Absent: it sees everything, also what comes later (B14, B17). Empty: nothing. */
  readonly tools?: readonly string[]
  /** Globs of servers. Empty where the list of tools cannot be read: then it sees nothing of any kind. */
  readonly servers?: readonly string[]
  /** Globs of tools it must ask for before each use. */
  readonly asks?: readonly string[]
  readonly dialect?: ListDialect
  readonly origin: AgentOrigin
  /** The person's own agent of this name, which a project's cannot widen: both lists count. */
  readonly within?: Agent
}

export interface AgentOrigin {
  readonly file: string
  readonly line: number
  readonly authority: Authority
}
