import { createServer } from 'node:http'
import { answer } from './answer.mjs'

// Prints its address to stdout, and exits when its stdin closes.
const server = createServer((request, response) => {
  if (request.method !== 'POST') return response.writeHead(request.method === 'DELETE' ? 200 : 405).end()
  let text = ''
  request.setEncoding('utf8')
  request.on('data', (chunk) => (text += chunk))
  request.on('end', () => {
    const reply = answer(JSON.parse(text))
    if (reply === undefined) return response.writeHead(202).end()
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(reply),
    })
    response.end(reply)
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/mcp`))
process.stdin.resume().on('end', () => process.exit(0))
