import type { Json } from '../../index.ts'
import { createFrameReader, encodeFrame } from '../../wire/frames/frames.ts'

interface FrameDecoder {
  /** Bytes as they come, cut anywhere. */
  push(chunk: Uint8Array): void
  end(): void
}

interface Framing {
  /** One message behind its `Content-Length` header. */
  readonly encode: (message: Json) => string
  /** The messages that are whole in these bytes. */
  readonly decode: (bytes: Uint8Array) => readonly Json[]
  /** Tells each message as soon as it is whole. */
  readonly createDecoder: (onMessage: (message: Json) => void) => FrameDecoder
}

const maxBytes = 16 * 1024 * 1024

/** D30: messages behind headers, as Dispatch's plan wanted them; lines are read as well (C1). Pure. */
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
    const tell = (text: string) => {
      const message = parse(text)
      if (message !== undefined) onMessage(message)
    }
    const ignore = () => undefined
    return createFrameReader({
      framing: 'auto',
      maxBytes,
      hardMaxBytes: 4 * maxBytes,
      on: { frame: tell, malformed: ignore, oversize: ignore, noise: ignore, reset: ignore },
    })
  },
}

/** What is no JSON is no message. */
function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json // what it gives is JSON
  } catch {
    return undefined
  }
}
