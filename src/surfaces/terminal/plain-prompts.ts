import type { Readable } from 'node:stream'
import { escapeLine } from './escape.ts'
import { createPlainLine } from './plain-line.ts'
import { escapeStyledLine } from './style.ts'
import type { TerminalStream } from './terminal-output.ts'
import type { Answer, Choice, PromptStreams, Prompts } from './terminal-prompts.ts'

/** Prompts as plain lines, for a terminal without cursor control: choices have numbers, and Enter takes the default. */
export function createPlainPrompts({ stdin, stdout, signal }: PromptStreams): Prompts {
  const ask = (question: string, isHidden = false): Promise<string | undefined> => {
    stdout.write(`${escapeStyledLine(question)} `)
    return readLine(stdin, { output: stdout, isHidden, signal })
  }
  /** Asks until the answer is valid; `read` returns the value, or a sentence about what is wrong. */
  const askUntilValid = async <Value>(
    question: string,
    read: (text: string) => { readonly value: Value } | string,
    isHidden = false,
  ): Promise<Answer<Value>> => {
    for (;;) {
      const text = await ask(question, isHidden)
      if (text === undefined) return { cancelled: true }
      const found = read(text)
      if (typeof found !== 'string') return { cancelled: false, value: found.value }
      stdout.write(`${escapeLine(found)}\n`)
    }
  }
  const showChoices = (message: string, choices: readonly Choice<string>[]): void => {
    const rows = choices.map(({ value, label = value, hint }, at) =>
      escapeLine(`  ${at + 1}) ${label}${hint === undefined ? '' : ` (${hint})`}`),
    )
    stdout.write(`${escapeStyledLine(message)}\n${rows.join('\n')}\n`)
  }
  return {
    confirm: ({ message, initial = false }) =>
      askUntilValid(`${message} [${initial ? 'Y/n' : 'y/N'}]`, (text) => {
        if (text.trim() === '') return { value: initial }
        if (/^\s*(?:y|yes|n|no)\s*$/i.test(text)) return { value: /^\s*y/i.test(text) }
        return 'Answer yes or no.'
      }),
    text: ({ message, initial = '', validate }) =>
      askUntilValid(`${message}${initial === '' ? '' : ` [${escapeLine(initial)}]`}:`, (typed) => {
        const text = typed === '' ? escapeLine(initial) : typed
        return validate?.(text) ?? { value: text }
      }),
    password: ({ message, validate }) =>
      askUntilValid(`${message}:`, (text) => validate?.(text) ?? { value: text }, true),
    select({ message, choices, initial }) {
      showChoices(message, choices)
      const usual =
        Math.max(
          0,
          choices.findIndex(({ value }) => value === initial),
        ) + 1
      return askUntilValid(`Number [${usual}]:`, (text) => {
        const chosen = choices[Number(text.trim() === '' ? usual : text) - 1]
        return chosen ? { value: chosen.value } : `Enter a number from 1 to ${choices.length}.`
      })
    },
    multiselect({ message, choices, initial = [], required = false }) {
      showChoices(message, choices)
      const usual = choices.flatMap(({ value }, at) => (initial.includes(value) ? [at + 1] : []))
      return askUntilValid(`Numbers, separated by commas [${usual.join(',') || 'none'}]:`, (text) => {
        const numbers = text.trim() === '' ? usual : text.split(',').map(Number)
        const chosen = numbers.flatMap((number) => choices[number - 1]?.value ?? [])
        if (chosen.length !== numbers.length) return `Enter numbers from 1 to ${choices.length}.`
        return required && chosen.length === 0 ? 'Choose at least one.' : { value: chosen }
      })
    },
  }
}

interface ReadOptions {
  readonly output: TerminalStream
  readonly isHidden: boolean
  readonly signal?: AbortSignal | undefined
}

/** Reads one line; undefined if it is cancelled or the signal aborts. */
function readLine(
  stdin: Readable & { setRawMode?(mode: boolean): unknown },
  { output, isHidden, signal }: ReadOptions,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const onData = (chunk: Buffer | string) => void line.press(String(chunk))
    // The keyboard sends keys to the stream only while it has a keypress listener.
    const onKey = () => undefined
    const onEnd = () => line.finish({ kind: 'left' })
    const line = createPlainLine({
      output,
      isHidden,
      onEnd(typed) {
        stdin.off('data', onData).off('keypress', onKey).off('close', onEnd).off('end', onEnd)
        signal?.removeEventListener('abort', onEnd)
        stdin.setRawMode?.(false)
        stdin.pause()
        resolve(typed.kind === 'line' ? typed.text : undefined)
      },
    })
    stdin.setRawMode?.(true)
    stdin.on('data', onData).on('keypress', onKey).on('close', onEnd).on('end', onEnd)
    signal?.addEventListener('abort', onEnd, { once: true })
    stdin.resume()
    if (signal?.aborted || stdin.destroyed) onEnd()
  })
}
