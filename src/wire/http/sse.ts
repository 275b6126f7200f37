import type { HttpHeaders } from '../../platform/platform.ts'
import type { Channel, OpenChannel, Receiver } from '../channel.ts'
import { toBuffer } from '../frames/decode.ts'
import { requestIdOf } from '../message.ts'
import type { OutgoingMessage, RequestId } from '../message.ts'
import { WireError } from '../wire-error.ts'
import { toEndpoint } from './endpoint.ts'
import type { Endpoint, HttpChannelOptions } from './endpoint.ts'
import { EventCap } from './event-cap.ts'
import { acknowledgmentListener, Exchange } from './exchange.ts'
import type { ExchangeRequest, ExchangeListener } from './exchange.ts'
import { fromStatus, unusable } from './http-faults.ts'
import { isEventStream } from './message-headers.ts'
import { MessageStream } from './message-stream.ts'
import { SendGate, UnacceptedCount } from './send-gate.ts'

/** How long the server may take to name the address for messages (FI-49). */
const endpointMs = 10_000

/** HTTP+SSE of 2024-11-05: one stream for everything from the server, and an address to post to. */
export function openSse(options: HttpChannelOptions): OpenChannel {
  return (receiver) => new SseChannel(toEndpoint(options), receiver)
}

interface QueuedPost {
  /** Set for a request. */
  readonly id: RequestId | undefined
  readonly body: string
}

class SseChannel implements Channel, ExchangeListener {
  readonly kind = 'sse'
  readonly #endpoint: Endpoint
  readonly #receiver: Receiver
  readonly #posts = new Map<RequestId, Exchange>()
  readonly #stream: Exchange
  readonly #events: EventCap
  /** Closed until the server has named the address for messages. */
  readonly #gate: SendGate<QueuedPost>
  readonly #unaccepted = new UnacceptedCount()
  readonly #endpointTimer: Disposable
  #version: string | undefined
  #target: URL | undefined
  #status = 0
  #isOver = false

