import { accessOf, gatewaysHeader, isObject } from '../../../internal.ts'
import type { Caller } from '../../../internal.ts'
import {
  RpcError,
  checkHeaders,
  decodeMessage,
  headerMismatch,
  httpStatusOf,
  legacyVersions,
  modernVersion,
  readIncoming,
  rpcCodes,
  unsupportedVersion,
  versionOf,
} from '../../../serving.ts'
import type { IncomingMessage } from '../../../serving.ts'
import { errorText, toRpcError } from '../gateway-errors.ts'
import type { Gateway } from '../gateway.ts'
import { HttpReply, readBody, refuse } from './http-reply.ts'
import type { HttpSession, HttpSessions } from './http-sessions.ts'
import { createModernClient, createPassingClient, initializeResult } from '../legacy-client.ts'
import type { HttpListener } from '../operations/listen-http.ts'
import type { HttpClients, SeenClient } from '../operations/http-clients.ts'
import type { Metrics, RequestOutcome } from '../operations/metrics.ts'
import type { HttpRequest, HttpResponse } from '../plain-http/http-messages.ts'
import { PlainRequest } from '../plain-http/plain-connection.ts'
import { JsonText, preparedAnswer, resultText } from '../served-request.ts'
import type { Answer, GatewayAddress, GatewayClient, ServedRequest } from '../served-request.ts'
import { SlotSet } from '../slot-set.ts'

type IncomingRequest = Extract<IncomingMessage, { readonly kind: 'request' }>

/** An HTTP request whose caller is known, and what its address is for that caller. */
interface CallerRequest {
  readonly request: HttpRequest
  readonly response: HttpResponse
  readonly address: GatewayAddress
  readonly caller: Caller
}

const behindItself = 'This gateway is behind itself. Remove the entry that leads back to it.'
const keepAliveMs = 15_000
const neverAborted = new AbortController().signal
const maxAddresses = 256
/** Shorter results are joined to one text, which is one write. */
const preparedLength = 16 * 1024

/** Bytes of a body that is read, and of an answer that is sent. */
export interface EndpointLimits {
  readonly maxRequestBytes: number
  readonly maxResponseBytes: number
}

/** Answers the requests of callers over Streamable HTTP, both eras at one address. */
export class HttpEndpoint {
  readonly #gateway: Gateway
  readonly #sessions: HttpSessions | undefined
  readonly #limits: EndpointLimits
  readonly #metrics: Metrics
  readonly #clients: HttpClients | undefined
  /** Replies that are not over. */
  readonly #open = new SlotSet<HttpReply>()
  /** By the path and query that requests name. */
  readonly #addresses = new Map<string, GatewayAddress | undefined>()
  readonly #timer: NodeJS.Timeout
  #onIdle: (() => void) | undefined
  #isClosing = false

