import type { Json, JsonObject } from '../../model/json.ts'

/** Where a walk over JSON stands between two pieces of it. */
export interface Place {
  depth: number
  inString: boolean
  /** The last byte was a backslash in a string. */
  escaped: boolean
}

const quote = 0x22
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/** Goes on until fewer than `floor` or more than `ceiling` levels are open, or the bytes end; returns where it stopped. */
export function skim(
  bytes: Uint8Array,
  from: number,
  end: number,
  place: Place,
  { floor, ceiling }: { readonly floor: number; readonly ceiling: number },
): number {
  let at = place.inString ? leaveString(bytes, from, end, place) : from
  let { depth } = place
  while (at < end && depth >= floor && depth <= ceiling) {
    const byte = bytes[at++] as number // at is below the end
    if (byte === quote) at = leaveString(bytes, at, end, place)
    else if (byte === openBrace || byte === openBracket) depth++
    else if (byte === closeBrace || byte === closeBracket) depth--
  }
  place.depth = depth
  return at
}

/** The byte after the closing quote, or the end when the string goes on in the next piece. */
export function leaveString(bytes: Uint8Array, from: number, end: number, place: Place): number {
  let at = place.escaped ? from + 1 : from
  for (; at < end; at++) {
    const byte = bytes[at]
    if (byte === backslash) at++
    else if (byte === quote) {
      place.inString = false
      place.escaped = false
      return at + 1
    }
  }
  place.inString = true
  place.escaped = at > end
  return end
}

const encoder = new TextEncoder()
const blockSize = 64 * 1024
let block: Uint8Array | undefined

/** Hands out a text as UTF-8, block by block in the same memory; a walk over bytes is four times as fast. */
export function eachBlock(text: string, visit: (bytes: Uint8Array, end: number) => void): void {
  block ??= new Uint8Array(blockSize)
  for (let at = 0; at < text.length;) {
    const { read, written } = encoder.encodeInto(at === 0 ? text : text.slice(at), block)
    visit(block, written)
    at += read
  }
}

/** Nearly free where brackets are rare. */
export function mayBeDeeperThan(limit: number, text: string): boolean {
  return text.length > 2 * limit && !hasFewBrackets(text, limit)
}

/** Whether valid JSON in this text is nested deeper (FI-18). */
export function isDeeperThan(limit: number, text: string): boolean {
  if (!mayBeDeeperThan(limit, text)) return false
  const place: Place = { depth: 0, inString: false, escaped: false }
  const range = { floor: Number.NEGATIVE_INFINITY, ceiling: limit }
  eachBlock(text, (bytes, end) => {
    if (place.depth <= limit) skim(bytes, 0, end, place, range)
  })
  return place.depth > limit
}

/** The same of its value, in a third of the time. */
export function isValueDeeperThan(limit: number, value: Json): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (limit === 0) return true
  if (Array.isArray(value)) {
    // isArray does not narrow a readonly union
    for (const item of value as readonly Json[]) if (isValueDeeperThan(limit - 1, item)) return true
    return false
  }
  const object = value as JsonObject // it is neither null nor an array
  for (const key in object) {
    const held = object[key]
    if (typeof held === 'object' && isValueDeeperThan(limit - 1, held)) return true
  }
  return false
}

/** So few that they would not be too deep if each of them opened a level. */
function hasFewBrackets(text: string, limit: number): boolean {
  const braces = countUpTo(limit + 1, '{', text)
  return braces + countUpTo(limit + 1 - braces, '[', text) <= limit
}

function countUpTo(most: number, char: string, text: string): number {
  let count = 0
  for (let at = 0; count < most && (at = text.indexOf(char, at) + 1) > 0;) count++
  return count
}
