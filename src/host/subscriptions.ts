import type { Connection } from '../connections/connection.ts'
import type { CallOptions } from '../calls/view/view.ts'
import { isHostError } from '../model/error.ts'
import type { UntimedEvent } from '../model/event.ts'
import { isObject } from '../model/json.ts'
import type { Status } from '../model/status.ts'
import type { Subscribe } from '../calls/view/view-context.ts'
import { subscriptionAcknowledged } from '../wire/eras/subscription.ts'
import type { Greeting } from '../wire/eras/greeting.ts'
import type { HostContext } from './host-context.ts'
import { ResourceStream, unlessAborted, untold } from './resource-stream.ts'
import { ResourceTopic } from './resource-topic.ts'

interface SubscriptionsOptions {
  readonly statusOf: (server: string) => Status | undefined
  readonly connectionOf: (server: string) => Connection | Promise<Connection>
}

/** What is followed of one server. */
interface Followed {
  readonly topics: Map<string, ResourceTopic>
  /** In the new era: what tells of them, and what will once it holds. */
  stream: ResourceStream | undefined
  next: ResourceStream | undefined
  opening: Promise<void> | undefined
}

/** Resources that somebody follows: asked for once, whoever follows them, and again after every reconnect. */
export class HostSubscriptions {
  readonly #context: HostContext
  readonly #options: SubscriptionsOptions
  readonly #servers = new Map<string, Followed>()