  constructor(parts: {
    readonly gateway: Gateway
    readonly sessions: HttpSessions | undefined
    readonly limits: EndpointLimits
    readonly metrics: Metrics
    readonly clients?: HttpClients | undefined
  }) {
    this.#clients = parts.clients
    this.#gateway = parts.gateway
    this.#sessions = parts.sessions
    this.#limits = parts.limits
    this.#metrics = parts.metrics
    this.#timer = setInterval(() => {
      for (const reply of this.#open.values())
        if (reply.lasts && (reply.caller.until ?? Infinity) < Date.now()) reply.cut()
        else reply.keepAlive(keepAliveMs)
    }, keepAliveMs)
    this.#timer.unref()
  }

  async handle(request: HttpRequest, response: HttpResponse, caller: Caller): Promise<void> {
    if (this.#gateway.ring.isClosedBy(request.headers[gatewaysHeader])) {
      this.#metrics.refused(508)
      return refuse(response, 508, plainError(behindItself), { connection: 'close' })
    }
    const address = this.#addressFor(caller, request, response)
    if (!address) return undefined
    const { method } = request
    const asked: CallerRequest = { request, response, address, caller }
    if (method === 'POST') return this.#post(asked)
    if (!this.#sessions || (method !== 'GET' && method !== 'DELETE')) {
      const allow = this.#sessions ? 'GET, POST, DELETE' : 'POST'
      return refuse(response, 405, plainError(`The method ${method} is not used here.`), { allow })
    }
    try {
      const session = this.#sessions.find(sessionIdOf(request), asked)
      if (method === 'GET') return this.#openStream(session, asked)
      this.#sessions.end(session)
      response.writeHead(204).end()
    } catch (error) {
      const fault = toRpcError(error, { era: 'legacy' })
      refuse(response, fault.status ?? 500, errorText(null, fault))
    }
    return undefined
  }

  get open(): number {
    return this.#open.size
  }

  /** Ends what callers have open that are none any more: a key was removed, or has expired. */
  dropCallers(isGone: (caller: Caller) => boolean): void {
    for (const reply of this.#open.values()) if (isGone(reply.caller)) reply.cut()
    this.#sessions?.dropCallers(isGone)
  }

  /** What the address is for the caller; answers the request if it is nothing. */
  #addressFor(caller: Caller, request: HttpRequest, response: HttpResponse): GatewayAddress | undefined {
    const named = this.#named(request.url ?? '')
    const access = named && accessOf(caller, named.view, (name) => this.#gateway.views.has(name))
    if (named && access?.kind === 'open')
      return access.view === named.view ? named : withView(named, access.view)
    const [status, message] =
      access?.kind === 'refused' ? [403, access.reason] : [404, 'There is nothing at this address.']
    this.#metrics.refused(status)
    refuse(response, status, plainError(message))
    return undefined
  }

  #named(url: string): GatewayAddress | undefined {
    const known = this.#addresses.get(url)
    if (known || this.#addresses.has(url)) return known
    const named = addressOf(url)
    if (this.#addresses.size >= maxAddresses) this.#addresses.clear()
    this.#addresses.set(url, named)
    return named
  }

  /** Once more: no longer waits. */
  async close(
    listening: HttpListener,
    { deadlineMs, lingerMs }: { readonly deadlineMs: number; readonly lingerMs: number },
  ): Promise<void> {
    const isAgain = this.#isClosing
    this.#isClosing = true
    const until = performance.now() + deadlineMs
    clearInterval(this.#timer)
    this.#sessions?.close()
    const stopped = listening.stop(isAgain ? 0 : lingerMs)
    if (!isAgain) {
      await stopped
      if (this.#open.size > 0) await this.#untilIdle(until - performance.now())
    }
    listening.destroy()
  }

  #untilIdle(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.max(ms, 0))
      this.#onIdle = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  async #post(asked: CallerRequest): Promise<void> {
    const { request, response, caller } = asked
    const message = await readMessage(request, response, this.#limits.maxRequestBytes)
    if (!message) return this.#metrics.refused(response.statusCode)
    if (message.kind === 'invalid')
      return refuse(
        response,
        400,
        errorText(message.id, new RpcError(rpcCodes.invalidRequest, message.message)),
      )
    if (message.kind !== 'request') return this.#accept(message, asked)
    const { method } = message
    const reply = new HttpReply(
      request,
      response,
      caller,
      method === 'tools/call' && request instanceof PlainRequest
        ? { cancellation: request.cancellation }
        : { lasts: method === 'subscriptions/listen' },
    )
    const { cancellation } = reply
    this.#open.add(reply)
    // FI-85: a client that leaves in the middle of a call cancels it.
    response.on('close', () => reply.isOver || cancellation.abort())
    let session: HttpSession | undefined
    let era: GatewayClient['era'] = 'modern'
    let outcome: RequestOutcome = 'error'
    let seen: SeenClient | undefined
    try {
      era = eraOf(request, message)
      if (era === 'legacy' && this.#sessions) session = await this.#sessionOf(message, asked, this.#sessions)
      const client = this.#clientOf(message, request, era, session)
      session?.inFlight.set(message.id, cancellation)
      seen = this.#clients?.enter(caller, client, asked.address)
      const answering = this.#answer(message, asked, client, reply, seen)
      const answer = answering instanceof Promise ? await answering : answering
      if (cancellation.isCancelled) {
        outcome = 'cancelled'
        return reply.endStream()
      }
      outcome = 'done'
      this.#end(reply, message, answer, session)
    } catch (error) {
      const fault = toRpcError(error, { era })
      const status = era === 'modern' ? httpStatusOf(fault) : (fault.status ?? 200)
      if (cancellation.isCancelled) outcome = 'cancelled'
      if (cancellation.isCancelled && !response.destroyed) reply.endStream()
      else reply.end(errorText(message.id, fault), status, retryHeader(fault))
    } finally {
      if (seen) this.#clients?.leave(seen)
      this.#metrics.observe(message.method, outcome, (performance.now() - reply.startedAt) / 1000)
      if (session?.inFlight.get(message.id) === cancellation) session.inFlight.delete(message.id)
      if (session) this.#sessions?.touch(session)
      this.#open.delete(reply)
      if (this.#open.size === 0) this.#onIdle?.()
    }
  }

  #end(reply: HttpReply, message: IncomingRequest, answer: Answer, session: HttpSession | undefined): void {
    const { id, method } = message
    if (answer instanceof JsonText && answer.text.length >= preparedLength) {
      const tooLarge = this.#tooLarge(method, answer.bytes.length)
      if (!tooLarge) return reply.endPrepared(preparedAnswer(id, answer))
      return reply.end(errorText(id, tooLarge))
    }
    const opened = method === 'initialize' ? session : undefined
    reply.end(this.#textOf(message, answer), 200, opened && { 'mcp-session-id': opened.id })
  }

  /** An answer that is larger than a client is to get is an error that says so. */
  #textOf({ id, method }: IncomingRequest, answer: Answer): string {
    const text = resultText(id, answer)
    const { maxResponseBytes: most } = this.#limits
    // A character has at most three bytes, so short texts are not counted.
    const tooLarge = text.length * 3 > most && this.#tooLarge(method, Buffer.byteLength(text))
    return tooLarge ? errorText(id, tooLarge) : text
  }

  #tooLarge(method: string, bytes: number): RpcError | undefined {
    const { maxResponseBytes: most } = this.#limits
    if (bytes <= most) return undefined
    return new RpcError(rpcCodes.internal, `The answer to ${method} has ${bytes} bytes; ${most} are allowed.`)
  }

  async #sessionOf(
    { method, params }: IncomingRequest,
    asked: CallerRequest,
    sessions: HttpSessions,
  ): Promise<HttpSession> {
    return method === 'initialize'
      ? sessions.open(asked, params)
      : sessions.find(sessionIdOf(asked.request), asked)
  }

  #clientOf(
    { method, params }: IncomingRequest,
    { headers }: HttpRequest,
    era: GatewayClient['era'],
    session: HttpSession | undefined,
  ): GatewayClient {
    if (era === 'legacy') {
      const version = headers['mcp-protocol-version']
      return session?.client ?? createPassingClient(typeof version === 'string' ? version : '2025-03-26')
    }
    const client = createModernClient(params)
    // That there is no such method is said first: its headers have no rules.
    if (this.#gateway.knows(method)) checkHeaders(headers, method, params)
    return client
  }

  #answer(
    { id, method, params }: IncomingRequest,
    { address, caller, request }: CallerRequest,
    client: GatewayClient,
    reply: HttpReply,
    seen: SeenClient | undefined,
  ): Answer | Promise<Answer> {
    if (client.era === 'legacy' && method === 'initialize')
      return initializeResult(this.#gateway, { address, client, params })
    const { cancellation } = reply
    const served: ServedRequest = {
      id,
      method,
      params,
      client,
      address,
      caller,
      // Lists are answered from what is known, and need none. A getter would be another one for each request, which costs more.
      signal: method.endsWith('/list') ? neverAborted : cancellation.signal,
      headers: request.headers,
      number: undefined,
      from: this.#clients?.isWatched ? seen?.id : undefined,
      notify: (name, body) => reply.send(JSON.stringify({ jsonrpc: '2.0', method: name, params: body })),
      send: client.ask && ((message) => reply.send(JSON.stringify(message))),
    }
    return this.#gateway.answer(method === 'resources/subscribe' ? this.#outliving(served) : served)
  }

  /** What a subscription reports after its request goes to the stream of the session. */
  #outliving(served: ServedRequest): ServedRequest {
    const session = this.#sessions?.ofClient(served.client)
    return {
      ...served,
      notify: (method, params) => session?.stream?.send(JSON.stringify({ jsonrpc: '2.0', method, params })),
    }
  }

  /** A notification, or the answer of a client to a request of ours. */
  #accept(
    message: Exclude<IncomingMessage, { readonly kind: 'request' | 'invalid' }>,
    asked: CallerRequest,
  ): void {
    const { request, response } = asked
    try {
      const isLegacy = request.headers['mcp-protocol-version'] !== modernVersion
      const session = isLegacy ? this.#sessions?.find(sessionIdOf(request), asked) : undefined
      if (message.kind === 'response') session?.requests.answered(message)
      else if (message.method === 'notifications/cancelled')
        session?.inFlight.get(message.params['requestId'] as number)?.abort() // lookup only: any value is safe
      response.writeHead(202).end()
    } catch (error) {
      const fault = toRpcError(error, { era: 'legacy' })
      refuse(response, fault.status ?? 400, errorText(null, fault))
    }
  }

  #openStream(session: HttpSession, { request, response, caller }: CallerRequest): void {
    if (session.stream && !session.stream.isOver)
      return refuse(response, 409, plainError('The session has a stream already.'))
    const reply = new HttpReply(request, response, caller, { lasts: true })
    session.stream = reply
    this.#open.add(reply)
    response.on('close', () => {
      this.#open.delete(reply)
      if (session.stream === reply) session.stream = undefined
      this.#sessions?.touch(session)
      if (this.#open.size === 0) this.#onIdle?.()
    })
    reply.startStream()
  }
}

