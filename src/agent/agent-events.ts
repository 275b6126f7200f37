import type { Block, ErrorCode, Json, Progress } from '../index.ts'

/** What a turn used. Summed over its steps; `usage()` of an agent sums over its turns. */
export interface Usage {
  readonly inputTokens: number
  readonly outputTokens: number
  /** The part of `inputTokens` that the provider had read before and charges less for. */
  readonly cachedTokens: number
  /** The provider did not report all of them; the rest is estimated from the texts. */
  readonly isEstimated: boolean
  /** In USD; absent if the price of the model is not known. */
  readonly cost?: number
}

/** How a turn ended. `refused`: the model could not finish because calls were refused. */
export type TurnOutcome = 'done' | 'limit' | 'refused' | 'failed' | 'cancelled'

/** The limit that ended a turn; `output` is the longest answer of the model itself. */
export type LimitName =
  | 'steps'
  | 'tokens'
  | 'cost'
  | 'timeMs'
  | 'sameCalls'
  | 'idleMs'
  | 'streamMs'
  | 'output'

export interface TurnFinished {
  readonly type: 'turn.finished'
  readonly outcome: TurnOutcome
  /** A sentence; absent if the outcome is `done`. */
  readonly reason?: string
  /** The next step, for a person. */
  readonly hint?: string
  /** With the outcome `limit`. */
  readonly limit?: LimitName
  /** With the outcome `failed`: the HTTP status of the model's endpoint. */
  readonly status?: number
  /** With the outcome `failed`: the code of the `HostError` that ended the turn. */
  readonly code?: ErrorCode
  /** The last text of the model. */
  readonly text: string
  /** The value that fits `outputSchema`. */
  readonly output?: Json
  readonly usage: Usage
  readonly steps: number
}

/** How a call ended. `unknown-outcome`: it was sent, and it is not known whether it ran. */
export type CallOutcome = 'done' | 'failed' | 'refused' | 'cancelled' | 'unknown-outcome'

/** An event without its time. */
export type AgentEventBody =
  | {
      readonly type: 'turn.started'
      readonly conversation: string
      readonly model: string
      readonly agent?: string
    }
  /** At the first step of an agent, and whenever the definitions that the model sees changed. */
  | {
      readonly type: 'tools.offered'
      readonly count: number
      /** What the definitions weigh, about. */
      readonly tokens: number
      readonly mode: 'all' | 'search'
      readonly added: readonly string[]
      readonly removed: readonly string[]
      readonly changed: readonly string[]
      /** After a change: the tokens that the provider has to read again, about, because its cache holds no longer. */
      readonly reread?: number
      /** Why the mode is `search`, or which tools are left out. */
      readonly reason?: string
    }
  | { readonly type: 'step.started'; readonly step: number }
  /** A piece of the answer. */
  | { readonly type: 'text'; readonly text: string }
  /** A piece of what the model thinks before it answers. */
  | { readonly type: 'reasoning'; readonly text: string }
  /** A piece of the arguments that a model writes for a tool with an app: JSON, which `readPartialInput` of plugboard/apps reads. */
  | {
      readonly type: 'call.drafted'
      readonly name: string
      readonly ref: string
      /** As in `call.started`, which follows unless the model breaks off. */
      readonly call: string
      readonly app: string
      readonly text: string
    }
  | {
      readonly type: 'call.started'
      readonly id: string
      readonly name: string
      readonly ref?: string
      /** With an app: the id under which the call is kept, in the history and in the page. */
      readonly call?: string
      /** The address of the app that shows its result (MCP Apps). */
      readonly app?: string
      /** As the model wrote them: an argument may be `@result:ID`. */
      readonly args: Json
    }
  | ({ readonly type: 'call.progressed'; readonly id: string } & Progress)
  | {
      readonly type: 'call.finished'
      readonly id: string
      readonly name: string
      readonly ref?: string
      /** As in `call.started`. */
      readonly call?: string
      readonly app?: string
      readonly outcome: CallOutcome
      /** What was sent, if a person changed the arguments before allowing the call. */
      readonly args?: Json
      /** What the model receives. */
      readonly text: string
      readonly blocks?: readonly Block[]
      /** The ID of `@result:ID`. */
      readonly result?: string
      readonly spilled?: { readonly path: string; readonly bytes: number }
      readonly ms: number
      /** How long a person took to allow it, which is not a part of `ms`. */
      readonly waitedMs?: number
      readonly error?: { readonly code: ErrorCode; readonly message: string; readonly hint?: string }
    }
  /** The window was full: the texts of these calls' results are left out from now on. */
  | { readonly type: 'results.dropped'; readonly calls: readonly string[]; readonly tokens: number }
  /** The window was full without results too: this many of the oldest messages are left out from now on. */
  | { readonly type: 'messages.dropped'; readonly count: number }
  | { readonly type: 'notice'; readonly message: string; readonly hint?: string }
  | {
      readonly type: 'step.finished'
      readonly step: number
      /** The finish reason of the model: `stop`, `tool-calls`, `length`, … */
      readonly finish: string
      readonly usage: Usage
    }
  | TurnFinished

/** An event of an agent: plain JSON, named in the past tense, delivered in order, with secrets masked. */
export type AgentEvent = { readonly at: number } & AgentEventBody
