import { createGzip, gzipSync } from 'node:zlib'
import { renderAnswer } from './answer.mjs'
import { openStream, respond, writeTo } from './exchange.mjs'

/** Actions for HTTP only. Each affects the response to the current request. */
export const httpActions = {
  /** `{ status, headers, body }`: the whole response; a body other than a string is sent as JSON. */
  http({ status = 200, headers = {}, body = '' }, { port }) {
    const isText = typeof body === 'string'
    const type = isText ? {} : { 'content-type': 'application/json' }
    respond(port, status, { ...type, ...headers }, isText ? body : JSON.stringify(body))
  },
  /** `{ status, headers }`: only the head; `raw`, `endless` and others continue from there. */
  open({ status = 200, headers = {} }, { port }) {
    port.response.writeHead(status, { ...headers, ...port.headers })
    port.response.flushHeaders()
  },
  redirect: ({ to, status = 307 }, { port }) => respond(port, status, { location: to }),
  /** Continues as if there were no step for `POST`, `GET` or `DELETE`. */
  pass: (_, call) => void (call.isPassed = true),

  /** Writes a raw event to the stream: `{ id, event, data, retry, comment }`. */
  event({ comment, ...fields }, { port, server }) {
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\n`)
    openStream(port, server)
    return writeTo(port.response, `${comment === undefined ? '' : `: ${comment}\n`}${lines.join('')}\n`)
  },
  /** Runs the step on the stream of a GET, once there is one. */
  push: async (step, call) => call.server.run(step, { ...call, port: await call.server.openStream() }),

  drop: (_, { port }) => port.drop(),
  reset(_, { port }) {
    takeOver(port).resetAndDestroy()
    port.stream?.leave()
  },
  /** Ends every stream of a GET. */
  dropStreams(_, { server }) {
    for (const port of server.streams) port.drop()
  },
  loseSessions: (_, { server }) => server.sessions.clear(),

  /** Writes raw bytes to the socket in place of a response. */
  socket(text, { port }) {
    return new Promise((resolve) => void takeOver(port).write(text, () => resolve()))
  },
  closeSocket: (_, { port }) => void takeOver(port).end(),
  /** The answer with a Content-Length that is off by this number. */
  wrongLength(by, call) {
    const { text } = renderAnswer(call)
    const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text) + by}`
    takeOver(call.port).end(`${head}\r\n\r\n${text}`)
  },
  /** The answer with this many additional headers. */
  manyHeaders(count, { port, ...call }) {
    const headers = Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, 'x']))
    respond(port, 200, { 'content-type': 'application/json', ...headers }, renderAnswer(call).text)
  },
  /** The status line and one header, then nothing more. */
  stallHeaders: (_, call) =>
    httpActions.socket('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n', call),
  /** The head and half of the answer, then nothing more. */
  stallBody(_, call) {
    const { text } = renderAnswer(call)
    return call.port.write(text.slice(0, Math.floor(text.length / 2)))
  },
  /** The answer byte by byte, with this delay in milliseconds between. */
  async slow(ms, call) {
    for (const byte of Buffer.from(renderAnswer(call).text)) {
      await call.port.write(Buffer.from([byte]))
      await new Promise((resolve) => void setTimeout(resolve, ms))
    }
    call.port.drop()
  },

  /** The answer, correctly compressed. */
  gzip(_, call) {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
    respond(call.port, 200, headers, gzipSync(renderAnswer(call).text))
  },
  /** A small body that decompresses to an answer of this many bytes. */
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

/** Takes the socket over, so that its close is not reported as an abort of the client. */
function takeOver({ response }) {
  response.isTakenOver = true
  return response.socket
}