async function readMessage(
  request: HttpRequest,
  response: HttpResponse,
  maxBody: number,
): Promise<IncomingMessage | undefined> {
  try {
    const reading = readBody(request, maxBody)
    const body = reading instanceof Promise ? await reading : reading
    if (!body) {
      refuse(response, 413, plainError(`A body may have ${maxBody} bytes.`), { connection: 'close' })
      return undefined
    }
    return readIncoming(decodeMessage(body))
  } catch {
    if (!response.destroyed)
      refuse(response, 400, errorText(null, new RpcError(rpcCodes.parse, 'The body is not a JSON message.')))
    return undefined
  }
}

/** The era of a request, by the revision that its header and its body name. */
function eraOf({ headers }: HttpRequest, { method, params }: IncomingRequest): GatewayClient['era'] {
  const header = headers['mcp-protocol-version']
  const inBody = versionOf(params)
  const isLegacyHeader = header === undefined || legacyVersions.some((known) => known === header)
  if (inBody === undefined && isLegacyHeader && method !== 'server/discover') return 'legacy'
  if (inBody === undefined && header !== undefined && header !== modernVersion && !isLegacyHeader)
    throw unsupportedVersion(String(header))
  if (inBody !== undefined && header !== inBody)
    throw headerMismatch(
      header === undefined
        ? 'mcp-protocol-version is missing.'
        : 'mcp-protocol-version differs from the body.',
    )
  return 'modern'
}

