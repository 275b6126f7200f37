import type { Authority } from './server.ts'

/** The client whose names and patterns a list of tools uses; absent for our own. */
export type ListDialect = 'claude-code' | 'opencode' | 'copilot'

/** A named role for a model, with the tools it may see. */
export interface Agent {
  readonly name: string
  readonly description?: string
  /** What the model is told to be and to do: the text of the file or section, at most 256 KiB. */
  readonly prompt?: string
  /** The model as the file names it. Each client has its own names, so it may mean nothing here. */
  readonly model?: string
  /** Globs, in order. Absent: the agent sees every tool, including those added later (B14, B17). Empty: no tool. */
  readonly tools?: readonly string[]
  /** Globs of servers. Empty where the list of tools cannot be read: the agent then sees no server at all. */
  readonly servers?: readonly string[]
  /** Globs of tools whose calls need an approval. */
  readonly asks?: readonly string[]
  readonly dialect?: ListDialect
  readonly origin: AgentOrigin
  /** The person's own agent of the same name. Both lists apply, so that a project's agent cannot widen it. */
  readonly within?: Agent
}

export interface AgentOrigin {
  readonly file: string
  readonly line: number
  readonly authority: Authority
}
