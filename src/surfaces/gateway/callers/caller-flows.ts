import { isObject } from '../../../internal.ts'
import type { ServedRequest } from '../served-request.ts'

/** In `_meta` of a request: the conversation of its client that it belongs to. */
const conversationKey = 'plugboard/conversation'

/** A longer name is no name of a conversation. */
const maxNameLength = 200
/** The callers of a day; the ones that called longest ago are forgotten, and begin again. */
const maxCallers = 10_000
const defaultMinutes = 30

/** Since when a caller without a session and without named conversations has called without a long pause. */
interface CallerFlow {
  readonly number: number
  lastAt: number
}

/**
 * Which calls belong to one flow of information: those of a conversation that their client names, else of a session or pipe,
 * else of a caller until it has not called for a while.
 */
export class CallerFlows {
  readonly #now: () => number
  readonly #callers = new Map<string, CallerFlow>()
  readonly #sessions = new WeakMap<object, number>()
  #count = 0
  #idleMs = defaultMinutes * 60_000

  constructor(now: () => number) {
    this.#now = now
  }

  /** The settings were read. */
  applyMinutes(minutes = defaultMinutes): void {
    this.#idleMs = minutes * 60_000
  }

  of({ caller, client, params }: ServedRequest): string {
    const { identity } = client
    const isBound = caller !== undefined && caller.kind !== 'owner'
    const session = typeof identity === 'object' && identity !== null ? this.#sessionOf(identity) : undefined
    const name = isBound ? `caller ${caller.id}` : (session ?? `client ${String(identity)}`)
    const meta = params['_meta']
    const conversation = isObject(meta) ? meta[conversationKey] : undefined
    if (typeof conversation === 'string' && conversation.length <= maxNameLength)
      return `${name} conversation ${conversation}`
    return session ?? `${name} ${this.#numberOf(name)}`
  }

  #sessionOf(identity: object): string {
    const number = this.#sessions.get(identity) ?? ++this.#count
    this.#sessions.set(identity, number)
    return `session ${number}`
  }

  #numberOf(name: string): number {
    const now = this.#now()
    const known = this.#callers.get(name)
    const isOver = known === undefined || now - known.lastAt > this.#idleMs
    const flow = isOver ? { number: ++this.#count, lastAt: now } : known
    flow.lastAt = now
    // The last one called last.
    this.#callers.delete(name)
    this.#callers.set(name, flow)
    const [oldest] = this.#callers.keys()
    if (this.#callers.size > maxCallers && oldest !== undefined) this.#callers.delete(oldest)
    return flow.number
  }
}
