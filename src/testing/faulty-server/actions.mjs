import { renderAnswer } from './answer.mjs'
import { httpActions } from './http-actions.mjs'
import { inputRequired, listChanged, listen, endListen } from './modern-actions.mjs'
import { processActions } from './process-actions.mjs'
import { toText } from './protocol.mjs'
import { writeActions, writeSpoiled } from './write-actions.mjs'

/** The actions of a step. Each gets its argument from the script, and the call being answered. */
export const actions = {
  answer: (options, call) => answer(call, options),
  text: (text, call) => answer(call, { text }),
  result: (result, call) => answer(call, { result }),
  error: (error, call) => answer(call, { error: { message: 'scripted error', ...error } }),
  /** Answers with the received parameters and headers. */
  echo: (_, call) => answer(call, { text: { params: call.message.params, ...call.facts } }),
  /** Does not answer; the same as an empty list, but explicit. */
  hang: () => undefined,

  wait: (ms) => new Promise((resolve) => void setTimeout(resolve, ms)),
  /** Waits until a message or event of this name arrives after the current one. */
  until: (key, call) => call.server.until(key, call.seq),

  send: (messages, call) => sendAll([messages].flat(), call),
  notify: (what, call) => notify(typeof what === 'string' ? { method: what } : what, call),
  progress,
  ask: (what, call) => ask([what].flat(), call),

  listChanged,
  inputRequired,
  endListen,
  ...writeActions,
  ...processActions,
  ...httpActions,
}

function answer(call, options) {
  if (!call.isRequest) return undefined
  return (options ? undefined : answerSpecially(call)) ?? sendAnswer(call, options)
}

/** Subscriptions and the built-in tools, unless the step specifies an answer. */
function answerSpecially(call) {
  const { message, server } = call
  if (message.method === 'subscriptions/listen' && server.script.era !== 'legacy') return listen(call)
  if (message.method !== 'tools/call') return undefined
  switch (message.params?.name) {
    case 'journal':
      return sendAnswer(call, { text: server.journal.entries })
    case 'environment':
      return sendAnswer(call, { text: environment() })
    case 'do':
      return doStep(call)
    default:
      return undefined
  }
}

async function sendAnswer(call, options) {
  const { message, port } = call
  const { text, status } = renderAnswer(call, options)
  if (options?.write) await writeSpoiled(text, options.write, call)
  else await port.answer(text, { status, message })
  if (options?.twice) await port.send(text)
}

/** Runs the step in the arguments; a plain `answer` in it responds with `done`. */
function doStep(call) {
  if (call.isDoing) return sendAnswer(call, { text: 'done' })
  call.isDoing = true
  return call.server.run(call.message.params.arguments?.step ?? [], call)
}

function environment() {
  const { argv, env, pid } = process
  return { argv: argv.slice(2), cwd: process.cwd(), env, pid }
}

async function sendAll(messages, { port }) {
  for (const message of messages) await port.send(JSON.stringify(message))
}

async function notify({ method, params, times = 1 }, { port }) {
  const text = JSON.stringify({ jsonrpc: '2.0', method, ...(params ? { params } : {}) })
  for (let sent = 0; sent < times; sent++) await port.send(text)
}

/** `3`, or `{ times, token, total, message }`; the default token is that of the request. */
async function progress(what, call) {
  const {
    times = 1,
    token = call.message.params?._meta?.progressToken,
    total,
    message,
  } = typeof what === 'object' ? what : { times: what }
  if (token === undefined) return
  for (let sent = 1; sent <= times; sent++) {
    const optional = { ...(total ? { total } : {}), ...(message ? { message } : {}) }
    const params = { progressToken: token, progress: sent, ...optional }
    await notify({ method: 'notifications/progress', params }, call)
  }
}

let requestCount = 0

/** Sends requests to the client one after the other, and answers with all responses. */
async function ask(requests, call) {
  const { port, server } = call
  for (const request of requests) {
    const { method, params } = typeof request === 'string' ? { method: request } : request
    const id = `ask-${++requestCount}`
    const response = new Promise((resolve) => void server.pendingRequests.set(id, resolve))
    await port.send(JSON.stringify({ jsonrpc: '2.0', id, method, ...(params ? { params } : {}) }))
    const { jsonrpc: _, id: __, ...content } = await response
    call.responses.push({ method, ...content })
  }
  await answer(call, { result: toText(call.responses) })
}
