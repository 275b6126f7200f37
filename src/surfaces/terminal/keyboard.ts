import { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'

/** A stream of key presses that stands in for the terminal: readline and prompts use it like stdin. */
export class Keys extends Readable {
  readonly isTTY = true
  isRaw = true
  readonly typedAt?: () => number
  readonly keep?: (text: string) => void
  constructor(line?: { readonly typedAt: () => number; readonly keep: (text: string) => void }) {
    super()
    if (!line) return
    this.typedAt = line.typedAt
    this.keep = line.keep
  }
  override _read(): void {
    // Data is pushed by press(), not pulled.
  }
  /** Does nothing: the keyboard controls the mode of the terminal. */
  setRawMode(): this {
    return this
  }
  get hasReader(): boolean {
    return this.listenerCount('keypress') > 0
  }
  /** Forwards immediately: buffered keys could answer a question that is asked later. */
  press(text: string): void {
    this.emit('data', text)
  }
}

/** Handles keys of the current line; returns the keys after its end, which belong to the next line. */
type KeyHandler = (text: string) => string

export interface KeyboardOptions {
  readonly stdin: Readable & { readonly isTTY?: boolean; setRawMode?(mode: boolean): unknown }
  /** Called for Ctrl-C while no reader is attached. */
  readonly onCancel: () => void
  /** Called for Ctrl-D while no reader is attached and no input is pending. The next line receives the key too. */
  readonly onLeave: () => void
  /** Called when the terminal closed. */
  readonly onEnd: () => void
  /** Ctrl-C keeps the pending input, without its line ends: nothing of it is executed by itself. */
  readonly keepsPending?: boolean
  /** Called with the pending input when it changed. */
  readonly onAhead?: (pending: string) => void
}

export interface Keyboard extends Disposable {
  /** Opens a stream for a question. It receives keys pressed from now on, never pending input (T20). */
  open(): Keys
  /** Sends pending input and all further keys to the handler, until disposed. */
  captureLine(onKeys: KeyHandler): Disposable
  /** Leaves raw mode while the process is stopped (Ctrl-Z). */
  suspend(): void
}

const CTRL_C = '\u0003'
const CTRL_D = '\u0004'
/** Limit of the input kept while no reader is attached. */
const MAX_AHEAD = 65_536

/**
 * The only reader of the terminal while a shell is open. The terminal stays in raw mode, so that Ctrl-C arrives as a key
 * and can be sent to the line, the question, or the running call.
 */
export function createKeyboard({
  stdin,
  onCancel,
  onLeave,
  onEnd,
  keepsPending,
  onAhead,
}: KeyboardOptions): Keyboard {
  const decoder = new StringDecoder('utf8')
  const readers = new Set<Keys>()
  let typedAhead = ''
  let onKeys: KeyHandler | undefined
  /** When the last character of a line was typed that is not ended. */
  let typedAt = -Infinity
  const setRawMode = (mode: boolean): void => {
    try {
      stdin.setRawMode?.(mode)
    } catch {
      // A terminal that hung up rejects a change of its mode.
    }
  }
  const onData = (chunk: Buffer | string): void => {
    const text = typeof chunk === 'string' ? chunk : decoder.write(chunk)
    const reader = [...readers].findLast(({ hasReader }) => hasReader)
    if (reader) return reader.press(text)
    if (/[\r\n]$/.test(text)) typedAt = -Infinity
    else if (/[^\p{Cc}]$/u.test(text)) typedAt = performance.now()
    if (onKeys) {
      typedAhead = onKeys(typedAhead + text)
      return
    }
    const at = text.lastIndexOf(CTRL_C)
    const isLeaving = typedAhead === '' && text.startsWith(CTRL_D)
    const kept = keepsPending ? (typedAhead + text.slice(0, Math.max(0, at))).replaceAll(/[\r\n]+/g, ' ') : ''
    typedAhead =
      at < 0 ? (typedAhead + text).slice(0, MAX_AHEAD) : kept.replaceAll(CTRL_C, '') + text.slice(at + 1)
    onAhead?.(typedAhead)
    if (at >= 0) onCancel()
    else if (isLeaving) onLeave()
  }
  let isClosed = false
  const onClosed = (): void => {
    if (isClosed) return
    isClosed = true
    for (const reader of readers) reader.emit('end')
    for (const reader of readers) reader.destroy()
    onEnd()
  }
  stdin.on('data', onData)
  for (const event of ['end', 'close', 'error']) stdin.on(event, onClosed)
  setRawMode(true)
  stdin.resume()
  return {
    open() {
      const keep = (text: string): void => {
        typedAhead = (typedAhead + text).slice(0, MAX_AHEAD)
        onAhead?.(typedAhead)
      }
      const keys = new Keys({ typedAt: () => typedAt, keep })
      readers.add(keys)
      keys.once('close', () => readers.delete(keys))
      if (stdin.readableEnded || stdin.destroyed) keys.destroy()
      return keys
    },
    captureLine(handler) {
      onKeys = handler
      const pending = typedAhead
      typedAhead = ''
      if (pending !== '') typedAhead = handler(pending)
      return { [Symbol.dispose]: () => void (onKeys = undefined) }
    },
    suspend() {
      setRawMode(false)
      process.once('SIGCONT', () => setRawMode(true))
      process.kill(process.pid, 'SIGTSTP')
    },
    [Symbol.dispose]() {
      stdin.off('data', onData)
      for (const event of ['end', 'close', 'error']) stdin.off(event, onClosed)
      for (const reader of readers) reader.destroy()
      setRawMode(false)
      stdin.pause()
    },
  }
}
