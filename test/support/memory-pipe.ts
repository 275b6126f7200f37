import type { Duplex } from '../../src/platform/platform.ts'
import type { WireRequest } from './wire.ts'

/** A pair of byte streams; the test is the other end. */
export interface MemoryPipe {
  readonly io: Duplex
  /** One text for each write. */
  readonly writes: readonly string[]
  /** The written messages. */
  readonly sent: readonly unknown[]
  readonly methods: readonly string[]
  readonly isEnded: boolean
  /** From now on writes report back pressure. */
  block(): void
  drain(): void
  /** Delivers raw bytes. */
  say(text: string | Uint8Array): void
  /** Delivers messages, one per line. */
  send(...messages: readonly unknown[]): void
  end(error?: Error): void
}

export function createMemoryPipe(server?: (asked: WireRequest, pipe: MemoryPipe) => void): MemoryPipe {
  const writes: string[] = []
  let onData: (chunk: Uint8Array) => void = () => undefined
  let onDrain: () => void = () => undefined
  let onEnd: (error?: Error) => void = () => undefined
  let isBlocked = false
  let isEnded = false
  const parsed = () =>
    writes
      .join('')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as unknown)
  const pipe: MemoryPipe = {
    io: {
      write(text) {
        writes.push(text)
        for (const line of server ? text.split('\n').filter(Boolean) : []) {
          const message = JSON.parse(line) as WireRequest // written by our own code
          if (message.method !== undefined && message.id !== undefined)
            queueMicrotask(() => server?.({ ...message, params: message.params ?? {} }, pipe))
        }
        return !isBlocked
      },
      onDrain: (listener) => void (onDrain = listener),
      onData: (listener) => void (onData = listener),
      onEnd: (listener) => void (onEnd = listener),
      end: () => void (isEnded = true),
      destroy: () => void (isEnded = true),
    },
    writes,
    get sent() {
      return parsed()
    },
    get methods() {
      return parsed().map((message) => (message as { readonly method?: string }).method ?? 'answer')
    },
    get isEnded() {
      return isEnded
    },
    block: () => void (isBlocked = true),
    drain() {
      isBlocked = false
      onDrain()
    },
    say: (text) => onData(typeof text === 'string' ? new TextEncoder().encode(text) : text),
    send: (...messages) => pipe.say(messages.map((message) => `${JSON.stringify(message)}\n`).join('')),
    end: (error) => onEnd(error),
  }
  return pipe
}
