import { Hono } from 'hono/tiny'
import type { Context, MiddlewareHandler } from 'hono'
import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Json } from '../../index.ts'
import { api } from '../api/api.ts'
import type { RouteKey } from '../api/api.ts'
import type { FeedEvent, Snapshot } from '../api/feed.ts'
import type { Route } from '../api/route.ts'
import type { Schema } from '../api/schema-builder.ts'
import type { Areas } from './areas.ts'
import { checkInput } from './check-input.ts'
import { faultOf, withShownFile } from './error-status.ts'
import type { EventFeed } from './event-feed.ts'
import { openEventStream } from './event-stream.ts'
import { createFailurePrinter } from './failure-printer.ts'
import type { HandlerOptions } from './handler.ts'
import { toOpenApi } from './openapi.ts'
import { PlainFault, RequestFault } from './request-fault.ts'
import { shortenPath } from './talk/shown-path.ts'
import type { ServeContext } from './serve-context.ts'
import { writeStream } from './write-stream.ts'

const maxBody = 4 * 1024 * 1024
/** A message may have images. */
const maxTurn = 24 * 1024 * 1024
/** A page needs one for all of its tabs. */
const maxReaders = 64

export interface AppParts {
  readonly version: string
  readonly context: ServeContext
  readonly areas: Areas
  readonly feed: EventFeed
  readonly snapshot: () => Promise<Snapshot>
  /** Serializes an answer or an event, without secrets. */
  readonly toText: (value: unknown) => string
}

export interface AppBindings extends HttpBindings {
  /** The guard has seen the token. */
  readonly hasToken: boolean
}
type Env = { Bindings: AppBindings }
type LooseHandler = (context: ServeContext, input: LooseInput, options: HandlerOptions) => Promise<unknown>

interface LooseInput {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: Json
}

/** The API by the table of its routes, and the events. Requests have passed the guard before. */
export function createHttpApp(parts: AppParts) {
  const { version, feed, snapshot, toText } = parts
  const app = new Hono<Env>()
  const shorten = shortenPath(parts.context)
  const printFailure = createFailurePrinter(parts.context.print)
  const answer = (value: unknown, status = 200) =>
    new Response(toText(value), { status, headers: { 'content-type': 'application/json; charset=utf-8' } })

  app.onError((error) => {
    if (error instanceof PlainFault) return answer(error.body, error.status)
    const { status, fault } = faultOf(error)
    if (fault.code === 'internal') printFailure(error)
    return answer({ error: withShownFile(fault, shorten) }, status)
  })
  app.notFound(() => {
    throw new RequestFault('http.not-found', 'There is no such route.')
  })

  // The guard has looked at the path; this holds for the route that was found for it.
  const needToken: MiddlewareHandler<Env> = async ({ env }, next) => {
    if (!env.hasToken) throw new RequestFault('http.token', 'The token is missing.')
    await next()
  }

  app.get('/api/events', needToken, (c) => {
    if (feed.readers >= maxReaders) throw new RequestFault('http.busy', 'Too many readers of the events.')
    const { epoch, after } = c.req.query()
    const seq = Number(after)
    const stream = openEventStream({
      feed,
      snapshot,
      toText: (event: FeedEvent) => toText(event),
      ...(epoch !== undefined && Number.isSafeInteger(seq) && seq >= 0 && { after: { epoch, seq } }),
    })
    const headers = { 'content-type': 'text/event-stream; charset=utf-8' }
    if (c.req.method === 'HEAD') return new Response(null, { headers })
    const { outgoing } = c.env
    outgoing.writeHead(200, headers)
    void writeStream(stream, outgoing)
    return RESPONSE_ALREADY_SENT
  })
  app.get('/api/openapi.json', needToken, () => answer(toOpenApi(version)))
  app.get('/api/snapshot', needToken, async () => answer(await snapshot()))

  for (const [key, route] of Object.entries(api) as [RouteKey, Route][]) {
    if (key === 'GET /api/snapshot') continue
    const [method = '', path = ''] = key.split(' ')
    const maxSize = path.endsWith('/turns') ? maxTurn : maxBody
    app.on(method, path, needToken, async (c) => {
      const input = await readInput(route, c, maxSize)
      const area = await parts.areas.ofRoute(key)
      const handler = area?.handlers[key] as LooseHandler | undefined // the input was checked by the route's schemas
      if (!handler) throw new RequestFault('http.not-found', `${key} is not available yet.`)
      return answer(await handler(parts.context, input, { signal: signalOf(c, parts.context.signal) }))
    })
  }
  return app
}

/** Aborted when the client leaves before it has its answer, or when `serve` ends. */
function signalOf({ env: { outgoing } }: Context<Env>, ending: AbortSignal): AbortSignal {
  const controller = new AbortController()
  // Not `AbortSignal.any`, which keeps something of each request for as long as `serve` runs.
  const onEnd = () => controller.abort(ending.reason)
  if (ending.aborted) onEnd()
  ending.addEventListener('abort', onEnd)
  outgoing.once('close', () => {
    ending.removeEventListener('abort', onEnd)
    if (!outgoing.writableFinished) controller.abort(new Error('The client has left.'))
  })
  return controller.signal
}

async function readInput(route: Route, c: Context<Env>, maxSize: number): Promise<LooseInput> {
  const params: Readonly<Record<string, string>> = c.req.param()
  const query = c.req.query()
  if (route.query) await checkInput(route.query, query, 'query')
  return {
    params,
    ...(route.query && { query }),
    ...(route.body && { body: await readBody(route.body, c, maxSize) }),
  }
}

async function readBody(schema: Schema, c: Context<Env>, maxSize: number): Promise<Json> {
  const text = await readLimited(c, maxSize)
  const body = parse(text === '' ? '{}' : text)
  await checkInput(schema, body, 'body')
  return body
}

/** The text of a body. One that announces more than the limit is not read; one that announces nothing is counted. */
async function readLimited({ req }: Context<Env>, maxSize: number): Promise<string> {
  const refuse = () => new RequestFault('http.too-large', `The body has more than ${maxSize} bytes.`)
  if (Number(req.header('content-length') ?? 0) > maxSize) throw refuse()
  const decoder = new TextDecoder()
  let [text, size] = ['', 0]
  for await (const chunk of req.raw.body ?? []) {
    size += chunk.length
    if (size > maxSize) throw refuse()
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

/** As deep as messages of servers may be: what is nested deeper would end the program where it is walked. */
const maxDepth = 256

function parse(text: string): Json {
  if (depthOf(text) > maxDepth)
    throw new RequestFault('http.bad-request', `The body is nested deeper than ${maxDepth} levels.`)
  try {
    return JSON.parse(text) as Json // parsed JSON
  } catch {
    throw new RequestFault('http.bad-request', 'The body is not valid JSON.')
  }
}

/** The depth of the deepest list or object of a JSON text. */
function depthOf(text: string): number {
  let [depth, deepest, isText] = [0, 0, false]
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]
    if (sign === '"') isText = !isText
    else if (isText && sign === '\\') at++
    else if (!isText && (sign === '{' || sign === '[')) deepest = Math.max(deepest, ++depth)
    else if (!isText && (sign === '}' || sign === ']')) depth--
  }
  return deepest
}
