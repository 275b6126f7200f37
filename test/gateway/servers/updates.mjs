import { createInterface } from 'node:readline'

// A legacy server with two resources: `touch` says that one was updated, `subscribed` which of them it was asked to watch.
const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const uris = ['test://a', 'test://b']
const watched = []

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const result = respond(method, params)
  write(result ? { id, result } : { id, error: { code: -32601, message: 'Method not found' } })
})

function respond(method, params) {
  if (method === 'initialize')
    return {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {}, resources: { subscribe: true } },
      serverInfo: { name: 'updates', version: '1' },
    }
  if (method === 'tools/list')
    return { tools: ['touch', 'subscribed'].map((name) => ({ name, inputSchema: { type: 'object' } })) }
  if (method === 'resources/list') return { resources: uris.map((uri) => ({ uri, name: uri })) }
  if (method === 'resources/templates/list') return { resourceTemplates: [] }
  if (method === 'resources/subscribe') {
    watched.push(`+${params.uri}`)
    return {}
  }
  if (method === 'resources/unsubscribe') {
    watched.push(`-${params.uri}`)
    return {}
  }
  if (method !== 'tools/call') return undefined
  if (params.name === 'touch')
    write({ method: 'notifications/resources/updated', params: { uri: params.arguments.uri } })
  return { content: [{ type: 'text', text: watched.join(' ') }] }
}
