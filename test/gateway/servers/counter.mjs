import { createInterface } from 'node:readline'

// A server with state: `count` counts its calls, `wait` says that it has begun and never ends. Both name the process that
// started this one.
const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const schema = { type: 'object' }
const serverInfo = { name: 'counter', version: '1' }
const results = {
  initialize: () => ({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo }),
  'tools/list': () => ({
    tools: ['count', 'wait'].map((name) => ({
      name,
      description: `${name} ${process.env.COUNTER_WORD ?? ''}`.trim(),
      inputSchema: schema,
    })),
  }),
  'tools/call': ({ name, _meta }) => {
    if (name === 'count') {
      const structuredContent = { gateway: process.ppid, count: ++count }
      return { content: [{ type: 'text', text: String(count) }], structuredContent }
    }
    const { progressToken } = _meta
    write({
      method: 'notifications/progress',
      params: { progressToken, progress: 1, message: String(process.ppid) },
    })
    return undefined
  },
}
let count = 0

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const result = results[method]?.(params)
  if (result) write({ id, result })
  else if (!results[method]) write({ id, error: { code: -32601, message: 'Method not found' } })
})
