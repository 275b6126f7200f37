import type { Json, JsonObject, OwnConnection } from '../../index.ts'
import type { Caller } from '../../internal.ts'
import type { OutgoingMessage, ReceivedHeaders, RequestId } from '../../serving.ts'
import type { ClientSubscriptions } from './changes/client-subscriptions.ts'
import type { RequestTrace } from './request-trace.ts'

/** Which part of the gateway an address names: a view of the settings, and how its tools are listed. */
export interface GatewayAddress {
  /** The name of a view; absent for everything that the caller may see. */
  readonly view?: string
  readonly mode: 'all' | 'search'
}

/** What a client says about itself. Nothing of it is checked, and long texts are cut. */
export interface ClientInfo {
  readonly name?: string
  readonly version?: string
}

/** One client of the gateway: what it says about itself holds for a pipe, a session, or one modern request. */
export interface GatewayClient {
  readonly era: 'legacy' | 'modern'
  readonly version: string
  readonly capabilities: JsonObject
  readonly info?: ClientInfo
  /** Equal for requests of one client. A text is only what a modern client says about itself; others may say the same. */
  readonly identity: unknown
  /** The least level of log messages that it gets; none if absent. */
  logLevel?: string | undefined
  /**
   * Sends a request to the client. Absent where it cannot be asked: in the modern era, and without a session.
   */
  readonly ask?: AskClient | undefined
  /** Aborted when it leaves. Absent where nothing says so: in the modern era, and without a session. */
  readonly leaving?: AbortSignal
  /** Legacy clients: what they subscribed to. */
  readonly subscriptions?: ClientSubscriptions
}

export type AskClient = (
  method: string,
  params: JsonObject,
  options: {
    readonly signal: AbortSignal
    /** The request of the client in whose course it is asked. */
    readonly during: ServedRequest
  },
) => Promise<Json>

/** A request of a client, with the way back to it. */
export interface ServedRequest {
  readonly id: RequestId
  readonly method: string
  readonly params: JsonObject
  readonly client: GatewayClient
  readonly address: GatewayAddress
  /** Over HTTP. Absent on a pipe, whose only caller is the person who started this process. */
  readonly caller?: Caller
  /** Aborted when the client cancels the request or is gone. */
  readonly signal: AbortSignal
  /** Its number among the requests that servers work on; a field, because a map with an entry for each call costs more. */
  number?: number | undefined
  /** The connection to its server, if that is not the one that all requests share. */
  readonly connection?: OwnConnection
  /** Over HTTP only. */
  readonly headers?: ReceivedHeaders
  /** The client in the status of its gateway; absent where clients are not listed. */
  readonly from?: string | undefined
  /** Learns how the request goes on; absent if it is not watched. */
  readonly trace?: RequestTrace
  /** Its client has been asked something, and has not answered yet. */
  readonly isParked?: () => boolean
  /** The person does not want to log in to the server that it needs. */
  readonly refusesLogin?: boolean
  /** Sends a notification that belongs to this request. */
  notify(this: void, method: string, params: JsonObject): void
  /** Sends a request to the client in the course of this one. Legacy clients only. */
  readonly send?: ((message: OutgoingMessage) => void) | undefined
}

/** A result whose JSON is kept, because many clients ask for it. */
export class JsonText {
  readonly text: string
  #bytes: Buffer | undefined

  constructor(text: string) {
    this.text = text
  }

  get bytes(): Buffer {
    return (this.#bytes ??= Buffer.from(this.text))
  }
}

export type Answer = Json | JsonText

/** The text of an answer around a result that is kept. */
export interface AnswerText {
  readonly head: string
  readonly result: JsonText
  readonly tail: string
}

export function resultText(id: RequestId, answer: Answer): string {
  const result = answer instanceof JsonText ? answer.text : JSON.stringify(answer)
  return `${headOf(id)}${result}}`
}

export function preparedAnswer(id: RequestId, result: JsonText): AnswerText {
  return { head: headOf(id), result, tail: '}' }
}

function headOf(id: RequestId): string {
  return `{"jsonrpc":"2.0","id":${typeof id === 'number' ? id : JSON.stringify(id)},"result":`
}
