import { MultiServerMCPClient } from '@langchain/mcp-adapters'

// Connection errors are ignored: otherwise one bad server would leave no tools at all.

export async function open(servers) {
  const client = new MultiServerMCPClient({
    onConnectionError: 'ignore',
    mcpServers: Object.fromEntries(servers.map(toEntry)),
  })
  let connecting
  return {
    async use(name) {
      const tools = (await (connecting ??= client.initializeConnections()))[name]
      return {
        list: async () => tools,
        call: (tool, args) => tools.find((one) => one.name === tool).invoke(args),
      }
    },
    close: () => client.close(),
  }
}

function toEntry({ name, url, command, args }) {
  return [name, url ? { url } : { transport: 'stdio', command, args, stderr: 'ignore' }]
}
