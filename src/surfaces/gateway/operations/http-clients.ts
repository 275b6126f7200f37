import type { Caller } from '../../../internal.ts'
import type { DeskClientStatus } from '../../facts/desk/desk-facts.ts'
import type { GatewayAddress, GatewayClient } from '../served-request.ts'

/** A client that sends requests over HTTP, as far as requests can be told apart: by its caller, and what it says about itself. */
export interface SeenClient {
  readonly id: string
  readonly caller: Caller
  /** Nothing else of a client is kept: its capabilities may be large. */
  readonly client: Pick<GatewayClient, 'era' | 'version' | 'info'>
  readonly since: number
  view: string | undefined
  seenAt: number
  requests: number
}

/** A client without an open request is forgotten this long after its last one: over HTTP no client says that it leaves. */
const forgetMs = 5 * 60_000
const maxClients = 1000

/** The clients of a gateway over HTTP. */
export class HttpClients {
  readonly #byCaller = new Map<string, Map<unknown, SeenClient>>()
  readonly #onChange: () => void
  readonly #now: () => number
  #count = 0
  #size = 0
  /** Whether programs watch, which are told of calls. */
  isWatched = false

  constructor(onChange: () => void, now: () => number = Date.now) {
    this.#onChange = onChange
    this.#now = now
  }

  /** A request begins. */
  enter(caller: Caller, client: GatewayClient, { view }: GatewayAddress): SeenClient {
    const ofCaller = this.#byCaller.get(caller.id) ?? this.#add(caller.id)
    const key = keyOf(client)
    const seen = ofCaller.get(key) ?? this.#meet(caller, client, ofCaller, key)
    seen.requests++
    seen.view = view
    if (this.isWatched) this.#onChange()
    return seen
  }

  /** The request is over. */
  leave(seen: SeenClient): void {
    seen.requests--
    seen.seenAt = this.#now()
    if (this.isWatched) this.#onChange()
  }

  /** Forgets the clients that have sent nothing for a while; true if there were some. */
  forgetIdle(): boolean {
    const before = this.#size
    const oldest = this.#now() - forgetMs
    for (const [id, clients] of this.#byCaller) {
      for (const [key, { requests, seenAt }] of clients)
        if (requests === 0 && seenAt < oldest && clients.delete(key)) this.#size--
      if (clients.size === 0) this.#byCaller.delete(id)
    }
    return this.#size < before
  }

  /** How a person knows a client: what it says about itself, and its caller. */
  nameOf(id: string): string | undefined {
    for (const clients of this.#byCaller.values())
      for (const { id: each, client, caller } of clients.values())
        if (each === id) {
          const { name = 'a client', version } = client.info ?? {}
          return `${name}${version === undefined ? '' : ` ${version}`} (${caller.name})`
        }
    return undefined
  }

  status(cwd: string): readonly DeskClientStatus[] {
    this.forgetIdle()
    const all = [...this.#byCaller.values()].flatMap((clients) => [...clients.values()])
    return all.map(({ id, caller, client, since, view, requests }) => ({
      id,
      caller: caller.name,
      ...client.info,
      era: client.era,
      protocol: client.version,
      cwd,
      ...(view !== undefined && { view }),
      since: new Date(since).toISOString(),
      requests,
    }))
  }

  #add(caller: string): Map<unknown, SeenClient> {
    const added = new Map<unknown, SeenClient>()
    this.#byCaller.set(caller, added)
    return added
  }

  #meet(caller: Caller, client: GatewayClient, into: Map<unknown, SeenClient>, key: unknown): SeenClient {
    if (this.#size >= maxClients) this.#forgetOne()
    const now = this.#now()
    const id = `${process.pid}-${++this.#count}`
    const { era, version, info } = client
    const shown = { era, version, ...(info && { info }) }
    const seen = { id, caller, client: shown, since: now, view: undefined, seenAt: now, requests: 0 }
    into.set(key, seen)
    this.#size++
    return seen
  }

  /** What callers say about themselves can be another thing each time: the list has an end. */
  #forgetOne(): void {
    for (const clients of this.#byCaller.values())
      for (const [key, { requests }] of clients)
        if (requests === 0) {
          clients.delete(key)
          this.#size--
          return
        }
  }
}

/** A legacy client without a session shows nothing of itself but its revision. */
function keyOf({ era, ask, identity, version }: GatewayClient): unknown {
  return era === 'legacy' && !ask ? version : identity
}
