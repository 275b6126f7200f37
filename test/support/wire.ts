import type { JsonObject } from '../../src/model/json.ts'
import { createFakeClock } from '../../src/testing/fake-clock.ts'
import type { FakeClock } from '../../src/testing/fake-clock.ts'
import type { Channel, DropReason, Receiver } from '../../src/wire/channel.ts'
import type { AnswerRequest } from '../../src/wire/inbox.ts'
import type { Notification, OutgoingMessage, RequestId } from '../../src/wire/message.ts'
import { Rpc } from '../../src/wire/rpc.ts'
import type { RpcOptions } from '../../src/wire/rpc.ts'
import { RpcError } from '../../src/wire/wire-error.ts'
import type { WireError } from '../../src/wire/wire-error.ts'

export interface WireOptions {
  readonly kind?: Channel['kind']
  readonly clock?: FakeClock
  readonly maxInFlight?: number
  readonly maxQueued?: number
  readonly maxQueuedBytes?: number
  readonly fate?: ReturnType<Channel['abandon']>
  readonly answer?: AnswerRequest
  readonly onProgress?: RpcOptions['onProgress']
  /** Called with every request that is sent. */
  readonly server?: (request: WireRequest, wire: Wire) => void
}

export interface WireRequest {
  readonly id: RequestId
  readonly method: string
  readonly params: JsonObject
}

/** An Rpc connection; the test is the other end. */
export interface Wire {
  readonly rpc: Rpc
  readonly clock: FakeClock
  /** All sent messages, in order. */
  readonly sent: readonly OutgoingMessage[]
  /** The methods of the sent messages. */
  readonly methods: readonly string[]
  readonly headers: readonly unknown[]
  readonly spoken: readonly string[]
  readonly abandoned: readonly RequestId[]
  readonly notified: readonly Notification[]
  readonly dropped: readonly (readonly [DropReason, string?])[]
  readonly ended: readonly WireError[]
  readonly receiver: Receiver
  say(message: unknown): void
  answer(id: RequestId, result: unknown): void
  refuse(id: RequestId, code: number, message?: string, data?: unknown): void
}

export function openWire(options: WireOptions = {}): Wire {
  const clock = options.clock ?? createFakeClock()
  const sent: OutgoingMessage[] = []
  const headers: unknown[] = []
  const spoken: string[] = []
  const abandoned: RequestId[] = []
  const notified: Notification[] = []
  const dropped: (readonly [DropReason, string?])[] = []
  const ended: WireError[] = []
  let isOpen = true
  const channel: Channel = {
    kind: options.kind ?? 'memory',
    send(message, how) {
      if (!isOpen) return
      sent.push(JSON.parse(JSON.stringify(message)) as OutgoingMessage) // a copy of the message
      headers.push(how?.headers)
      if (!options.server || !('method' in message) || !('id' in message)) return
      const { id, method, params = {} } = message
      queueMicrotask(() => options.server?.({ id, method, params }, wire))
    },
    abandon(id) {
      abandoned.push(id)
      return options.fate ?? 'untold'
    },
    speak: (version) => void spoken.push(version),
    async close() {
      isOpen = false
    },
  }
  let hears: Receiver | undefined
  const rpc = new Rpc(
    (receiver) => {
      hears = receiver
      return channel
    },
    {
      clock,
      maxInFlight: options.maxInFlight ?? 64,
      maxQueued: options.maxQueued ?? 256,
      maxQueuedBytes: options.maxQueuedBytes ?? 1_000_000,
      onRequest:
        options.answer ??
        (async ({ method }) => {
          throw new RpcError(-32601, `Method not found: ${method}`)
        }),
      onNotification: (notification) => void notified.push(notification),
      ...(options.onProgress && { onProgress: options.onProgress }),
      onClosed: (error) => void ended.push(error),
      onDropped: (what, sample) => void dropped.push(sample === undefined ? [what] : [what, sample]),
    },
  )
  const receiver = hears ?? rpc
  const wire: Wire = {
    rpc,
    clock,
    sent,
    headers,
    spoken,
    abandoned,
    notified,
    dropped,
    ended,
    receiver,
    get methods() {
      return sent.map((message) => ('method' in message ? message.method : 'answer'))
    },
    say: (message) => receiver.message(message),
    answer: (id, result) => receiver.message({ jsonrpc: '2.0', id, result }),
    refuse: (id, code, message = 'no', data) =>
      receiver.message({
        jsonrpc: '2.0',
        id,
        error: { code, message, ...(data !== undefined && { data }) },
      }),
  }
  return wire
}
