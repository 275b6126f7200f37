import type { OpenChannel, OutgoingMessage, RequestId } from '../../../index.ts'
import { isObject } from '../../../internal.ts'
import { toBoundedJson } from '../../facts/bounded-json.ts'

export interface WireMessage {
  readonly at: number
  readonly direction: 'out' | 'in'
  /** JSON, cut at its end if it is long; secrets are still in it. */
  readonly text: string
}

/** The messages of one `tools/call`. */
interface WireCall {
  readonly server: string
  readonly tool: string
  /** The arguments, to find the messages of a call. */
  readonly args: string
  readonly at: number
  readonly messages: WireMessage[]
}

export interface WantedMessages {
  readonly server: string
  readonly tool: string
  readonly args: unknown
  readonly from: number
  readonly to: number
}

const maxCalls = 200
const maxMessages = 60
/** A little more than is shown, so that a secret at the end is whole when it is masked. */
const maxLength = 17_000
const shownLength = 16_000

/**
 * The messages of the last calls, seen on the channels of a host. Bounded by count and length; nothing here refers to the
 * messages themselves, so that a large result can be freed.
 */
export class WireLog {
  readonly #calls: WireCall[] = []
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** For the option `wrapChannel` of a host. */
  readonly wrapChannel = (server: string, open: OpenChannel): OpenChannel => {
    return (receiver) => {
      const requests = new Map<RequestId, WireCall>()
      const tokens = new Map<unknown, WireCall>()
      const channel = open({
        message: (value, status, of) => {
          this.#receive(value, requests, tokens)
          receiver.message(value, status, of)
        },
        ...(receiver.readText && { readText: (text: string) => receiver.readText?.(text) }),
        failed: (id, error) => {
          requests.delete(id)
          receiver.failed(id, error)
        },
        dropped: (what, sample) => receiver.dropped(what, sample),
        closed: (error) => receiver.closed(error),
      })
      return {
        get kind() {
          return channel.kind
        },
        send: (message, options) => {
          this.#send(server, message, requests, tokens)
          channel.send(message, options)
        },
        abandon: (id) => channel.abandon(id),
        speak: (version) => channel.speak(version),
        close: () => channel.close(),
      }
    }
  }

  /** The messages of a call, in order; a call that was repeated has several requests. */
  messagesOf(
    { server, tool, args, from, to }: WantedMessages,
    mask: (text: string) => string,
  ): readonly WireMessage[] {
    const wanted = toBoundedJson(args, maxLength).text
    return this.#calls
      .filter((call) => call.server === server && call.tool === tool && call.args === wanted)
      .filter(({ at }) => at >= from && at <= to)
      .flatMap(({ messages }) => messages)
      .map(({ text, ...message }) => ({ ...message, text: cut(mask(text)) }))
  }

  #send(
    server: string,
    message: OutgoingMessage,
    open: Map<RequestId, WireCall>,
    tokens: Map<unknown, WireCall>,
  ): void {
    if (!('method' in message)) return
    const { method, params = {} } = message
    if (method === 'notifications/cancelled') {
      const call = open.get(params['requestId'] as RequestId) // any other value is no key
      return call && this.#add(call, 'out', message)
    }
    if (method !== 'tools/call' || !('id' in message)) return
    const { name, arguments: args = {}, _meta: meta } = params
    const call: WireCall = {
      server,
      tool: typeof name === 'string' ? name : '',
      args: toBoundedJson(args, maxLength).text,
      at: this.#now(),
      messages: [],
    }
    this.#calls.push(call)
    if (this.#calls.length > maxCalls) this.#calls.shift()
    open.set(message.id, call)
    if (isObject(meta) && meta['progressToken'] !== undefined) tokens.set(meta['progressToken'], call)
    this.#add(call, 'out', message)
  }

  #receive(value: unknown, open: Map<RequestId, WireCall>, tokens: Map<unknown, WireCall>): void {
    if (open.size === 0 || !isObject(value)) return
    const { id, method, params } = value
    if (method === 'notifications/progress' && isObject(params)) {
      const call = tokens.get(params['progressToken'])
      return call && this.#add(call, 'in', value)
    }
    const call = method === undefined ? open.get(id as RequestId) : undefined // any other value is no key
    if (!call) return
    open.delete(id as RequestId)
    for (const [token, of] of tokens) if (of === call) tokens.delete(token)
    this.#add(call, 'in', value)
  }

  #add({ messages }: WireCall, direction: WireMessage['direction'], message: unknown): void {
    if (messages.length >= maxMessages) messages.splice(1, 1)
    messages.push({ at: this.#now(), direction, text: toBoundedJson(message, maxLength).text })
  }
}

function cut(text: string): string {
  return text.length > shownLength ? `${text.slice(0, shownLength)}…` : text
}
