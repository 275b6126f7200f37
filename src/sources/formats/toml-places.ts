import { parse } from 'smol-toml'
import { fromPointer, toPointer } from '../../model/json.ts'
import { isEscaped } from './doc.ts'
import type { Position } from './doc.ts'

/** Finds positions of tables, keys and elements in valid TOML. The text is scanned once, at the first lookup. */
export function createTomlPlaces(text: string): (pointer: string) => Position {
  let places: ReadonlyMap<string, Position> | undefined
  return (pointer) => nearest((places ??= new TomlScanner(text).document()), pointer)
}

function nearest(places: ReadonlyMap<string, Position>, pointer: string): Position {
  const path = fromPointer(pointer)
  for (let length = path.length; length > 0; length--) {
    const place = places.get(toPointer(path.slice(0, length)))
    if (place) return place
  }
  return { line: 1, column: 1 }
}

/** Scans a text that was parsed successfully before, so it does not validate. */
class TomlScanner {
  readonly #text: string
  readonly #places = new Map<string, Position>()
  /** The number of tables that each array of tables has so far. */
  readonly #lists = new Map<string, number>()
  #at = 0
  #line = 1
  #lineStart = 0
  #lineEnd: number

  constructor(text: string) {
    this.#text = text
    this.#lineEnd = endOfLine(text, 0)
  }

  document(): ReadonlyMap<string, Position> {
    let table = ''
    for (let before = -1; this.#skipVoid() < this.#text.length && before < this.#at;) {
      before = this.#at
      if (this.#char() === '[') table = this.#header()
      else this.#pair(table)
    }
    return this.#places
  }

  /** `[a.b]` or `[[a.b]]`. An array of tables inside the path means its last table. */
  #header(): string {
    const place = this.#here()
    const isList = this.#text.startsWith('[[', this.#at)
    this.#at += isList ? 2 : 1
    const keys = this.#keys()
    let pointer = ''
    for (const [index, key] of keys.entries()) {
      pointer += toPointer([key])
      const count = this.#lists.get(pointer)
      const isNew = isList && index === keys.length - 1
      if (isNew) this.#lists.set(pointer, (count ?? 0) + 1)
      if (isNew) pointer += `/${count ?? 0}`
      else if (count !== undefined) pointer += `/${count - 1}`
    }
    this.#at += isList ? 2 : 1
    this.#note(pointer, place)
    return pointer
  }

  #pair(base: string): void {
    const place = this.#here()
    const pointer = base + toPointer(this.#keys())
    this.#note(pointer, place)
    this.#at++ // the equals sign
    this.#take(/[ \t]*/y)
    this.#value(pointer)
  }

  #keys(): readonly string[] {
    const keys: string[] = []
    do {
      this.#take(/[ \t]*\.?[ \t]*/y)
      keys.push(this.#key())
      this.#take(/[ \t]*/y)
    } while (this.#char() === '.')
    return keys
  }

  #key(): string {
    const char = this.#char()
    if (char !== '"' && char !== "'") return this.#take(/[\w-]*/y)
    const token = this.#string(char)
    const isPlain = char === "'" || !token.includes('\\')
    return isPlain ? token.slice(1, -1) : (Object.keys(parse(`${token} = 0`))[0] ?? '')
  }

  #value(pointer: string): void {
    const char = this.#char()
    if (char === '{') this.#each('}', () => this.#pair(pointer))
    else if (char === '[') {
      this.#each(']', (index) => {
        const element = `${pointer}/${index}`
        this.#note(element, this.#here())
        this.#value(element)
      })
    } else if (char === '"' || char === "'") this.#string(char)
    else this.#take(/[^,\]}#\n]*/y) // a date may hold a space
  }

  /** Visits each element between brackets. */
  #each(closer: string, visit: (index: number) => void): void {
    this.#at++
    for (let index = 0; this.#skipVoid() < this.#text.length && this.#char() !== closer; index++) {
      visit(index)
      this.#skipVoid()
      if (this.#char() === ',') this.#at++
    }
    this.#at++
  }

  /** The token with its quotes. A multi-line string may end with up to two quotes of its own before the closing three. */
  #string(quote: '"' | "'"): string {
    const start = this.#at
    const mark = this.#text.startsWith(quote.repeat(3), start) ? quote.repeat(3) : quote
    let end = this.#text.indexOf(mark, start + mark.length)
    if (quote === '"') while (isEscaped(this.#text, end)) end = this.#text.indexOf(mark, end + 1)
    end = end < 0 ? this.#text.length : end + mark.length
    for (let more = 0; mark.length === 3 && more < 2 && this.#text[end] === quote; more++) end++
    this.#at = end
    return this.#text.slice(start, end)
  }

  #skipVoid(): number {
    for (; ; this.#at++) {
      const char = this.#char()
      if (char === '#') this.#at = endOfLine(this.#text, this.#at)
      else if (char !== ' ' && char !== '\t' && char !== '\n' && char !== '\r') return this.#at
    }
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    const [found = ''] = pattern.exec(this.#text) ?? []
    this.#at += found.length
    return found
  }

  #char(): string | undefined {
    return this.#text[this.#at]
  }

  /** The current position. Line counting only moves forward. */
  #here(): Position {
    while (this.#lineEnd < this.#at) {
      this.#line++
      this.#lineStart = this.#lineEnd + 1
      this.#lineEnd = endOfLine(this.#text, this.#lineStart)
    }
    return { line: this.#line, column: this.#at - this.#lineStart + 1 }
  }

  #note(pointer: string, place: Position): void {
    if (!this.#places.has(pointer)) this.#places.set(pointer, place)
  }
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end < 0 ? text.length : end
}
