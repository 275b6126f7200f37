import { createServer as createHttpServer } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { serveSse } from './sse.mjs'
import { serveStreamable } from './streamable.mjs'
import { createExchange } from './exchange.mjs'

/** Listens on loopback only and prints its address as the first line. */
export function serveHttp(server, mode) {
  const { script } = server
  const serve = mode === 'sse' ? serveSse(server) : serveStreamable(server)
  const onRequest = (request, response) => void answerRequest(request, response)
  const listener = script.tls
    ? createHttpsServer(script.tls, onRequest)
    : createHttpServer({ keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 }, onRequest)
  listener.on('clientError', () => undefined)
  listener.listen(script.port ?? 0, '127.0.0.1', () => {
    const origin = `${script.tls ? 'https' : 'http'}://127.0.0.1:${listener.address().port}`
    server.event('start', undefined, { pid: process.pid })
    process.stdout.write(`${origin}${script.path ?? `/${mode === 'sse' ? 'sse' : 'mcp'}`}\n`)
  })
  process.on('SIGTERM', () => void (server.event('sigterm') ?? process.exit(0)))
  process.stdin.once('end', () => process.exit(0)).resume()

  async function answerRequest(request, response) {
    const body = await readBody(request)
    if (body === undefined) return
    const exchange = createExchange(request, response, server)
    const facts = { ...exchange.facts, ...readMessage(body) }
    const { method, path, message } = facts
    if (path === '/journal') {
      response.end(JSON.stringify(server.journal.entries))
      return
    }
    server.journal.add(facts)
    watchAbort(exchange, message ?? { method })
    const call = await server.event(`${method}:${path}`, exchange.port, facts, method)
    if (!call || call.isPassed) serve(exchange, message)
  }

  /** Emits `abort` when the client closes the response before it is complete. */
  function watchAbort({ port, response }, { method, id }) {
    response.once('close', () => {
      server.streams.delete(port)
      if (response.isTakenOver || response.writableEnded) return
      if (id !== undefined) server.listens.delete(id)
      port.stream?.leave()
      void server.event('abort', port, { method, ...(id === undefined ? {} : { id }) })
    })
  }
}

function readMessage(body) {
  if (body === '') return {}
  try {
    return { message: JSON.parse(body) }
  } catch {
    return { unreadable: body.slice(0, 200) }
  }
}

/** Returns `undefined` if the client aborted the request. */
async function readBody(request) {
  const chunks = []
  try {
    for await (const chunk of request) chunks.push(chunk)
  } catch {
    return undefined
  }
  return Buffer.concat(chunks).toString()
}
