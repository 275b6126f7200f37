import type { HttpHeaders } from '../../platform/platform.ts'
import type { SendOptions } from '../channel.ts'
import { modernVersion } from '../message.ts'
import type { OutgoingMessage } from '../message.ts'

/** The agreed revision and session. */
export interface Agreement {
  readonly version: string | undefined
  readonly session: string | undefined
}

/** The headers of a message, as its revision requires. */
export function postHeaders(message: OutgoingMessage, agreed: Agreement, options: SendOptions): HttpHeaders {
  const headers: Record<string, string> = {
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
  }
  Object.assign(headers, agreementHeaders(agreed))
  if (agreed.version !== modernVersion || !('method' in message)) return headers
  headers['mcp-method'] = encodeHeaderValue(message.method)
  const name = nameOf(message.method, message.params ?? {})
  if (typeof name === 'string') headers['mcp-name'] = encodeHeaderValue(name)
  for (const [header, value] of Object.entries(options.headers ?? {})) headers[header.toLowerCase()] = value
  return headers
}

/** The headers of a stream without a request. */
export function streamHeaders(agreed: Agreement, lastEventId: string | undefined): HttpHeaders {
  return {
    accept: 'text/event-stream',
    ...agreementHeaders(agreed),
    ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
  }
}

export function agreementHeaders({ version, session }: Agreement): HttpHeaders {
  return {
    ...(version !== undefined && { 'mcp-protocol-version': version }),
    ...(session !== undefined && { 'mcp-session-id': session }),
  }
}

/** The name that proxies route by. */
function nameOf(method: string, params: Readonly<Record<string, unknown>>): unknown {
  if (method === 'tools/call' || method === 'prompts/get') return params['name']
  if (method === 'resources/read') return params['uri']
  return method.startsWith('tasks/') ? params['taskId'] : undefined
}

/**
 * Encodes a header value: printable ASCII as it is; anything else, and values that look encoded already, as base64 of
 * UTF-8.
 */
export function encodeHeaderValue(value: string): string {
  return isPlainValue(value) ? value : `=?base64?${Buffer.from(value, 'utf8').toString('base64')}?=`
}

/** Tabs are encoded as well: HTTP allows them, but not every parser does. */
function isPlainValue(value: string): boolean {
  if (!/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value)) return false
  return !(value.startsWith('=?base64?') && value.endsWith('?='))
}

export function isEventStream(headers: HttpHeaders): boolean {
  return mediaType(headers) === 'text/event-stream'
}

/** A missing content type may be JSON. */
export function mayBeJson(headers: HttpHeaders): boolean {
  const type = mediaType(headers)
  return type === '' || type === 'application/json' || /^[a-z]+\/(?:[\w.-]+\+)?json(?:-rpc|rpc)?$/.test(type)
}

function mediaType(headers: HttpHeaders): string {
  const value = headers['content-type'] ?? ''
  const end = value.indexOf(';')
  return (end < 0 ? value : value.slice(0, end)).trim().toLowerCase()
}
