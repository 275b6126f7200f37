import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'
import { onTestFinished } from 'vitest'

export interface IssuerRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: string
}

/** A real authorization server and an MCP server that requires its tokens, both local and closed with the test. */
export interface AuthorizationServer {
  readonly issuer: string
  /** The address of the MCP server. */
  readonly mcp: string
  /** Every request to the issuer, in order. */
  readonly requests: IssuerRequest[]
  /** The grant types of the requests to the token endpoint. */
  grants(this: void): readonly string[]
  /** Requests to the MCP server with the status of the response. */
  readonly calls: { readonly method: string; readonly status: number }[]
  /** Responds in place of the issuer when it returns a response. */
  respondInstead: (asked: IssuerRequest) => IssuerResponse | undefined
  /** The MCP server refuses tokens with these prefixes. */
  readonly refusedTokens: Set<string>
  /** The scope that tool calls require. */
  callScope: string | undefined
  /** What the tool of the MCP server says about itself. */
  description: string
  /** The person who logs in next. */
  person: string
  /** The MCP server answers with the person that the token names, and has resources and a prompt. */
  namesPerson: boolean
  /** The tokens that the MCP server got. */
  readonly tokens: string[]
}

export interface IssuerResponse {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Never responds. */
  readonly hangs?: boolean
}

export interface AuthorizationOptions {
  readonly accessTokenSeconds?: number
  /** Preregistered clients; turns client registration off. */
  readonly clients?: readonly object[]
  /** Overrides for the metadata of the protected resource. */
  readonly resourceMetadata?: Readonly<Record<string, unknown>>
  readonly person?: string
  /** Default: an hour. */
  readonly idTokenSeconds?: number
  /** Adds grants to the provider. */
  readonly extend?: (provider: Provider, issuer: string) => void
  /** Access tokens are signed, for the resource that a client names, with these private keys and claims. */
  readonly signed?: { readonly keys: readonly object[]; readonly claims?: object }
}

const scopes = ['read', 'write'] as const

export async function startAuthorizationServer(
  options: AuthorizationOptions = {},
): Promise<AuthorizationServer> {
  const issuerServer = await listen()
  const issuer = originOf(issuerServer)
  const mcpServer = await listen()
  const origin = originOf(mcpServer)
  const mcp = `${origin}/mcp`
  const provider = createProvider(issuer, mcp, options)
  options.extend?.(provider, issuer)
  const state: AuthorizationServer = {
    issuer,
    mcp,
    requests: [],
    calls: [],
    refusedTokens: new Set(),
    respondInstead: () => undefined,
    callScope: undefined,
    description: 'Works.',
    person: options.person ?? 'dana',
    namesPerson: false,
    tokens: [],
    grants: () =>
      state.requests
        .filter(({ path, method }) => path === '/token' && method === 'POST')
        .map(({ body }) => new URLSearchParams(body).get('grant_type') ?? ''),
  }
  issuerServer.on('request', (request: IncomingMessage, response: ServerResponse) => {
    void answerIssuer(request, response, { provider, state })
  })
  mcpServer.on('request', (request: IncomingMessage, response: ServerResponse) => {
    void answerServer(request, response, {
      provider,
      state,
      origin,
      metadata: options.resourceMetadata ?? {},
    })
  })
  return state
}

async function listen(): Promise<Server> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  })
  return server
}

function originOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}` // it listens on a port
}

function createProvider(
  issuer: string,
  mcp: string,
  { accessTokenSeconds = 600, idTokenSeconds = 3600, clients = [], signed }: AuthorizationOptions,
) {
  const resource = {
    enabled: true,
    defaultResource: () => mcp,
    useGrantedResource: () => true,
    getResourceServerInfo: (_context: unknown, named: string) => ({
      scope: scopes.join(' '),
      audience: signed ? named : mcp,
      accessTokenTTL: accessTokenSeconds,
      accessTokenFormat: signed ? 'jwt' : 'opaque',
    }),
  }
  return new Provider(issuer, {
    clients,
    scopes: ['openid', 'offline_access'],
    responseTypes: ['code'],
    pkce: { required: () => true },
    routes: {
      authorization: '/authorize',
      token: '/token',
      registration: '/register',
      revocation: '/revoke',
    },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: clients.length === 0 },
      revocation: { enabled: true },
      clientCredentials: { enabled: true },
      deviceFlow: {
        enabled: true,
        userCodeInputSource: (context: { body: string }, form: string) => void (context.body = form),
        userCodeConfirmSource: (context: { body: string }, form: string) => void (context.body = form),
        successSource: (context: { body: string }) => void (context.body = 'done'),
      },
      resourceIndicators: resource,
      rpInitiatedLogout: { enabled: false },
    },
    ttl: {
      AccessToken: accessTokenSeconds,
      IdToken: idTokenSeconds,
      RefreshToken: 3600,
      Grant: 3600,
      Session: 3600,
      Interaction: 600,
    },
    rotateRefreshToken: true,
    issueRefreshToken: () => true,
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_context: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
    cookies: { keys: ['a key of the test'] },
    extraTokenClaims: () => signed?.claims,
    jwks: signed && { keys: signed.keys },
  })
}

interface IssuerContext {
  readonly provider: Provider
  readonly state: AuthorizationServer
}

async function answerIssuer(
  request: IncomingMessage,
  response: ServerResponse,
  { provider, state }: IssuerContext,
): Promise<void> {
  const body = await readBody(request)
  const asked: IssuerRequest = {
    method: request.method ?? '',
    path: (request.url ?? '').split('?')[0] ?? '',
    headers: request.headers,
    body,
  }
  state.requests.push(asked)
  const other = state.respondInstead(asked)
  if (other?.hangs) return
  if (other) {
    response.writeHead(other.status, other.headers).end(other.body)
    return
  }
  if (asked.path.startsWith('/interaction/')) {
    await approveInteraction(request, response, provider, state.person)
    return
  }
  // The body has been consumed, so the provider gets it as a property.
  Object.assign(request, { body: Object.fromEntries(new URLSearchParams(body)) })
  if (String(request.headers['content-type']).includes('json'))
    Object.assign(request, { body: JSON.parse(body) as object })
  provider.callback()(request, response)
}

/** Logs in and consents to everything. */
async function approveInteraction(
  request: IncomingMessage,
  response: ServerResponse,
  provider: Provider,
  person: string,
) {
  const { prompt, params, session, grantId } = await provider.interactionDetails(request, response)
  if (prompt.name === 'login') {
    return provider.interactionFinished(request, response, { login: { accountId: person } })
  }
  const known = grantId === undefined ? undefined : await provider.Grant.find(grantId)
  const grant =
    known ?? new provider.Grant({ accountId: session?.accountId ?? person, clientId: params['client_id'] })
  grant.addOIDCScope('openid offline_access')
  if (params['resource'] !== undefined) grant.addResourceScope(params['resource'], params['scope'] ?? '')
  await provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } })
}

interface McpContext {
  readonly provider: Provider
  readonly state: AuthorizationServer
  readonly origin: string
  readonly metadata: Readonly<Record<string, unknown>>
}

async function answerServer(
  request: IncomingMessage,
  response: ServerResponse,
  serving: McpContext,
): Promise<void> {
  const { state, origin, metadata } = serving
  const body = await readBody(request)
  if (request.url?.startsWith('/.well-known/oauth-protected-resource')) {
    const about = {
      resource: state.mcp,
      authorization_servers: [state.issuer],
      scopes_supported: ['read'],
      ...metadata,
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(about))
    return
  }
  const message = body === '' ? {} : (JSON.parse(body) as { id?: number; method?: string }) // the host sends objects
  const { status, person } = await judge(request, message.method, serving)
  state.calls.push({ method: message.method ?? request.method ?? '', status })
  if (status !== 200) {
    const scope = status === 403 ? `, error="insufficient_scope", scope="${state.callScope}"` : ''
    const challenge = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"${scope}`
    response.writeHead(status, { 'www-authenticate': challenge }).end()
    return
  }
  if (request.method !== 'POST' || message.id === undefined) {
    response.writeHead(request.method === 'POST' ? 202 : 405).end()
    return
  }
  const answer = { jsonrpc: '2.0', id: message.id, ...resultOf(message.method, state, person) }
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
}

