import { actions } from './actions.mjs'
import { createPicker, toActions } from './script.mjs'

/**
 * The server behind every transport. A transport gives it what arrived with a port to answer on:
 * `send(text)` for a message beside the answer, `answer(text)` for the answer, `write(bytes)` for raw bytes.
 */
export function createServer(script, journal) {
  const pick = createPicker(script.start)
  const arrivals = []
  const waiting = new Set()
  const streamWaiters = []
  const server = {
    script,
    journal,
    /** Open `subscriptions/listen` requests: id → { filter, port }. */
    listens: new Map(),
    /** Our requests to the client: id → what to do with its response. */
    asked: new Map(),
    lists: 0,
    /** HTTP: session id → requests; streams of GET that are open; streams that can go on by their number. */
    sessions: new Map(),
    streams: new Set(),
    kept: new Map(),

    receive(message, port, facts = {}) {
      if (Array.isArray(message)) return message.forEach((each) => server.receive(each, port, facts))
      if (port.kind === 'stdio') journal.add({ message })
      const isResponse = typeof message?.method !== 'string'
      const [method, name] = isResponse ? ['response'] : [message.method, nameOf(message)]
      const seq = arrive([method, ...(name === undefined ? [] : [`${method}:${name}`])])
      if (isResponse) return server.asked.get(message?.id)?.(message)
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
     * Something that is no message: `start`, `eof`, `sigterm`, `abort`, or an HTTP request, which has a general name too.
     * Nothing if no step is set for it.
     */
    event(name, port, facts = {}, general = name) {
      if (general === name) journal.add({ event: name, ...facts })
      const seq = arrive([name, general])
      const step = script.on[name] ?? script.on[general]
      if (step === undefined) return undefined
      const call = { server, message: facts.message ?? {}, port, facts, seq, responses: [] }
      call.isRequest = call.message.id !== undefined
      return run(step, call).then(() => call)
    },

    /** An open stream of a GET, now or as soon as there is one. */
    openStream() {
      const [stream] = server.streams
      return stream ?? new Promise((resolve) => void streamWaiters.push(resolve))
    },
    hasStream() {
      for (const resolve of streamWaiters.splice(0)) resolve([...server.streams][0])
    },

    run,

    /** Settles when something of this name has arrived after the given moment. */
    until(key, seq) {
      const isDue = (arrival) => arrival.seq > seq && (key === 'any' || arrival.keys.includes(key))
      if (arrivals.some(isDue)) return undefined
      return new Promise((resolve) => {
        const waiter = (arrival) => {
          if (!isDue(arrival)) return
          waiting.delete(waiter)
          resolve()
        }
        waiting.add(waiter)
      })
    },
  }
  return server

  function arrive(keys) {
    const arrival = { seq: arrivals.length + 1, keys }
    arrivals.push(arrival)
    for (const waiter of Array.from(waiting)) waiter(arrival)
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
