import { createServer } from 'node:http'

// A server over HTTP, of both eras and without sessions, with one tool that waits `ms` milliseconds. Prints its address.
const tools = [
  {
    name: 'wait',
    description: 'Waits.',
    inputSchema: { type: 'object', properties: { ms: { type: 'number' } } },
  },
]
const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'slow', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools }),
  'tools/call': async ({ arguments: { ms = 0 } = {} }) => {
    if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms))
    return { content: [{ type: 'text', text: 'done' }] }
  },
}

const server = createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const { id, method, params = {} } = JSON.parse(Buffer.concat(chunks).toString() || '{}')
  if (id === undefined) return response.writeHead(202).end()
  const answer = methods[method]
    ? { result: await methods[method](params) }
    : { error: { code: -32601, message: 'Method not found' } }
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
})
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/mcp`))
