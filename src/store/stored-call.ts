import type { Json } from '../model/json.ts'

/** What made a call: the page of `plugboard serve`, a terminal, a model in a conversation, the app of a tool, or another program. */
export type CallMaker = 'page' | 'terminal' | 'chat' | 'app' | 'program'

export interface StoredCall {
  readonly id: string
  /** Absent for calls that an earlier version recorded. */
  readonly by?: CallMaker
  /** The ref of the tool whose app made it. */
  readonly app?: string
  readonly conversation?: string
  readonly agent?: string
  readonly ref: string
  readonly args: Json
  readonly outcome: 'done' | 'failed' | 'denied' | 'cancelled'
  /** What the model got; at most 8 kB of it. */
  readonly result: string
  /** The result as its server sent it, of a tool with an app (MCP Apps); only `get` reads it, and at most 256 kB are kept. */
  readonly raw?: Json
  /** How long it took, without the time that it waited for a person. */
  readonly ms: number
  /** How long it waited for a person, if it did. */
  readonly waitedMs?: number
  /** The size of the whole result. */
  readonly bytes: number
  /** Why it did not run, or why it is unknown whether it did. */
  readonly error?: StoredCallError
  /** When it ended, as ISO 8601. */
  readonly at: string
  /** When it began, as ISO 8601. */
  readonly startedAt: string
}

export interface StoredCallError {
  readonly code: string
  readonly message: string
  readonly hint?: string
}

/** A call that runs. */
export type BegunCall = Pick<StoredCall, 'id' | 'by' | 'conversation' | 'agent' | 'ref' | 'args'>

/** The place of a call in the order of calls, also of one that still runs. */
export type CallPlace = Pick<StoredCall, 'startedAt' | 'id'>

export interface ListCalls {
  readonly conversation?: string
  readonly server?: string
  readonly outcome?: StoredCall['outcome']
  readonly by?: CallMaker
  /** Only calls that began before this one; none if there is no such call. */
  readonly before?: string | CallPlace
  readonly limit?: number
}

/** The calls that were made. A call never waits for this: rows are written behind it, in order. */
export interface CallHistory {
  /** `at`: for a call that another program made before. */
  record(call: Omit<StoredCall, 'at' | 'startedAt'> & { readonly at?: string }): void
  /** Called when a model's call starts, with the id that `record` gets; a store keeps only calls that have ended. */
  begin?(call: BegunCall): void
  /** By their start, the newest first. */
  list(options?: ListCalls): Promise<readonly StoredCall[]>
  get(id: string): Promise<StoredCall | undefined>
  /** The ids of the newest calls, for noticing those that other programs made. */
  newest(limit: number): Promise<readonly string[]>
  /** Resolves when everything recorded so far is written, or was given up. */
  flush(): Promise<void>
}
