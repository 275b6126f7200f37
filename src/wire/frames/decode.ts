import { isAscii, isUtf8 } from 'node:buffer'
import { isPlainJson } from '../../model/hidden.ts'
import { isObject } from '../../model/json.ts'
import type { Json } from '../../model/json.ts'
import { WireError } from '../wire-error.ts'
import { isDeeperThan, isValueDeeperThan, mayBeDeeperThan } from './json-walk.ts'

const deepest = 256
const sampleLength = 200
/** A text so long costs no more when its brackets are nested than when they stand side by side. */
const harmlessLength = 4 * 1024 * 1024

/** One message as it came; nothing about its shape is checked. Throws a `WireError` when it cannot be read. */
export function decodeMessage(bytes: Uint8Array): Json {
  const text = decodeText(bytes)
  if (text === undefined) throw invalidUtf8(toBuffer(bytes).toString('utf8'))
  return parseMessage(text)
}

/** The same for a text that is decoded already. */
export function parseMessage(text: string): Json {
  const json = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  if (json.length > harmlessLength && isDeeperThan(deepest, json)) throw tooDeep(json)
  const value = parse(json)
  if (json.length <= harmlessLength && mayBeDeeperThan(deepest, json) && isValueDeeperThan(deepest, value)) {
    throw tooDeep(json)
  }
  if (mayHoldProto(json)) removeProto(value)
  notePlainList(value, json)
  return value
}

/** Strict: `undefined` when these bytes are not UTF-8 (FI-11). */
export function decodeText(bytes: Uint8Array): string | undefined {
  if (isAscii(bytes)) return toBuffer(bytes).toString('latin1')
  return isUtf8(bytes) ? toBuffer(bytes).toString('utf8') : undefined
}

export function invalidUtf8(text: string): WireError {
  return unreadable('The server sent a message that is not UTF-8', text)
}

/** The beginning of what came, with everything visible that a reader could not see. */
export function sample(text: string, length = sampleLength): string {
  return copyOf(text.slice(0, length)).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (hidden) => {
    return `\\u{${(hidden.codePointAt(0) ?? 0).toString(16)}}`
  })
}

/** A part of a text keeps the whole of it in memory; a copy does not. */
function copyOf(part: string): string {
  return Buffer.from(part, 'utf16le').toString('utf16le')
}

export function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function parse(json: string): Json {
  try {
    return JSON.parse(json) as Json // what JSON.parse returns is JSON
  } catch {
    throw unreadable('The server sent something that is not JSON', json)
  }
}

function tooDeep(json: string): WireError {
  return unreadable(`The server sent JSON that is nested deeper than ${deepest} levels`, json)
}

function unreadable(reason: string, text: string): WireError {
  return new WireError('protocol', `${reason}: ${sample(text)}`, { sent: true })
}

/** A key can name it plainly, or with one of its letters escaped. */
function mayHoldProto(json: string): boolean {
  return json.includes('"__proto__"') || (json.includes('\\u00') && /\\u00(?:5[fF]|6[fF]|7[024])/.test(json))
}

/** Such a key is data of its own here, but whoever copies it would change a prototype (T44, FI-19). */
function removeProto(value: Json): void {
  if (Array.isArray(value)) return value.forEach(removeProto)
  if (!isObject(value)) return
  if (Object.hasOwn(value, '__proto__')) Reflect.deleteProperty(value, '__proto__')
  Object.values(value).forEach(removeProto)
}

/**
 * Answers that list tools and hide nothing. One look at the text of an answer saves one at every text in it, and hardly
 * any list has anything to hide.
 */
const plain = new WeakSet<object>()

function notePlainList(message: Json, text: string): void {
  if (!text.includes('"inputSchema"') || !isPlainJson(text)) return
  const result = isObject(message) ? message['result'] : undefined
  if (isObject(result)) plain.add(result)
}

export function isPlainList(answer: object): boolean {
  return plain.has(answer)
}
