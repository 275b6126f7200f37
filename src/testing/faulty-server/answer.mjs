import { goodAnswer, isModern, toText } from './protocol.mjs'

const hole = '@@HOLE@@'

/** Renders the answer to a request as text, with the faults of the options. */
export function renderAnswer(call, options = {}) {
  const { message } = call
  const { isEnvelope, ...content } = contentOf(call, options)
  const id = Object.hasOwn(options, 'id') ? options.id : message.id
  const shaped = shape({ jsonrpc: '2.0', id, ...content }, options)
  const filled = fill(JSON.stringify(shaped), options)
  return {
    text: options.bytes ? pad(filled, options.bytes) : filled,
    status: isEnvelope ? 400 : statusOf(content, message),
  }
}

function contentOf(call, options) {
  if (options.error) return { error: options.error }
  const good = options.result === undefined ? goodAnswer(call) : { result: completed(options.result, call) }
  if (options.text !== undefined) return { result: completed(toText(options.text), call) }
  if (options.bytes) return { result: { ...good.result, ...toText(hole) } }
  if (options.depth || options.proto) return { result: { ...good.result, structuredContent: hole } }
  return options.merge && good.result ? { result: patch(good.result, options.merge) } : good
}

function completed(result, { message }) {
  return isModern(message) && typeof result === 'object' ? { resultType: 'complete', ...result } : result
}

/** Merges changes into a value; `null` removes a member. */
function patch(value, changes) {
  const kept = Object.entries({ ...value, ...changes }).filter(([, member]) => member !== null)
  return Object.fromEntries(kept)
}

function shape(answer, { as, idLast }) {
  const { jsonrpc, id, ...content } = answer
  switch (as) {
    case undefined:
      return idLast ? { ...content, jsonrpc, id } : answer
    case 'wrong-id':
      return { ...answer, id: 987654321 }
    case 'string-id':
      return { ...answer, id: String(id) }
    case 'null-id':
      return { ...answer, id: null }
    case 'no-id':
      return { jsonrpc, ...content }
    case 'no-jsonrpc':
      return { id, ...content }
    case 'result-and-error':
      return { ...answer, result: {}, error: { code: -32000, message: 'both' } }
    case 'neither':
      return { jsonrpc, id }
    case 'batch':
      return [answer]
    default:
      throw new Error(`unknown shape "${as}"`)
  }
}

function fill(text, { depth, proto }) {
  if (depth) return text.replace(`"${hole}"`, '['.repeat(depth) + ']'.repeat(depth))
  if (proto) {
    const dangerous = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"kept":1}'
    return text.replace(`"${hole}"`, dangerous)
  }
  return text
}

function pad(text, bytes) {
  return text.replace(hole, 'x'.repeat(Math.max(0, bytes - Buffer.byteLength(text) + hole.length)))
}

function statusOf({ error }, message) {
  return error?.code === -32601 && isModern(message) ? 404 : 200
}
