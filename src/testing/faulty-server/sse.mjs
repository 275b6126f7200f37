import { beginStream, respond, writeTo } from './exchange.mjs'

/** HTTP+SSE of 2024-11-05: one stream, whose first event names the address for POST. */
export function serveSse(server) {
  const { script } = server
  const base = script.path ?? '/sse'
  const sessions = new Map()
  let count = 0

  return function serve({ facts, port, request, response }, message) {
    if (facts.method === 'GET' && facts.path === base) return open(port, response)
    if (facts.method === 'POST' && facts.path === '/message')
      return post(facts, port, request, response, message)
    respond(port, facts.path === base ? 405 : 404, {})
  }

  function open(port, response) {
    const id = String(++count)
    sessions.set(id, port)
    port.send = port.answer = (text) => writeTo(response, `event: message\ndata: ${text}\n\n`)
    beginStream(port)
    for (const address of endpoints(id)) void writeTo(response, `event: endpoint\ndata: ${address}\n\n`)
    server.streams.add(port)
    server.onStreamOpen()
    response.once('close', () => sessions.delete(id))
  }

  function endpoints(id) {
    const own = `/message?session=${id}`
    if (script.endpoint === 'never') return []
    if (script.endpoint === 'twice') return [own, `/other?session=${id}`]
    return [script.endpoint ?? own]
  }

  function post(facts, port, request, response, message) {
    const stream = sessions.get(new URL(request.url, 'http://localhost').searchParams.get('session'))
    if (!stream || !message) return respond(port, stream ? 400 : 404, {})
    // Actions on the HTTP response affect the response to the POST; messages go to the stream.
    const onStream = {
      ...port,
      send: stream.send,
      answer: stream.answer,
      write: stream.write,
      drop: stream.drop,
    }
    void server.receive(message, onStream, facts)
    setImmediate(() => {
      if (!response.headersSent && !response.destroyed) respond(port, 202, {}, 'Accepted')
    })
  }
}
