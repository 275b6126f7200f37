import type { Channel, OpenChannel, Receiver } from '../wire/channel.ts'
import type { Outgoing, RequestId } from '../wire/message.ts'
import { WireError } from '../wire/wire-error.ts'

/** The server's end of a channel in memory. What it sends arrives in order, never within the call that sends it. */
export interface MemoryServer {
  /** Anything, as a server could send it. */
  send(message: unknown): void
  /** The request will not be answered. */
  fail(id: RequestId, error: WireError): void
  /** Ends the channel; without an error as a server does that goes away. */
  close(error?: WireError): void
}

export interface MemoryListener {
  message(message: Outgoing, server: MemoryServer): void
  abandoned?(id: RequestId): void
  closed?(): void
}

export interface MemoryChannel {
  /** The client's end. Every opening is a new connection. */
  readonly open: OpenChannel
  /** The server's end of the connection that was opened last. */
  readonly server: MemoryServer
}

/** Two ends of a connection within this process. What is sent is copied, as it would be by any other transport. */
export function createMemoryChannel(listener: MemoryListener): MemoryChannel {
  let current: MemoryServer | undefined
  const server = (): MemoryServer => {
    if (!current) throw new Error('nobody has opened the channel')
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
    throw new TypeError(`A message holds what no transport can carry: ${why}`, { cause: error })
  }
}
