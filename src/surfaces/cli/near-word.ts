import { FlagNotFoundError } from '@stricli/core'

/** So long a word may have two slips: with fewer letters, two make any word of any other. */
const longWord = 6

/** Of words that are at most two slips apart: whether one may stand for the other. */
export function isNear(word: string, meant: string): boolean {
  return word.length >= longWord || isOneSlip(word, meant)
}

/** A letter wrong, missing or too many, or two that are swapped. */
function isOneSlip(word: string, meant: string): boolean {
  const shorter = Math.min(word.length, meant.length)
  let start = 0
  while (start < shorter && word[start] === meant[start]) start++
  let end = 0
  while (end < shorter - start && word.at(-1 - end) === meant.at(-1 - end)) end++
  const [typed, right] = [word.slice(start, word.length - end), meant.slice(start, meant.length - end)]
  if (typed.length <= 1 && right.length <= 1) return true
  return typed.length === 2 && right === `${typed[1]}${typed[0]}`
}

/** What is said of an unknown flag, with those alone that may have been meant. */
export function withNearFlags(error: unknown): unknown {
  if (!(error instanceof FlagNotFoundError) || error.aliasName !== undefined) return error
  const near = error.corrections.filter((name) => isNear(error.input, name))
  return new FlagNotFoundError(error.input, near)
}
