import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { JsonObject } from '../../../src/index.ts'
import { cliFile } from './cli.ts'
import type { Machine } from './cli.ts'

/** `plugboard gateway --port 0` in a process of its own. */
export interface HttpGatewayProcess extends AsyncDisposable {
  readonly url: string
  readonly pid: number
  /** Sends one request of 2026-07-28 as a client of this name. */
  call(client: string, method: string, params?: JsonObject, options?: CallAs): Promise<JsonObject>
  kill(signal: NodeJS.Signals): Promise<void>
}

interface CallAs {
  /** Of another caller than the person who started it. */
  readonly token?: string
  readonly capabilities?: JsonObject
  readonly signal?: AbortSignal
}

const prefix = 'io.modelcontextprotocol/'

export async function startHttpGateway({ env, project }: Machine): Promise<HttpGatewayProcess> {
  const child = spawn(process.execPath, [cliFile, 'gateway', '--port', '0', '--json'], {
    cwd: project,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const exited = once(child, 'exit')
  let text = ''
  for await (const line of createInterface(child.stdout)) {
    text += line
    if (line === '}' || line.endsWith('}')) break
  }
  const { url, token: own } = JSON.parse(text) as { readonly url: string; readonly token: string } // as documented
  const kill = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    await exited
  }
  return {
    url,
    pid: child.pid ?? 0,
    kill,
    async call(client, method, params = {}, { token = own, capabilities = {}, signal } = {}) {
      const { name } = params
      const response = await fetch(url, {
        method: 'POST',
        ...(signal && { signal }),
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': method,
          ...(typeof name === 'string' && { 'mcp-name': name }),
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method,
          params: {
            ...params,
            _meta: {
              [`${prefix}protocolVersion`]: '2026-07-28',
              [`${prefix}clientCapabilities`]: capabilities,
              [`${prefix}clientInfo`]: { name: client, version: '1' },
            },
          },
        }),
      })
      const text = await response.text()
      // An answer that took long is the last event of a stream.
      const last = text.split('\n').findLast((line) => line.startsWith('data:'))
      return JSON.parse(last?.slice('data:'.length) ?? text) as JsonObject // a message of the gateway
    },
    async [Symbol.asyncDispose]() {
      await kill('SIGTERM')
    },
  }
}
