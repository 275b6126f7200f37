import { createInterface } from 'node:readline'
import type { Interface } from 'node:readline'
import { escapeLine } from './escape.ts'
import { createHistorySearch } from './history-search.ts'
import type { HistorySearch } from './history-search.ts'
import { Keys } from './keyboard.ts'
import type { Keyboard } from './keyboard.ts'
import { openPlainLineReading } from './plain-line.ts'
import type { LineReading } from './plain-line.ts'
import type { TerminalStream } from './terminal-output.ts'
import { displayWidth } from './width.ts'

/** How reading a line ended. */
export type LineOutcome =
  | { readonly kind: 'line'; readonly text: string }
  /** Ctrl-C: the typed text is discarded. */
  | { readonly kind: 'cancelled'; readonly wasEmpty: boolean }
  /** Ctrl-D, or the terminal closed. */
  | { readonly kind: 'left' }
  /** A question needs the terminal; the typed text is restored afterwards. */
  | { readonly kind: 'interrupted'; readonly text: string }

export interface LineOptions {
  /** The text in front of the line. */
  readonly mark: string
  /** A painted line above the typed one; empty for none. */
  readonly status: () => string
  readonly initial?: string
  /** The line may have line ends: pasted, or typed with Alt-Enter. While it is typed, a sign stands for each of them. */
  readonly isMultiline?: boolean
  /** Newest first. */
  readonly history: readonly string[]
  /** Returns the completions of the last word, and that word. */
  readonly complete: (line: string) => Promise<readonly [readonly string[], string]>
}

export interface LineEditor {
  read(options: LineOptions): Promise<LineOutcome>
  /** Prints an escaped text above the typed line. */
  printAbove(text: string): void
  /** Redraws the line if the status changed. */
  refresh(): void
  /** Ends reading with `interrupted`: a question needs the terminal. */
  interrupt(): void
  /** Ends reading with `left`, as Ctrl-D does. */
  leave(): void
  readonly isReading: boolean
}

export interface EditorStreams {
  readonly keyboard: Keyboard
  readonly output: TerminalStream
  /** The terminal has no cursor control (TERM=dumb). */
  readonly isPlain?: boolean
}

const ESC = '\u001B'
const CTRL_R = '\u0012'
/** Keys that end the line or start a search: the keys after them are handled separately. */
const ENDS = ['\r', '\n', '\u0003', CTRL_R]
/** Stands for a line end in a line of several lines. */
export const lineEndSign = '⏎'
const PASTE_START = `${ESC}[200~`
const PASTE_END = `${ESC}[201~`

/** Reads lines with history and completion. Text that arrives meanwhile is printed above the typed line. */
export function createLineEditor({ keyboard, output, isPlain = false }: EditorStreams): LineEditor {
  let current: LineReading | undefined
  return {
    async read(options) {
      current = (isPlain ? openPlainLineReading : openLineReading)(options, { keyboard, output })
      try {
        return await current.typed
      } finally {
        current = undefined
      }
    },
    printAbove(text) {
      if (current) current.printAbove(text)
      else output.write(`${text}\n`)
    },
    refresh: () => current?.refresh(),
    interrupt: () => current?.interrupt(),
    leave: () => current?.leave(),
    get isReading() {
      return current !== undefined
    },
  }
}

