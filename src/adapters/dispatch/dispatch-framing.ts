import type { Json } from '../../index.ts'
import { createFrameReader, encodeFrame } from '../../wire/frames/frames.ts'

export interface FrameDecoder {
  /** Takes bytes as they arrive; a chunk may end anywhere in a message. */
  push(chunk: Uint8Array): void
  end(): void
}

export interface Framing {
  /** One message with its `Content-Length` header. */
  readonly encode: (message: Json) => string
  /** The complete messages in these bytes. */
  readonly decode: (bytes: Uint8Array) => readonly Json[]
  /** Calls `onMessage` for each message as soon as it is complete. */
  readonly createDecoder: (onMessage: (message: Json) => void) => FrameDecoder
}

const maxBytes = 16 * 1024 * 1024

/** D30: messages with headers, as Dispatch's plan has them; newline-delimited messages are read as well (C1). Pure. */
export const framing: Framing = {
  encode: (message) => encodeFrame(JSON.stringify(message), 'content-length'),
  decode(bytes) {
    const messages: Json[] = []
    const decoder = framing.createDecoder((message) => messages.push(message))
    decoder.push(bytes)
    decoder.end()
    return messages
  },
  createDecoder(onMessage) {
    const onFrame = (text: string) => {
      const message = parse(text)
      if (message !== undefined) onMessage(message)
    }
    const ignore = () => undefined
    return createFrameReader({
      framing: 'auto',
      maxBytes,
      hardMaxBytes: 4 * maxBytes,
      on: { frame: onFrame, malformed: ignore, oversize: ignore, noise: ignore, reset: ignore },
    })
  },
}

/** A frame that is not JSON is ignored. */
function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json // `JSON.parse` returns JSON
  } catch {
    return undefined
  }
}