function withView({ mode }: GatewayAddress, view: string | undefined): GatewayAddress {
  return view === undefined ? { mode } : { mode, view }
}

/** `/mcp`, `/mcp/NAME` and `?mode=search`. */
function addressOf(url: string): GatewayAddress | undefined {
  const { pathname, searchParams } = new URL(url, 'http://127.0.0.1')
  const [, view] = /^\/mcp(?:\/([^/]+))?$/.exec(pathname) ?? [undefined, null]
  const mode = searchParams.get('mode') ?? 'all'
  if (view === null || (mode !== 'all' && mode !== 'search')) return undefined
  return { ...(view !== undefined && { view: decodeURIComponent(view) }), mode }
}

function sessionIdOf({ headers }: HttpRequest): string | undefined {
  const id = headers['mcp-session-id']
  return typeof id === 'string' ? id : undefined
}

/** When a caller that called too often may try again, as HTTP says it. */
function retryHeader({ status, data }: RpcError): Readonly<Record<string, string>> {
  const waitMs = status === 429 && isObject(data) ? data['retryAfterMs'] : undefined
  return typeof waitMs === 'number' ? { 'retry-after': String(Math.ceil(waitMs / 1000)) } : {}
}

export function plainError(message: string): string {
  return errorText(null, new RpcError(rpcCodes.invalidRequest, message))
}