  constructor(endpoint: Endpoint, receiver: Receiver) {
    this.#endpoint = endpoint
    this.#receiver = receiver
    const { clock, limits, url } = endpoint
    this.#gate = new SendGate(clock, (queued) => this.#post(queued))
    this.#gate.shut()
    const messages = new MessageStream({
      // `EventCap` removes larger events before they arrive here.
      maxBytes: 2 * limits.maxBytes + 1024,
      onMessage: (value) => receiver.message(value),
      readText: (text) => receiver.readText?.(text),
      onMalformed: (reason, id) => this.#refuse(reason, id),
      onOversize: () => undefined,
      onOther: (type, data) => {
        if (type === 'endpoint') this.#open(toBuffer(data).toString('utf8'))
      },
    })
    this.#events = new EventCap({
      maxBytes: limits.maxBytes,
      onBytes: (bytes) => messages.push(bytes),
      onCut: () => messages.restart(),
      onOversize: (id) => this.#tooLarge(id),
    })
    this.#endpointTimer = clock.timer(endpointMs, () =>
      this.#end('timeout', `The server named no address for messages within ${endpointMs} ms.`),
    )
    const headers = { accept: 'text/event-stream' }
    const { headersTimeoutMs } = limits
    this.#stream = new Exchange(
      endpoint,
      { method: 'GET', url, headers, needs: 'body', headersTimeoutMs },
      this,
    )
  }

  send(message: OutgoingMessage): void {
    if (this.#isOver) return
    const id = requestIdOf(message)
    if (id === undefined && this.#unaccepted.isFull) return this.#receiver.dropped('untaken')
    // Serialize now: an unserializable message throws to its own caller, and not when the gate opens.
    const body = JSON.stringify(message)
    if (id === undefined) this.#unaccepted.add()
    this.#gate.enter({ id, body })
  }

  abandon(id: RequestId): 'untold' | 'unsent' {
    if (this.#gate.remove((queued) => queued.id === id)) return 'unsent'
    const post = this.#posts.get(id)
    this.#posts.delete(id)
    return post?.isUnsent ? (post.abort(), 'unsent') : 'untold'
  }

  speak(version: string): void {
    this.#version = version
  }

  async close(): Promise<void> {
    this.#release()
    await this.#endpoint.client.close()
  }

  onHeaders(status: number, headers: HttpHeaders): void {
    this.#status = status
    if (status < 300 && isEventStream(headers)) return
    const answer = { status, headers }
    this.#close(status < 300 ? unusable(answer, 'no stream') : fromStatus(answer, this.#endpoint.clock.now()))
  }

  onData(chunk: Uint8Array): void {
    this.#events.push(chunk)
  }

  onEnd(): void {
    this.#end('closed', 'The server ended the stream.')
  }

  onError(error: WireError): void {
    if (this.#status === 0 || error.code !== 'network') this.#close(error)
    else this.#end('closed', 'The stream broke.', error)
  }

  /** Only the first address counts, and only one on the same origin. */
  #open(address: string): void {
    if (this.#target || this.#isOver) return
    const { href } = this.#stream.url
    const target = URL.canParse(address, href) ? new URL(address, href) : undefined
    if (!target) return this.#end('protocol', 'The server named no valid address for messages.')
    if (target.origin !== this.#stream.url.origin) {
      const message = `The server wants messages sent to ${target.origin}, which is another origin.`
      return this.#end('blocked', message)
    }
    this.#target = target
    this.#endpointTimer[Symbol.dispose]()
    this.#gate.open()
  }

  #post({ id, body }: QueuedPost): void {
    const url = this.#target
    if (!url || this.#isOver) return
    const request: ExchangeRequest = {
      method: 'POST',
      url,
      headers: {
        'content-type': 'application/json',
        ...(this.#version !== undefined && { 'mcp-protocol-version': this.#version }),
      },
      body,
      needs: 'headers',
      // Some servers answer the POST of a request only after doing the work.
      headersTimeoutMs: id === undefined ? this.#endpoint.limits.headersTimeoutMs : 0,
    }
    if (id === undefined) {
      const done = () => this.#unaccepted.done()
      return void new Exchange(this.#endpoint, request, acknowledgmentListener(done))
    }
    const post = new Exchange(this.#endpoint, request, {
      onHeaders: (status, headers) => {
        if (status >= 300) this.#failed(id, fromStatus({ status, headers }, this.#endpoint.clock.now()))
        else this.#posts.delete(id)
      },
      onData: () => undefined,
      onEnd: () => undefined,
      onError: (error) => this.#failed(id, error),
    })
    this.#posts.set(id, post)
  }

  #failed(id: RequestId, error: WireError): void {
    if (this.#posts.delete(id)) this.#receiver.failed(id, error)
  }

  #tooLarge(id: RequestId | undefined): void {
    this.#receiver.dropped('oversize')
    if (id === undefined) return
    const message = `The answer exceeds the limit of ${this.#endpoint.limits.maxBytes} bytes.`
    const facts = { status: this.#status }
    this.#receiver.failed(id, new WireError('too-large', message, { sent: true, facts }))
  }

  #refuse(reason: string, id: RequestId | undefined): void {
    if (id === undefined) return this.#receiver.dropped('malformed', reason)
    const facts = { status: this.#status }
    this.#receiver.failed(id, new WireError('protocol', reason, { sent: true, facts }))
  }

  #end(code: WireError['code'], message: string, cause?: Error): void {
    const facts = this.#status === 0 ? {} : { status: this.#status }
    this.#close(new WireError(code, message, { sent: this.#target !== undefined, facts, cause }))
  }

  #close(error: WireError): void {
    if (this.#isOver) return
    this.#release()
    void this.#endpoint.client.close()
    this.#receiver.closed(error)
  }

  #release(): void {
    this.#isOver = true
    this.#endpointTimer[Symbol.dispose]()
    this.#gate.clear()
    this.#posts.clear()
    for (const exchange of this.#endpoint.live.all()) exchange.abort()
  }
}
