import type { Readable } from 'node:stream'
import type * as ClackModule from '@clack/prompts'
import type { AnswerInput } from './answer-keys.ts'
import { escapeLine } from './escape.ts'
import { createPlainPrompts } from './plain-prompts.ts'
import { escapeStyledLine } from './style.ts'
import type { TerminalStream } from './terminal-output.ts'

export type Answer<Value> =
  | { readonly cancelled: true }
  | { readonly cancelled: false; readonly value: Value }
export interface Choice<Value extends string> {
  readonly value: Value
  readonly label?: string
  readonly hint?: string
}
type Validate = (value: string) => string | undefined
export interface Prompts {
  confirm(question: { readonly message: string; readonly initial?: boolean }): Promise<Answer<boolean>>
  text(question: {
    readonly message: string
    readonly initial?: string
    readonly placeholder?: string
    readonly validate?: Validate
  }): Promise<Answer<string>>
  select<Value extends string>(question: {
    readonly message: string
    readonly choices: readonly Choice<Value>[]
    readonly initial?: Value
  }): Promise<Answer<Value>>
  multiselect<Value extends string>(question: {
    readonly message: string
    readonly choices: readonly Choice<Value>[]
    readonly initial?: readonly Value[]
    readonly required?: boolean
  }): Promise<Answer<readonly Value[]>>
  password(question: { readonly message: string; readonly validate?: Validate }): Promise<Answer<string>>
}
export interface PromptStreams {
  readonly stdin: AnswerInput
  /** The stream that shows the questions: any terminal, also stderr. */
  readonly stdout: TerminalStream
  /** Withdraws the question: the answer is `cancelled`. */
  readonly signal?: AbortSignal | undefined
  /** The terminal has no cursor control (TERM=dumb). */
  readonly isPlain?: boolean
}
type Clack = typeof ClackModule
type Cancel = Clack['CANCEL_SYMBOL']
interface PromptIo {
  readonly input: Readable
  readonly output: TerminalStream
  readonly signal: AbortSignal
}

/**
 * Prompts for a person. Ctrl-C, Ctrl-D, Esc and the end of the input give `cancelled`, and without a terminal it is given
 * at once; no prompt ends the process. All shown texts are escaped here (T18).
 *
 * A prompt redraws itself and may scroll: print text that must be read completely before it, not in its message (T10).
 */
export function createPrompts(streams: PromptStreams): Prompts {
  const { stdin, stdout, signal, isPlain = false } = streams
  const isTerminal = stdin.isTTY === true && stdout.isTTY === true
  if (isTerminal && isPlain) return createPlainPrompts(streams)
  const ask = async <Value>(
    run: (clack: Clack, io: PromptIo) => Promise<Value | Cancel>,
  ): Promise<Answer<Value>> => {
    if (!isTerminal) return { cancelled: true }
    const clack = await import('@clack/prompts')
    const end = watchEnd(stdin)
    const ends = signal ? AbortSignal.any([signal, end.signal]) : end.signal
    const drawn = trackRows(stdout)
    try {
      const value = await run(clack, { input: stdin, output: drawn.stream, signal: ends })
      // The half-drawn question would look as if its highlighted choice was taken.
      if (signal?.aborted) drawn.erase()
      return clack.isCancel(value) ? { cancelled: true } : { cancelled: false, value }
    } finally {
      end.unwatch()
    }
  }
  /** Asks with keys that cannot answer by accident. */
  const askChoice = <Value>(
    options: { readonly size: number; readonly initial: number; choiceOf(line: string): number | undefined },
    run: (clack: Clack, io: PromptIo) => Promise<Value | Cancel>,
  ): Promise<Answer<Value>> =>
    ask(async (clack, io) => {
      const { openAnswerKeys } = await import('./answer-keys.ts')
      const answers = openAnswerKeys({ stdin, ...options })
      const { keys } = answers
      const end = watchEnd(keys)
      try {
        if (!(await answers.ready())) return clack.CANCEL_SYMBOL
        return await run(clack, { ...io, input: keys, signal: AbortSignal.any([io.signal, end.signal]) })
      } finally {
        end.unwatch()
        answers[Symbol.dispose]()
      }
    })
  return {
    confirm: ({ message, initial = false }) =>
      askChoice({ size: 2, initial: initial ? 0 : 1, choiceOf: yesOrNo }, (clack, io) =>
        clack.confirm({ ...io, message: escapeStyledLine(message), initialValue: initial }),
      ),
    text: ({ message, initial = '', placeholder = '', validate }) =>
      ask((clack, io) =>
        clack.text({
          ...io,
          message: escapeStyledLine(message),
          // The initial text is escaped, so that the answer is exactly the text on the screen.
          initialValue: escapeLine(initial),
          placeholder: escapeLine(placeholder),
          validate: (value) => validateText(value, validate),
        }),
      ),
    select({ message, choices, initial }) {
      const at = Math.max(
        0,
        choices.findIndex(({ value }) => value === initial),
      )
      const choiceOf = (line: string): number | undefined =>
        /^[1-9]\d*$/.test(line) && Number(line) <= choices.length ? Number(line) - 1 : undefined
      return askChoice({ size: choices.length, initial: at, choiceOf }, async (clack, io) => {
        const chosen = await clack.select({
          ...io,
          message: escapeStyledLine(message),
          options: choices.map(toOption),
          initialValue: at,
        })
        return clack.isCancel(chosen) ? chosen : valueAt(choices, chosen)
      })
    },
    multiselect: ({ message, choices, initial = [], required = false }) =>
      ask(async (clack, io) => {
        const chosen = await clack.multiselect({
          ...io,
          message: escapeStyledLine(message),
          options: choices.map(toOption),
          initialValues: [...choices.keys()].filter((at) => initial.includes(valueAt(choices, at))),
          required,
        })
        return clack.isCancel(chosen) ? chosen : chosen.map((at) => valueAt(choices, at))
      }),
    password: ({ message, validate }) =>
      ask((clack, io) =>
        clack.password({
          ...io,
          message: escapeStyledLine(message),
          validate: (value) => validateText(value, validate),
        }),
      ),
  }
}

