import type { Channel, OpenChannel, Receiver } from '../wire/channel.ts'
import type { OutgoingMessage, RequestId } from '../wire/message.ts'
import { WireError } from '../wire/wire-error.ts'

/**
 * The server's end of an in-memory channel. Messages arrive in order, and after the call that sends them has returned.
 */
export interface MemoryServer {
  /** Sends any value, valid or not. */
  send(message: unknown): void
  /** Fails a request without a response. */
  fail(id: RequestId, error: WireError): void
  /** Closes the channel; the default error says that the server closed it. */
  close(error?: WireError): void
}

export interface MemoryListener {
  message(message: OutgoingMessage, server: MemoryServer): void
  abandoned?(id: RequestId): void
  closed?(): void
}

export interface MemoryChannel {
  /** The client's end. Each call opens a new connection. */
  readonly open: OpenChannel
  /** The server's end of the most recent connection. */
  readonly server: MemoryServer
}

/** Two connected ends within this process. Messages are copied, as with any other transport. */
export function createMemoryChannel(listener: MemoryListener): MemoryChannel {
  let current: MemoryServer | undefined
  const server = (): MemoryServer => {
    if (!current) throw new Error('The channel has not been opened.')
    return current
  }
  return {
    open(receiver) {
      const connection = connect(receiver, listener)
      current = connection.server
      return connection.channel
    },
    get server() {
      return server()
    },
  }
}

function connect(
  receiver: Receiver,
  listener: MemoryListener,
): { readonly channel: Channel; readonly server: MemoryServer } {
  let isOpen = true
  const later = (deliver: () => void) => queueMicrotask(() => isOpen && deliver())
  const server: MemoryServer = {
    send(message) {
      const copy = copyOf(message)
      later(() => receiver.message(copy))
    },
    fail: (id, error) => later(() => receiver.failed(id, error)),
    close(error = new WireError('closed', 'The server closed the channel.', { sent: true })) {
      later(() => {
        isOpen = false
        receiver.closed(error)
      })
    },
  }
  const channel: Channel = {
    kind: 'memory',
    send(message) {
      const copy = copyOf(message)
      later(() => listener.message(copy, server))
    },
    abandon(id) {
      listener.abandoned?.(id)
      return 'untold'
    },
    speak: () => undefined,
    async close() {
      if (!isOpen) return
      isOpen = false
      listener.closed?.()
    },
  }
  return { channel, server }
}

function copyOf<T>(message: T): T {
  try {
    return structuredClone(message)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new TypeError(`A message contains a value that cannot be sent: ${why}`, { cause: error })
  }
}
