import type { Json, JsonObject } from '../model/json.ts'
import type { Channel, OpenChannel } from '../wire/channel.ts'
import type { OutgoingMessage, RequestId } from '../wire/message.ts'
import type { WireError, WireFacts } from '../wire/wire-error.ts'

/** One line of a cassette. The first line holds the kind of the channel. */
export type CassetteLine =
  | { readonly cassette: 1; readonly kind: Channel['kind'] }
  | { readonly sent: OutgoingMessage }
  | { readonly came: Json }
  | { readonly failed: RequestId; readonly error: RecordedError }
  | { readonly closed: RecordedError }

export interface RecordedError {
  readonly code: WireError['code']
  readonly message: string
  readonly sent: boolean
  readonly facts: WireFacts
}

/**
 * Records everything that passes over a channel. `sink` gets one line of JSON per message, without a line end. Secrets
 * in messages are recorded as they are.
 */
export function recordCassette(open: OpenChannel, sink: (line: string) => void): OpenChannel {
  const write = (line: CassetteLine) => sink(JSON.stringify(line))
  return (receiver) => {
    const channel = open({
      message(value) {
        write({ came: value as Json }) // it was parsed from JSON
        receiver.message(value)
      },
      failed(id, error) {
        write({ failed: id, error: toRecord(error) })
        receiver.failed(id, error)
      },
      dropped: (what, sample) => receiver.dropped(what, sample),
      closed(error) {
        write({ closed: toRecord(error) })
        receiver.closed(error)
      },
    })
    write({ cassette: 1, kind: channel.kind })
    return {
      kind: channel.kind,
      send(message, options) {
        write({ sent: message })
        channel.send(message, options)
      },
      abandon: (id) => channel.abandon(id),
      speak: (version) => channel.speak(version),
      close: () => channel.close(),
    }
  }
}

function toRecord({ code, message, sent, facts }: WireError): RecordedError {
  return { code, message, sent, facts }
}

/** Parses a cassette; throws with the number of the first invalid line. */
export function readCassette(text: string): readonly CassetteLine[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return lines.map((line, index) => {
    const value = parse(line)
    const isLine = value && ['cassette', 'sent', 'came', 'failed', 'closed'].some((key) => key in value)
    if (!isLine || (index === 0 && value['cassette'] !== 1)) {
      throw new Error(`line ${index + 1} is not a line of a cassette`)
    }
    return value as unknown as CassetteLine // the rest is as recordCassette wrote it
  })
}

function parse(line: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as JsonObject) : undefined // parsed JSON
  } catch {
    return undefined
  }
}
