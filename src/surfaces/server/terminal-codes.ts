import { randomInt, randomUUID, timingSafeEqual } from 'node:crypto'
import { HostError } from '../../index.ts'
import { hashOf } from '../../internal.ts'
import { truncate, wrap } from '../terminal/width.ts'
import type { Codes } from './serve-context.ts'

const validMs = 5 * 60_000
const maxTries = 3
/** Shown in `validMs`: a page that asks again and again must not fill the terminal. */
const maxShown = 20
const codeLength = 6
/** What is printed with a code: more than a person reads is looked at with the command instead. */
const maxRows = 60
const summaryWidth = 200
const usualWidth = 80
const minWidth = 20
/** Without letters and digits that look alike. */
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'

interface ShownCode {
  readonly code: string
  readonly hash: string
  readonly expiresAt: number
  tries: number
}

export interface CodeOptions {
  readonly print: (text: string) => void
  /** Why no person sees what is printed; then no code is shown (T48). */
  readonly notShown?: string
  /** Of the terminal. */
  readonly columns?: () => number | undefined
  readonly now?: () => number
}

/** Codes that a person reads in the terminal of `serve` and types into the page (T37). */
export function createCodes({
  print,
  notShown,
  columns = () => undefined,
  now = Date.now,
}: CodeOptions): Codes {
  const shown = new Map<string, ShownCode>()
  let times: readonly number[] = []
  const needed = (message: string, command: string | undefined) =>
    new HostError('code.needed', command === undefined ? {} : { command }, message, {
      hint: command === undefined ? 'Use a terminal of your own.' : `In a terminal: ${command}`,
    })
  return {
    show({ about, lines, summary, command }) {
      if (notShown !== undefined) throw needed(`No code can be shown: ${notShown}`, command)
      const width = Math.max(minWidth, columns() ?? usualWidth)
      const isLong = lines.reduce((sum, { length }) => sum + length, 0) > maxRows * usualWidth
      const rows = isLong ? [] : lines.flatMap((line) => wrapped(line, width))
      if (isLong || rows.length > maxRows)
        throw needed(
          'This is too long to be shown with a code in the terminal of "plugboard serve".',
          command,
        )
      times = times.filter((at) => now() - at < validMs)
      if (times.length >= maxShown)
        throw needed('Too many codes were asked for. Wait a few minutes.', command)
      times = [...times, now()]
      const [request, expiresAt] = [randomUUID(), now() + validMs]
      const code = Array.from({ length: codeLength }, () => alphabet[randomInt(alphabet.length)]).join('')
      shown.set(request, { code, hash: hashOf(about), expiresAt, tries: 0 })
      const allows = wrapped(`This code allows: ${truncate(summary, summaryWidth)}`, width)
      print([...rows, ...allows, `Code for the page: ${code}`].join('\n'))
      return { request, expiresAt }
    },
    use({ request, code, about, command }) {
      if (request === undefined || code === undefined)
        throw needed('This needs the code that the terminal of "plugboard serve" shows.', command)
      const refuse = (reason: string, message: string) =>
        new HostError('code.wrong', { reason }, message, { hint: 'Ask for a new code.' })
      const found = shown.get(request)
      if (!found) throw refuse('unknown', 'This code was used before, or was never shown.')
      if (now() > found.expiresAt) {
        shown.delete(request)
        throw refuse('expired', 'This code is too old.')
      }
      if (!isEqual(normalize(code), found.code)) {
        if (++found.tries >= maxTries) shown.delete(request)
        const left = maxTries - found.tries
        if (left === 0) throw refuse('wrong', 'The code is wrong, and does not count any more.')
        throw new HostError('code.wrong', { reason: 'wrong' }, 'The code is wrong.', {
          hint: left === 1 ? 'One try is left.' : `${left} tries are left.`,
        })
      }
      shown.delete(request)
      if (found.hash !== hashOf(about)) throw refuse('other', 'This code was shown for something else.')
    },
  }
}

/** Broken here, not by the terminal: no text of a request begins a row, where it could look like one of ours. */
function wrapped(line: string, columns: number): readonly string[] {
  const [indent = ''] = /^ */.exec(line) ?? []
  const [first = '', ...rest] = wrap(line.slice(indent.length), columns - continued.length)
  return [indent + first, ...rest.map((row) => continued + row)]
}

const continued = '    … '

/** People type small letters and blanks. */
function normalize(code: string): string {
  return code.toUpperCase().replaceAll(/[\s-]/g, '')
}

function isEqual(given: string, code: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(code)]
  return one.length === other.length && timingSafeEqual(one, other)
}
