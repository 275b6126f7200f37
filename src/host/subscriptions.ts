import type { Connection } from '../connections/connection.ts'
import type { CallOptions } from '../calls/view/view.ts'
import { isHostError } from '../model/error.ts'
import type { UntimedEvent } from '../model/event.ts'
import { isObject } from '../model/json.ts'
import { isSameLink } from '../model/status.ts'
import type { Status } from '../model/status.ts'
import type { Subscribe } from '../calls/view/view-context.ts'
import { subscriptionAcknowledged } from '../wire/eras/subscription.ts'
import type { Greeting } from '../wire/eras/greeting.ts'
import type { HostContext } from './host-context.ts'
import { ResourceStream, noUpdates, unlessAborted } from './resource-stream.ts'
import { ResourceTopic } from './resource-topic.ts'

interface SubscriptionsOptions {
  readonly statusOf: (server: string) => Status | undefined
  readonly connectionOf: (server: string) => Connection | Promise<Connection>
}

/** The subscriptions to one server. */
interface ServerSubscriptions {
  readonly topics: Map<string, ResourceTopic>
  /** Modern servers only: the open stream, and the one that replaces it once it is acknowledged. */
  stream: ResourceStream | undefined
  next: ResourceStream | undefined
  opening: Promise<void> | undefined
}

/** Subscriptions to resources: one per resource, shared by all listeners, and renewed after every reconnect. */
export class HostSubscriptions {
  readonly #context: HostContext
  readonly #options: SubscriptionsOptions
  readonly #servers = new Map<string, ServerSubscriptions>()

