import { escapeLine } from './escape.ts'
import type { EditorStreams, LineEditor, LineOptions, LineOutcome } from './line-editor.ts'
import type { TerminalStream } from './terminal-output.ts'

/** One line that is being typed. */
export interface LineReading extends Pick<LineEditor, 'printAbove' | 'refresh' | 'interrupt' | 'leave'> {
  readonly typed: Promise<LineOutcome>
}

interface PlainLine {
  readonly text: string
  readonly isOver: boolean
  /** Returns the keys after the end of the line. */
  press(keys: string): string
  finish(outcome: LineOutcome): void
}

const CTRL_C = '\u0003'
const CTRL_D = '\u0004'
const ERASES = ['\u007F', '\b']

interface PlainLineOptions {
  readonly output: TerminalStream
  readonly initial?: string
  /** Typed text is not echoed. */
  readonly isHidden?: boolean
  readonly onEnd: (typed: LineOutcome) => void
}

/** A line on a terminal without cursor control: only a backspace moves the cursor. */
export function createPlainLine({
  output,
  initial = '',
  isHidden = false,
  onEnd,
}: PlainLineOptions): PlainLine {
  let text = initial
  let isOver = false
  const finish = (outcome: LineOutcome): void => {
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

/** Reads a shell line on such a terminal, without history and completion. */
export function openPlainLineReading(
  { mark, status, initial = '' }: LineOptions,
  { keyboard, output }: EditorStreams,
): LineReading {
  let keyCapture: Disposable | undefined
  let settle: (typed: LineOutcome) => void = () => undefined
  const typed = new Promise<LineOutcome>((resolve) => (settle = resolve))
  const line = createPlainLine({
    output,
    initial,
    onEnd(outcome) {
      keyCapture?.[Symbol.dispose]()
      settle(outcome)
    },
  })
  const shown = status()
  output.write(`${shown === '' ? '' : `${shown}\n`}${mark}${initial}`)
  keyCapture = keyboard.captureLine((keys) => line.press(keys))
  if (line.isOver) keyCapture[Symbol.dispose]()
  return {
    typed,
    refresh: () => undefined,
    printAbove: (text) => void output.write(`\n${text}\n${mark}${line.text}`),
    interrupt: () => line.finish({ kind: 'interrupted', text: line.text }),
    leave: () => line.finish({ kind: 'left' }),
  }
}
