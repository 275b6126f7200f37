import type { Framing } from '../model/server.ts'
import type { Duplex } from '../platform/platform.ts'
import type { Channel, OpenChannel, Receiver } from './channel.ts'
import { parseMessage } from './frames/decode.ts'
import { createFrameReader, encodeFrame } from './frames/frames.ts'
import { requestIdOf } from './message.ts'
import type { OutgoingMessage, RequestId } from './message.ts'
import { topLevelId } from './frames/envelope-scanner.ts'
import { WireError } from './wire-error.ts'

export interface StdioOptions {
  readonly framing: Framing
  readonly maxBytes: number
  readonly hardMaxBytes: number
}

/** How many messages may queue for a server that does not read. Requests are limited by `Rpc`. */
const maxBlocked = 1024

/** Sends and receives messages over an open pair of byte streams. */
export function openStdio(io: Duplex, options: StdioOptions): OpenChannel {
  return (receiver) => new StdioChannel(io, receiver, options)
}

interface QueuedFrame {
  readonly id: RequestId | undefined
  readonly frame: string
}

class StdioChannel implements Channel {
  readonly kind = 'stdio'
  readonly #io: Duplex
  readonly #framing: Framing
  /** Messages of the current tick; they go out in one write. */
  #tickOutput = ''
  /** Messages that wait until the server reads again. */
  #blocked: QueuedFrame[] | undefined
  #isClosed = false

  constructor(io: Duplex, receiver: Receiver, { framing, maxBytes, hardMaxBytes }: StdioOptions) {
    this.#io = io
    this.#framing = framing
    const reader = createFrameReader({
      framing,
      maxBytes,
      hardMaxBytes,
      on: {
        frame: (text) => deliver(text, receiver),
        malformed: (text, error) => rejectMalformed(text, error, receiver),
        noise: (sample) => receiver.dropped('noise', sample),
        oversize: (id, bytes) => rejectOversize(id, bytes, maxBytes, receiver),
        reset: (reason) => this.#end(receiver, new WireError('too-large', reason, { sent: true })),
      },
    })
    io.onData((chunk) => {
      if (!this.#isClosed) reader.push(chunk)
    })
    io.onDrain(() => this.#onDrain())
    io.onEnd((error) => {
      reader.end()
      this.#end(receiver, error instanceof WireError ? error : pipeEnded(error))
    })
  }

  send(message: OutgoingMessage): void {
    if (this.#isClosed) return
    const frame = encodeFrame(JSON.stringify(message), this.#framing)
    if (this.#blocked) return this.#queue(requestIdOf(message), frame)
    // Flush after the current tick, so that its messages share one write.
    if (this.#tickOutput === '') process.nextTick(() => this.#flush())
    this.#tickOutput += frame
  }

  abandon(id: RequestId): 'untold' | 'unsent' {
    const queued = this.#blocked?.findIndex((frame) => frame.id === id) ?? -1
    if (queued < 0) return 'untold'
    this.#blocked?.splice(queued, 1)
    return 'unsent'
  }

  speak(): void {
    // Stdio is the same in all revisions.
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#flush()
    this.#isClosed = true
    this.#io.end()
  }

  /**
   * Beyond the limit, answers and notifications are dropped: a server that keeps asking without reading must not fill
   * the memory.
   */
  #queue(id: RequestId | undefined, frame: string): void {
    if (!this.#blocked || (id === undefined && this.#blocked.length >= maxBlocked)) return
    this.#blocked.push({ id, frame })
  }

  #flush(): void {
    const text = this.#tickOutput
    this.#tickOutput = ''
    if (text !== '' && !this.#isClosed && !this.#io.write(text)) this.#blocked ??= []
  }

  #onDrain(): void {
    const queued = this.#blocked
    this.#blocked = undefined
    if (!queued || queued.length === 0) return
    this.#tickOutput = queued.map(({ frame }) => frame).join('') + this.#tickOutput
    this.#flush()
  }

  #end(receiver: Receiver, error: WireError): void {
    this.#isClosed = true
    receiver.closed(error)
  }
}

function pipeEnded(error?: Error): WireError {
  const message = error ? `The pipe broke: ${error.message}` : 'The server closed its output.'
  return new WireError('closed', message, { sent: true, cause: error })
}

function deliver(text: string, receiver: Receiver): void {
  let value: unknown
  try {
    value = receiver.readText?.(text) ?? parseMessage(text)
  } catch (error) {
    return rejectMalformed(text, error, receiver)
  }
  receiver.message(value)
}

/** Reports an unreadable message; it fails its own request if its id can be read. */
function rejectMalformed(text: string, error: unknown, receiver: Receiver): void {
  const id = topLevelId(text)
  const reason = error instanceof WireError ? error : new WireError('protocol', String(error), { sent: true })
  receiver.dropped('malformed', reason.message)
  if (id !== undefined) receiver.failed(id, reason)
}

function rejectOversize(
  id: RequestId | undefined,
  bytes: number,
  maxBytes: number,
  receiver: Receiver,
): void {
  if (id === undefined) return
  receiver.dropped('oversize')
  const message = `The answer has ${bytes} bytes; the limit is ${maxBytes}.`
  receiver.failed(id, new WireError('too-large', message, { sent: true }))
}
