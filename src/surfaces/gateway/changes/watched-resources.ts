import type { JsonObject } from '../../../index.ts'
import { invalidParams, methodNotFound } from '../../../serving.ts'
import { whenKnown } from '../called-tool.ts'
import type { GatewayView } from '../gateway-view.ts'
import type { GatewayViews } from '../opened-views.ts'
import { notFound } from '../missing-offers.ts'
import type { GatewayAddress, ServedRequest } from '../served-request.ts'

/** The server of a resource. Waits for servers that are on their way: whose connection and login it takes depends on it. */
export async function ownerWhenKnown(
  uri: string,
  gatewayView: GatewayView,
  signal: AbortSignal,
): Promise<string | undefined> {
  const find = () => gatewayView.findOwner(uri)
  const known = await whenKnown(gatewayView, find)
  if (known !== undefined) return known
  await gatewayView.view.ready({ signal })
  return find()
}

/** A resource that a client is told about. */
interface ResourceWatch {
  readonly uri: string
  readonly server: string
  readonly request: ServedRequest
  readonly tell: (uri: string) => void
  /** The client may not see it any more. */
  readonly onHidden: () => void
  readonly ended: AbortController
  /** Counts the changes of the views. */
  round: number
  /** Whether the view as it is now allows it is not known yet. */
  isInDoubt: boolean
  /** What was updated meanwhile. */
  readonly updated: Set<string>
}

interface WatchOptions {
  readonly request: ServedRequest
  readonly notify: ServedRequest['notify']
  readonly onHidden?: () => void
}

/** What clients are told about resources. Each change of the views is a reason to ask again whether they may be told (T31). */
export class WatchedResources {
  readonly #views: GatewayViews
  readonly #watches = new Set<ResourceWatch>()
  readonly #listens = new Set<{ readonly address: GatewayAddress; readonly onGone: () => void }>()

  constructor(views: GatewayViews) {
    this.#views = views
  }

  /** Tells of updates of a resource until the result is disposed of, or the view of the client does not show it any more. */
  async watch(
    uri: string,
    gatewayView: GatewayView,
    { request, notify, onHidden = () => undefined }: WatchOptions,
  ): Promise<Disposable> {
    const { caller, signal } = request
    const server = await ownerWhenKnown(uri, gatewayView, signal)
    if (server === undefined) throw notFound(uri, request)
    if (!gatewayView.isShared(server, caller))
      throw invalidParams(
        'Updates of this resource are not passed on: you use its server with your own account.',
      )
    const tell = (updated: string) => notify('notifications/resources/updated', { uri: updated })
    const ended = new AbortController()
    const state = { round: 0, isInDoubt: false, updated: new Set<string>() }
    const watch: ResourceWatch = { uri, server, request, tell, onHidden, ended, ...state }
    this.#watches.add(watch)
    const end = () => {
      this.#watches.delete(watch)
      ended.abort()
    }
    try {
      const opened = await gatewayView.view.subscribe(uri, (update) => told(watch, update.uri), {
        signal,
        server,
      })
      ended.signal.addEventListener('abort', () => opened[Symbol.dispose](), { once: true })
      if (ended.signal.aborted) {
        opened[Symbol.dispose]()
        throw notFound(uri, request)
      }
    } catch (error) {
      end()
      throw error
    }
    // The views were changed before it was one of those that are judged again.
    if (this.#views.opened(request.address) !== gatewayView) void this.#judge(watch)
    return { [Symbol.dispose]: end }
  }

  /** Calls back once the view of an address is gone. */
  whileView(address: GatewayAddress, onGone: () => void): Disposable {
    const listen = { address, onGone }
    this.#listens.add(listen)
    if (this.#isGone(address)) onGone()
    return { [Symbol.dispose]: () => void this.#listens.delete(listen) }
  }

  /** The views may show something else now. */
  viewsChanged(): void {
    for (const { address, onGone } of this.#listens) if (this.#isGone(address)) onGone()
    for (const watch of this.#watches) void this.#judge(watch)
  }

  #isGone({ view }: GatewayAddress): boolean {
    return view !== undefined && !this.#views.has(view)
  }

  /** Updates that come meanwhile wait for the verdict. */
  async #judge(watch: ResourceWatch): Promise<void> {
    const round = ++watch.round
    watch.isInDoubt = true
    const isVisible = await this.#isVisible(watch).catch(() => false)
    if (watch.round !== round || watch.ended.signal.aborted) return
    if (!isVisible) {
      this.#watches.delete(watch)
      watch.ended.abort()
      return watch.onHidden()
    }
    watch.isInDoubt = false
    for (const uri of watch.updated) watch.tell(uri)
    watch.updated.clear()
  }

  async #isVisible({ uri, server, request, ended }: ResourceWatch): Promise<boolean> {
    const { address, caller } = request
    const gatewayView = await this.#views.of(address)
    const owner = gatewayView.isKnown(server)
      ? gatewayView.findOwner(uri)
      : await ownerWhenKnown(uri, gatewayView, ended.signal)
    return owner === server && gatewayView.isShared(server, caller)
  }
}

function told({ isInDoubt, updated, tell }: ResourceWatch, uri: string): void {
  if (isInDoubt) updated.add(uri)
  else tell(uri)
}

/** `resources/subscribe` */
export async function subscribe(
  request: ServedRequest,
  gatewayView: GatewayView,
  watched: WatchedResources,
): Promise<JsonObject> {
  const { params, client, notify } = request
  const { uri } = params
  if (typeof uri !== 'string') throw invalidParams('The request names no resource.')
  const { subscriptions } = client
  if (!subscriptions)
    throw methodNotFound('resources/subscribe (it needs a session: start the gateway with --sessions)')
  const onHidden = () => subscriptions.remove(uri)
  await subscriptions.add(uri, () => watched.watch(uri, gatewayView, { request, notify, onHidden }))
  return {}
}
