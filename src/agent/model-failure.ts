import type { ErrorCode } from '../model/error.ts'
import { isObject } from '../model/json.ts'
import type { AgentModel } from './agent-options.ts'

/** Why a request to a model failed, for a person. */
export interface ModelFailure {
  readonly reason: string
  readonly hint?: string
  readonly status?: number
  readonly code?: ErrorCode
  /** The same request may succeed later. */
  readonly isPassing: boolean
  /** How long the endpoint asks to wait. */
  readonly waitMs?: number
}

/** Why a request failed: as the model's own endpoint words it, or read from the error. */
export async function wordFailure(error: unknown, model: AgentModel, now: number): Promise<ModelFailure> {
  const read = toModelFailure(error, model.name, now)
  const worded = await model.toError?.(error)
  if (!worded) return read
  const { message: reason, hint, code, data } = worded
  const isBroken = code === 'model.unavailable' && 'reason' in data
  const isPassing = isBroken ? passing.test(data.reason) : code === 'model.busy'
  const { hint: _read, ...rest } = read
  return { ...rest, reason, code, isPassing, ...(hint !== undefined && { hint }) }
}

/** Reasons of an endpoint that may be gone a moment later. */
const passing = /^(?:http-5|http-408|reset|timeout|network)/

/** Reads an error of the AI SDK or of an embedder's model object by its fields. */
function toModelFailure(error: unknown, model: string, now: number): ModelFailure {
  const status = statusOf(error)
  const said = saidBy(error)
  const waitMs = waitOf(error, now)
  const common = { ...(status !== undefined && { status }), ...(waitMs !== undefined && { waitMs }) }
  if (status === 401 || status === 403)
    return {
      ...common,
      isPassing: false,
      reason: `${model} refuses the key (${status}): ${said}`,
      hint: 'Check the key of this endpoint: plugboard models',
    }
  if (status === 404)
    return {
      ...common,
      isPassing: false,
      reason: `The endpoint does not know ${model} (404): ${said}`,
      hint: 'See what the endpoint offers: plugboard models',
    }
  if (status === 429)
    return {
      ...common,
      isPassing: true,
      reason: `${model} has reached a limit of its provider (429): ${said}`,
      hint: waitMs === undefined ? 'Try again later.' : `Try again in ${toSeconds(waitMs)}.`,
    }
  if (status !== undefined && status >= 400)
    return {
      ...common,
      isPassing: status >= 500 || status === 408,
      reason: `${model} answered ${status}: ${said}`,
    }
  // The AI SDK parses and walks arguments with its stack.
  if (error instanceof RangeError)
    return { isPassing: false, reason: `${model} sent an answer that is nested too deep.` }
  const code = networkCodeOf(error)
  if (code !== undefined)
    return {
      isPassing: true,
      reason: `${model} cannot be reached: ${networkReasons[code] ?? code}.`,
      hint: 'Check the address of the endpoint, and that its program runs: plugboard models',
    }
  return { ...common, isPassing: false, reason: `The answer of ${model} broke off: ${said}` }
}

const networkReasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was reset',
  ENOTFOUND: 'its host is unknown',
  ETIMEDOUT: 'it does not answer',
  EHOSTUNREACH: 'there is no way to its host',
  UND_ERR_CONNECT_TIMEOUT: 'it does not answer',
}

export function toSeconds(ms: number): string {
  return `${Math.max(1, Math.ceil(ms / 1000))} s`
}

function statusOf(error: unknown): number | undefined {
  for (const each of chainOf(error)) {
    const status = each['statusCode']
    // The AI SDK also reports a stream that broke off with the status of its beginning.
    if (typeof status === 'number' && status >= 400) return status
  }
  return undefined
}

function networkCodeOf(error: unknown): string | undefined {
  for (const each of chainOf(error)) {
    const code = each['code']
    if (typeof code === 'string' && /^(?:E[A-Z]+|UND_ERR_\w+)$/.test(code) && code !== 'UND_ERR_SOCKET')
      return code
  }
  return undefined
}

const maxSaid = 500

/** The message of the endpoint if there is one, else of the error, on one line. */
function saidBy(error: unknown): string {
  const [first] = chainOf(error)
  const message =
    error instanceof Error ? error.message : typeof error === 'string' ? error : first?.['message']
  const inner = chainOf(error).at(-1)?.['message']
  const isVague =
    typeof message !== 'string' || /^(?:Failed to process|fetch failed|terminated)/i.test(message)
  const text =
    isVague && typeof inner === 'string' ? inner : typeof message === 'string' ? message : 'no reason given'
  const line = text.replace(/\s+/g, ' ').trim().slice(0, maxSaid)
  return /[.!?]$/.test(line) ? line : `${line}.`
}

/** The error and its causes. */
function chainOf(error: unknown): readonly Readonly<Record<string, unknown>>[] {
  const chain: Record<string, unknown>[] = []
  for (let each: unknown = error; each instanceof Error || isObject(each);) {
    const fields = each as unknown as Record<string, unknown>
    if (chain.includes(fields) || chain.length === 8) break
    chain.push(fields)
    const { lastError, cause, errors } = fields
    each = lastError ?? cause ?? (Array.isArray(errors) ? (errors as readonly unknown[])[0] : undefined)
  }
  return chain
}

/** `Retry-After` in seconds or as a date, or in milliseconds as some providers send it. */
function waitOf(error: unknown, now: number): number | undefined {
  const headers = chainOf(error)
    .map((each) => each['responseHeaders'])
    .find(isObject)
  if (!headers) return undefined
  const ms = Number.parseFloat(textOf(headers['retry-after-ms']))
  if (Number.isFinite(ms) && ms >= 0) return ms
  const text = textOf(headers['retry-after'])
  if (text === '') return undefined
  const seconds = Number(text)
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(text) - now
  return Number.isFinite(wait) ? Math.max(0, wait) : undefined
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
