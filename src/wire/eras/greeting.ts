import type { JsonObject } from '../../model/json.ts'
import type { Era } from '../../model/status.ts'

/** Who we are and what we can do, as servers are told. */
export interface Self {
  readonly info: ClientInfo
  readonly capabilities: JsonObject
}

export interface ClientInfo {
  readonly name: string
  readonly version: string
  readonly title?: string
}

/** What a server said of itself. Its own words are untrusted: nothing depends on `serverInfo`. */
export interface Greeting {
  readonly era: Era
  readonly version: string
  readonly capabilities: JsonObject
  /** Nothing was asked: its entry says which revision it speaks. What it offers shows when it is asked for. */
  readonly isAssumed?: true
  readonly serverInfo?: JsonObject
  readonly instructions?: string
}
