import { createServer } from 'node:http'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { Server, createMcpHandler } from '@modelcontextprotocol/server'

// The least gateway that one writes with SDK v2: its clients for the servers, its handler for HTTP, names with a prefix.
// node sdk-gateway.mjs PORT '{"name":["command","arg"]}'
const [port, declared] = process.argv.slice(2)
const clients = new Map()
for (const [name, [command, ...args]] of Object.entries(JSON.parse(declared))) {
  const client = new Client({ name: 'sdk-gateway', version: '1.0.0' })
  clients.set(
    name,
    client.connect(new StdioClientTransport({ command, args, stderr: 'ignore' })).then(() => client),
  )
  clients.get(name).catch(() => undefined)
}

const handler = createMcpHandler(() => {
  const server = new Server({ name: 'sdk-gateway', version: '1.0.0' }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/list', async () => {
    const lists = await Promise.all(
      [...clients].map(async ([name, connecting]) => {
        const { tools } = await (await connecting).listTools()
        return tools.map((tool) => ({ ...tool, name: `${name}__${tool.name}` }))
      }),
    )
    return { tools: lists.flat() }
  })
  server.setRequestHandler('tools/call', async ({ params }) => {
    const [name, tool] = params.name.split('__')
    return (await clients.get(name)).callTool({ name: tool, arguments: params.arguments })
  })
  return server
})
createServer(toNodeHandler(handler)).listen(Number(port), '127.0.0.1')
