import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { createMcpHandler } from '@modelcontextprotocol/server'
import type { ServerNotifier } from '@modelcontextprotocol/server'
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createNotes } from './notes.ts'
import type { Notes } from './notes.ts'
import { createTaskServer } from './tasks.mjs'
import { createV1Server } from './v1.mjs'
import { createShared, createV2Server } from './v2.mjs'

/** A server of one of the official SDKs, listening on its own port. */
export interface Peer {
  readonly url: string
  readonly notes: Notes
  /** The head of every request, in order. */
  readonly requests: readonly Head[]
  /** Breaks every connection, as a proxy might. */
  readonly drop: () => void
  readonly close: () => Promise<void>
}

interface Head {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
}

type Handle = (request: IncomingMessage, response: ServerResponse) => unknown

/** SDK v1, Streamable HTTP with sessions. `forget` drops all sessions; requests with one then get the status `lost`. */
export async function serveV1Stateful(
  options: { readonly lost?: 400 | 404 } = {},
): Promise<Peer & { readonly forget: () => Promise<void> }> {
  const notes = createNotes()
  const sessions = new Map<string, StreamableHTTPServerTransport>()
  const peer = await listen(notes, '/mcp', async (request, response) => {
    const known = await sessionOf(request, response, sessions, options.lost)
    if (known !== 'new') return known?.handleRequest(request, response)
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized(id) {
        sessions.set(id, transport)
        notes.note('session')
      },
      onsessionclosed(id) {
        sessions.delete(id)
        notes.note('session ended')
      },
    })
    await createV1Server(notes.note).connect(transport)
    return transport.handleRequest(request, response)
  })
  async function forget() {
    const all = [...sessions.values()]
    sessions.clear()
    await Promise.all(all.map((transport) => transport.close()))
  }
  return { ...peer, forget }
}

/** SDK v1, Streamable HTTP without sessions. */
export async function serveV1Stateless(options: { readonly answers?: 'json' | 'sse' } = {}): Promise<Peer> {
  const notes = createNotes()
  return listen(notes, '/mcp', async (request, response) => {
    if (request.method !== 'POST') return refuse(response, 405, 'Method not allowed')
    const server = createV1Server(notes.note)
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: options.answers === 'json' })
    response.on('close', () => void server.close())
    await server.connect(transport)
    return transport.handleRequest(request, response)
  })
}

/** SDK v1, HTTP+SSE of 2024-11-05: a GET opens the stream, whose first event names the address for POSTs. */
export async function serveV1Sse(): Promise<Peer> {
  const notes = createNotes()
  const streams = new Map<string, SSEServerTransport>()
  return listen(notes, '/sse', async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://peer')
    if (request.method === 'GET' && pathname === '/sse') {
      const transport = new SSEServerTransport('/messages', response)
      streams.set(transport.sessionId, transport)
      response.on('close', () => notes.note('stream ended'))
      notes.note('stream')
      return createV1Server(notes.note).connect(transport)
    }
    if (request.method !== 'POST' || pathname !== '/messages') return response.writeHead(404).end()
    const stream = streams.get(searchParams.get('sessionId') ?? '')
    return stream ? stream.handlePostMessage(request, response) : refuse(response, 404, 'No such session')
  })
}

interface V2Options {
  /** Whether it also serves the 2025 revisions, without sessions. */
  readonly legacy?: 'stateless' | 'reject'
  readonly responseMode?: 'auto' | 'sse' | 'json'
}

/** SDK v2, set up as in its documentation. */
export async function serveV2(options: V2Options = {}): Promise<Peer & { readonly notify: ServerNotifier }> {
  const notes = createNotes()
  const shared = createShared()
  const handler = createMcpHandler((context) => createV2Server(context, notes.note, shared), {
    keepAliveMs: 0,
    ...options,
  })
  shared.notify = handler.notify
  const peer = await listen(notes, '/mcp', toNodeHandler(handler) as Handle) // its types reject `undefined` members that Node's types have
  return { ...peer, notify: handler.notify, close: () => handler.close().then(peer.close) }
}

/** SDK v2 with the sessions of the older revisions. */
export async function serveV2Stateful(): Promise<Peer> {
  const notes = createNotes()
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>()
  return listen(notes, '/mcp', async (request, response) => {
    const known = await sessionOf(request, response, sessions)
    if (known !== 'new') return known?.handleRequest(request, response)
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: () => notes.note('session ended'),
    })
    await createV2Server({ era: 'legacy' }, notes.note, createShared()).connect(transport)
    return transport.handleRequest(request, response)
  })
}

/** The tasks extension. */
export async function serveTasks(): Promise<Peer> {
  const notes = createNotes()
  const tasks = new Map<string, object>()
  const handler = createMcpHandler(() => createTaskServer(notes.note, tasks), { keepAliveMs: 0 })
  return listen(notes, '/mcp', toNodeHandler(handler) as Handle) // its types reject `undefined` members that Node's types have
}

async function listen(notes: Notes, path: string, handle: Handle): Promise<Peer> {
  const requests: Head[] = []
  const server = createServer((request, response) => {
    requests.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers })
    Promise.resolve(handle(request, response)).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(500)
      response.end(String(error))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // a TCP server
  return {
    url: `http://127.0.0.1:${port}${path}`,
    notes,
    requests,
    drop: () => server.closeAllConnections(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** The transport of the request's session; `undefined` if the session is unknown and the request was refused. */
async function sessionOf<T>(
  request: IncomingMessage,
  response: ServerResponse,
  sessions: ReadonlyMap<string, T>,
  lost = 404,
): Promise<T | 'new' | undefined> {
  const id = request.headers['mcp-session-id']
  if (typeof id !== 'string') return 'new'
  const known = sessions.get(id)
  if (!known) refuse(response, lost, 'Session not found')
  return known
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null }))
}
