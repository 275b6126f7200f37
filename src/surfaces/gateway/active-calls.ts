import { isHostError } from '../../index.ts'
import type { JsonObject } from '../../index.ts'
import { RpcError, missingCapability, rpcCodes } from '../../serving.ts'
import { asksPerson, elicit } from './gateway-person.ts'
import type { GatewayPerson } from './gateway-person.ts'
import type { GatewayClient, ServedRequest } from './served-request.ts'
import { SlotSet } from './slot-set.ts'

/** How long a server may go on with a request that was given up, and that it has not answered. */
const givenUpMs = 60_000

/** From the least severe on, as the protocol orders them. */
const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']

/** What servers may ask of a client, and the capability that the client has to declare for it. */
const capabilityOf: Readonly<Record<string, string>> = {
  [elicit]: 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
}

/** A server, or one connection to it that is not shared. */
interface ServerPlace {
  readonly server: string
  readonly own?: string | undefined
}

function nameOf({ server, own }: ServerPlace): string {
  return own === undefined ? server : `${server}\n${own}`
}

/** A request that a server works on. */
interface ActiveCall {
  readonly request: ServedRequest
  /** In the order of their beginning. */
  readonly number: number
  slot: number
}

/**
 * The requests of clients that servers work on. A legacy server does not say which of them a question or a log message
 * belongs to: it is passed on only while all of them are of one client, so that no client sees what is meant for another.
 */
export class ActiveCalls {
  readonly #byPlace = new Map<string, SlotSet<ActiveCall>>()
  /** By server: until when it may go on with a request that a caller gave up, by the caller. */
  readonly #givenUp = new Map<string, Map<string | undefined, number>>()
  /** Requests that ended without an answer of the server. */
  readonly #unanswered = new WeakSet<ServedRequest>()
  /** Requests that wait for an approval, or did not get it: their servers know nothing of them. */
  readonly #unsent = new WeakSet<ServedRequest>()
  #count = 0
  readonly #only: () => ServedRequest | undefined
  readonly #person: GatewayPerson | undefined
  /** What servers needed of the client of a request and did not get. */
  readonly #lacking = new WeakMap<ServedRequest, RpcError>()
  /** Withdraws what servers asked in the course of a request when the request ends. */
  readonly #asking = new WeakMap<ServedRequest, AbortController>()

  /**
   * @param only Of a gateway with one client: a way to it, also between its requests.
   * @param person Answers what no client can.
   */
  constructor(only: () => ServedRequest | undefined, person?: GatewayPerson) {
    this.#only = only
    this.#person = person
  }

  /** Runs a request at a server, and counts it as active until it ends. */
  async during<T>(place: ServerPlace, request: ServedRequest, run: () => Promise<T>): Promise<T> {
    const calls = this.#callsAt(place)
    const call: ActiveCall = { request, number: ++this.#count, slot: -1 }
    calls.add(call)
    request.number = call.number
    try {
      return await run()
    } catch (error) {
      this.noteFailure(request, error)
      throw error
    } finally {
      calls.delete(call)
      this.#asking.get(request)?.abort()
      this.#asking.delete(request)
      // Connections of their own come and go, and no other caller uses them.
      if (place.own === undefined) this.#noteGivenUp(place.server, request)
      else if (calls.size === 0) this.#byPlace.delete(nameOf(place))
    }
  }

  /** Waits for the approval of a request that is counted as active. It counts from then on only. */
  async approved<T>(request: ServedRequest, approve: () => Promise<T>): Promise<T> {
    this.#unsent.add(request)
    const grant = await approve()
    this.#unsent.delete(request)
    return grant
  }

  /** Why a request failed: after some failures the server may still work on it. */
  noteFailure(request: ServedRequest, error: unknown): void {
    if (isHostError(error, 'call.timeout')) this.#unanswered.add(request)
  }

  /** The connection that callers share has ended, and with it all that the server did for them. */
  disconnected(server: string): void {
    this.#givenUp.delete(server)
  }

  #noteGivenUp(server: string, request: ServedRequest): void {
    if (!request.signal.aborted && !this.#unanswered.has(request)) return
    if (this.#unsent.has(request)) return
    const callers = this.#givenUp.get(server) ?? new Map<string | undefined, number>()
    callers.set(request.caller?.id, performance.now() + givenUpMs)
    this.#givenUp.set(server, callers)
  }

  /** Whether the server may still work on something that another caller gave up. */
  #isLeftByOther({ server, own }: ServerPlace, id: string | undefined): boolean {
    const callers = own === undefined ? this.#givenUp.get(server) : undefined
    if (!callers) return false
    const now = performance.now()
    for (const [caller, until] of callers) if (until < now) callers.delete(caller)
    return [...callers.keys()].some((caller) => caller !== id)
  }

  #callsAt(place: ServerPlace): SlotSet<ActiveCall> {
    const name = nameOf(place)
    const known = this.#byPlace.get(name)
    if (known) return known
    const created = new SlotSet<ActiveCall>()
    this.#byPlace.set(name, created)
    return created
  }

  /**
   * A log message of a server, for the client that it works for.
   *
   * @param number Of the request that it belongs to, if the server says so.
   */
  log(place: ServerPlace, params: JsonObject, number?: number): void {
    const { server } = place
    const request = number === undefined ? this.#requestOf(place) : this.#numbered(place, number)
    if (!request) return
    const { logLevel } = request.client
    if (logLevel === undefined || rank(params['level']) < rank(logLevel)) return
    request.notify('notifications/message', { ...params, logger: loggerOf(server, params) })
  }

