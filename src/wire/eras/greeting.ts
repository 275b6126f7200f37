import type { JsonObject } from '../../model/json.ts'
import type { Era } from '../../model/status.ts'

/** What we tell servers about ourselves: name, version and capabilities. */
export interface ClientIdentity {
  readonly info: ClientInfo
  readonly capabilities: JsonObject
}

export interface ClientInfo {
  readonly name: string
  readonly version: string
  readonly title?: string
}

/** What a server told about itself in the handshake. `serverInfo` is untrusted: no decision depends on it. */
export interface Greeting {
  readonly era: Era
  readonly version: string
  readonly capabilities: JsonObject
  /** No handshake took place: the entry fixes the revision. What the server offers is known only after listing it. */
  readonly isAssumed?: true
  readonly serverInfo?: JsonObject
  readonly instructions?: string
}
