import { randomBytes } from 'node:crypto'
import { HostError } from '../../../index.ts'
import type { GatewaySettings, TokenIssuer } from '../../../internal.ts'
import type { CallerTokensOptions, CheckToken } from '../callers/caller-tokens.ts'
import { createCallerCheck } from '../callers/check-caller.ts'
import type { KeyRing } from '../callers/key-ring.ts'
import { describeResource } from '../callers/resource-metadata.ts'
import type { Gateway } from '../gateway.ts'
import { HttpEndpoint, plainError } from './http-endpoint.ts'
import { loadHttpGuard } from './http-guard.ts'
import { refuse } from './http-reply.ts'
import { HttpSessions } from './http-sessions.ts'
import type { HttpClients } from '../operations/http-clients.ts'
import { listenHttp } from '../operations/listen-http.ts'
import { Metrics } from '../operations/metrics.ts'
import { createProxies } from '../operations/proxies.ts'
import type { HttpRequest, HttpResponse } from '../plain-http/http-messages.ts'
import { PlainRequest } from '../plain-http/plain-connection.ts'
import type { ConfigSource } from '../team/published-source.ts'

export interface HttpFrontOptions {
  /** 0 for any free port. */
  readonly port: number
  /** Legacy clients get sessions: they can be asked and are told of changes. */
  readonly sessions: boolean
  /** The token of the person who starts it; another one with each start by default. */
  readonly token?: string
  readonly keys: KeyRing
  readonly settings?: GatewaySettings
  /** For the tokens of issuers. */
  readonly tokens?: Omit<CallerTokensOptions, 'signal'>
  /** The configuration that is served; the files of the folder if it is absent. */
  readonly source?: ConfigSource | undefined
  /** Who is there, for programs that show it. */
  readonly clients?: HttpClients | undefined
}

export interface HttpFront {
  /** What callers use, such as `http://127.0.0.1:4000/mcp`. */
  readonly url: string
  readonly port: number
  /** Absent beyond this machine, where only keys count. */
  readonly token?: string
  /** The settings were read again: tokens count from now on as these say. */
  readonly applyIssuers: (issuers: readonly TokenIssuer[]) => Promise<void>
  /** Waits for requests that run, at most until the deadline. A second call no longer waits. */
  close(options: { readonly deadlineMs: number }): Promise<void>
}

const usualLimits = { maxRequestBytes: 4 * 1024 * 1024, maxResponseBytes: 16 * 1024 * 1024 }

