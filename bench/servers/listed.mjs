import { readFileSync } from 'node:fs'

// A good server whose list of tools is a file; every call is answered with a hundred characters.

const tools = readFileSync(process.argv[2], 'utf8')
const result = JSON.stringify({ content: [{ type: 'text', text: 'x'.repeat(100) }] })
const about = { capabilities: { tools: {} }, serverInfo: { name: 'listed', version: '1.0.0' } }
let rest = ''
process.stdin.setEncoding('utf8')
process.stdin.on('data', (chunk) => {
  const lines = (rest + chunk).split('\n')
  rest = lines.pop()
  for (const line of lines) {
    const { id, method, params } = JSON.parse(line)
    if (id !== undefined)
      process.stdout.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},${answerOf(method, params)}}\n`)
  }
})
process.stdin.on('end', () => process.exit(0))

function answerOf(method, params) {
  if (method === 'initialize')
    return `"result":${JSON.stringify({ protocolVersion: params.protocolVersion, ...about })}`
  if (method === 'tools/list') return `"result":{"tools":${tools}}`
  if (method === 'tools/call') return `"result":${result}`
  return method === 'ping' ? '"result":{}' : '"error":{"code":-32601,"message":"Method not found"}'
}
