import { createGzip, gzipSync } from 'node:zlib'
import { renderAnswer } from './answer.mjs'
import { openStream, respond, writeTo } from './exchange.mjs'

/** What only a server on HTTP can do. Each is about the response to the request at hand. */
export const httpActions = {
  /** `{ status, headers, body }`: the whole response; a body that is no text is sent as JSON. */
  http({ status = 200, headers = {}, body = '' }, { port }) {
    const isText = typeof body === 'string'
    const type = isText ? {} : { 'content-type': 'application/json' }
    respond(port, status, { ...type, ...headers }, isText ? body : JSON.stringify(body))
  },
  /** `{ status, headers }`: only the head; `raw`, `endless` and others go on from there. */
  open({ status = 200, headers = {} }, { port }) {
    port.response.writeHead(status, { ...headers, ...port.headers })
    port.response.flushHeaders()
  },
  redirect: ({ to, status = 307 }, { port }) => respond(port, status, { location: to }),
  /** On with what would have happened without this step of `POST`, `GET` or `DELETE`. */
  pass: (_, call) => void (call.isPassed = true),

  /** An event of the stream as it is: `{ id, event, data, retry, comment }`. */
  event({ comment, ...fields }, { port, server }) {
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\n`)
    openStream(port, server)
    return writeTo(port.response, `${comment === undefined ? '' : `: ${comment}\n`}${lines.join('')}\n`)
  },
  /** On the stream of a GET, as soon as there is one. */
  push: async (step, call) => call.server.run(step, { ...call, port: await call.server.openStream() }),

  drop: (_, { port }) => port.drop(),
  reset(_, { port }) {
    takeOver(port).resetAndDestroy()
    port.stream?.leave()
  },
  /** Ends or resets every stream of a GET. */
  dropStreams(_, { server }) {
    for (const port of server.streams) port.drop()
  },
  loseSessions: (_, { server }) => server.sessions.clear(),

  /** These bytes on the socket itself, in place of a response. */
  socket(text, { port }) {
    return new Promise((resolve) => void takeOver(port).write(text, () => resolve()))
  },
  closeSocket: (_, { port }) => void takeOver(port).end(),
  /** The answer with a Content-Length that is so much too large or, below zero, too small. */
  wrongLength(by, call) {
    const { text } = renderAnswer(call)
    const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text) + by}`
    takeOver(call.port).end(`${head}\r\n\r\n${text}`)
  },
  /** The answer with so many headers more. */
  manyHeaders(count, { port, ...call }) {
    const headers = Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, 'x']))
    respond(port, 200, { 'content-type': 'application/json', ...headers }, renderAnswer(call).text)
  },
  /** The status line, one header, and nothing more. */
  stallHeaders: (_, call) =>
    httpActions.socket('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n', call),
  /** The head, half of the answer, and nothing more. */
  stallBody(_, call) {
    const { text } = renderAnswer(call)
    return call.port.write(text.slice(0, Math.floor(text.length / 2)))
  },
  /** The answer byte by byte, with so many milliseconds between. */
  async slow(ms, call) {
    for (const byte of Buffer.from(renderAnswer(call).text)) {
      await call.port.write(Buffer.from([byte]))
      await new Promise((resolve) => void setTimeout(resolve, ms))
    }
    call.port.drop()
  },

  /** The answer, packed as it should be. */
  gzip(_, call) {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
    respond(call.port, 200, headers, gzipSync(renderAnswer(call).text))
  },
  /** A small body that unpacks to an answer of so many bytes. */
  gzipBomb,
}

async function gzipBomb(bytes, { port, message }) {
  const { response } = port
  response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip', ...port.headers })
  const gzip = createGzip()
  gzip.pipe(response)
  const write = (text) => new Promise((resolve) => void gzip.write(text, resolve))
  await write(
    `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":{"content":[{"type":"text","text":"`,
  )
  const block = 'x'.repeat(1 << 20)
  for (let left = bytes; left > 0 && !response.destroyed; left -= block.length)
    await write(block.slice(0, left))
  gzip.end('"}]}}')
}

/** The socket, and nobody is to hear that the client let go of it. */
function takeOver({ response }) {
  response.isOver = true
  return response.socket
}
