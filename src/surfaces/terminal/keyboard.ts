import { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'

/** A terminal's keys for whoever reads them for a while: readline and questions take it for the terminal itself. */
export class Keys extends Readable {
  readonly isTTY = true
  isRaw = true
  override _read(): void {
    // Keys come when they are pressed.
  }
  /** The keyboard itself sees to that. */
  setRawMode(): this {
    return this
  }
  get isHeard(): boolean {
    return this.listenerCount('keypress') > 0
  }
  /** Handed on at once: what nobody waits for must not wait for somebody. */
  press(text: string): void {
    this.emit('data', text)
  }
}

/** What of some keys is for the line that is being typed; the rest is kept for the next one. */
type TakeLine = (text: string) => string

export interface KeyboardOptions {
  readonly stdin: Readable & { readonly isTTY?: boolean; setRawMode?(mode: boolean): unknown }
  /** Ctrl-C while nobody reads keys. */
  readonly onCancel: () => void
  /** Ctrl-D while nobody reads keys and nothing is typed ahead. The next line gets it, too. */
  readonly onLeave: () => void
  /** The terminal is gone. */
  readonly onEnd: () => void
}

export interface Keyboard extends Disposable {
  /** For questions. They get what is pressed while they are asked, never what was typed before (T20). */
  open(): Keys
  /** Hands over what was typed ahead, and from then on all keys, until it is given back. */
  line(take: TakeLine): Disposable
  /** Lets go of the terminal while the process is stopped (Ctrl-Z). */
  suspend(): void
}

const CTRL_C = '\u0003'
const CTRL_D = '\u0004'
/** Nobody types more than this while something else happens. */
const MOST_AHEAD = 65_536

/**
 * The one reader of a terminal for as long as a shell is open. It stays in raw mode, so that Ctrl-C is a key like others
 * and reaches whoever is meant: the line, the question, or the call that runs.
 */
export function createKeyboard({ stdin, onCancel, onLeave, onEnd }: KeyboardOptions): Keyboard {
  const decoder = new StringDecoder('utf8')
  const readers = new Set<Keys>()
  let ahead = ''
  let take: TakeLine | undefined
  const raw = (mode: boolean): void => {
    try {
      stdin.setRawMode?.(mode)
    } catch {
      // A terminal that hung up has no mode.
    }
  }
  const onData = (chunk: Buffer | string): void => {
    const text = typeof chunk === 'string' ? chunk : decoder.write(chunk)
    const reader = [...readers].findLast(({ isHeard }) => isHeard)
    if (reader) return reader.press(text)
    if (take) {
      ahead = take(ahead + text)
      return
    }
    const at = text.lastIndexOf(CTRL_C)
    const isLeaving = ahead === '' && text.startsWith(CTRL_D)
    ahead = at < 0 ? (ahead + text).slice(0, MOST_AHEAD) : text.slice(at + 1)
    if (at >= 0) onCancel()
    else if (isLeaving) onLeave()
  }
  let isGone = false
  const onGone = (): void => {
    if (isGone) return
    isGone = true
    for (const reader of readers) reader.emit('end')
    for (const reader of readers) reader.destroy()
    onEnd()
  }
  stdin.on('data', onData)
  for (const event of ['end', 'close', 'error']) stdin.on(event, onGone)
  raw(true)
  stdin.resume()
  return {
    open() {
      const keys = new Keys()
      readers.add(keys)
      keys.once('close', () => readers.delete(keys))
      if (stdin.readableEnded || stdin.destroyed) keys.destroy()
      return keys
    },
    line(taking) {
      take = taking
      const typed = ahead
      ahead = ''
      if (typed !== '') ahead = taking(typed)
      return { [Symbol.dispose]: () => void (take = undefined) }
    },
    suspend() {
      raw(false)
      process.once('SIGCONT', () => raw(true))
      process.kill(process.pid, 'SIGTSTP')
    },
    [Symbol.dispose]() {
      stdin.off('data', onData)
      for (const event of ['end', 'close', 'error']) stdin.off(event, onGone)
      for (const reader of readers) reader.destroy()
      raw(false)
      stdin.pause()
    },
  }
}
