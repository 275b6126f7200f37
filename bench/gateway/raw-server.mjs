import { createServer } from 'node:http'
import { answer } from '../servers/answer.mjs'

// No gateway: the server of all rows, directly behind `node:http`. What this costs, no gateway on `node:http` can go below.
// node raw-server.mjs PORT
const [port] = process.argv.slice(2)
createServer((request, response) => {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    const message = JSON.parse((chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)).toString())
    const text = answer(message)
    if (text === undefined) return void response.writeHead(202).end()
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    })
    response.end(text)
  })
}).listen(Number(port), '127.0.0.1')