function openLineReading(options: LineOptions, { keyboard, output }: EditorStreams): LineReading {
  const { mark, status, initial = '', isMultiline = false, history, complete } = options
  const keys = new Keys()
  const line = createInterface({
    input: keys,
    output,
    terminal: true,
    history: [...history],
    historySize: Math.max(1, history.length + 1),
    removeHistoryDuplicates: true,
    escapeCodeTimeout: 50,
    completer: (text: string, done: (error: null, result: [string[], string]) => void) => {
      // A completion is dropped if the line changed while it was computed.
      const isLate = () => line.line.slice(0, line.cursor) !== text
      complete(text).then(
        ([found, word]) => isOver || done(null, isLate() ? [[], text] : [[...found], word]),
        () => isOver || done(null, [[], text]),
      )
    },
  })
  let settle: (typed: LineOutcome) => void = () => undefined
  const typed = new Promise<LineOutcome>((resolve) => (settle = resolve))
  let shown = ''
  let isOver = false
  let keyCapture: Disposable | undefined
  let search: HistorySearch | undefined
  /** What was pasted so far, while a paste is incomplete. */
  let pasted: string | undefined
  // The terminal marks the start and the end of pasted text only if it is told to.
  const markPastes = (isOn: boolean): void => {
    if (isMultiline) output.write(`${ESC}[?2004${isOn ? 'h' : 'l'}`)
  }
  const draw = (): void => {
    shown = search ? '' : status()
    line.setPrompt(`${shown === '' ? '' : `${shown}\n`}${search?.mark() ?? mark}`)
    line.prompt(true)
  }
  const finish = (outcome: LineOutcome): void => {
    if (isOver) return
    isOver = true
    markPastes(false)
    settle(outcome)
    keyCapture?.[Symbol.dispose]()
    line.close()
    keys.destroy()
  }
  /** Removes the line and its status from the screen; the cursor is then where they began. */
  const erase = (): void => {
    const { rows } = line.getCursorPos()
    output.write(`${rows > 0 ? `${ESC}[${rows}A` : ''}\r${ESC}[J`)
  }
  line.on('line', (text) => {
    if (shown !== '') rewrite(`${mark}${text}`, output)
    finish({ kind: 'line', text: isMultiline ? text.replaceAll(lineEndSign, '\n') : text })
  })
  line.on('SIGINT', () => {
    output.write('\n')
    finish({ kind: 'cancelled', wasEmpty: line.line === '' })
  })
  line.on('SIGTSTP', () => {
    keyboard.suspend()
    process.once('SIGCONT', draw)
  })
  line.once('close', () => {
    if (!isOver) erase()
    finish({ kind: 'left' })
  })
  keys.once('close', () => finish({ kind: 'left' }))
  markPastes(true)
  draw()
  if (initial !== '') line.write(initial)
  const takePaste = (text: string): string => {
    pasted = (pasted ?? '') + text
    const end = pasted.indexOf(PASTE_END)
    if (end < 0) return ''
    const rest = pasted.slice(end + PASTE_END.length)
    line.write(toOneLine(pasted.slice(0, end)))
    pasted = undefined
    return rest === '' ? '' : take(rest)
  }
  const take = (text: string): string => {
    if (pasted !== undefined) return takePaste(text)
    if (search) return search.press(text) ?? ''
    const paste = isMultiline ? text.indexOf(PASTE_START) : -1
    if (paste >= 0) {
      const before = paste === 0 ? '' : take(text.slice(0, paste))
      const rest = text.slice(paste + PASTE_START.length)
      return isOver ? before + text.slice(paste) : takePaste(rest)
    }
    const at = Math.min(...ENDS.map((key) => text.indexOf(key)).filter((place) => place >= 0))
    if (at === Infinity) return pressAll(keys, text)
    const [key = ''] = text.slice(at)
    const rest = text.slice(at + (text.startsWith('\r\n', at) ? 2 : 1))
    const isAltEnter = isMultiline && key === '\r' && text[at - 1] === ESC
    keys.press(text.slice(0, isAltEnter ? at - 1 : at))
    if (isAltEnter) line.write(lineEndSign)
    else if (key === CTRL_R) search = openSearch()
    else keys.press(key === '\n' ? '\r' : key)
    // Keys after the end of the line belong to the next line.
    return isOver || rest === '' ? rest : take(rest)
  }
  const openSearch = (): HistorySearch => {
    const before = line.line
    const opened = createHistorySearch(history, {
      onMatch(match) {
        replaceLine(line, match ?? '')
        draw()
      },
      onDone(outcome, rest) {
        search = undefined
        if (outcome === 'dropped') replaceLine(line, before)
        draw()
        return take(rest)
      },
    })
    search = opened
    draw()
    return opened
  }
  keyCapture = keyboard.captureLine(take)
  // Pending input may already have completed the line.
  if (isOver) keyCapture[Symbol.dispose]()
  return {
    typed,
    refresh: () => {
      if (!search && status() !== shown) draw()
    },
    printAbove(text) {
      const { rows } = line.getCursorPos()
      erase()
      // readline moves up by the former number of rows before it redraws, so the same number of lines is added.
      output.write(`${text}\n${'\n'.repeat(rows)}`)
      draw()
    },
    interrupt() {
      erase()
      finish({ kind: 'interrupted', text: line.line })
    },
    leave: () => finish({ kind: 'left' }),
  }
}

/** Pasted text as one line: signs for its line ends, no keys that would edit the line. */
function toOneLine(text: string): string {
  return text
    .replaceAll(/\r\n?|\n/g, lineEndSign)
    .replaceAll('\t', '  ')
    .replaceAll(/\p{Cc}/gu, '')
}

function pressAll(keys: Keys, text: string): string {
  keys.press(text)
  return ''
}

/** Redraws a finished line without the status above it, which would be outdated in the scrollback. */
function rewrite(text: string, output: TerminalStream): void {
  const columns = output.columns || 80
  const rows = 2 + Math.floor(displayWidth(text) / columns)
  output.write(`${ESC}[${rows}A\r${ESC}[J${escapeLine(text)}\n`)
}

function replaceLine(line: Interface, text: string): void {
  line.write(null, { ctrl: true, name: 'e' })
  line.write(null, { ctrl: true, name: 'u' })
  if (text !== '') line.write(text)
}
