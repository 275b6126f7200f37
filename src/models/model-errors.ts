import { HostError } from '../model/error.ts'
import { isObject } from '../model/json.ts'
import type { Json } from '../model/json.ts'
import { nearest } from '../model/near.ts'
import type { HttpError, Platform } from '../platform/platform.ts'
import { keySource } from './endpoint-key.ts'
import type { EndpointContext } from './endpoint-key.ts'
import type { Endpoint } from './endpoints.ts'

/** An endpoint that cannot be reached. The cause is left out: the AI SDK would repeat the request for its code. */
export function toUnreachable(error: HttpError, endpoint: Endpoint): HostError<'model.unavailable'> {
  const { name, title, url } = endpoint
  const reason = /[.!?]$/.test(error.message) ? error.message : `${error.message}.`
  return new HostError(
    'model.unavailable',
    { endpoint: name, reason: error.reason },
    `${title} cannot be reached at ${url}: ${reason}`,
    { hint: unreachableHint(endpoint, error.reason) },
  )
}

function unreachableHint({ name, title, start }: Endpoint, reason: HttpError['reason']): string {
  if (start !== undefined && reason === 'refused')
    return `Is ${title} running? Start it: ${start}. If it is elsewhere: plugboard models add ${name} --url URL`
  return `Check your network, and the url of "${name}": plugboard models`
}

/** Redirects are not followed: the request carries a key and the conversation. */
export function redirected({ name, title, url }: Endpoint): HostError<'model.unavailable'> {
  return new HostError(
    'model.unavailable',
    { endpoint: name, reason: 'redirect' },
    `${title} redirects ${url} elsewhere, which is not followed: the request has your key in it.`,
    { hint: `Write its real address into your settings: plugboard models add ${name} --url URL --force` },
  )
}

/** The rest of an answer is not read: a model does not say that much. */
export function tooLarge(
  { name, title, url }: Endpoint,
  what: 'answer' | 'event',
): HostError<'model.unavailable'> {
  return new HostError(
    'model.unavailable',
    { endpoint: name, reason: 'too-large' },
    what === 'answer'
      ? `${title} sent a larger answer than a model gives. The rest was not read.`
      : `${title} sent a larger piece of an answer than a model gives. The rest was not read.`,
    { hint: `Is there a model at ${url}? Try it: plugboard models test ${name}` },
  )
}

/** An endpoint of OpenAI's kind that knows only chat completions. */
export function chatOnly({ name, title, url }: Endpoint): HostError<'model.unavailable'> {
  return new HostError(
    'model.unavailable',
    { endpoint: name, reason: 'chat-only' },
    `${title} knows OpenAI's chat API at ${url}, but not its responses API.`,
    { hint: `Use the chat API: plugboard models add ${name} --api chat --force` },
  )
}

/** The answer of an endpoint to a request that it did not carry out. */
export interface RefusedRequest {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** The model that was asked for. */
  readonly model?: string
}

/** Words the error of an endpoint by its status. `models` are the names that the endpoint has, if they are known. */
export function toRefusal(
  endpoint: Endpoint,
  refused: RefusedRequest,
  { platform, redactor, models }: EndpointContext & { readonly models?: readonly string[] },
): HostError {
  const { name, title } = endpoint
  const { status, model } = refused
  const { code, text } = reasonOf(refused.body)
  const said = text === '' ? '.' : `: ${redactor.redact(text)}`
  if (status === 401 || status === 403) {
    const source = keySource(endpoint, platform)
    const key = source === undefined ? 'a request without a key' : `the key of ${source}`
    return new HostError(
      'model.unauthorized',
      { endpoint: name, status },
      `${title} refused ${key} (${status})${said}`,
      { hint: keyHint(endpoint, platform) },
    )
  }
  if (status === 404 && model !== undefined) return unknownModel(endpoint, model, said, models)
  if (status === 429) return toBusy(endpoint, refused.headers ?? {}, said)
  if (status >= 500 || status === 404) {
    return new HostError(
      'model.unavailable',
      { endpoint: name, reason: `http-${status}` },
      `${title} answered with the status ${status}${said}`,
      {
        hint:
          status === 404
            ? `Is its url right? It is ${endpoint.url}; most end with /v1.`
            : 'Try again later, or use another model: plugboard models',
      },
    )
  }
  return new HostError(
    'model.refused',
    { endpoint: name, status, ...(code !== undefined && { reason: redactor.redact(code) }) },
    `${title} rejected the request (${status})${said}`,
  )
}

function keyHint(endpoint: Endpoint, platform: Pick<Platform, 'env'>): string {
  const { name, keyVariables } = endpoint
  const [variable = 'NAME'] = keyVariables
  const other = `plugboard models add ${name} --key '\${env:${variable}}'`
  if (keySource(endpoint, platform) === undefined) return `Say where its key is: ${other}`
  return `Check that key, or use another one: ${other} --force`
}

function unknownModel(
  { name, title }: Endpoint,
  model: string,
  said: string,
  models: readonly string[] = [],
): HostError<'model.unknown'> {
  const near = nearest(model, models).map((id) => `${name}/${id}`)
  return new HostError(
    'model.unknown',
    { model: `${name}/${model}`, near },
    `${title} has no model "${model}" (404)${said}`,
    { hint: near.length > 0 ? `Did you mean ${near.join(' or ')}?` : `See: plugboard models ${name}` },
  )
}

function toBusy(
  { name, title }: Endpoint,
  headers: Readonly<Record<string, string>>,
  said: string,
): HostError<'model.busy'> {
  const seconds = Number(headers['retry-after'])
  const wait = Number.isFinite(seconds) && seconds > 0 ? { retryAfterMs: Math.ceil(seconds * 1000) } : {}
  const when = wait.retryAfterMs === undefined ? 'later' : `in ${Math.ceil(seconds)} s`
  return new HostError(
    'model.busy',
    { endpoint: name, ...wait },
    `${title} takes no more requests now (429)${said}`,
    { hint: `Try again ${when}, or use another model: plugboard models` },
  )
}

const longestReason = 300

/** What an endpoint says about an error: all of them answer with JSON, each in its own shape. The text is untrusted. */
function reasonOf(body: string | undefined): { readonly code?: string; readonly text: string } {
  const parsed = parse(body)
  const error = isObject(parsed) ? (parsed['error'] ?? parsed) : undefined
  if (typeof error === 'string') return { text: toLine(error) }
  if (!isObject(error)) return { text: '' }
  const code = [error['code'], error['type'], error['status']].find((each) => typeof each === 'string')
  const message = error['message'] ?? error['detail']
  return {
    ...(typeof code === 'string' && { code: code.slice(0, 100) }),
    text: typeof message === 'string' ? toLine(message) : '',
  }
}

function parse(body = ''): Json | undefined {
  try {
    return JSON.parse(body) as Json // JSON.parse returns JSON
  } catch {
    return undefined
  }
}

function toLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  const cut = line.length > longestReason ? `${line.slice(0, longestReason - 1)}…` : line
  return /[.!?…]$/.test(cut) || cut === '' ? cut : `${cut}.`
}
