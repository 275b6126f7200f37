import type { ClientCall, ClientFacts, GatewayFacts } from '../../api/client-routes.ts'
import { describeClientCall, describeClients, describeGateway } from '../../facts/desk/client-facts.ts'
import type { DeskStatus, FollowedDesks } from '../../facts/desk/desk-facts.ts'
import { shortenHome } from '../../facts/place-facts.ts'
import type { ServeContext } from '../serve-context.ts'

/** The gateways of this user and their clients, followed while a page reads the events. */
export class GatewayClients implements Disposable {
  readonly #context: ServeContext
  readonly #readers: Disposable
  #watch: Promise<FollowedDesks> | undefined
  #clients: readonly ClientFacts[] = []
  /** What was published last. */
  #published = nothing

  constructor(context: ServeContext) {
    this.#context = context
    this.#readers = context.feed.onReaders((hasReaders) => {
      if (hasReaders) void this.#watching()
      else void this.#stop()
    })
    if (context.feed.hasReaders) void this.#watching()
  }

  /** What runs now. */
  read(): Promise<{
    readonly gateways: readonly GatewayFacts[]
    readonly clients: readonly ClientFacts[]
    readonly calls: readonly ClientCall[]
  }> {
    return this.#ask((watch) => ({
      gateways: watch.gateways.map(describeGateway),
      clients: this.#clientsOf(watch),
      calls: watch.calls.map(describeClientCall).toReversed(),
    }))
  }

  /** What is known without asking: a snapshot does not wait for other processes. */
  get known(): readonly ClientFacts[] {
    return this.#clients
  }

  find(gateway: string): Promise<DeskStatus | undefined> {
    return this.#ask(({ gateways }) => gateways.find(({ pid }) => String(pid) === gateway))
  }

  [Symbol.dispose](): void {
    this.#readers[Symbol.dispose]()
    void this.#stop()
  }

  /** Nothing is followed for a program that only asks once. */
  async #ask<T>(read: (watch: FollowedDesks) => T): Promise<T> {
    // Its end empties the watch.
    const answer = read(await this.#watching())
    if (!this.#context.feed.hasReaders) await this.#stop()
    return answer
  }

  #watching(): Promise<FollowedDesks> {
    return (this.#watch ??= this.#begin())
  }

  async #begin(): Promise<FollowedDesks> {
    const { DeskWatch } = await import('../../gateway/desk/watch-desks.ts')
    const { feed, home, discover } = this.#context
    const watch = new DeskWatch({
      account: { home, env: discover.platform?.env },
      onStatus: () => this.#publish(watch),
      onCall: (call) => feed.publish({ type: 'client.called', call: describeClientCall(call) }),
    })
    await watch.begin()
    this.#publish(watch)
    return watch
  }

  async #stop(): Promise<void> {
    const watch = this.#watch
    this.#watch = undefined
    this.#clients = []
    this.#published = nothing
    ;(await watch?.catch(() => undefined))?.[Symbol.dispose]()
  }

  #publish(watch: FollowedDesks): void {
    const clients = this.#clientsOf(watch)
    const gateways = watch.gateways.map(describeGateway)
    this.#clients = clients
    const text = JSON.stringify([gateways, clients])
    if (text === this.#published) return
    this.#published = text
    this.#context.feed.publish({ type: 'clients.changed', gateways, clients })
  }

  #clientsOf({ gateways, calls }: FollowedDesks): readonly ClientFacts[] {
    const shorten = shortenHome(this.#context.home)
    return gateways.flatMap((gateway) => describeClients(gateway, calls, shorten))
  }
}

/** No gateway and no client: what a page takes for granted until it is told otherwise. */
const nothing = JSON.stringify([[], []])

const known = new WeakMap<ServeContext, GatewayClients>()

/** Those of a `serve`, made at the first use. */
export function gatewayClientsOf(context: ServeContext): GatewayClients {
  const found = known.get(context) ?? new GatewayClients(context)
  known.set(context, found)
  return found
}
