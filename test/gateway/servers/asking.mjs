import { createInterface } from 'node:readline'

// A legacy server that goes on with calls that it should leave alone. "hold" never answers, and with "asks" asks at once. "next"
// logs and asks for the call that is held, and answers with what it got. "ask" asks, and answers with that.
const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const answers = new Map()
let asked = 0
let onCancelled = () => undefined
const cancelled = new Promise((resolve) => (onCancelled = resolve))

function ask(message, onAnswer) {
  const id = `q${++asked}`
  answers.set(id, onAnswer)
  const requestedSchema = { type: 'object', properties: { word: { type: 'string' } } }
  write({ id, method: 'elicitation/create', params: { message, requestedSchema } })
}

const log = (data) => write({ method: 'notifications/message', params: { level: 'error', data } })

const calls = {
  hold(_answer, { asks }) {
    log('held')
    if (asks) ask('first', () => undefined)
  },
  async next(answer, { after }) {
    if (after === 'cancelled') await cancelled
    log('private')
    ask('private', answer)
  },
  ask: (answer) => ask('word', answer),
}

const results = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {}, logging: {} },
    serverInfo: { name: 'asking', version: '1' },
  },
  'tools/list': { tools: Object.keys(calls).map((name) => ({ name, inputSchema: { type: 'object' } })) },
  'logging/setLevel': {},
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params, result, error } = JSON.parse(line)
  const answer = (got) => write({ id, result: { content: [{ type: 'text', text: JSON.stringify(got) }] } })
  const known = results[method]
  if (method === undefined) answers.get(id)?.(result ?? error)
  else if (method === 'notifications/cancelled') onCancelled()
  else if (method === 'tools/call') calls[params.name](answer, params.arguments)
  else if (known) write({ id, result: known })
  else if (id !== undefined) write({ id, error: { code: -32601, message: 'Method not found' } })
})
