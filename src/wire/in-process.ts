import type { Channel, OpenChannel, Receiver } from './channel.ts'
import type { OutgoingMessage } from './message.ts'
import { WireError } from './wire-error.ts'

/** The server's end of a connection within this process, in the shape of a transport of the official SDK. */
export interface InProcessTransport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?(message: unknown, extra?: unknown): void
  start(): Promise<void>
  send(message: unknown): Promise<void>
  close(): Promise<void>
}

/** A server object of the official SDK, or any other with such a `connect`. It serves one connection at a time. */
export interface InProcessServer {
  connect(transport: InProcessTransport): Promise<unknown>
}

/** Connects to a server object in this process. Each opening calls its `connect`; closing leaves the object usable. */
export function openInProcess(server: InProcessServer): OpenChannel {
  return (receiver) => {
    const pair = new InProcessPair(receiver)
    Promise.resolve()
      .then(() => server.connect(pair.transport))
      .catch((error: unknown) => pair.end(toClosed(error, 'The server object could not be connected')))
    return pair.channel
  }
}

/** Two connected ends. Messages pass as text, so that neither side sees later changes or values that are not JSON. */
class InProcessPair {
  readonly #receiver: Receiver
  /** Messages to the server, until it has started. */
  #waiting: string[] | undefined = []
  #isOpen = true

  constructor(receiver: Receiver) {
    this.#receiver = receiver
  }

  readonly transport: InProcessTransport = {
    start: async () => {
      const waiting = this.#waiting ?? []
      this.#waiting = undefined
      for (const text of waiting) this.#toServer(text)
    },
    send: async (message) => {
      if (!this.#isOpen) throw new Error('The connection is closed.')
      const text = this.#textOf(message)
      queueMicrotask(() => this.#isOpen && this.#receiver.message(JSON.parse(text)))
    },
    close: async () => this.end(new WireError('closed', 'The server closed the connection.', { sent: true })),
  }

  readonly channel: Channel = {
    kind: 'memory',
    send: (message) => this.#send(message),
    abandon: () => 'untold',
    speak: () => undefined,
    close: async () => this.end(),
  }

  /** Ends both sides once; with an error the client's side is told, because it did not ask for the end. */
  end(error?: WireError): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    if (error) queueMicrotask(() => this.#receiver.closed(error))
    // The connection is over: a failure to notice that concerns nothing else.
    void runHandler(() => this.transport.onclose?.()).catch(() => undefined)
  }

  #send(message: OutgoingMessage): void {
    const text = JSON.stringify(message)
    if (this.#waiting) this.#waiting.push(text)
    else this.#toServer(text)
  }

  #toServer(text: string): void {
    queueMicrotask(() => {
      if (!this.#isOpen) return
      void runHandler(() => this.transport.onmessage?.(JSON.parse(text)))
        .catch((error: unknown) => this.#onFault(error))
        .catch((error: unknown) => this.end(toClosed(error, 'The server object failed', { sent: true })))
    })
  }

  /** A message that was not handled is the server's to report; if it does not, its callers learn it by the end. */
  async #onFault(error: unknown): Promise<void> {
    const { onerror } = this.transport
    if (!onerror) throw error
    await runHandler(() => onerror(error instanceof Error ? error : new Error(String(error))))
  }

  /** A result that is not JSON fails its request; without an answer the caller would wait for its timeout. */
  #textOf(message: unknown): string {
    try {
      // `undefined` has no text.
      return JSON.stringify(message) ?? 'null'
    } catch (error) {
      const { id } = message as { readonly id?: unknown } // only objects fail to become text
      const why = error instanceof Error ? error.message : String(error)
      const fault = { code: -32603, message: `The answer cannot be sent: ${why}` }
      if (id !== undefined)
        queueMicrotask(() => this.#isOpen && this.#receiver.message({ jsonrpc: '2.0', id, error: fault }))
      throw error
    }
  }
}

/** Runs a handler of the server object at once. It may throw, or return a promise that fails. */
async function runHandler(run: () => unknown): Promise<void> {
  await run()
}

function toClosed(error: unknown, what: string, options: { readonly sent?: boolean } = {}): WireError {
  const why = error instanceof Error ? error.message : String(error)
  return new WireError('closed', `${what}: ${why}`, { cause: error, ...options })
}
