import type { Readable } from 'node:stream'
import { Keys } from './keyboard.ts'

export interface AnswerInput extends Readable {
  readonly isTTY?: boolean
  setRawMode?(mode: boolean): unknown
  /** When the person last typed into a line that is not ended, by `performance.now()`; `-Infinity` if never. */
  readonly typedAt?: () => number
  /** Takes text that was no answer, for the next line. */
  readonly keep?: (text: string) => void
}

interface AnswerOptions {
  readonly stdin: AnswerInput
  /** How many choices there are, and which one Enter alone takes. */
  readonly size: number
  readonly initial: number
  /** The choice that a typed line names. */
  readonly choiceOf: (line: string) => number | undefined
}

export interface AnswerKeys extends Disposable {
  /** The keys that may answer, for the prompt. */
  readonly keys: Keys
  /** Resolves when keys from before the question are read away; `false` if Ctrl-C or Ctrl-D was one of them. */
  ready(): Promise<boolean>
}

const escape = '\u001B'
const [up, down] = [`${escape}[A`, `${escape}[B`]
/** Keys with less time between them belong to one text. */
const pauseMs = 700
/** The terminal hands over what was typed before within one turn of the event loop; this is a little more. */
const drainMs = 10
const keyForm =
  // oxlint-disable-next-line no-control-regex -- keys are control characters
  /\u001B(?:\[[\d;]*[A-Za-z~]|O[A-Z])|\r\n?|\n|[^]/gu

/**
 * Lets only deliberate keys answer a question with choices: arrow keys and Enter, or a line that names a choice. Everything
 * else is text that the person was typing when the question appeared; its Enter answers nothing, and it is kept for the
 * next line. So nobody says yes by typing on.
 */
export function openAnswerKeys({ stdin, size, initial, choiceOf }: AnswerOptions): AnswerKeys {
  const keys = new Keys()
  let isAsked = false
  let isCancelled = false
  let position = initial
  let line = ''
  let kept = ''
  /** The line goes on with a text from before the question. */
  let isText = false
  let textAt: number | undefined
  const isTyping = (): boolean => performance.now() - (textAt ?? -Infinity) < pauseMs
  const moveTo = (to: number): void => {
    for (; position !== to; position = (position + 1) % size) keys.press(down)
  }
  const type = (key: string): void => {
    if (isTyping()) isText = true
    if (isText) textAt = performance.now()
    line += key
    kept += key
    moveTo((isText ? undefined : choiceOf(line)) ?? initial)
  }
  const enter = (): void => {
    const isAnswer = line === '' ? !isTyping() : !isText && choiceOf(line) !== undefined
    if (isAnswer) {
      kept = kept.slice(0, kept.length - line.length)
      return keys.press('\r')
    }
    endText()
    if (kept !== '') kept += ' '
    textAt = performance.now()
    moveTo(initial)
  }
  const endText = (): void => {
    line = ''
    isText = false
    textAt = -Infinity
  }
  const press = (key: string): void => {
    const isEnter = /^[\r\n]/.test(key)
    if (!isAsked && (isEnter || key.startsWith(escape))) endText()
    else if (isEnter) enter()
    else if (key.startsWith(escape) && /^.[A-D]$/.test(key.slice(1))) {
      endText()
      const isUp = /[AD]$/.test(key)
      position = (position + (isUp ? size - 1 : 1)) % size
      keys.press(isUp ? up : down)
    } else if (key === escape || key === '\u0003' || key === '\u0004') {
      isCancelled ||= !isAsked
      keys.press(key)
    } else if (key === '\u007F' || key === '\b') {
      line = line.slice(0, -1)
      kept = kept.slice(0, -1)
      moveTo((isText ? undefined : choiceOf(line)) ?? initial)
    } else if (!/^\p{Cc}/u.test(key)) {
      if (!isAsked) textAt = performance.now()
      type(key)
    }
  }
  const onData = (chunk: Buffer | string): void => {
    textAt ??= stdin.typedAt?.() ?? -Infinity
    for (const [key] of String(chunk).matchAll(keyForm)) press(key)
  }
  // The keyboard of a shell sends keys to a stream only while it has a keypress listener.
  const onKey = () => undefined
  stdin.setRawMode?.(true)
  stdin.on('data', onData).on('keypress', onKey)
  stdin.resume()
  return {
    keys,
    async ready() {
      // A shell keeps what is typed before a question by itself.
      if (!stdin.keep) await new Promise((resolve) => setTimeout(resolve, drainMs))
      isAsked = true
      return !isCancelled
    },
    [Symbol.dispose]() {
      stdin.off('data', onData).off('keypress', onKey)
      stdin.setRawMode?.(false)
      stdin.pause()
      keys.destroy()
      if (kept.trim() !== '') stdin.keep?.(kept)
    },
  }
}