/** Identifies a choice by its index, so that the prompt draws only escaped texts. */
function toOption<Value extends string>({ value, label = value, hint }: Choice<Value>, at: number) {
  return { value: at, label: escapeLine(label), ...(hint !== undefined && { hint: escapeLine(hint) }) }
}

/** The position of the answer in a confirmation: yes stands first. */
function yesOrNo(line: string): number | undefined {
  if (/^y(?:es)?$/i.test(line)) return 0
  return /^no?$/i.test(line) ? 1 : undefined
}

function valueAt<Value extends string>(choices: readonly Choice<Value>[], at: number): Value {
  const choice = choices[at]
  if (!choice) throw new RangeError(`no choice ${at}`)
  return choice.value
}

function validateText(value: string | undefined, validate: Validate | undefined): string | undefined {
  const problem = validate?.(value ?? '')
  return problem === undefined ? undefined : escapeLine(problem)
}

const ESC = '\u001B'
/** Moves of the cursor to other rows, as prompts write them. */
const rowMove = new RegExp(`\n|${ESC}\\[(\\d*)([AB])`, 'g')

/** A stream that knows how many rows below the first written one the cursor is, so that all of them can be erased. */
function trackRows(stdout: TerminalStream): { readonly stream: TerminalStream; erase(): void } {
  let row = 0
  const write = (text: string): boolean => {
    for (const [, count = '', way] of text.matchAll(rowMove))
      row = Math.max(0, row + (way === 'A' ? -1 : 1) * Number(count === '' ? 1 : count))
    return stdout.write(text)
  }
  const stream = new Proxy(stdout, {
    get(target, name) {
      if (name === 'write') return write
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return { stream, erase: () => void stdout.write(`\r${row > 0 ? `\u001B[${row}A` : ''}\u001B[J`) }
}

/** Detects the end of the input: after a hangup or Ctrl-D no further key arrives, and the prompt would never settle. */
function watchEnd(stdin: Readable): { readonly signal: AbortSignal; unwatch(): void } {
  const ended = new AbortController()
  const abort = (): void => ended.abort()
  const watchKey = (_text: unknown, key: { readonly ctrl?: boolean; readonly name?: string }): void => {
    if (key.ctrl && key.name === 'd') abort()
  }
  const events = ['end', 'close', 'error']
  for (const event of events) stdin.once(event, abort)
  stdin.on('keypress', watchKey)
  if (stdin.readableEnded || stdin.destroyed) abort()
  return {
    signal: ended.signal,
    unwatch() {
      for (const event of events) stdin.off(event, abort)
      stdin.off('keypress', watchKey)
    },
  }
}
