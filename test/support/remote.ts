import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ServerOptions } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { createHost } from '../../src/index.ts'
import type { RequestOptions, Host, HostEvent, HostOptions, Json, JsonObject } from '../../src/index.ts'
import { createFakeClock } from '../../src/testing/fake-clock.ts'
import type { FakeClock } from '../../src/testing/fake-clock.ts'
import { serve } from './http-server.ts'
import type { ReceivedRequest, TestServer } from './http-server.ts'

/** A request that a test server received. */
export interface McpRequest extends ReceivedRequest {
  /** Empty for requests other than POST. */
  readonly message: { readonly id?: number; readonly method?: string; readonly params?: JsonObject }
  readonly response: ServerResponse
  readonly raw: IncomingMessage
  /** Answers as a correct server does. */
  readonly answer: (result?: JsonObject) => void
  readonly status: (status: number, headers?: Readonly<Record<string, string>>, body?: string) => void
}

export interface McpServer extends TestServer {
  readonly requests: readonly McpRequest[]
  /** All requests of this method, in order. */
  readonly of: (method: string) => readonly McpRequest[]
  /** Resolves with the nth request of a method. */
  readonly until: (method: string, nth?: number) => Promise<McpRequest>
  /** Settles when no connection is left. */
  readonly untilIdle: () => Promise<void>
}

/** Handles a request. */
export type McpStep = (asked: McpRequest) => unknown

export interface McpOptions {
  readonly era?: 'legacy' | 'modern'
  readonly session?: string
  readonly tools?: readonly Json[]
  readonly tls?: ServerOptions
  readonly capabilities?: JsonObject
}

const versions = { legacy: '2025-11-25', modern: '2026-07-28' } as const

/**
 * An MCP server in this process, stopped after the test; `on` holds its steps by method. Without a step it answers
 * correctly.
 */
export async function serveMcp(
  on: Readonly<Record<string, McpStep>> = {},
  options: McpOptions = {},
): Promise<McpServer> {
  const requests: McpRequest[] = []
  const waiters = new Set<() => void>()
  const served = await serve((request, response, raw) => {
    const each = toMcpRequest(request, response, raw, options)
    requests.push(each)
    for (const check of waiters) check()
    const step = on[each.message.method ?? request.method] ?? on['*']
    if (step) step(each)
    else each.answer()
  }, options.tls)
  const of = (method: string) =>
    requests.filter(({ message, method: verb }) => (message.method ?? verb) === method)
  return {
    ...served,
    requests,
    of,
    async untilIdle() {
      for (const socket of served.sockets) if (!socket.closed) await once(socket, 'close')
    },
    until: (method, nth = 1) =>
      new Promise((resolve) => {
        const check = () => {
          const found = of(method)[nth - 1]
          if (!found) return
          waiters.delete(check)
          resolve(found)
        }
        waiters.add(check)
        check()
      }),
  }
}

function toMcpRequest(
  request: ReceivedRequest,
  response: ServerResponse,
  raw: IncomingMessage,
  options: McpOptions,
): McpRequest {
  const message = request.body === '' ? {} : (JSON.parse(request.body) as McpRequest['message']) // the host sends objects
  const status: McpRequest['status'] = (code, headers = {}, body = '') => {
    response.writeHead(code, headers)
    response.end(body)
  }
  return {
    ...request,
    message,
    response,
    raw,
    status,
    answer(result) {
      if (request.method !== 'POST') return status(405)
      if (message.id === undefined) return status(202)
      const good = result ? { result } : goodAnswer(message, options)
      const session =
        message.method === 'initialize' && options.session !== undefined
          ? { 'mcp-session-id': options.session }
          : {}
      const body = JSON.stringify({ jsonrpc: '2.0', id: message.id, ...good })
      status(200, { 'content-type': 'application/json', ...session }, body)
    },
  }
}

export const tool = (name: string, properties: JsonObject = {}): JsonObject => ({
  name,
  inputSchema: { type: 'object', properties },
})

function goodAnswer({ method = '', params }: McpRequest['message'], options: McpOptions): JsonObject {
  const { era = 'legacy', tools = [tool('work')], capabilities = { tools: {} } } = options
  const modern = { resultType: 'complete', supportedVersions: [versions.modern], capabilities }
  const legacy = { protocolVersion: versions.legacy, capabilities, serverInfo: { name: 'x', version: '1' } }
  const results: Readonly<Record<string, JsonObject>> = {
    ...(era === 'modern' ? { 'server/discover': modern } : { initialize: legacy }),
    'tools/list': { tools },
    'tools/call': {
      content: [{ type: 'text', text: `did ${(params as { name: string } | undefined)?.name}` }],
    }, // of a call
    ping: {},
  }
  const result = results[method]
  return result ? { result } : { error: { code: -32601, message: `Method not found: ${method}` } }
}

