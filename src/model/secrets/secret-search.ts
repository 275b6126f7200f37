import { isEscapeStart, readEscape, readNestedEscape } from './escaped-character.ts'
import type { EscapedCharacter } from './escaped-character.ts'
import { shortestMasked } from './secret-forms.ts'
import type { SecretForm } from './secret-forms.ts'

/** A part of a text: from `start` up to, but not including, `end`. */
export interface Span {
  readonly start: number
  readonly end: number
}

const backslash = 0x5c
const ascii = 128
/** Characters that are hashed together; the table of shifts is indexed by the hash. */
const blockLength = 3
const tableSize = 1 << 14
const maxShift = shortestMasked - blockLength + 1
/** Comparisons that are allowed for each character of a text, and for a short text. Only texts made to be slow need more. */
const workPerCharacter = 8
/** Forms that begin alike are compared one after the other; this many comparisons for each character take a second per megabyte. */
const mostWork = 64
const shortWork = 100_000
/** How much of a text is searched beside a cut. */
const maxCut = 4096
/** Fewer characters of a secret are no secret. */
const minPart = 4
/** Longer than any escape. */
const maxEscape = 16
/** Reading an escape counts as this many comparisons. */
const escapeWork = 4

/** A form, and the position in it of a character that a text writes as an escape. */
interface EscapedPlace {
  readonly form: SecretForm
  readonly index: number
}

/**
 * Finds secrets in texts: ignores the case of ASCII letters, and finds each character as it is or as an escape. Skips
 * most of a text: characters are hashed in blocks, and the table says how far the next block is that a form may end its
 * first eight characters with (the method of Wu and Manber). A form with an escape among those is found from that escape.
 */
export class SecretSearch {
  /** How far the window of eight characters moves when it ends with a block. */
  readonly #shifts = new Uint8Array(tableSize).fill(maxShift)
  readonly #byLastBlock = new Map<number, SecretForm[]>()
  /** The first eight characters of each form, by the character and the one before it. */
  readonly #byEscaped = new Map<number, EscapedPlace[]>()
  /** The ASCII characters among those: a cheap test, because most escapes are line ends and quotes. */
  readonly #isEscaped = new Uint8Array(ascii)
  readonly #workPerCharacter: number
  #left = 0

