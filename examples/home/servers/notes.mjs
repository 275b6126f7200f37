// A whole MCP server: one line of JSON in, one line of JSON out.
import { createInterface } from 'node:readline'

const notes = ['Buy milk', 'Water the plants', 'Ask Ida about the milk cans']

const tools = [
  {
    name: 'search',
    description: 'Finds notes that contain a text.',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  },
]

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'notes', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools }),
  'tools/call': ({ arguments: { text = '' } = {} }) => {
    const found = notes.filter((note) => note.toLowerCase().includes(text.toLowerCase()))
    return { content: [{ type: 'text', text: found.join('\n') || 'Nothing found.' }] }
  },
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params = {} } = JSON.parse(line)
  if (id === undefined) continue // a notification
  const answer = Object.hasOwn(methods, method)
    ? { result: methods[method](params) }
    : { error: { code: -32601, message: `There is no method ${method}` } }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`)
}