async function judge(request: IncomingMessage, method: string | undefined, { provider, state }: McpContext) {
  const [, token = ''] = /^Bearer (.+)$/.exec(request.headers.authorization ?? '') ?? []
  state.tokens.push(token)
  if ([...state.refusedTokens].some((start) => token.startsWith(start))) return { status: 401 }
  const known = (await provider.AccessToken.find(token)) ?? (await provider.ClientCredentials.find(token))
  if (!known || known.isExpired) return { status: 401 }
  const needs = method === 'tools/call' ? state.callScope : undefined
  const isEnough = needs === undefined || (known.scope ?? '').split(' ').includes(needs)
  return { status: isEnough ? 200 : 403, person: known.accountId }
}

function resultOf(
  method: string | undefined,
  { description, namesPerson }: Pick<AuthorizationServer, 'description' | 'namesPerson'>,
  person: string | undefined,
): object {
  const text = namesPerson ? `done for ${person}` : 'done'
  const results: Readonly<Record<string, object>> = {
    initialize: {
      protocolVersion: '2025-11-25',
      capabilities: {
        tools: {},
        ...(namesPerson && { resources: { subscribe: true }, prompts: {}, completions: {} }),
      },
      serverInfo: { name: 'vault', version: '1' },
      ...(namesPerson && { instructions: `You work for ${person}.` }),
    },
    'tools/list': { tools: [{ name: 'work', description, inputSchema: { type: 'object', properties: {} } }] },
    'tools/call': { content: [{ type: 'text', text }] },
    ...(namesPerson && {
      'resources/list': { resources: [{ uri: `vault://${person}`, name: 'own' }] },
      'resources/templates/list': { resourceTemplates: [{ uriTemplate: 'vault://{name}', name: 'any' }] },
      'resources/read': { contents: [{ uri: 'vault://box', text }] },
      'resources/subscribe': {},
      'prompts/list': { prompts: [{ name: 'ask' }] },
      'prompts/get': { messages: [{ role: 'user', content: { type: 'text', text } }] },
      'completion/complete': { completion: { values: [text] } },
    }),
  }
  const result = results[method ?? '']
  return result ? { result } : { error: { code: -32601, message: 'Method not found' } }
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += String(chunk)
  return text
}

interface PageVisit {
  readonly url: string
  readonly page: string
  readonly isFinal: boolean
}

/** A browser with cookies. */
function createBrowser() {
  const cookies = new Map<string, string>()
  return async (url: string, form?: URLSearchParams): Promise<PageVisit> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const post = form && { method: 'POST', body: form }
    const headers = { cookie, ...(form && { origin: new URL(url).origin }) }
    const response = await fetch(url, { redirect: 'manual', headers, ...post })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    const location = response.headers.get('location')
    const page = await response.text()
    return { url: location === null ? url : new URL(location, url).href, page, isFinal: location === null }
  }
}

/** Follows redirects until a page is shown. */
export async function browse(url: string): Promise<PageVisit> {
  return follow(createBrowser(), url)
}

async function follow(go: ReturnType<typeof createBrowser>, url: string): Promise<PageVisit> {
  let visit = await go(url)
  for (let hops = 0; !visit.isFinal; hops++) {
    if (hops > 20) throw new Error('The browser was redirected too often.')
    visit = await go(visit.url)
  }
  return visit
}

/** Follows redirects until one leaves the issuer; returns that address, which a person would paste. */
export async function browseUntilLeft(url: string): Promise<string> {
  const go = createBrowser()
  let at = url
  while (new URL(at).origin === new URL(url).origin) at = (await go(at)).url
  return at
}

/** Opens the page of the device flow and confirms the code. */
export async function approveDevice(url: string): Promise<void> {
  const go = createBrowser()
  const { page } = await follow(go, url)
  const value = (name: string) => new RegExp(`name="${name}" value="([^"]+)"`).exec(page)?.[1] ?? ''
  const target = new URL(/action="([^"]+)"/.exec(page)?.[1] ?? '', url).href
  const form = new URLSearchParams({ xsrf: value('xsrf'), user_code: value('user_code'), confirm: 'yes' })
  const sent = await go(target, form)
  if (!sent.isFinal) await follow(go, sent.url)
}

/** Opens the page of a gateway and goes on with its button, until the last page. */
export async function logInAtPage(url: string): Promise<{ readonly asked: string; readonly last: string }> {
  const go = createBrowser()
  const { page: asked } = await go(url)
  const sent = await go(url, new URLSearchParams())
  const last = sent.isFinal ? sent : await follow(go, sent.url)
  return { asked, last: last.page }
}