export interface RemoteHost {
  readonly host: Host
  readonly home: string
  readonly events: readonly HostEvent[]
  readonly list: (options?: RequestOptions & { readonly fresh?: boolean }) => Promise<readonly unknown[]>
  readonly call: (name?: string, args?: JsonObject, options?: RequestOptions) => Promise<Json>
  /** The state of `x`. */
  readonly status: () => string
  readonly until: (match: (event: HostEvent) => boolean) => Promise<HostEvent>
  readonly untilState: (state: string) => Promise<HostEvent>
  /** Checks that another server of the same host answers. */
  readonly otherAnswers: () => Promise<void>
}

/**
 * A host with the server `x` and a correct second server. Closed after the test, which checks that no timer is left.
 */
export async function remoteHost(
  entry: JsonObject,
  { platform, text, ...options }: HostOptions & { readonly text?: string } = {},
): Promise<RemoteHost> {
  const other = await serveMcp()
  const home = mkdtempSync(join(tmpdir(), 'plugboard-faults-'))
  const config = join(home, 'servers.json')
  const declared = { x: entry, other: { type: 'http', url: other.url.href } }
  writeFileSync(config, text ?? JSON.stringify({ mcpServers: declared }))
  const events: HostEvent[] = []
  const waiters = new Set<() => void>()
  const host = await createHost({
    cwd: home,
    config,
    sources: ['plugboard'],
    platform: { home, env: { HOME: home, PATH: process.env['PATH'] }, ...platform },
    ...options,
    on(event) {
      events.push(event)
      for (const check of waiters) check()
    },
  })
  onTestFinished(async () => {
    await host.close()
    rmSync(home, { recursive: true, force: true })
    await other.untilIdle()
    const { sleeping = 0 } = (platform?.clock ?? {}) as Partial<FakeClock> // a real clock has no such field
    expect(sleeping).toBe(0)
  })
  const until: RemoteHost['until'] = (match) =>
    new Promise((resolve) => {
      const check = () => {
        const found = events.find(match)
        if (!found) return
        waiters.delete(check)
        resolve(found)
      }
      waiters.add(check)
      check()
    })
  return {
    host,
    home,
    events,
    until,
    untilState: (state) =>
      until(
        (event) => event.type === 'server.changed' && event.server === 'x' && event.status.state === state,
      ),
    list: async (listOptions) => (await host.list('x', 'tools', listOptions)).items,
    call: (name = 'work', args = {}, callOptions) =>
      host.request('x', 'tools/call', { name, arguments: args }, callOptions),
    status: () => host.servers().find(({ name }) => name === 'x')?.status.state ?? 'none',
    async otherAnswers() {
      await host.request('other', 'ping')
    },
  }
}

/** The outcome of a call as plain data: its answer, or the error code, the failure code and whether it was sent. */
export async function outcome(call: Promise<unknown>): Promise<unknown> {
  try {
    return { answer: await call }
  } catch (error) {
    const { code, data } = error as { readonly code: string; readonly data: JsonObject } // the host throws only HostError
    const failure = data['failure'] as { readonly code: string } | undefined // the data of an error with a failure
    return {
      code,
      ...(failure && { failure: failure.code }),
      ...('sent' in data && { sent: data['sent'] }),
    }
  }
}

export const did = (name = 'work') => ({ answer: { content: [{ type: 'text', text: `did ${name}` }] } })

export interface WatchedClock extends FakeClock {
  /** Resolves with the first matching wait since the last one that was returned here. */
  readonly waited: (match: (ms: number) => boolean) => Promise<number>
  /** Waits for a matching wait, then advances the clock by it. */
  readonly pass: (match: (ms: number) => boolean) => Promise<number>
  /** Ignores all waits so far. */
  readonly forget: () => void
  /** Suspends the machine: only the wall clock advances. */
  readonly suspend: (ms: number) => void
}

/** A fake clock that records the requested waits. */
export function createWatchedClock(start = Date.UTC(2026, 0, 1)): WatchedClock {
  const clock = createFakeClock(start)
  let asleepMs = 0
  let unseen: number[] = []
  let onWait = () => {}
  const note = (ms: number) => {
    unseen.push(ms)
    onWait()
  }
  const waited: WatchedClock['waited'] = async (match) => {
    for (;;) {
      const index = unseen.findIndex(match)
      const ms = unseen[index]
      if (ms !== undefined) {
        unseen = unseen.slice(index + 1)
        return ms
      }
      unseen = []
      await new Promise<void>((resolve) => (onWait = resolve))
    }
  }
  return {
    now: () => clock.now() + asleepMs,
    suspend: (ms) => void (asleepMs += ms),
    setWallClock: (byMs) => clock.setWallClock(byMs),
    monotonic: () => clock.monotonic(),
    advance: (ms) => clock.advance(ms),
    get sleeping() {
      return clock.sleeping
    },
    timer(ms, onDue, options) {
      const timer = clock.timer(ms, onDue, options)
      note(ms)
      return timer
    },
    sleep(ms, signal, options) {
      const asleep = clock.sleep(ms, signal, options)
      note(ms)
      return asleep
    },
    waited,
    forget: () => void (unseen = []),
    async pass(match) {
      const ms = await waited(match)
      await clock.advance(ms)
      return ms
    },
  }
}

export const isAbout = (ms: number) => (waited: number) => waited >= ms * 0.8 && waited <= ms * 1.2