  constructor(context: HostContext, options: SubscriptionsOptions) {
    this.#context = context
    this.#options = options
    context.events.watch((event) => {
      if (this.#servers.size > 0 && event.type !== 'list.outdated') this.#onEvent(event)
    })
  }

  readonly subscribe: Subscribe = async (wanted, listener, options) => {
    const { server, uri } = wanted
    const subscriptions = this.#subscriptionsOf(server)
    const topic = subscriptions.topics.get(uri) ?? new ResourceTopic(uri, this.#context.platform.clock)
    subscriptions.topics.set(uri, topic)
    const remove = topic.add(listener)
    const leave = () => {
      remove()
      if (topic.isEmpty && subscriptions.topics.get(uri) === topic)
        this.#removeTopic(server, subscriptions, topic)
    }
    const pending = topic.accepted
    try {
      await unlessAborted((topic.accepted ??= this.#request(server, topic, options)), server, options.signal)
    } catch (error) {
      if (pending === undefined) topic.accepted = undefined
      leave()
      // The listener that sent the request cancelled it; this one still wants it and sends its own.
      if (pending && isCancelled(error) && !options.signal?.aborted)
        return this.subscribe(wanted, listener, options)
      throw error
    }
    return { [Symbol.dispose]: leave }
  }

  /** Connects again to servers with subscriptions after the configuration was reloaded. */
  rebind(): void {
    for (const server of this.#servers.keys()) this.#reconnect(server)
  }

  close(): void {
    for (const { topics, stream, next } of this.#servers.values()) {
      stream?.close()
      next?.close()
      for (const topic of topics.values()) topic.close()
    }
    this.#servers.clear()
  }

  #subscriptionsOf(server: string): ServerSubscriptions {
    const known = this.#servers.get(server)
    if (known) return known
    const subscriptions = { topics: new Map(), stream: undefined, next: undefined, opening: undefined }
    this.#servers.set(server, subscriptions)
    this.#context.subscribed.add(server)
    return subscriptions
  }

  /** Asks the server for updates of a resource, in the way of its era. */
  async #request(server: string, topic: ResourceTopic, options: CallOptions): Promise<void> {
    const connection = await this.#options.connectionOf(server)
    const greeting = await connection.connect(options)
    const { uri } = topic
    if (!canSubscribe(greeting)) throw noUpdates(server, uri)
    if (greeting.era === 'modern') await this.#listen(server, uri, options)
    else await connection.request('resources/subscribe', { uri }, options)
    topic.isAccepted = true
  }

  /** Opens streams one after the other: a later request often finds that the stream covers its URI already. */
  #listen(server: string, wanted?: string, options: CallOptions = {}): Promise<void> {
    const subscriptions = this.#subscriptionsOf(server)
    const opening = (subscriptions.opening ?? Promise.resolve())
      .catch(() => undefined)
      .then(() => this.#openStream(server, subscriptions, { wanted, options }))
    subscriptions.opening = opening
    return opening
  }

  /** Closes the old stream only when the new one is acknowledged, so that no update is missed. */
  async #openStream(
    server: string,
    subscriptions: ServerSubscriptions,
    { wanted, options }: { readonly wanted: string | undefined; readonly options: CallOptions },
  ): Promise<void> {
    if (wanted !== undefined && subscriptions.stream?.covers(wanted)) return
    const uris = [...subscriptions.topics.keys()]
    const { clock } = this.#context.platform
    subscriptions.next = new ResourceStream({ ...this.#options, server, uris, wanted, clock }, options)
    try {
      await subscriptions.next.opened
      subscriptions.stream?.close()
      subscriptions.stream = subscriptions.next
    } finally {
      subscriptions.next = undefined
    }
  }

  #removeTopic(server: string, subscriptions: ServerSubscriptions, topic: ResourceTopic): void {
    subscriptions.topics.delete(topic.uri)
    topic.close()
    const isLast = subscriptions.topics.size === 0
    if (isLast) {
      this.#servers.delete(server)
      this.#context.subscribed.delete(server)
      subscriptions.stream?.close()
    }
    if (!topic.isAccepted || this.#options.statusOf(server)?.state !== 'ready') return
    if (!subscriptions.stream) void this.#unsubscribe(server, topic.uri)
    else if (!isLast) this.#listen(server).catch(() => undefined)
  }

  async #unsubscribe(server: string, uri: string): Promise<void> {
    try {
      await (await this.#options.connectionOf(server)).request('resources/unsubscribe', { uri })
    } catch {
      // Further updates are ignored, because the topic is gone.
    }
  }

  #onEvent(event: UntimedEvent): void {
    if (event.type === 'server.notified') this.#onNotification(event)
    if (event.type !== 'server.changed') return
    const { server, status } = event
    if (isSameLink(status)) return
    if (status.state !== 'ready') this.#closeStream(server)
    if (!this.#hasAccepted(server)) return
    if (status.state === 'ready') this.#renew(server).catch(() => undefined)
    if (status.state === 'waiting') this.#reconnect(server)
  }

  #onNotification({ server, method, params }: UntimedEvent & { readonly type: 'server.notified' }): void {
    const subscriptions = this.#servers.get(server)
    if (!subscriptions) return
    const { uri, notifications } = isObject(params) ? params : {}
    if (method === subscriptionAcknowledged) {
      const honored = isObject(notifications) ? notifications['resourceSubscriptions'] : undefined
      // An acknowledgement without resource subscriptions belongs to the stream for list changes.
      const isOurs = honored !== undefined || !isObject(notifications)
      if (isOurs && subscriptions.next?.acknowledged(honored) !== true)
        this.#reportMissed(server, subscriptions)
    }
    if (method !== 'notifications/resources/updated' || typeof uri !== 'string') return
    for (const topic of subscriptions.topics.values())
      if (uri.startsWith(topic.uri)) topic.publish({ server, uri, cause: 'updated' })
  }

  /** The stream ended with the connection. */
  #closeStream(server: string): void {
    const subscriptions = this.#servers.get(server)
    subscriptions?.stream?.close()
    if (subscriptions) subscriptions.stream = undefined
  }

  /** Subscribes again after a reconnect. */
  async #renew(server: string): Promise<void> {
    const subscriptions = this.#subscriptionsOf(server)
    const connection = await this.#options.connectionOf(server)
    const { era } = await connection.connect()
    const accepted = [...subscriptions.topics.values()].filter(({ isAccepted }) => isAccepted)
    const subscribe = ({ uri }: ResourceTopic) =>
      connection.request('resources/subscribe', { uri }).catch(() => undefined)
    if (era === 'modern') await this.#listen(server)
    else await Promise.all(accepted.map(subscribe))
    this.#reportMissed(server, subscriptions)
  }

  /** Resources may have changed while there was no subscription. */
  #reportMissed(server: string, { topics }: ServerSubscriptions): void {
    for (const topic of topics.values())
      if (topic.isAccepted) topic.publish({ server, uri: topic.uri, cause: 'resubscribed' })
  }

  #reconnect(server: string): void {
    const { connectionOf } = this.#options
    if (this.#hasAccepted(server))
      Promise.resolve(connectionOf(server))
        .then((connection) => connection.keepOpen())
        .catch(() => undefined)
  }

  #hasAccepted(server: string): boolean {
    return [...(this.#servers.get(server)?.topics.values() ?? [])].some(({ isAccepted }) => isAccepted)
  }
}

function isCancelled(error: unknown): boolean {
  return isHostError(error, 'call.cancelled')
}

function canSubscribe({ capabilities, isAssumed }: Greeting): boolean {
  const { resources } = capabilities
  return isAssumed === true || (isObject(resources) && resources['subscribe'] === true)
}