  /** Passes a question of a legacy server on to the client that it works for. */
  async ask(
    { server, own, method, params }: ServerPlace & { readonly method: string; readonly params: JsonObject },
    signal: AbortSignal,
  ): Promise<JsonObject> {
    const request = this.#requestOf({ server, own })
    if (!request && this.#person?.answersFor(undefined) && method === elicit)
      return this.#person.elicit({ server, params }, { signal })
    if (!request)
      throw new RpcError(
        rpcCodes.internal,
        'It is not certain which call this belongs to: none, or several, use this server now. ' +
          'Ask again once the others have ended, or set "isolation" for this server at the gateway.',
      )
    const until = AbortSignal.any([signal, this.#untilEndOf(request)])
    try {
      return await askClient(request, { server, method, params }, until, this.#person)
    } catch (error) {
      if (error instanceof RpcError && error.code === rpcCodes.missingCapability)
        this.#lacking.set(request, error)
      throw error
    }
  }

  #untilEndOf(request: ServedRequest): AbortSignal {
    const known = this.#asking.get(request) ?? new AbortController()
    this.#asking.set(request, known)
    return known.signal
  }

  /** The error of a client that lacks what the server asked for in the course of this request. */
  lackingFor(request: ServedRequest): RpcError | undefined {
    return this.#lacking.get(request)
  }

  #numbered(place: ServerPlace, number: number): ServedRequest | undefined {
    const active = this.#byPlace.get(nameOf(place))?.values() ?? []
    return active.find((each) => each.number === number)?.request
  }

  /**
   * The request that a question or a log message belongs to, if that is certain. All that another caller has at the server
   * counts, also what waits for an answer or was given up: a server may go on with it. Of one caller, a call that waits for its
   * client does not count beside others: a client that never answers would keep all others from being asked.
   */
  #requestOf(place: ServerPlace): ServedRequest | undefined {
    const active = this.#byPlace.get(nameOf(place))?.values() ?? []
    const calls = active
      .filter(({ request }) => !this.#unsent.has(request))
      .sort((one, other) => one.number - other.number)
      .map(({ request }) => request)
    const running = calls.filter(({ isParked }) => !isParked?.())
    const candidates = running.length > 0 ? running : calls
    const last = candidates.at(-1)
    if (!last) return this.#only()
    const id = last.caller?.id
    if (calls.some(({ caller }) => caller?.id !== id) || this.#isLeftByOther(place, id)) return undefined
    return candidates.every((each) => each === last || isOneClient(each.client, last.client))
      ? last
      : undefined
  }
}

/** What modern clients over HTTP say about themselves does not count: two windows of one program say the same. */
function isOneClient(one: GatewayClient, other: GatewayClient): boolean {
  return one.identity === other.identity && typeof one.identity !== 'string'
}

/**
 * Asks the client of a request, and beside it the person at this machine: the first answer counts. Throws what the server is
 * told, if neither can be asked.
 */
export async function askClient(
  request: ServedRequest,
  asked: { readonly server: string; readonly method: string; readonly params: JsonObject },
  signal: AbortSignal,
  person?: GatewayPerson,
): Promise<JsonObject> {
  const { client } = request
  const capability = capabilityOf[asked.method]
  if (capability === undefined)
    throw new RpcError(rpcCodes.methodNotFound, `Method not found: ${asked.method}`)
  const both = AbortSignal.any([signal, request.signal])
  const isForPerson = person !== undefined && asked.method === elicit && person.answersFor(request)
  if (isForPerson && asksPerson(client)) return person.elicit(asked, { signal: both, request })
  if (client.era === 'legacy' && !client.ask)
    throw new RpcError(
      rpcCodes.internal,
      'The client cannot be asked: it has no session. A gateway that is started with --sessions gives it one.',
    )
  if (client.capabilities[capability] === undefined) throw missingCapability({ [capability]: {} })
  if (!client.ask)
    throw new RpcError(
      rpcCodes.internal,
      'The client cannot be asked in the middle of a call: its protocol has no such requests.',
    )
  const { ask } = client
  const send = async (until: AbortSignal) => {
    using _waits = request.trace?.waits({ of: 'client' })
    const { method, params } = asked
    const answer = await ask(method, namingServer(asked.server, method, params), {
      signal: until,
      during: request,
    })
    return answer as JsonObject // the server checks what it gets
  }
  // A modern client has the question as a result, and cannot be told that another answered it.
  if (!isForPerson || client.era === 'modern') return send(both)
  return person.elicit(asked, { signal: both, request, client: send })
}

/** A person who is asked has to see which server asks (T24): to the client, all questions come from the gateway. */
function namingServer(server: string, method: string, params: JsonObject): JsonObject {
  const { message } = params
  if (method !== elicit || typeof message !== 'string') return params
  return { ...params, message: `${server}: ${message}` }
}

function loggerOf(server: string, { logger }: JsonObject): string {
  return typeof logger === 'string' ? `${server}/${logger}` : server
}

/** Of a client that sets no level. */
export const defaultLevel = 'info'

/** The one of these from which on the most is sent. */
export function leastLevel(wanted: readonly string[]): string {
  return levels.find((level) => wanted.includes(level)) ?? defaultLevel
}

function rank(level: unknown): number {
  return levels.indexOf(String(level))
}

/** Whether the protocol has this level. */
export function isLevel(level: unknown): level is string {
  return rank(level) >= 0
}
