import { createInterface } from 'node:readline'
import type { Interface } from 'node:readline'
import { escapeLine } from './escape.ts'
import { createHistorySearch } from './history-search.ts'
import type { HistorySearch } from './history-search.ts'
import { Keys } from './keyboard.ts'
import type { Keyboard } from './keyboard.ts'
import { openPlainReading } from './plain-line.ts'
import type { Reading } from './plain-line.ts'
import type { TerminalStream } from './terminal-output.ts'
import { displayWidth } from './width.ts'

/** What came of asking for a line. */
export type Typed =
  | { readonly kind: 'line'; readonly text: string }
  /** Ctrl-C: what was typed is gone. */
  | { readonly kind: 'cancelled'; readonly wasEmpty: boolean }
  /** Ctrl-D, or the terminal is gone. */
  | { readonly kind: 'left' }
  /** Somebody else needs the terminal; what was typed so far is to be offered again. */
  | { readonly kind: 'interrupted'; readonly text: string }

export interface LineOptions {
  readonly mark: string
  /** One line above what is typed, painted; empty for none. */
  readonly status: () => string
  readonly initial?: string
  /** The newest first. */
  readonly history: readonly string[]
  /** What could stand in place of the last word, and that word. */
  readonly complete: (line: string) => Promise<readonly [readonly string[], string]>
}

export interface LineEditor {
  read(options: LineOptions): Promise<Typed>
  /** Writes a text that is ready for the terminal above the line that is typed. */
  say(text: string): void
  /** The status is another one. */
  refresh(): void
  /** Somebody else needs the terminal. */
  interrupt(): void
  /** As Ctrl-D does. */
  leave(): void
  readonly isReading: boolean
}

export interface EditorStreams {
  readonly keyboard: Keyboard
  readonly output: TerminalStream
  /** The terminal knows no cursor movements. */
  readonly isPlain?: boolean
}

const ESC = '\u001B'
const CTRL_R = '\u0012'
/** Keys behind which something else begins. */
const ENDS = ['\r', '\n', '\u0003', CTRL_R]

/** Lines of a terminal, with history and completion; what happens meanwhile is shown without disturbing what is typed. */
export function createLineEditor({ keyboard, output, isPlain = false }: EditorStreams): LineEditor {
  let current: Reading | undefined
  return {
    async read(options) {
      current = (isPlain ? openPlainReading : openReading)(options, { keyboard, output })
      try {
        return await current.typed
      } finally {
        current = undefined
      }
    },
    say(text) {
      if (current) current.say(text)
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

function openReading(options: LineOptions, { keyboard, output }: EditorStreams): Reading {
  const { mark, status, initial = '', history, complete } = options
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
      // What was typed meanwhile is not what was asked about.
      const isLate = () => line.line.slice(0, line.cursor) !== text
      complete(text).then(
        ([found, word]) => isOver || done(null, isLate() ? [[], text] : [[...found], word]),
        () => isOver || done(null, [[], text]),
      )
    },
  })
  let settle: (typed: Typed) => void = () => undefined
  const typed = new Promise<Typed>((resolve) => (settle = resolve))
  let shown = ''
  let isOver = false
  let hands: Disposable | undefined
  let search: HistorySearch | undefined
  const draw = (): void => {
    shown = search ? '' : status()
    line.setPrompt(`${shown === '' ? '' : `${shown}\n`}${search?.mark() ?? mark}`)
    line.prompt(true)
  }
  const finish = (outcome: Typed): void => {
    if (isOver) return
    isOver = true
    settle(outcome)
    hands?.[Symbol.dispose]()
    line.close()
    keys.destroy()
  }
  /** Everything of it leaves the screen; the cursor stands where it began. */
  const erase = (): void => {
    const { rows } = line.getCursorPos()
    output.write(`${rows > 0 ? `${ESC}[${rows}A` : ''}\r${ESC}[J`)
  }
  line.on('line', (text) => {
    if (shown !== '') rewrite(`${mark}${text}`, output)
    finish({ kind: 'line', text })
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
  draw()
  if (initial !== '') line.write(initial)
  const take = (text: string): string => {
    if (search) return search.press(text) ?? ''
    const at = Math.min(...ENDS.map((key) => text.indexOf(key)).filter((place) => place >= 0))
    if (at === Infinity) return pressAll(keys, text)
    keys.press(text.slice(0, at))
    const [key = ''] = text.slice(at)
    const rest = text.slice(at + (text.startsWith('\r\n', at) ? 2 : 1))
    if (key === CTRL_R) search = openSearch()
    else keys.press(key === '\n' ? '\r' : key)
    // What comes behind the end of the line is of the next one.
    return isOver || rest === '' ? rest : take(rest)
  }
  const openSearch = (): HistorySearch => {
    const before = line.line
    const opened = createHistorySearch(history, {
      show(match) {
        replaceLine(line, match ?? '')
        draw()
      },
      done(outcome, rest) {
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
  hands = keyboard.line(take)
  // What was typed ahead may have been a whole line.
  if (isOver) hands[Symbol.dispose]()
  return {
    typed,
    refresh: () => {
      if (!search && status() !== shown) draw()
    },
    say(text) {
      const { rows } = line.getCursorPos()
      erase()
      // It goes up again by as many rows as the cursor was below the beginning.
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

function pressAll(keys: Keys, text: string): string {
  keys.press(text)
  return ''
}

/** What is left on the screen of a finished line is the line alone: the status above it was of that moment. */
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
