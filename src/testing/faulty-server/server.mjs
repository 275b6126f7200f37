import { actions } from './actions.mjs'
import { createPicker, toActions } from './script.mjs'

/**
 * The server behind every transport. A transport passes it each message with a port: `send(text)` sends a message
 * beside the answer, `answer(text)` the answer, `write(bytes)` raw bytes.
 */
export function createServer(script, journal) {
  const pick = createPicker(script.start)
  const arrivals = []
  const waiters = new Set()
  const streamWaiters = []
  const server = {
    script,
    journal,
    /** Open `subscriptions/listen` requests: id → { filter, port }. */
    listens: new Map(),
    /** Our requests to the client: id → callback for the response. */
    pendingRequests: new Map(),
    lists: 0,
    /** HTTP: session id → request count; open streams of GET; resumable streams by number. */
    sessions: new Map(),
    streams: new Set(),
    resumable: new Map(),

    receive(message, port, facts = {}) {
      if (Array.isArray(message)) return message.forEach((each) => server.receive(each, port, facts))
      if (port.kind === 'stdio') journal.add({ message })
      const isResponse = typeof message?.method !== 'string'
      const [method, name] = isResponse ? ['response'] : [message.method, nameOf(message)]
      const seq = recordArrival([method, ...(name === undefined ? [] : [`${method}:${name}`])])
      if (isResponse) return server.pendingRequests.get(message?.id)?.(message)
      const call = { server, message, port, facts, seq, isRequest: message.id !== undefined, responses: [] }
      if (method === 'notifications/cancelled') server.listens.delete(message.params?.requestId)
      const step =
        script.on[`${method}:${name}`] ??
        script.on[method] ??
        (call.isRequest ? (script.on['*'] ?? 'answer') : [])
      if (call.isRequest && script.before) return run(script.before, call).then(() => run(step, call))
      return run(step, call)
    },

    /**
     * An event: `start`, `eof`, `sigterm`, `abort`, or an HTTP request, which also has a general name. Returns
     * `undefined` if the script has no step for it.
     */
    event(name, port, facts = {}, general = name) {
      if (general === name) journal.add({ event: name, ...facts })
      const seq = recordArrival([name, general])
      const step = script.on[name] ?? script.on[general]
      if (step === undefined) return undefined
      const call = { server, message: facts.message ?? {}, port, facts, seq, responses: [] }
      call.isRequest = call.message.id !== undefined
      return run(step, call).then(() => call)
    },

    /** Returns an open stream of a GET, or a promise of the next one. */
    openStream() {
      const [stream] = server.streams
      return stream ?? new Promise((resolve) => void streamWaiters.push(resolve))
    },
    onStreamOpen() {
      for (const resolve of streamWaiters.splice(0)) resolve([...server.streams][0])
    },

    run,

    /** Settles when a message or event of this name arrives after `seq`. */
    until(key, seq) {
      const isDue = (arrival) => arrival.seq > seq && (key === 'any' || arrival.keys.includes(key))
      if (arrivals.some(isDue)) return undefined
      return new Promise((resolve) => {
        const waiter = (arrival) => {
          if (!isDue(arrival)) return
          waiters.delete(waiter)
          resolve()
        }
        waiters.add(waiter)
      })
    },
  }
  return server

  function recordArrival(keys) {
    const arrival = { seq: arrivals.length + 1, keys }
    arrivals.push(arrival)
    for (const waiter of Array.from(waiters)) waiter(arrival)
    return arrival.seq
  }

  async function run(step, call) {
    try {
      for (const [name, argument] of toActions(pick(step))) {
        const action = actions[name]
        if (!action) throw new Error(`unknown action "${name}"`)
        const pending = action(argument, call)
        if (pending) await pending
      }
    } catch (error) {
      process.stderr.write(`faulty-server: ${error.stack}\n`)
      process.exit(70)
    }
  }
}

function nameOf({ params }) {
  return params?.name ?? params?.uri ?? params?.taskId
}
