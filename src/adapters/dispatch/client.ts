import type { Host, Json, JsonObject } from '../../index.ts'
import type { McpCallResult, McpClient, McpToolInfo } from './mcp-service.ts'
import { stateOf } from './dispatch-server.ts'

/** L5: one server of a host in the words of Dispatch's plan. What it answers is handed on as it came. */
export function createClient(host: Host, serverId: string): McpClient {
  return {
    serverId,
    get state() {
      const found = host.servers().find(({ name }) => name === serverId)
      return found ? stateOf(found.status) : 'disconnected'
    },
    initialize: () => host.connect(serverId),
    async listTools() {
      const { items } = await host.list(serverId, 'tools')
      return items as unknown as readonly McpToolInfo[] // read and checked by the connection
    },
    async callTool(name, args, signal) {
      const params: JsonObject = { name, arguments: (args ?? {}) as Json } // the server judges what it is given
      // Progress is always asked for: it is what keeps a long call from its timeout.
      const result = await host.request(serverId, 'tools/call', params, {
        signal,
        onProgress: () => undefined,
      })
      return result as unknown as McpCallResult // as the server sent it
    },
    onToolsChanged: (listener) =>
      host.on((event) => {
        if (event.type === 'list.changed' && event.server === serverId && event.list === 'tools') listener()
      }),
  }
}
