import { randomUUID } from 'node:crypto'
import { beginStream, openStream, respond } from './exchange.mjs'
import { isModern } from './protocol.mjs'

/** A correct Streamable HTTP server, in both eras. */
export function serveStreamable(server) {
  const { script } = server
  const base = script.path ?? '/mcp'
  const hasSessions = script.sessions !== false && script.era !== 'modern'

  return function serve({ facts, port, request, response }, message) {
    if (facts.path !== base && !facts.path.startsWith(`${base}/`)) return respond(port, 404, {})
    if (facts.method === 'POST') return post(facts, port, response, message)
    if (script.era === 'modern') return respond(port, 405, {})
    if (facts.method === 'DELETE') return leave(facts, port)
    if (facts.method !== 'GET' || script.get === false) return respond(port, 405, {})
    if (!isKnown(facts)) return refuseSession(facts, port)
    listenOn(port, request.headers['last-event-id'])
  }

  function post(facts, port, response, message) {
    if (!message) return refuse(port, 400, { code: -32700, message: 'Parse error' })
    const problem = script.checkHeaders === false ? undefined : headerProblem(facts.headers, message)
    if (problem) return refuse(port, problem.status ?? 400, problem, message.id)
    if (hasSessions && !isModern(message)) {
      if (message.method === 'initialize') port.headers['mcp-session-id'] = beginSession()
      else if (!isKnown(facts)) return refuseSession(facts, port, message.id)
    }
    void server.receive(message, port, facts)
    if (message.id === undefined || message.method === undefined) accept(port, response)
  }

  function beginSession() {
    const id = randomUUID()
    server.sessions.set(id, 0)
    return id
  }

  /** Counts the request; removes the session when it exceeds `sessionLostAfter`. */
  function isKnown({ headers }) {
    if (!hasSessions) return true
    const id = headers['mcp-session-id']
    const count = server.sessions.get(id)
    if (count === undefined) return false
    if (count + 1 > (script.sessionLostAfter ?? Infinity)) return !server.sessions.delete(id)
    server.sessions.set(id, count + 1)
    return true
  }

  function leave({ headers }, port) {
    return respond(port, server.sessions.delete(headers['mcp-session-id']) ? 200 : 404, {})
  }

  /** Opens the stream for messages of the server, or resumes a broken one. */
  function listenOn(port, lastEventId) {
    const [number, count] = (lastEventId ?? '').split('-').map(Number)
    const broken = server.resumable.get(number)
    if (broken) broken.attach(port, count)
    else openServerStream(port)
  }

  function openServerStream(port) {
    if (server.script.eventIds) openStream(port, server)
    else beginStream(port)
    server.streams.add(port)
    server.onStreamOpen()
  }
}

/** Answers a notification or a response with 202, unless a step has sent another status. */
function accept(port, response) {
  setImmediate(() => {
    if (!response.headersSent) respond(port, 202, {})
  })
}

function refuseSession({ headers }, port, id) {
  const error = { code: -32001, message: 'Session not found' }
  refuse(port, headers['mcp-session-id'] === undefined ? 400 : 404, error, id)
}

function refuse(port, status, { code, message }, id = null) {
  const body = JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })
  respond(port, status, { 'content-type': 'application/json' }, body)
}

const nameParameters = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' }

function headerProblem(headers, message) {
  const accepts = headers.accept ?? ''
  if (!accepts.includes('application/json') || !accepts.includes('text/event-stream')) {
    return { status: 406, code: -32000, message: 'Not Acceptable' }
  }
  if (!isModern(message)) return undefined
  const expected = {
    'mcp-protocol-version': message.params._meta['io.modelcontextprotocol/protocolVersion'],
    'mcp-method': message.method,
    ...(nameParameters[message.method] ? { 'mcp-name': message.params[nameParameters[message.method]] } : {}),
  }
  const wrong = Object.keys(expected).find((name) => decode(headers[name]) !== expected[name])
  return wrong && { code: -32020, message: `Header mismatch: ${wrong}` }
}

function decode(value) {
  const [, encoded] = /^=\?base64\?(.*)\?=$/.exec(value ?? '') ?? []
  return encoded === undefined ? value : Buffer.from(encoded, 'base64').toString()
}
