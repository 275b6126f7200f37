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
  return port.send(
    notification('notifications/subscriptions/acknowledged', { notifications: filter }, message.id),
  )
}

/**
 * `"tools"`, `"prompts"` or `"resources"`: notifies every matching subscription; without any, sends a plain
 * notification.
 */
export async function listChanged(what = 'tools', { server, port }) {
  const method = `notifications/${what}/list_changed`
  const isPlain = server.script.era === 'legacy' || server.listens.size === 0
  if (isPlain) await port.send(JSON.stringify({ jsonrpc: '2.0', method }))
  for (const [id, listening] of server.listens) {
    if (listening.filter[`${what}ListChanged`]) await listening.port.send(notification(method, {}, id))
  }
}

/**
 * Ends every subscription: `"result"` with a result, `"cancelled"` by a notification, `"drop"` by closing the stream.
 */
export async function endListen(how = 'result', { server }) {
  for (const [id, { port }] of server.listens) {
    server.listens.delete(id)
    if (how === 'drop') port.drop?.()
    else if (how === 'cancelled')
      await port.send(notification('notifications/cancelled', { requestId: id }, id))
    else await port.answer(endResult(id), { status: 200, message: { id } })
  }
}

function endResult(id) {
  const result = { resultType: 'complete', _meta: { [subscriptionKey]: id } }
  return JSON.stringify({ jsonrpc: '2.0', id, result })
}

function notification(method, params, id) {
  return JSON.stringify({ jsonrpc: '2.0', method, params: { ...params, _meta: { [subscriptionKey]: id } } })
}

/**
 * Requires input before it answers: `{ requests, state, rounds }`. Without `state` it sends no requestState. The answer
 * contains the input and the state that came back; an unknown state is refused.
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
