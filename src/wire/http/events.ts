import { createParser } from 'eventsource-parser'
import { toBuffer } from '../frames/decode.ts'

export interface ServerEvent {
  readonly type: string | undefined
  /** As bytes in Latin-1, so that a header gives back exactly what came. */
  readonly id: string | undefined
  readonly data: Uint8Array
}

export interface EventReaderOptions {
  readonly maxBytes: number
  readonly onEvent: (event: ServerEvent) => void
  readonly onRetry: (ms: number) => void
  /** An event is larger than the cap; nothing more is read. */
  readonly onOversize: () => void
}

/**
 * Server-sent events out of bytes. The parser sees Latin-1, a character a byte: its own characters are ASCII, the cap
 * counts bytes, and whether the data is UTF-8 is for whoever reads the message.
 */
export function createEventReader(options: EventReaderOptions): (chunk: Uint8Array) => void {
  const { maxBytes, onEvent, onRetry, onOversize } = options
  let isOver = false
  const oversize = () => {
    if (isOver) return
    isOver = true
    onOversize()
  }
  const parser = createParser({
    maxBufferSize: maxBytes,
    onRetry,
    onError: ({ type }) => type === 'max-buffer-size-exceeded' && oversize(),
    onEvent({ event, id, data }) {
      if (isOver) return
      if (data.length > maxBytes) return oversize()
      onEvent({ type: event, id, data: Buffer.from(data, 'latin1') })
    },
  })
  return (chunk) => {
    if (!isOver) parser.feed(toBuffer(chunk).toString('latin1'))
  }
}

/** How soon a server may ask us to come back, and how late. */
export function clampRetry(ms: number): number {
  return Math.min(Math.max(ms, 250), 30_000)
}