  constructor(context: HostContext, options: SubscriptionsOptions) {
    this.#context = context
    this.#options = options
    context.events.watch((happened) => this.#servers.size > 0 && this.#happened(happened))
  }

  readonly subscribe: Subscribe = async (wanted, listener, options) => {
    const { server, uri } = wanted
    const followed = this.#followedOf(server)
    const topic = followed.topics.get(uri) ?? new ResourceTopic(uri, this.#context.platform.clock)
    followed.topics.set(uri, topic)
    const remove = topic.add(listener)
    const leave = () => {
      remove()
      if (topic.isEmpty && followed.topics.get(uri) === topic) this.#forget(server, followed, topic)
    }
    const asked = topic.agreed
    try {
      await unlessAborted((topic.agreed ??= this.#agree(server, topic, options)), server, options.signal)
    } catch (error) {
      if (asked === undefined) topic.agreed = undefined
      leave()
      // Who asked first has given it up; that is no reason for anybody else to do so.
      if (asked && isCancelled(error) && !options.signal?.aborted)
        return this.subscribe(wanted, listener, options)
      throw error
    }
    return { [Symbol.dispose]: leave }
  }

  /** Whoever is declared anew is needed at once: somebody listens. */
  rebind(): void {
    for (const server of this.#servers.keys()) this.#reopen(server)
  }

  close(): void {
    for (const { topics, stream, next } of this.#servers.values()) {
      stream?.close()
      next?.close()
      for (const topic of topics.values()) topic.close()
    }
    this.#servers.clear()
  }

  #followedOf(server: string): Followed {
    const known = this.#servers.get(server)
    if (known) return known
    const followed = { topics: new Map(), stream: undefined, next: undefined, opening: undefined }
    this.#servers.set(server, followed)
    this.#context.followed.add(server)
    return followed
  }

  async #agree(server: string, topic: ResourceTopic, options: CallOptions): Promise<void> {
    const connection = await this.#options.connectionOf(server)
    const greeting = await connection.connect(options)
    const { uri } = topic
    if (!canTell(greeting)) throw untold(server, uri)
    if (greeting.era === 'modern') await this.#listen(server, uri, options)
    else await connection.request('resources/subscribe', { uri }, options)
    topic.isAgreed = true
  }

  /** One after the other: whoever asks meanwhile finds a stream that tells of it already. */
  #listen(server: string, wanted?: string, options: CallOptions = {}): Promise<void> {
    const followed = this.#followedOf(server)
    const opening = (followed.opening ?? Promise.resolve())
      .catch(() => undefined)
      .then(() => this.#open(server, followed, { wanted, options }))
    followed.opening = opening
    return opening
  }

  /** The stream before ends when the new one holds: nothing is missed between them. */
  async #open(
    server: string,
    followed: Followed,
    { wanted, options }: { readonly wanted: string | undefined; readonly options: CallOptions },
  ): Promise<void> {
    if (wanted !== undefined && followed.stream?.covers(wanted)) return
    const uris = [...followed.topics.keys()]
    const { clock } = this.#context.platform
    followed.next = new ResourceStream({ ...this.#options, server, uris, wanted, clock }, options)
    try {
      await followed.next.holds
      followed.stream?.close()
      followed.stream = followed.next
    } finally {
      followed.next = undefined
    }
  }

  #forget(server: string, followed: Followed, topic: ResourceTopic): void {
    followed.topics.delete(topic.uri)
    topic.close()
    const isLast = followed.topics.size === 0
    if (isLast) {
      this.#servers.delete(server)
      this.#context.followed.delete(server)
      followed.stream?.close()
    }
    if (!topic.isAgreed || this.#options.statusOf(server)?.state !== 'ready') return
    if (!followed.stream) void this.#unsubscribe(server, topic.uri)
    else if (!isLast) this.#listen(server).catch(() => undefined)
  }

  async #unsubscribe(server: string, uri: string): Promise<void> {
    try {
      await (await this.#options.connectionOf(server)).request('resources/unsubscribe', { uri })
    } catch {
      // What it still tells, nobody hears.
    }
  }

  #happened(happened: UntimedEvent): void {
    if (happened.type === 'server.notified') this.#notified(happened)
    if (happened.type !== 'server.changed') return
    const { server, status } = happened
    if (status.state !== 'ready') this.#lost(server)
    if (!this.#isFollowed(server)) return
    if (status.state === 'ready') this.#renew(server).catch(() => undefined)
    if (status.state === 'waiting') this.#reopen(server)
  }

  #notified({ server, method, params }: UntimedEvent & { readonly type: 'server.notified' }): void {
    const followed = this.#servers.get(server)
    if (!followed) return
    const { uri, notifications } = isObject(params) ? params : {}
    if (method === subscriptionAcknowledged) {
      const honored = isObject(notifications) ? notifications['resourceSubscriptions'] : undefined
      // One that tells of lists alone is another stream's.
      const isOurs = honored !== undefined || !isObject(notifications)
      if (isOurs && followed.next?.acknowledged(honored) !== true) this.#tellAll(server, followed)
    }
    if (method !== 'notifications/resources/updated' || typeof uri !== 'string') return
    for (const topic of followed.topics.values())
      if (uri.startsWith(topic.uri)) topic.tell({ server, uri, cause: 'updated' })
  }

  /** What told of updates went with the connection. */
  #lost(server: string): void {
    const followed = this.#servers.get(server)
    followed?.stream?.close()
    if (followed) followed.stream = undefined
  }

  async #renew(server: string): Promise<void> {
    const followed = this.#followedOf(server)
    const connection = await this.#options.connectionOf(server)
    const { era } = await connection.connect()
    const agreed = [...followed.topics.values()].filter(({ isAgreed }) => isAgreed)
    const ask = ({ uri }: ResourceTopic) =>
      connection.request('resources/subscribe', { uri }).catch(() => undefined)
    if (era === 'modern') await this.#listen(server)
    else await Promise.all(agreed.map(ask))
    this.#tellAll(server, followed)
  }

  /** What changed while nobody listened was not told. */
  #tellAll(server: string, { topics }: Followed): void {
    for (const topic of topics.values())
      if (topic.isAgreed) topic.tell({ server, uri: topic.uri, cause: 'resubscribed' })
  }

  #reopen(server: string): void {
    const { connectionOf } = this.#options
    if (this.#isFollowed(server))
      Promise.resolve(connectionOf(server))
        .then((connection) => connection.connect())
        .catch(() => undefined)
  }

  #isFollowed(server: string): boolean {
    return [...(this.#servers.get(server)?.topics.values() ?? [])].some(({ isAgreed }) => isAgreed)
  }
}

function isCancelled(error: unknown): boolean {
  return isHostError(error, 'call.cancelled')
}

function canTell({ capabilities, isAssumed }: Greeting): boolean {
  const { resources } = capabilities
  return isAssumed === true || (isObject(resources) && resources['subscribe'] === true)
}
