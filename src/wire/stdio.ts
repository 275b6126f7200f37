import type { Framing } from '../model/server.ts'
import type { Duplex } from '../platform/platform.ts'
import type { Channel, OpenChannel, Receiver } from './channel.ts'
import { parseMessage } from './frames/decode.ts'
import { createFrameReader, encodeFrame } from './frames/frames.ts'
import { requestIdOf } from './message.ts'
import type { Outgoing, RequestId } from './message.ts'
import { topLevelId } from './frames/envelope-scanner.ts'
import { WireError } from './wire-error.ts'

export interface StdioOptions {
  readonly framing: Framing
  readonly maxBytes: number
  readonly hardMaxBytes: number
}

/** So much may wait for a server that does not read; requests are counted elsewhere. */
const maxBlocked = 1024

/** Messages over an open pair of byte streams. */
export function openStdio(io: Duplex, options: StdioOptions): OpenChannel {
  return (receiver) => new StdioChannel(io, receiver, options)
}

interface Unsent {
  readonly id: RequestId | undefined
  readonly frame: string
}

class StdioChannel implements Channel {
  readonly kind = 'stdio'
  readonly #io: Duplex
  readonly #framing: Framing
  /** What was sent in this tick and goes out in one write. */
  #tick = ''
  /** What waits until the other side reads again. */
  #blocked: Unsent[] | undefined
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
        malformed: (text, error) => refuse(text, error, receiver),
        noise: (sample) => receiver.dropped('noise', sample),
        oversize: (id, bytes) => refuseOversize(id, bytes, maxBytes, receiver),
        reset: (reason) => this.#end(receiver, new WireError('too-large', reason, { sent: true })),
      },
    })
    io.onData((chunk) => {
      if (!this.#isClosed) reader.push(chunk)
    })
    io.onDrain(() => this.#drained())
    io.onEnd((error) => {
      reader.end()
      this.#end(receiver, error instanceof WireError ? error : ended(error))
    })
  }

  send(message: Outgoing): void {
    if (this.#isClosed) return
    const frame = encodeFrame(JSON.stringify(message), this.#framing)
    if (this.#blocked) return this.#wait(requestIdOf(message), frame)
    // Runs when everything that wants to send now has done so.
    if (this.#tick === '') process.nextTick(() => this.#flush())
    this.#tick += frame
  }

  abandon(id: RequestId): 'untold' | 'unsent' {
    const waiting = this.#blocked?.findIndex((unsent) => unsent.id === id) ?? -1
    if (waiting < 0) return 'untold'
    this.#blocked?.splice(waiting, 1)
    return 'unsent'
  }

  speak(): void {
    // Nothing on a pipe depends on the revision.
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#flush()
    this.#isClosed = true
    this.#io.end()
  }

  /** One that asks and asks and never reads our answers gets no more of them. */
  #wait(id: RequestId | undefined, frame: string): void {
    if (!this.#blocked || (id === undefined && this.#blocked.length >= maxBlocked)) return
    this.#blocked.push({ id, frame })
  }

  #flush(): void {
    const text = this.#tick
    this.#tick = ''
    if (text !== '' && !this.#isClosed && !this.#io.write(text)) this.#blocked ??= []
  }

  #drained(): void {
    const waiting = this.#blocked
    this.#blocked = undefined
    if (!waiting || waiting.length === 0) return
    this.#tick = waiting.map(({ frame }) => frame).join('') + this.#tick
    this.#flush()
  }

  #end(receiver: Receiver, error: WireError): void {
    this.#isClosed = true
    receiver.closed(error)
  }
}

function ended(error?: Error): WireError {
  const message = error ? `The pipe broke: ${error.message}` : 'The server closed its output.'
  return new WireError('closed', message, { sent: true, cause: error })
}

function deliver(text: string, receiver: Receiver): void {
  let value: unknown
  try {
    value = parseMessage(text)
  } catch (error) {
    return refuse(text, error, receiver)
  }
  receiver.message(value)
}

/** A message that cannot be read fails its own request, where it says whose answer it is. */
function refuse(text: string, error: unknown, receiver: Receiver): void {
  const id = topLevelId(text)
  const reason = error instanceof WireError ? error : new WireError('protocol', String(error), { sent: true })
  receiver.dropped('malformed', reason.message)
  if (id !== undefined) receiver.failed(id, reason)
}

function refuseOversize(
  id: RequestId | undefined,
  bytes: number,
  maxBytes: number,
  receiver: Receiver,
): void {
  if (id === undefined) return
  receiver.dropped('oversize')
  const message = `The answer has ${bytes} bytes, more than the ${maxBytes} that are read.`
  receiver.failed(id, new WireError('too-large', message, { sent: true }))
}
