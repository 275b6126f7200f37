import type { Json } from '../model/json.ts'

export interface StoredCall {
  readonly id: string
  readonly conversation?: string
  readonly agent?: string
  readonly ref: string
  readonly args: Json
  readonly outcome: 'done' | 'failed' | 'denied' | 'cancelled'
  /** What the model got; at most 8 kB of it. */
  readonly result: string
  readonly ms: number
  /** The size of the whole result. */
  readonly bytes: number
  readonly at: string
}

/** The calls that were made. A call never waits for this: rows are written behind it, in order. */
export interface CallHistory {
  record(call: Omit<StoredCall, 'at'>): void
  /** The newest first. */
  list(options?: { readonly conversation?: string; readonly limit?: number }): Promise<readonly StoredCall[]>
  /** Resolves when everything recorded so far is written, or was given up. */
  flush(): Promise<void>
}
