import { renderAnswer } from './answer.mjs'
import { subscriptionKey } from './protocol.mjs'

/** Acknowledges a subscription and keeps it open. */
export function listen(call) {
  const { message, port, server } = call
  const filter = message.params?.notifications
  if (!filter) {
    const error = { code: -32602, message: 'notifications is missing' }
    return port.answer(renderAnswer(call, { error }).text, { status: 400, message })
  }
  server.listens.set(message.id, { filter, port })
  return port.send(note('notifications/subscriptions/acknowledged', { notifications: filter }, message.id))
}

/** `"tools"`, `"prompts"` or `"resources"`: to every subscription that asked for it, else as a plain notification. */
export async function listChanged(what = 'tools', { server, port }) {
  const method = `notifications/${what}/list_changed`
  const isPlain = server.script.era === 'legacy' || server.listens.size === 0
  if (isPlain) await port.send(JSON.stringify({ jsonrpc: '2.0', method }))
  for (const [id, listening] of server.listens) {
    if (listening.filter[`${what}ListChanged`]) await listening.port.send(note(method, {}, id))
  }
}

/** Ends every subscription: `"result"` as it should be, `"cancelled"` by a notification, `"drop"` without a word. */
export async function endListen(how = 'result', { server }) {
  for (const [id, { port }] of server.listens) {
    server.listens.delete(id)
    if (how === 'drop') port.drop?.()
    else if (how === 'cancelled') await port.send(note('notifications/cancelled', { requestId: id }, id))
    else await port.answer(ending(id), { status: 200, message: { id } })
  }
}

function ending(id) {
  const result = { resultType: 'complete', _meta: { [subscriptionKey]: id } }
  return JSON.stringify({ jsonrpc: '2.0', id, result })
}

function note(method, params, id) {
  return JSON.stringify({ jsonrpc: '2.0', method, params: { ...params, _meta: { [subscriptionKey]: id } } })
}

/**
 * Asks for input before it answers: `{ requests, state, rounds }`. Without `state` no requestState is given. The answer
 * tells which input and which state came back; a state that is not the one we gave is refused.
 */
export function inputRequired(options, call) {
  const { text } = renderAnswer(call, nextRound(options ?? {}, call.message.params ?? {}))
  return call.port.answer(text, { status: 200, message: call.message })
}

function nextRound({ requests, state, rounds = 1 }, { inputResponses, requestState }) {
  const round = state === undefined ? Number(inputResponses !== undefined) : roundOf(requestState, state)
  if (round === undefined) {
    const message = 'requestState is not the one that was given'
    return { error: { code: -32602, message, data: { requestState } } }
  }
  if (round >= rounds) {
    return { text: { inputResponses: inputResponses ?? null, requestState: requestState ?? null } }
  }
  return {
    result: {
      resultType: 'input_required',
      ...(requests ? { inputRequests: requests } : {}),
      ...(state === undefined ? {} : { requestState: `${state}#${round + 1}` }),
    },
  }
}

function roundOf(requestState, state) {
  if (requestState === undefined) return 0
  const round = Number(requestState.slice(state.length + 1))
  return requestState === `${state}#${round}` ? round : undefined
}
