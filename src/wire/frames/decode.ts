import { isAscii, isUtf8 } from 'node:buffer'
import { isPlainJson } from '../../model/hidden.ts'
import { isObject, largeJsonLength, rememberJson } from '../../model/json.ts'
import type { Json } from '../../model/json.ts'
import { WireError } from '../wire-error.ts'
import { isDeeperThan, isValueDeeperThan, mayBeDeeperThan } from './json-walk.ts'

const maxDepth = 256
const sampleLength = 200
/** Up to this length, parsing deeply nested brackets costs no more than parsing flat ones. */
const harmlessLength = 4 * 1024 * 1024

/** Returns the message if its text is known from before, so that it need not be parsed. */
export type ReadText = (text: string) => Json | undefined

/** Parses one message without checking its shape. Throws a `WireError` when it cannot be read. */
export function decodeMessage(bytes: Uint8Array, readText?: ReadText): Json {
  const text = decodeText(bytes)
  if (text === undefined) throw invalidUtf8(toBuffer(bytes).toString('utf8'))
  return readText?.(text) ?? parseMessage(text)
}

/** The same for decoded text. */
export function parseMessage(text: string): Json {
  const json = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  if (json.length > harmlessLength && isDeeperThan(maxDepth, json)) throw tooDeep(json)
  const value = parse(json)
  if (
    json.length <= harmlessLength &&
    mayBeDeeperThan(maxDepth, json) &&
    isValueDeeperThan(maxDepth, value)
  ) {
    throw tooDeep(json)
  }
  if (mayHoldProto(json)) removeProto(value)
  rememberPlainList(value, json)
  if (json.length > largeJsonLength) rememberLarge(value, json)
  return value
}

/** Strict decoding: `undefined` when the bytes are not UTF-8 (FI-11). */
export function decodeText(bytes: Uint8Array): string | undefined {
  if (isAscii(bytes)) return toBuffer(bytes).toString('latin1')
  return isUtf8(bytes) ? toBuffer(bytes).toString('utf8') : undefined
}

export function invalidUtf8(text: string): WireError {
  return unreadable('The server sent a message that is not UTF-8', text)
}

/** The beginning of a text, with invisible characters escaped. `…` marks the cut; the redactor masks parts of secrets there. */
export function sample(text: string, length = sampleLength): string {
  const shown = copyOf(text.slice(0, length)).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (hidden) => {
    return `\\u{${(hidden.codePointAt(0) ?? 0).toString(16)}}`
  })
  return text.length > length ? `${shown}…` : shown
}

/** A slice keeps the whole text in memory; a copy does not. */
function copyOf(part: string): string {
  return Buffer.from(part, 'utf16le').toString('utf16le')
}

export function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function parse(json: string): Json {
  try {
    return JSON.parse(json) as Json // JSON.parse returns JSON
  } catch {
    throw unreadable('The server sent a message that is not JSON', json)
  }
}

function tooDeep(json: string): WireError {
  return unreadable(`The server sent JSON nested deeper than ${maxDepth} levels`, json)
}

function unreadable(reason: string, text: string): WireError {
  return new WireError('protocol', `${reason}: ${sample(text)}`, { sent: true })
}

/** The key can appear literally, or with an escaped letter. */
function mayHoldProto(json: string): boolean {
  return json.includes('"__proto__"') || (json.includes('\\u00') && /\\u00(?:5[fF]|6[fF]|7[024])/.test(json))
}

/** `JSON.parse` creates it as an own property, but copying the object would change a prototype (T44, FI-19). */
function removeProto(value: Json): void {
  if (Array.isArray(value)) return value.forEach(removeProto)
  if (!isObject(value)) return
  if (Object.hasOwn(value, '__proto__')) Reflect.deleteProperty(value, '__proto__')
  Object.values(value).forEach(removeProto)
}

/**
 * Tool lists without hidden characters. One check of the whole text replaces one per string in it, and hardly any
 * list has hidden characters.
 */
const plainLists = new WeakSet<object>()

function rememberPlainList(message: Json, text: string): void {
  if (!text.includes('"inputSchema"') || !isPlainJson(text)) return
  const result = isObject(message) ? message['result'] : undefined
  if (isObject(result)) plainLists.add(result)
}

function rememberLarge(message: Json, text: string): void {
  const result = isObject(message) ? message['result'] : undefined
  if (isObject(result)) rememberJson(result['structuredContent'], text)
}

export function isPlainList(answer: object): boolean {
  return plainLists.has(answer)
}
