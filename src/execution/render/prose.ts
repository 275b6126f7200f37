import type { Looks } from './looks.ts'

/**
 * Long texts are found by their start and then compared: looking for the whole of one takes a time that grows with both
 * lengths. What is shorter is said only if it is no part of another word.
 */
const lengths = { start: 32, long: 64 } as const

/** What one look costs beside the characters it passes. */
const lookCost = 64

/** A text in which words are looked for, each where the one before was found: most are said in their order. */
export class Prose {
  readonly #text: string
  readonly #looks: Looks
  readonly #found = new Set<string>()
  #next = 0

  constructor(text: string, looks: Looks) {
    this.#text = text
    this.#looks = looks
  }

  says(words: string): boolean {
    if (this.#found.has(words)) return true
    if (words.length > this.#text.length) return false
    const isFound = this.#findFrom(this.#next, words) || (this.#next > 0 && this.#findFrom(0, words))
    if (!isFound) return false
    if (words.length < lengths.long) this.#found.add(words)
    return true
  }

  #findFrom(from: number, words: string): boolean {
    const text = this.#text
    const start = words.slice(0, lengths.start)
    const isLong = words.length >= lengths.long
    let at = text.indexOf(start, from)
    let passed = from
    while (at >= 0 && this.#looks.spend(at - passed + words.length + lookCost)) {
      const to = at + words.length
      if (text.slice(at, to) === words && (isLong || isWhole(text, at, to))) {
        this.#next = to
        return true
      }
      passed = at
      at = text.indexOf(start, at + 1)
    }
    if (at < 0) this.#looks.spend(text.length - passed)
    return false
  }
}

/** Whether what stands there is no part of a longer word or number: `1` is not said by `10`, `-1`, `1.5` or `12:01`. */
function isWhole(text: string, from: number, to: number): boolean {
  return beginsThere(text, from) && endsThere(text, to)
}

function beginsThere(text: string, from: number): boolean {
  const [before, after] = around(text, from)
  if (endsInWord.test(before) && startsLikeWord.test(after)) return false
  return !(/^\d/.test(after) && /[-+.]$|\d[,:/]$/.test(before))
}

function endsThere(text: string, to: number): boolean {
  const [before, after] = around(text, to)
  if (endsInWord.test(before) && startsWithWord.test(after)) return false
  return !(/\d$/.test(before) && /^[-.,:/]\d/.test(after))
}

/** Two units on each side: a character may be as long. */
function around(text: string, at: number): readonly [string, string] {
  return [text.slice(Math.max(0, at - 2), at), text.slice(at, at + 2)]
}

const endsInWord = /[\p{L}\p{M}\p{N}_]$/u
const startsWithWord = /^[\p{L}\p{M}\p{N}_]/u
/** Or with a sign: `3-1` does not say `-1`. */
const startsLikeWord = /^[\p{L}\p{M}\p{N}_+-]/u
