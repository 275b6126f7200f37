import type { HttpHeaders } from '../../platform/platform.ts'
import type { Outgoing } from '../message.ts'
import { modernVersion } from '../message.ts'
import type { SendOptions } from '../channel.ts'
import { encodeHeaderValue } from './header-value.ts'

/** What both sides agreed on. */
export interface Agreement {
  readonly version: string | undefined
  readonly session: string | undefined
}

/** The headers of a message, as its revision wants them. */
export function postHeaders(message: Outgoing, agreed: Agreement, options: SendOptions): HttpHeaders {
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

/** The headers of a stream that belongs to no request. */
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

/** What the request is about, for those who route by it. */
function nameOf(method: string, params: Readonly<Record<string, unknown>>): unknown {
  if (method === 'tools/call' || method === 'prompts/get') return params['name']
  if (method === 'resources/read') return params['uri']
  return method.startsWith('tasks/') ? params['taskId'] : undefined
}
