import type { JsonObject } from '../../../src/index.ts'
import { startCli } from './cli.ts'
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

export async function startHttpGateway(machine: Machine): Promise<HttpGatewayProcess> {
  const program = startCli(machine, ['gateway', '--port', '0', '--json'])
  const { url, token: own } = await program.document<{ readonly url: string; readonly token: string }>()
  return {
    url,
    pid: program.pid,
    kill: async (signal) => void (await program.kill(signal)),
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
      await program.kill('SIGTERM')
    },
  }
}
