let streams = 0

/** One HTTP request with its port. The answer is a JSON body, or a stream if a message is sent before it. */
export function createExchange(request, response, server) {
  const facts = {
    method: request.method,
    path: new URL(request.url, 'http://localhost').pathname,
    headers: request.headers,
  }
  const port = {
    kind: 'http',
    response,
    headers: {},
    stream: undefined,
    send(text) {
      return openStream(port, server).send(text)
    },
    answer(text, { status = 200 } = {}) {
      if (port.stream || (server.script.respond === 'sse' && status === 200)) {
        return openStream(port, server).send(text, { isLast: true })
      }
      return respond(port, status, { 'content-type': 'application/json' }, text)
    },
    write(bytes) {
      if (!response.headersSent)
        response.writeHead(200, { 'content-type': 'application/json', ...port.headers })
      return writeTo(response, bytes)
    },
    drop() {
      if (server.script.eventIds) openStream(port, server)
      response.end()
      port.stream?.leave()
    },
    flush: () => undefined,
  }
  response.on('error', () => undefined)
  return { facts, port, request, response }
}

export function respond(port, status, headers, body = '') {
  if (port.response.headersSent || port.response.destroyed) return
  port.response.writeHead(status, { ...headers, ...port.headers })
  port.response.end(body)
}

export function writeTo(response, bytes) {
  if (response.destroyed || response.writableEnded) return new Promise(() => undefined)
  return new Promise((resolve) => void response.write(bytes, () => setImmediate(resolve)))
}

/** Opens the event stream of a response. With event ids its events are kept, so that another response can resume it. */
export function openStream(port, server) {
  if (port.stream) return port.stream
  const number = ++streams
  const events = []
  let ended = false
  let live
  const stream = {
    async send(text, { isLast = false } = {}) {
      events.push(text)
      ended ||= isLast
      if (live) await writeEvent(live, idOf(events.length), text)
      if (live && ended) stream.finish()
    },
    /** Resumes on this port after the event with this number. */
    attach(toPort, from) {
      live = toPort
      beginStream(toPort)
      if (server.script.eventIds && from === 0) void writeTo(toPort.response, `id: ${number}-0\ndata:\n\n`)
      events.slice(from).forEach((text, index) => void writeEvent(toPort, idOf(from + index + 1), text))
      if (ended) stream.finish()
    },
    finish() {
      live.response.end()
    },
    leave() {
      live = undefined
    },
  }
  const idOf = (count) => (server.script.eventIds ? `${number}-${count}` : undefined)
  port.stream = stream
  if (server.script.eventIds) server.resumable.set(number, stream)
  stream.attach(port, 0)
  return stream
}

export function beginStream({ response, headers }) {
  if (response.headersSent) return
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', ...headers })
  response.flushHeaders()
}

function writeEvent({ response }, id, text) {
  const data = text.replaceAll('\n', '\ndata: ')
  return writeTo(response, `${id ? `id: ${id}\n` : ''}event: message\ndata: ${data}\n\n`)
}
