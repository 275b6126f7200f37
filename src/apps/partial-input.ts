import { isObject } from '../model/json.ts'
import type { JsonObject } from '../model/json.ts'

/**
 * The arguments so far, of a text that a model still writes: open texts, lists and objects are closed, and what cannot be read yet
 * is left out. `undefined` while there is no object.
 */
export function readPartialInput(text: string): JsonObject | undefined {
  const { whole, safe } = closed(text)
  return parse(whole) ?? parse(safe)
}

/** The text as it could end here, and as it could end after the last value that is surely complete. */
function closed(text: string): { readonly whole: string; readonly safe: string } {
  const closers: string[] = []
  const ends = () => closers.toReversed().join('')
  let isText = false
  let safe = ''
  let cut = text.length
  for (let at = 0; at < text.length; at++) {
    const sign = text.charAt(at)
    if (isText) {
      // An escape may have up to six characters, and may not be all there.
      const length = sign === '\\' ? (text[at + 1] === 'u' ? 6 : 2) : 1
      if (at + length > text.length) cut = at
      if (sign === '"') isText = false
      at += length - 1
    } else if (sign === '"') isText = true
    else if (sign === '{' || sign === '[') {
      closers.push(sign === '{' ? '}' : ']')
      safe = text.slice(0, at + 1) + ends()
    } else if (sign === '}' || sign === ']') {
      closers.pop()
      safe = text.slice(0, at + 1) + ends()
    } else if (sign === ',') safe = text.slice(0, at) + ends()
  }
  return { whole: text.slice(0, cut) + (isText ? '"' : '') + ends(), safe }
}

function parse(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