  constructor(forms: readonly SecretForm[]) {
    this.#workPerCharacter = workPerCharacter + Math.min(forms.length / 4, mostWork)
    for (const form of forms) {
      for (let at = 0; at <= shortestMasked - blockLength; at++) {
        const hash = hashAt(form.text, at)
        const shift = shortestMasked - blockLength - at
        if (shift < (this.#shifts[hash] ?? 0)) this.#shifts[hash] = shift
      }
      put(this.#byLastBlock, hashAt(form.text, shortestMasked - blockLength), form)
      for (let index = 0; index < shortestMasked; index++) this.#addPlace(form, index)
    }
  }

  #addPlace(form: SecretForm, index: number): void {
    const code = form.text.charCodeAt(index)
    put(this.#byEscaped, placeKey(code, form.text.charCodeAt(index - 1)), { form, index })
    if (code >= ascii) return
    this.#isEscaped[code] = 1
    this.#isEscaped[String.fromCharCode(code).toUpperCase().charCodeAt(0)] = 1
  }

  /** All places of secrets, in any order; the whole text if searching it takes too long. */
  find(text: string, isMeant: (form: SecretForm) => boolean = () => true): readonly Span[] {
    const found: { start: number; end: number }[] = []
    const isComplete = this.#search(text, (form, start, end) => {
      if (!isMeant(form)) return true
      const span = widened(text, form, start, end)
      const last = found.at(-1)
      // A text may repeat a secret without end.
      if (last && last.start <= span.start && span.start < last.end) last.end = Math.max(last.end, span.end)
      else found.push(span)
      return true
    })
    return isComplete ? found : [{ start: 0, end: text.length }]
  }

  /**
   * The beginnings of secrets right before `…`, and the ends right after it: where a long text is cut, a part of a secret may
   * be left.
   */
  findCut(text: string): readonly Span[] {
    const found: Span[] = []
    this.#left = this.#workFor(text)
    for (let at = text.indexOf('…'); at >= 0 && this.#left >= 0; at = text.indexOf('…', at + 1)) {
      const before = text.slice(Math.max(0, at - maxCut), at)
      const start = this.#startOfPart(before)
      if (start < before.length) found.push({ start: at - before.length + start, end: at })
      // Only the start of a line can be the rest of a text that was cut.
      const isStart = at === 0 || text.charAt(at - 1) === '\n'
      const length = isStart ? this.#endOfPart(text.slice(at + 1, at + 1 + maxCut)) : 0
      if (length > 0) found.push({ start: at + 1, end: at + 1 + length })
    }
    return found
  }

  /** Where the longest beginning of a form starts that ends with the text. */
  #startOfPart(text: string): number {
    for (let at = 0; at <= text.length - minPart; at++) {
      if (--this.#left < 0) break
      const given = foldCode(text.charCodeAt(at))
      const code = (isEscapeStart(given) && readEscape(text, at)?.code) || given
      for (const { form } of this.#byEscaped.get(placeKey(firstUnit(code), NaN)) ?? [])
        if (this.#isPart(text, at, form.text)) return at
    }
    return text.length
  }

  /** Whether the rest of the text is the beginning of the form. */
  #isPart(text: string, from: number, form: string): boolean {
    let at = from
    for (let next = 0; next < form.length; next++) {
      if (--this.#left < 0) return false
      if (at >= text.length) return next >= minPart
      const given = foldCode(text.charCodeAt(at))
      const escape = isEscapeStart(given) ? this.#escapeOf(text, at, form, next) : undefined
      if (escape) {
        at = escape.end
        if (escape.code > 0xffff) next++
      } else if (given === form.charCodeAt(next)) at++
      // An escape may be cut, too.
      else return next >= minPart && isEscapeStart(given) && text.length - at < maxEscape
    }
    return false
  }

  /** Where the longest end of a form ends that the text begins with; the text may begin within an escape. */
  #endOfPart(text: string): number {
    let longest = 0
    for (const places of this.#byEscaped.values()) {
      for (const { form, index } of places) {
        if (index > 0) continue
        for (let from = 0; from < maxEscape; from++)
          for (let next = 1; next <= form.text.length - minPart; next++)
            longest = Math.max(longest, this.#match(text, from, form.text, next))
      }
    }
    return longest
  }

  /** Whether the text contains a form that `counts`. */
  has(text: string, counts: (form: SecretForm) => boolean): boolean {
    let isFound = false
    const isComplete = this.#search(text, (form) => !(isFound = counts(form)))
    return isFound || !isComplete
  }

  /** Calls `onFound` until it returns false. Returns false if the work exceeds the limit. */
  #search(text: string, onFound: (form: SecretForm, start: number, end: number) => boolean): boolean {
    this.#left = this.#workFor(text)
    const report = (form: SecretForm, start: number, from: number, index: number) => {
      const end = this.#match(text, from, form.text, index)
      return end < 0 || onFound(form, start, end)
    }
    return this.#findPlain(text, report) && this.#findEscaped(text, report) ? true : this.#left >= 0
  }

  #workFor({ length }: string): number {
    return length * this.#workPerCharacter + shortWork
  }

  #findPlain(text: string, report: Report): boolean {
    const last = text.length - shortestMasked
    for (let at = 0; at <= last;) {
      const hash = hashAt(text, at + shortestMasked - blockLength)
      const shift = this.#shifts[hash] ?? 1
      if (shift > 0) {
        at += shift
        continue
      }
      for (const form of this.#byLastBlock.get(hash) ?? []) if (!report(form, at, at, 0)) return false
      if (this.#left < 0) return false
      at++
    }
    return true
  }

  /** From every escape: what precedes it must be the beginning of a form, without escapes. */
  #findEscaped(text: string, report: Report): boolean {
    if (!text.includes('%') && !text.includes('\\') && !text.includes('&')) return true
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (!isEscapeStart(code)) continue
      this.#left -= escapeWork
      const isRun = code === backslash && text.charCodeAt(at + 1) === backslash
      if (isRun && !this.#findFrom(text, at, code, report)) return false
      if (!this.#findFrom(text, at, readEscape(text, at)?.code, report)) return false
      if (code !== backslash && !this.#findFrom(text, at, readNestedEscape(text, at)?.code, report))
        return false
      if (this.#left < 0) return false
    }
    return true
  }

  /** Finds the forms with this character, written as the escape at `at`. */
  #findFrom(text: string, at: number, code: number | undefined, report: Report): boolean {
    if (code === undefined || (code < ascii && this.#isEscaped[code] === 0)) return true
    const unit = firstUnit(code)
    for (const { form } of this.#byEscaped.get(placeKey(unit, NaN)) ?? [])
      if (!report(form, at, at, 0)) return false
    const before = foldCode(text.charCodeAt(at - 1))
    const places = Number.isNaN(before) ? undefined : this.#byEscaped.get(placeKey(unit, before))
    for (const { form, index } of places ?? [])
      if (this.#isPrefix(text, at - index, form.text, index) && !report(form, at - index, at, index))
        return false
    return true
  }

  #isPrefix(text: string, start: number, form: string, length: number): boolean {
    this.#left -= length
    if (start < 0) return false
    for (let at = length - 1; at >= 0; at--)
      if (foldCode(text.charCodeAt(start + at)) !== form.charCodeAt(at)) return false
    return true
  }

  /** The end of the form's characters from `index` on, if the text has them at `from`; else -1. */
  #match(text: string, from: number, form: string, index: number): number {
    let at = from
    for (let next = index; next < form.length; next++) {
      if (--this.#left < 0) return -1
      const code = form.charCodeAt(next)
      const given = foldCode(text.charCodeAt(at))
      if (!isEscapeStart(given)) {
        if (given !== code) return -1
        at++
        continue
      }
      const escape = this.#escapeOf(text, at, form, next)
      // The character stands for itself, or begins an escape: try both.
      if (given === code) {
        const end = this.#matchSelf(text, at, form, next)
        if (end >= 0 || !escape) return end
      }
      if (!escape) return -1
      at = escape.end
      if (escape.code > 0xffff) next++
    }
    return at
  }

  /** One, two, four … backslashes stand for one, depending on how often they were escaped. */
  #matchSelf(text: string, at: number, form: string, next: number): number {
    for (let size = 1; size <= 16; size *= 2) {
      const end = this.#match(text, at + size, form, next + 1)
      if (end >= 0 || form.charCodeAt(next) !== backslash) return end
      for (let more = size; more < 2 * size; more++) if (text.charCodeAt(at + more) !== backslash) return -1
    }
    return -1
  }

  #escapeOf(text: string, at: number, form: string, next: number): EscapedCharacter | undefined {
    this.#left -= escapeWork
    const simple = readEscape(text, at)
    if (simple && isAt(simple.code, form, next)) return simple
    const nested = readNestedEscape(text, at)
    return nested && isAt(nested.code, form, next) ? nested : undefined
  }
}

type Report = (form: SecretForm, start: number, from: number, index: number) => boolean

function isAt(code: number, form: string, at: number): boolean {
  if (code <= 0xffff) return foldCode(code) === form.charCodeAt(at)
  return code === form.codePointAt(at)
}

function firstUnit(code: number): number {
  return code <= 0xffff ? foldCode(code) : String.fromCodePoint(code).charCodeAt(0)
}

/** With the characters of base64 at its ends that hold bits of the secret. */
function widened(text: string, { before, after }: SecretForm, start: number, end: number): Span {
  const isBase64 = (at: number) => /[\w+/-]/.test(text.charAt(at))
  const limit = after ? end + 3 : end
  let last = after && isBase64(end) ? end + 1 : end
  while (last < limit && text.charAt(last) === '=') last++
  return { start: before && start > 0 && isBase64(start - 1) ? start - 1 : start, end: last }
}

function put<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key)
  if (list) list.push(value)
  else map.set(key, [value])
}

/** The character before is NaN at the beginning. */
function placeKey(code: number, before: number): number {
  return Number.isNaN(before) ? code : (before + 1) * 0x10000 + code
}

function foldCode(code: number): number {
  return code >= 0x41 && code <= 0x5a ? code | 0x20 : code
}

function hashAt(text: string, at: number): number {
  const first = foldCode(text.charCodeAt(at)) * 961
  const second = foldCode(text.charCodeAt(at + 1)) * 31
  return (first + second + foldCode(text.charCodeAt(at + 2))) & (tableSize - 1)
}
