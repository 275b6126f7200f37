import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

/** The minimal server that the live check of Dispatch's plan asks for: one tool. Everything it receives goes to a file. */
const [, , record] = process.argv
process.stdin.on('data', (chunk) => record && appendFileSync(record, chunk))
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: answer(method, params) })}\n`)
})

function answer(method, params) {
  if (method === 'initialize') {
    const serverInfo = { name: 'one-tool', version: '1.0.0' }
    return { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo }
  }
  if (method === 'tools/list') return { tools: [greet] }
  return { content: [{ type: 'text', text: `Hello, ${params.arguments.name}!` }] }
}

const greet = {
  name: 'greet',
  description: 'Greets somebody.',
  inputSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
}
