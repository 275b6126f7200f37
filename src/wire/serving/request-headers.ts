import { isObject } from '../../model/json.ts'
import type { JsonObject } from '../../model/json.ts'
import { readParamHeaders, toParamHeaders } from '../http/param-headers.ts'
import { headerMismatch } from './served-errors.ts'

/** By name in lower case. */
export type ReceivedHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

/**
 * Compares the headers that mirror a modern request with its body. A proxy may have routed or allowed the request by them,
 * so a difference is refused.
 */
export function checkHeaders(headers: ReceivedHeaders, method: string, params: JsonObject): void {
  checkHeader(headers, 'mcp-method', method)
  const name = mirroredName(method, params)
  if (name !== undefined) checkHeader(headers, 'mcp-name', name)
}

/** Checks `Mcp-Param-*` against the arguments that the schema of a tool mirrors into headers. */
export function checkParamHeaders(
  headers: ReceivedHeaders,
  inputSchema: JsonObject,
  args: JsonObject | undefined,
): void {
  const mirrored = readParamHeaders(inputSchema)
  if (typeof mirrored === 'string' || mirrored.length === 0) return
  const expected = toParamHeaders(mirrored, args)
  for (const { header } of mirrored) {
    const name = header.toLowerCase()
    const value = expected[header]
    if (value !== undefined) checkHeader(headers, name, decode(value) ?? value)
    else if (headers[name] !== undefined) throw headerMismatch(`${header} has no argument in the body.`)
  }
}

function mirroredName(method: string, params: JsonObject): string | undefined {
  const name =
    method === 'tools/call' || method === 'prompts/get'
      ? params['name']
      : method === 'resources/read'
        ? params['uri']
        : method.startsWith('tasks/')
          ? params['taskId']
          : undefined
  return typeof name === 'string' ? name : undefined
}

function checkHeader(headers: ReceivedHeaders, name: string, expected: string): void {
  const received = headers[name]
  if (received === undefined) throw headerMismatch(`${name} is missing.`)
  const value = typeof received === 'string' ? decode(received.trim()) : undefined
  if (value === undefined) throw headerMismatch(`${name} cannot be read.`)
  if (value !== expected) throw headerMismatch(`${name} differs from the body.`)
}

/** The value of a header; `undefined` if its base64 is invalid. */
function decode(value: string): string | undefined {
  if (!value.startsWith('=?base64?') || !value.endsWith('?=')) return value
  const base64 = value.slice('=?base64?'.length, -'?='.length)
  const bytes = Buffer.from(base64, 'base64')
  return bytes.toString('base64') === base64 ? bytes.toString('utf8') : undefined
}

/** The arguments of a call, if they are an object. */
export function argumentsOf(params: JsonObject): JsonObject | undefined {
  const { arguments: args } = params
  return isObject(args) ? args : undefined
}