/** Serves Streamable HTTP: on this machine, or with TLS or behind a proxy also to others. */
export async function openHttpFront(gateway: Gateway, options: HttpFrontOptions): Promise<HttpFront> {
  const { keys, settings = {}, source } = options
  const { host = '127.0.0.1', tls, proxies = [], origins = [], metrics: metricsFor = 'guarded' } = settings
  const isLocal = host === '127.0.0.1' || host === '::1'
  refuseUnsafe(settings, isLocal)
  const { guard, pageGuard, faultOf } = await loadHttpGuard()
  const wayOf = proxies.length === 0 ? undefined : createProxies(proxies)
  const token = isLocal ? (options.token ?? randomBytes(32).toString('base64url')) : undefined
  const closing = new AbortController()
  let checkToken: CheckToken | undefined
  let issuersInForce = ''
  const check = createCallerCheck({ token, keys, tokens: () => checkToken })
  const metrics = new Metrics((method) => gateway.knows(method))
  const sessions = options.sessions ? new HttpSessions(gateway) : undefined
  const limits = { ...usualLimits, ...settings }
  const endpoint = new HttpEndpoint({ gateway, sessions, limits, metrics, clients: options.clients })
  keys.onRead = () =>
    endpoint.dropCallers(({ kind, id }) => kind === 'key' && !keys.isValid(id.slice('key:'.length)))
  let isStopping = false
  let known: { readonly hosts: readonly string[]; readonly origins: readonly string[] } = {
    hosts: [],
    origins,
  }
  let resource = describeResource('http://127.0.0.1/mcp', [])

  /** No caller could be recognized: the keys were never read, and tokens of issuers are not accepted. */
  const isKeyless = () => !keys.isReady && checkToken === undefined
  const refuseEarly = (
    response: HttpResponse,
    status: number,
    message: string,
    headers: Readonly<Record<string, string>> = {},
  ) => {
    metrics.refused(status)
    // The body of a refused request is not read.
    refuse(response, status, plainError(message), { connection: 'close', ...headers })
  }
  const writeMetrics = (response: HttpResponse) => {
    const text = metrics.write({
      host: gateway.host,
      open: endpoint.open,
      sessions: sessions?.size ?? 0,
      configVersion: source?.version(),
    })
    response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text)
  }
  const answer = async (request: HttpRequest, response: HttpResponse) => {
    try {
      const head = request instanceof PlainRequest ? request.head : undefined
      if (head?.passedAs) return await endpoint.handle(request, response, head.passedAs)
      const isRead = request.method === 'GET' || request.method === 'HEAD'
      const path = isRead ? request.url?.split('?', 1)[0] : undefined
      // For probes, which know neither the name nor a token. They say nothing about servers: one that is down is no reason to restart.
      if (isRead && path === '/livez') return void response.writeHead(200).end('ok\n')
      if (isRead && path === '/readyz')
        return answerReady(
          response,
          isStopping
            ? 'stopping'
            : source?.isReady() === false
              ? 'no configuration'
              : isKeyless()
                ? 'no keys'
                : 'ok',
        )
      if (isRead && path === '/metrics' && metricsFor === 'open') return writeMetrics(response)
      const way = wayOf?.(request)
      if (way && !tls && !way.isProxied)
        return refuseEarly(response, 403, 'This gateway answers its proxies only.')
      const named = way?.isProxied ? way.host : undefined
      if (request.url?.startsWith('/mcp/login/')) {
        const { path: page, origin } = pageGuard(request, known, named)
        const { answerLoginPage } = await import('../callers/login-pages.ts')
        return await answerLoginPage(gateway.callerLogins, { request, response, path: page, origin })
      }
      const { authorization, path: safePath } = guard(request, known, named)
      const described = isRead ? resource.at(safePath) : undefined
      if (described) return refuse(response, 200, JSON.stringify(described))
      const found = check(authorization, () => resource.audiencesOf(safePath))
      const verdict = found instanceof Promise ? await found : found
      if ('refused' in verdict) {
        const { refused, isBad, status = 401 } = verdict
        const more =
          status === 401
            ? { 'www-authenticate': resource.challengeFor(safePath, isBad) }
            : status === 503
              ? { 'retry-after': '10' }
              : undefined
        return refuseEarly(response, status, refused, more)
      }
      const { caller } = verdict
      // The token and the hosts stay the same as long as this process runs. Keys and other tokens are checked each time.
      if (head?.method === 'POST' && caller.kind === 'owner') head.passedAs = caller
      if (isRead && path === '/metrics' && !caller.views) return writeMetrics(response)
      return await endpoint.handle(request, response, caller)
    } catch (fault) {
      if (response.headersSent) return void response.destroy()
      const { status, message } = faultOf(fault)
      return refuseEarly(response, status, message, status === 401 ? { 'www-authenticate': 'Bearer' } : {})
    }
  }

  const listening = await listenHttp((request, response) => void answer(request, response), {
    host,
    port: options.port,
    tls,
  })
  const scheme = tls ? 'https' : 'http'
  const authority = `${host.includes(':') ? `[${host}]` : host}:${listening.port}`
  const named = settings.url === undefined ? undefined : new URL(settings.url)
  known = {
    hosts: [...(isLocal ? [authority] : []), ...(named ? [named.host] : [])],
    origins: [...origins, ...(isLocal ? [`${scheme}://${authority}`] : []), ...(named ? [named.origin] : [])],
  }
  const url = settings.url ?? `${scheme}://${authority}/mcp`
  gateway.callerLogins.url = url
  const applyIssuers = async (issuers: readonly TokenIssuer[]) => {
    const text = JSON.stringify(issuers)
    if (text === issuersInForce) return
    const { createTokenCheck } = await import('../callers/caller-tokens.ts')
    const { warn = () => undefined, ...more } = options.tokens ?? {}
    checkToken =
      issuers.length === 0
        ? undefined
        : await createTokenCheck(issuers, { warn, ...more, signal: closing.signal })
    resource = describeResource(url, issuers)
    issuersInForce = text
    // What a token opened before may be more than it opens now.
    endpoint.dropCallers(({ kind }) => kind === 'token')
  }
  if (settings.issuers) await applyIssuers(settings.issuers)
  return {
    port: listening.port,
    url,
    applyIssuers,
    ...(token !== undefined && { token }),
    async close({ deadlineMs }) {
      isStopping = true
      closing.abort()
      const lingerMs = settings.proxies?.length ? Math.min(lingerFor, deadlineMs) : 0
      await endpoint.close(listening, { deadlineMs, lingerMs })
      await keys.close()
    },
  }
}

/** How long a proxy may go on using the connections that it holds open. */
const lingerFor = 1000

function answerReady(
  response: HttpResponse,
  state: 'ok' | 'stopping' | 'no configuration' | 'no keys',
): void {
  response.writeHead(state === 'ok' ? 200 : 503).end(`${state}\n`)
}

/** Keys in plain text on a network are no keys, and without a name of its own the gateway cannot tell whom a request is for. */
function refuseUnsafe({ tls, proxies = [], url }: GatewaySettings, isLocal: boolean): void {
  if (isLocal) return
  if (!tls && proxies.length === 0)
    throw new HostError('usage', {}, 'Beyond this machine the gateway serves TLS, or a proxy that does.', {
      hint: 'Add --tls-cert FILE --tls-key FILE, or name the proxies: "gateway.proxies" in your settings.',
    })
  if (url === undefined)
    throw new HostError('usage', {}, 'Beyond this machine the gateway has to know its own address.', {
      hint: 'Write it into your settings: "gateway": { "url": "https://mcp.example.com/mcp" }',
    })
}
