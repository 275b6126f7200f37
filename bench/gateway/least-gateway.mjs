import { spawn } from 'node:child_process'
import { createServer } from 'node:http'

// The least that passes calls on with `node:http`: another id, the name without its prefix, and the answer as it came. It checks
// nothing, records nothing and survives nothing; its lists are read once. node least-gateway.mjs PORT '{"name":["command","arg"]}'
const [port, declared] = process.argv.slice(2)
const [[name, [command, ...args]]] = Object.entries(JSON.parse(declared))
const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] })
const waiting = new Map()
let held = ''
let last = 0

child.stdout.setEncoding('utf8').on('data', (chunk) => {
  held += chunk
  const lines = held.split('\n')
  held = lines.pop()
  for (const line of lines) {
    const { id, result } = JSON.parse(line)
    waiting.get(id)?.(result)
    waiting.delete(id)
  }
})
process.on('SIGTERM', () => {
  child.kill()
  process.exit()
})

const ask = (method, params) =>
  new Promise((resolve) => {
    const id = ++last
    waiting.set(id, resolve)
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
  })
const clientInfo = { name: 'least', version: '1.0.0' }
const greeting = await ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
const { tools } = await ask('tools/list', {})
const list = { tools: tools.map((tool) => ({ ...tool, name: `${name}__${tool.name}` })) }

createServer((request, response) => {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', async () => {
    const message = JSON.parse((chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)).toString())
    if (message.id === undefined) return void response.writeHead(202).end()
    const text = JSON.stringify({ jsonrpc: '2.0', id: message.id, result: await answer(message) })
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    })
    response.end(text)
  })
}).listen(Number(port), '127.0.0.1')

function answer({ method, params }) {
  if (method === 'initialize') return greeting
  if (method === 'tools/list') return list
  return ask(method, { ...params, name: params.name.slice(name.length + 2) })
}
