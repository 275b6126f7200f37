import { Writable } from 'node:stream'
import type { TerminalStream } from './terminal-output.ts'

/** Lines at the bottom of the terminal that change while other output is printed above them. */
export interface LiveRegion {
  /** A stream that prints above the region. Everything that writes to the terminal has to use it. */
  above(stream: TerminalStream): TerminalStream
  /** Replaces the lines. They are escaped, and narrower than the terminal. No lines end the region. */
  show(lines: readonly string[]): void
  /** Prints lines that stay, and replaces those of the region, with a single write. */
  print(text: string, lines: readonly string[]): void
  /** Hides the region while a question or a typed line is on the screen. */
  setHidden(isHidden: boolean): void
}

interface LiveRegionOptions {
  readonly stream: TerminalStream & { readonly rows?: number }
  /** The terminal has no cursor control (TERM=dumb): only what stays is printed. */
  readonly isPlain?: boolean
}

const ESC = '\u001B'
const usualRows = 24

/** Each change is a single write that overwrites line by line instead of clearing first, so that nothing flickers. */
export function createLiveRegion({ stream, isPlain = false }: LiveRegionOptions): LiveRegion {
  let wanted: readonly string[] = []
  let shown = 0
  let isHidden = false
  /** Moves the cursor to the start of the region. */
  const toStart = (): string => (shown === 0 ? '' : `\r${shown > 1 ? `${ESC}[${shown - 1}A` : ''}`)
  const drawn = (): string => {
    const room = Math.max(1, (stream.rows || usualRows) - 1)
    const lines = isPlain || isHidden ? [] : wanted.slice(-room)
    shown = lines.length
    return `${lines.map((line) => `${line}${ESC}[K`).join('\n')}${lines.length > 0 ? `${ESC}[J` : ''}`
  }
  const write = (text: string): void => {
    const hadLines = shown > 0
    const start = toStart()
    const body = text === '' ? '' : text.replaceAll('\n', hadLines ? `${ESC}[K\n` : '\n')
    const rest = drawn()
    const erased = hadLines && rest === '' ? `${ESC}[J` : ''
    const output = `${start}${body}${rest}${erased}`
    if (output !== '') stream.write(output)
  }
  return {
    above(target) {
      const forward = new Writable({
        decodeStrings: false,
        write(chunk: string | Uint8Array, _encoding, done) {
          if (shown === 0) target.write(chunk)
          else write(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString())
          // Not buffered: what is written to the terminal directly afterwards appears below it.
          done()
        },
      })
      forward.on('error', () => undefined)
      return Object.defineProperties(forward, {
        isTTY: { get: () => target.isTTY === true },
        columns: { get: () => target.columns },
        rows: { get: () => (target as { readonly rows?: number }).rows },
      })
    },
    show(lines) {
      if (lines.join('\n') === wanted.join('\n') && shown > 0) return
      wanted = lines
      write('')
    },
    print(text, lines) {
      wanted = lines
      write(`${text}\n`)
    },
    setHidden(next) {
      if (next === isHidden) return
      isHidden = next
      write('')
    },
  }
}
