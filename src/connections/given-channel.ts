import type { Clock } from '../platform/platform.ts'
import type { Channel, OpenChannel, Receiver } from '../wire/channel.ts'
import { WireError } from '../wire/wire-error.ts'

/** How long a channel may take to close; a program gets as long after it was asked to end. */
const closeMs = 5000

const methods = ['send', 'abandon', 'speak', 'close'] as const

/** A channel that the embedder wrote: whatever it does wrong fails its own server and nothing else. */
export function guardChannel(open: OpenChannel, clock: Clock): OpenChannel {
  return (receiver) => {
    let closedEarly: WireError | undefined
    let isOpen = false
    const guarded: Receiver = {
      message: (value, status, of) => receiver.message(value, status, of),
      readText: (text) => receiver.readText?.(text),
      failed: (id, error) => receiver.failed(id, toWireError(error, 'A request failed')),
      dropped: (what, sample) => receiver.dropped(what, sample),
      closed(error) {
        const reason = toWireError(error, 'The channel was closed', { sent: isOpen })
        if (isOpen) receiver.closed(reason)
        else closedEarly ??= reason
      },
    }
    const channel = openChecked(open, guarded)
    if (closedEarly) {
      void closeWithin(channel, clock)
      throw closedEarly
    }
    isOpen = true
    return {
      kind: channel.kind,
      send(message, options) {
        try {
          channel.send(message, options)
        } catch (error) {
          // Parameters that are not JSON are a mistake of the caller: this throws the same again.
          JSON.stringify(message)
          throw toWireError(error, 'The channel failed to send')
        }
      },
      abandon: (id) => attempt('abandon', () => channel.abandon(id)),
      speak: (version) => attempt('speak', () => channel.speak(version)),
      close: () => closeWithin(channel, clock),
    }
  }
}

function openChecked(open: OpenChannel, receiver: Receiver): Channel {
  const channel = attempt('open', (): unknown => open(receiver), { sent: false })
  const missing = methods.filter((name) => typeof Object(channel)[name] !== 'function')
  if (missing.length === 0) return channel as Channel // it has the methods of one
  const found = channel instanceof Promise ? 'a promise' : `a value without ${missing.join(', ')}`
  throw new WireError('protocol', `The function "channel" must return a channel and returned ${found}.`)
}

function attempt<Value>(what: string, run: () => Value, options?: { readonly sent: boolean }): Value {
  try {
    return run()
  } catch (error) {
    throw toWireError(error, `The channel failed to ${what}`, options)
  }
}

/** Does not wait for ever, and ignores a failure: nothing is sent over the channel any more. */
async function closeWithin(channel: Channel, clock: Clock): Promise<void> {
  const waited = new AbortController()
  const closing = Promise.resolve()
    .then(() => channel.close())
    .catch(() => undefined)
  await Promise.race([closing, clock.sleep(closeMs, waited.signal).catch(() => undefined)])
  waited.abort()
}

function toWireError(error: unknown, what: string, { sent } = { sent: true }): WireError {
  if (error instanceof WireError) return error
  const why = error instanceof Error ? error.message : String(error)
  return new WireError('closed', `${what}: ${why}`, { cause: error, sent })
}
