import { createMCPClient } from '@ai-sdk/mcp'
import { Experimental_StdioMCPTransport as StdioTransport } from '@ai-sdk/mcp/mcp-stdio'

export async function open(servers) {
  const clients = []
  return {
    async use(name) {
      const { url, command, args } = servers.find((server) => server.name === name)
      const transport = url ? { type: 'http', url } : new StdioTransport({ command, args, stderr: 'ignore' })
      const client = await createMCPClient({ transport })
      clients.push(client)
      return {
        list: async () => (await client.listTools()).tools,
        offer: () => client.tools(),
        call: (tool, args) => client.callTool({ name: tool, arguments: args }),
      }
    },
    close: () => Promise.all(clients.map((client) => client.close())),
  }
}
