import { createInterface } from 'node:readline'

// A legacy server: `echo` returns its arguments, `hang` never answers, `cancelled` answers once a request was cancelled.
const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const schema = { type: 'object' }
const tools = ['echo', 'hang', 'cancelled', 'crash', 'log'].map((name) => ({ name, inputSchema: schema }))
let cancelled = 0
const waiting = []

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (method === 'notifications/cancelled') {
    cancelled++
    for (const answer of waiting.splice(0)) answer()
  }
  if (id === undefined) return
  const result = respond(method, params, id)
  if (result === 'later') return
  write(result ? { id, result } : { id, error: { code: -32601, message: 'Method not found' } })
})

function respond(method, params, id) {
  if (method === 'initialize')
    return {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {}, logging: {} },
      serverInfo: { name: 'echo', version: '1' },
    }
  if (method === 'tools/list') return { tools }
  if (method !== 'tools/call') return undefined
  const { name, arguments: args, _meta: meta } = params
  const text = (value) => ({ content: [{ type: 'text', text: value }] })
  if (name === 'echo')
    return { ...text(JSON.stringify(args)), structuredContent: { pid: process.pid, meta: meta ?? null } }
  if (name === 'hang') return 'later'
  if (name === 'crash') process.exit(3)
  if (name === 'log') {
    write({ method: 'notifications/message', params: { level: 'info', data: args } })
    return text('logged')
  }
  if (cancelled > 0) return text(String(cancelled))
  waiting.push(() => write({ id, result: text(String(cancelled)) }))
  return 'later'
}
