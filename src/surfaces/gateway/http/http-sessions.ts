import { randomBytes } from 'node:crypto'
import type { JsonObject } from '../../../index.ts'
import type { Caller } from '../../../internal.ts'
import { RpcError } from '../../../serving.ts'
import type { Gateway } from '../gateway.ts'
import type { HttpReply } from './http-reply.ts'
import { createStayingClient } from '../legacy-client.ts'
import type { StayingClient } from '../legacy-client.ts'
import type { GatewayAddress, GatewayClient } from '../served-request.ts'

const maxSessions = 1000
/** Of one caller: another one of its own sessions ends when it opens more, and none of other callers. */
const maxOfCaller = 100
const usualIdleMs = 30 * 60_000
/** How often idle sessions are looked for. */
const lookEveryMs = 60_000

/** Whose session it is: of one caller at one address. */
export interface SessionPlace {
  readonly address: GatewayAddress
  readonly caller: Caller
}

/** A legacy client over HTTP that stays. What belongs to none of its requests goes to the stream that it opened for that. */
export interface HttpSession extends StayingClient {
  readonly id: string
  readonly address: GatewayAddress
  readonly caller: Caller
  stream?: HttpReply | undefined
  usedAt: number
  lists?: Disposable
}

/**
 * Sessions of legacy clients, in this process only. One that is not used ends after half an hour, and with it what it watches.
 * When there are too many, the least used one ends in which no request runs.
 */
export class HttpSessions {
  readonly #gateway: Gateway
  readonly #idleMs: number
  /** The least used one first. */
  readonly #sessions = new Map<string, HttpSession>()
  readonly #timer: NodeJS.Timeout

  constructor(gateway: Gateway, { idleMs = usualIdleMs }: { readonly idleMs?: number } = {}) {
    this.#gateway = gateway
    this.#idleMs = idleMs
    this.#timer = setInterval(() => this.#endIdle(), Math.min(lookEveryMs, idleMs))
    this.#timer.unref()
  }

  async open({ address, caller }: SessionPlace, params: JsonObject): Promise<HttpSession> {
    this.#makeRoom(caller)
    const staying = createStayingClient(params)
    const id = randomBytes(24).toString('base64url')
    const session: HttpSession = { ...staying, id, address, caller, usedAt: performance.now() }
    session.lists = await this.#gateway.lists.watch(address, (list) =>
      session.stream?.send(JSON.stringify({ jsonrpc: '2.0', method: `notifications/${list}/list_changed` })),
    )
    this.#sessions.set(id, session)
    return session
  }

  /** Throws what a client is told whose session is missing or has ended: it begins another one. */
  find(id: string | undefined, place: SessionPlace): HttpSession {
    if (id === undefined)
      throw new RpcError(-32000, 'Mcp-Session-Id is missing: begin with initialize.', undefined, 400)
    const session = this.#sessions.get(id)
    // T31: the session of another caller looks like one that does not exist.
    if (!session || !isAt(session, place))
      throw new RpcError(-32001, 'There is no such session: begin with initialize.', undefined, 404)
    this.touch(session)
    return session
  }

  /** It is used now, or was until now. */
  touch(session: HttpSession): void {
    const { id } = session
    session.usedAt = performance.now()
    if (this.#sessions.delete(id)) this.#sessions.set(id, session)
  }

  get size(): number {
    return this.#sessions.size
  }

  dropCallers(isGone: (caller: Caller) => boolean): void {
    for (const session of this.#sessions.values()) if (isGone(session.caller)) this.end(session)
  }

  ofClient(client: GatewayClient): HttpSession | undefined {
    return [...this.#sessions.values()].find((session) => session.client === client)
  }

  end(session: HttpSession): void {
    this.#sessions.delete(session.id)
    session.lists?.[Symbol.dispose]()
    session.stream?.endStream()
    session.close()
  }

  close(): void {
    clearInterval(this.#timer)
    for (const session of this.#sessions.values()) this.end(session)
  }

  #endIdle(): void {
    for (const session of this.#sessions.values()) {
      if (performance.now() - session.usedAt <= this.#idleMs) break
      if (session.inFlight.size === 0 && !session.stream) this.end(session)
    }
  }

  #makeRoom(caller: Caller): void {
    this.#endIdle()
    const own = [...this.#sessions.values()].filter((session) => session.caller.id === caller.id)
    if (own.length >= maxOfCaller) this.#endUnused(own)
    else if (this.#sessions.size >= maxSessions) this.#endUnused([...this.#sessions.values()])
  }

  /** @param sessions The least used one first. */
  #endUnused(sessions: readonly HttpSession[]): void {
    const unused = sessions.find(({ inFlight }) => inFlight.size === 0)
    if (!unused) throw new RpcError(-32000, 'Too many sessions are in use: end one first.', undefined, 503)
    this.end(unused)
  }
}

function isAt(session: SessionPlace, { address, caller }: SessionPlace): boolean {
  const isSameView = session.address.view === address.view && session.address.mode === address.mode
  return isSameView && session.caller.id === caller.id
}
