import { sha256Hex } from '../../model/canonical.ts'

/** An answer as text: the request it belongs to, and everything but its id. */
export interface AnswerText {
  readonly id: number
  readonly rest: string
}

const head = /^\{\s*"jsonrpc"\s*:\s*"2\.0"\s*,\s*"id"\s*:\s*(\d{1,15})\s*,\s*"result"\s*:/
const headLength = 120
const resultFirst = '{"result":'
const tail = /,"jsonrpc":"2\.0","id":(\d{1,15})\}\s*$/
const tailLength = 60

/**
 * Splits a successful answer without parsing it, in the two orders of keys that SDKs write. Two answers with the same rest
 * have the same result, whatever their ids. `undefined` for any other text.
 */
export function splitAnswer(text: string): AnswerText | undefined {
  const start = head.exec(text.slice(0, headLength))
  if (start) return { id: Number(start[1]), rest: text.slice(start[0].length) }
  if (!text.startsWith(resultFirst)) return undefined
  const end = tail.exec(text.slice(-tailLength))
  return end ? { id: Number(end[1]), rest: text.slice(0, text.length - end[0].length) } : undefined
}

/** Tells texts apart by length and hash. */
export function markOf(text: string): string {
  return `${text.length}:${sha256Hex(text)}`
}
