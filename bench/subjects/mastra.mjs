import { MCPClient } from '@mastra/mcp'

// Mastra can only connect to all servers at once.

export async function open(servers) {
  const client = new MCPClient({ id: `bench-${next++}`, servers: Object.fromEntries(servers.map(toEntry)) })
  let listing
  return {
    async use(name) {
      const tools = await (listing ??= client.listTools())
      return {
        list: async () => Object.keys(tools).filter((tool) => tool.startsWith(`${name}_`)),
        call: (tool, args) => tools[`${name}_${tool}`].execute(args, {}),
      }
    },
    close: () => client.disconnect(),
  }
}

let next = 0

function toEntry({ name, url, command, args }) {
  return [name, url ? { url: new URL(url) } : { command, args, stderr: 'ignore' }]
}
