import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { JsonObject } from '../../src/index.ts'
import { createKeySecret } from '../../src/model/gateway/gateway-key.ts'
import { openGateway } from '../../src/surfaces/gateway/gateway.ts'
import type { Gateway } from '../../src/surfaces/gateway/gateway.ts'
import { openHttpFront } from '../../src/surfaces/gateway/http/http-front.ts'
import type { HttpFront } from '../../src/surfaces/gateway/http/http-front.ts'
import { KeyRing } from '../../src/surfaces/gateway/callers/key-ring.ts'
import { openOwnKeys } from '../../src/store.ts'
import type { GatewaySettings } from '../../src/internal.ts'
import { createMachine } from './programs/cli.ts'
import type { Machine } from './programs/cli.ts'
import { ownFile } from './servers.ts'

/** A gateway over HTTP in this process, for a machine of its own. */
export interface GatewayMachine extends AsyncDisposable {
  readonly gateway: Gateway
  readonly machine: Machine
  readonly url: string
  readonly token: string
  readonly port: number
  readonly applyIssuers: HttpFront['applyIssuers']
  /** Sends one modern request, and returns the status and the parsed body. */
  modern(method: string, params?: JsonObject, options?: RequestOptions): Promise<Reply>
  /** Sends one request of 2025-11-25 without a session. */
  legacy(method: string, params?: JsonObject, options?: RequestOptions): Promise<Reply>
}

interface RequestOptions {
  readonly id?: number | string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly capabilities?: JsonObject
  readonly signal?: AbortSignal
}

export interface Reply {
  readonly status: number
  readonly body: JsonObject & { readonly result?: JsonObject; readonly error?: JsonObject }
  readonly headers: Headers
}

interface StartOptions {
  readonly views?: JsonObject
  readonly settings?: JsonObject
  readonly sessions?: boolean
  readonly keysEveryMs?: number
  readonly gateway?: GatewaySettings
  /** The clock by which tokens of issuers and states of approvals are judged. */
  readonly now?: () => number
  /** Shared by gateways that serve the same clients. */
  readonly secret?: string
  readonly env?: Readonly<Record<string, string>>
  /** The machine of another gateway, which stays when this one is closed: its files are those of both. */
  readonly beside?: Machine
}

const prefix = 'io.modelcontextprotocol/'

export function echoServer() {
  const file = fileURLToPath(new URL('../gateway/servers/echo.mjs', import.meta.url))
  return { command: process.execPath, args: [file] }
}

/** The same, which starts when `callEarly` lets it. */
export function lateServer() {
  const { command, args } = echoServer()
  const script = `until [ -e ${gate} ]; do sleep 0.02; done; exec "$@"`
  return { command: 'sh', args: ['-c', script, 'sh', command, ...args] }
}

/** In the folder of the project, where servers run. */
const gate = 'late-server-may-start'

/** Sends calls while only `echo` is known, lets the late server start once they have arrived, and returns the answers. */
export async function callEarly(
  started: GatewayMachine,
  send: () => readonly Promise<Reply>[],
): Promise<readonly Reply[]> {
  const { gateway, machine } = started
  const isKnown = new Promise<void>((resolve) => {
    gateway.host.on((event) => event.type === 'catalog.changed' && event.server === 'echo' && resolve())
  })
  const listed = started.modern('tools/list')
  await isKnown
  const sent = send()
  await started.legacy('ping')
  writeFileSync(join(machine.project, gate), '')
  await listed
  return Promise.all(sent)
}

/** A key of a caller of the gateway, as options of its requests. */
export async function keyFor({ machine }: Pick<GatewayMachine, 'machine'>, name: string) {
  const keys = await openOwnKeys({
    cwd: machine.project,
    platform: { home: machine.home, env: machine.env },
  })
  const { secret, kept } = createKeySecret()
  await keys.add({ name, ...kept, createdAt: '2026-01-01T00:00:00.000Z' })
  await keys.close()
  return { headers: { authorization: `Bearer ${secret}` } }
}

/** The server of the conformance run: tools that ask, in either era. */
export function askingServer(era: 'legacy' | 'modern') {
  const file = fileURLToPath(new URL('../conformance/server.mjs', import.meta.url))
  return { command: process.execPath, args: [file, era] }
}

export async function startGateway(
  servers: Readonly<Record<string, unknown>>,
  {
    views,
    settings = {},
    sessions = false,
    keysEveryMs = 5000,
    gateway: gatewaySettings = {},
    now = Date.now,
    secret,
    env: more = {},
    beside,
  }: StartOptions = {},
): Promise<GatewayMachine> {
  const machine =
    beside ??
    createMachine({
      [ownFile]: { mcpServers: servers },
      '~/.config/plugboard/settings.json': { ...settings, ...(views && { views }) },
    })
  const platform = { home: machine.home, env: { ...machine.env, ...more } }
  const gateway = await openGateway({
    discover: { cwd: machine.project, platform },
    capabilities: () => ({ elicitation: { form: {}, url: {} }, sampling: {} }),
    secret,
    now,
    warn: () => undefined,
  })
  const keys = new KeyRing({
    open: () => openOwnKeys({ cwd: machine.project, platform }),
    everyMs: keysEveryMs,
    warn: () => undefined,
  })
  const front = await openHttpFront(gateway, {
    port: 0,
    sessions,
    keys,
    settings: gatewaySettings,
    tokens: { platform: { ...platform, cwd: machine.project }, now, warn: () => undefined },
  })
  const { url, token = '' } = front
  const post = async (
    message: JsonObject,
    { path = '', headers = {}, signal }: RequestOptions,
  ): Promise<Reply> => {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify(message),
      ...(signal && { signal }),
    })
    const text = await response.text()
    const last = text.startsWith('event:') ? text.trim().split('data: ').at(-1) : text
    return {
      status: response.status,
      body: last ? (JSON.parse(last) as Reply['body']) : {},
      headers: response.headers,
    }
  }
  return {
    gateway,
    machine,
    url,
    token,
    port: front.port,
    applyIssuers: front.applyIssuers,
    modern(method, params = {}, options = {}) {
      const { id = 1, capabilities = {}, headers } = options
      const meta = {
        [`${prefix}protocolVersion`]: '2026-07-28',
        [`${prefix}clientCapabilities`]: capabilities,
        ...(params['_meta'] as JsonObject | undefined),
      }
      const name = params['name'] ?? params['uri'] ?? params['taskId']
      return post(
        { jsonrpc: '2.0', id, method, params: { ...params, _meta: meta } },
        {
          ...options,
          headers: {
            'mcp-protocol-version': '2026-07-28',
            'mcp-method': method,
            ...(typeof name === 'string' && { 'mcp-name': name }),
            ...headers,
          },
        },
      )
    },
    legacy(method, params = {}, options = {}) {
      const { id = 1, headers } = options
      return post(
        { jsonrpc: '2.0', id, method, params },
        { ...options, headers: { 'mcp-protocol-version': '2025-11-25', ...headers } },
      )
    },
    async [Symbol.asyncDispose]() {
      gateway.endSubscriptions()
      await front.close({ deadlineMs: 0 })
      await gateway.close()
      if (!beside) machine[Symbol.dispose]()
    },
  }
}

/** The text of a tool's result. */
export function textOf({ body }: Reply): string | undefined {
  const content = body.result?.['content'] as readonly { readonly text?: string }[] | undefined
  return content?.[0]?.text
}
