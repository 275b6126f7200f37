import { escapeLine } from './escape.ts'
import type { EditorStreams, LineEditor, LineOptions, Typed } from './line-editor.ts'
import type { TerminalStream } from './terminal-output.ts'

/** One line that is being typed. */
export interface Reading extends Pick<LineEditor, 'say' | 'refresh' | 'interrupt' | 'leave'> {
  readonly typed: Promise<Typed>
}

interface PlainLine {
  readonly text: string
  readonly isOver: boolean
  /** Returns the keys behind the end of the line. */
  press(keys: string): string
  finish(outcome: Typed): void
}

const CTRL_C = '\u0003'
const CTRL_D = '\u0004'
const ERASES = ['\u007F', '\b']

interface PlainOptions {
  readonly output: TerminalStream
  readonly initial?: string
  /** What is typed is not shown. */
  readonly isHidden?: boolean
  readonly onEnd: (typed: Typed) => void
}

/** A line on a terminal that only prints: nothing moves the cursor but a backspace. */
export function createPlainLine({ output, initial = '', isHidden = false, onEnd }: PlainOptions): PlainLine {
  let text = initial
  let isOver = false
  const finish = (outcome: Typed): void => {
    if (isOver) return
    isOver = true
    output.write('\n')
    onEnd(outcome)
  }
  const erase = (): void => {
    if (text !== '' && !isHidden) output.write('\b \b')
    text = Array.from(text).slice(0, -1).join('')
  }
  const pressOne = (key: string): void => {
    if (key === '\r' || key === '\n') finish({ kind: 'line', text })
    else if (key === CTRL_C) finish({ kind: 'cancelled', wasEmpty: text === '' })
    else if (key === CTRL_D && text === '') finish({ kind: 'left' })
    else if (ERASES.includes(key)) erase()
    else if (escapeLine(key) === key) {
      text += key
      if (!isHidden) output.write(key)
    }
  }
  return {
    get text() {
      return text
    },
    get isOver() {
      return isOver
    },
    finish,
    press(keys) {
      let rest = ''
      for (const key of keys) {
        if (isOver) rest += key
        else pressOne(key)
      }
      return rest
    },
  }
}

/** The line of a shell on such a terminal: no history, no completion. */
export function openPlainReading(
  { mark, status, initial = '' }: LineOptions,
  { keyboard, output }: EditorStreams,
): Reading {
  let hands: Disposable | undefined
  let settle: (typed: Typed) => void = () => undefined
  const typed = new Promise<Typed>((resolve) => (settle = resolve))
  const line = createPlainLine({
    output,
    initial,
    onEnd(outcome) {
      hands?.[Symbol.dispose]()
      settle(outcome)
    },
  })
  const shown = status()
  output.write(`${shown === '' ? '' : `${shown}\n`}${mark}${initial}`)
  hands = keyboard.line((keys) => line.press(keys))
  if (line.isOver) hands[Symbol.dispose]()
  return {
    typed,
    refresh: () => undefined,
    say: (said) => void output.write(`\n${said}\n${mark}${line.text}`),
    interrupt: () => line.finish({ kind: 'interrupted', text: line.text }),
    leave: () => line.finish({ kind: 'left' }),
  }
}
