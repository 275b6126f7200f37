import { createHost, version } from '../../index.ts'
import type { DiscoverOptions, Host, HostEvent, JsonObject, Status } from '../../index.ts'
import { watchConfig } from '../../config.ts'
import { isObject, publishedOptions, skillsExtension, viewClash } from '../../internal.ts'
import type { GatewayViewSettings } from '../../internal.ts'
import { invalidParams, methodNotFound, modernVersion, serverInfoKey } from '../../serving.ts'
import type { CallerAccounts } from '../../tokens.ts'
import { ActiveCalls, defaultLevel, isLevel, leastLevel } from './active-calls.ts'
import { findAnswered } from './answered-calls.ts'
import type { FindAnswered } from './asked-calls.ts'
import { CallApprovals } from './call-approvals.ts'
import { CallLimits } from './callers/call-limits.ts'
import type { DailyCounter } from './callers/call-limits.ts'
import { CallerFlows } from './callers/caller-flows.ts'
import { CallerLogins } from './callers/caller-logins.ts'
import { Seals } from './callers/seals.ts'
import { getSkill, readFolder } from './forward-skills.ts'
import { ForwardRequests, tasksExtension } from './forward-requests.ts'
import { GatewayViews } from './opened-views.ts'
import type { GatewayPerson } from './gateway-person.ts'
import { GatewayRing } from './gateway-ring.ts'
import type { GatewayView, ListMethod } from './gateway-view.ts'
import { listen } from './changes/listen-requests.ts'
import { ListWatch } from './changes/list-watch.ts'
import { ParkedCalls } from './parked-calls.ts'
import { traceRequest } from './request-trace.ts'
import type { RequestWatch } from './request-trace.ts'
import { ServerIsolation } from './server-isolation.ts'
import { ServerLogins } from './server-logins.ts'
import type { LogIn } from './server-logins.ts'
import type { Answer, GatewayAddress, GatewayClient, ServedRequest } from './served-request.ts'
import { addressViews, readServedSettings, settingsOfView } from './served-settings.ts'
import type { ServedAddresses, ServedSettings } from './served-settings.ts'
import { unlistedInstructions } from './unlisted-servers.ts'
import { WatchedResources, subscribe } from './changes/watched-resources.ts'
import type { ConfigSource } from './team/published-source.ts'

export interface GatewayOptions {
  readonly discover: DiscoverOptions
  /** Declared to legacy servers: what clients may be asked in the middle of a call. */
  readonly capabilities: () => JsonObject
  /** With one client for all of its life: a way to it between its requests. */
  readonly only?: () => ServedRequest | undefined
  /** Shared by all processes that serve the same clients: what one has sealed, the others can open. */
  readonly secret?: string | undefined
  /** Answers what no client can, as far as it is theirs to answer. */
  readonly person?: GatewayPerson | undefined
  /** Learns of the requests that clients send to servers. */
  readonly watch?: RequestWatch | undefined
  readonly now?: () => number
  /** A configuration that is served in the place of the files of this folder. */
  readonly source?: ConfigSource | undefined
  /** Other processes serve the same callers: stateful servers have an address of their own, and nothing else offers them. */
  readonly hasReplicas?: boolean | undefined
  /** Counts daily quotas together with other processes. */
  readonly daily?: DailyCounter | undefined
  /** Says what is wrong, for the person who started the gateway. */
  readonly warn: (message: string) => void
  /** The configuration has changed, and is in force. */
  readonly onChange?: () => void
}

export const serverInfo: JsonObject = { name: 'plugboard', title: 'Plugboard', version }

/** Instructions of servers in one text, at most. */
const maxInstructions = 16_000

type Handler = (request: ServedRequest, view: GatewayView) => Answer | Promise<Answer>

/** The servers of this machine behind one endpoint. Transports turn what clients send into requests, and call `answer`. */
export class Gateway {
  readonly host: Host
  readonly lists: ListWatch
  readonly views: GatewayViews
  readonly watched: WatchedResources
  readonly ring: GatewayRing
  /** Logins of callers with accounts of their own. */
  readonly callerLogins: CallerLogins
  readonly flows: CallerFlows
  readonly #active: ActiveCalls
  readonly #parked = new ParkedCalls()
  readonly #forward: ForwardRequests
  readonly #logins: ServerLogins
  readonly #approvals: CallApprovals
  readonly #handlers: Readonly<Record<'legacy' | 'modern', Readonly<Record<string, Handler>>>>
  readonly #statuses = new Map<string, Status>()
  /** The era of each server that has been connected: a stopped one has the same when it is started again. */
  readonly #eras = new Map<string, 'legacy' | 'modern'>()
  readonly #closing = new AbortController()
  readonly #watch: RequestWatch | undefined
  #version = 0
  #addresses: ServedAddresses
  /** The levels that clients have set which stay. */
  readonly #levels = new Map<GatewayClient, string>()
  #toldLevel = defaultLevel
  #limits: CallLimits | undefined
  #rules = '[]'
  /** Whether a call that a rule asks about may be approved by the person at its client. */
  #asksClients = false
  readonly #daily: DailyCounter | undefined

  constructor(
    host: Host,
    active: ActiveCalls,
    addresses: ServedAddresses,
    {
      secret,
      now,
      watch,
      person,
      logIn,
      openAccounts,
      ring,
      daily,
      findAnswered,
    }: Pick<GatewayOptions, 'secret' | 'now' | 'watch' | 'person' | 'daily'> & {
      readonly logIn: LogIn
      readonly openAccounts: () => Promise<CallerAccounts>
      readonly ring: GatewayRing
      readonly findAnswered: FindAnswered
    },
    isolation: ServerIsolation,
  ) {
    this.host = host
    this.ring = ring
    this.#watch = watch
    this.#active = active
    this.#addresses = addresses
    this.#daily = daily
    this.views = new GatewayViews({
      host,
      settingsOf: (name) => settingsOfView(this.#addresses, name),
      hiddenServers: () => this.#addresses.ownAddress,
      versionOf: () => this.#version,
      hasOwnLogin: (server, caller) =>
        caller
          ? isolation.hasOwnLogin(server, caller)
          : this.callerLogins.url !== undefined && isolation.isPerCaller(server),
    })
    this.lists = new ListWatch(this.views)
    this.watched = new WatchedResources(this.views)
    const seals = new Seals(secret)
    this.callerLogins = new CallerLogins({
      seals,
      openAccounts,
      serverOf: (name) => host.discovery.servers.find((each) => each.name === name),
      now: now ?? Date.now,
    })
    this.flows = new CallerFlows(now ?? Date.now)
    this.#approvals = new CallApprovals({ seals, now, findAnswered: secret && findAnswered, person })
    this.#logins = new ServerLogins(host, logIn, this.callerLogins)
    this.#forward = new ForwardRequests({
      host,
      active,
      parked: this.#parked,
      seals,
      approvals: this.#approvals,
      asksClients: () => this.#asksClients,
      logins: this.#logins,
      limits: () => this.#limits,
      flows: this.flows,
      person,
      eraOf: (server) => this.#eras.get(server),
      isolation,
    })
    for (const { name, status } of host.servers()) this.#noteStatus(name, status)
    this.#handlers = this.#createHandlers()
    // Events of calls are not asked for: two of them would be made for each call.
    host.on((event) => this.#onEvent(event), { calls: false })
  }

  /** Aborts when the gateway ends. */
  get ending(): AbortSignal {
    return this.#closing.signal
  }

  /** Whether a method of either era is served. */
  knows(method: string): boolean {
    const { legacy, modern } = this.#handlers
    return method === 'initialize' || Object.hasOwn(legacy, method) || Object.hasOwn(modern, method)
  }

  /** Throws an `RpcError` or a `HostError`. */
  answer(request: ServedRequest): Answer | Promise<Answer> {
    const { client, method, address } = request
    const table = this.#handlers[client.era]
    const handler = Object.hasOwn(table, method) ? table[method] : undefined
    if (!handler) throw methodNotFound(method)
    const view = this.views.opened(address)
    if (!view) return this.views.of(address).then((opened) => this.#handle(handler, request, opened))
    return this.#handle(handler, request, view)
  }

  #handle(handler: Handler, request: ServedRequest, view: GatewayView): Answer | Promise<Answer> {
    return this.#watch && request.from !== undefined
      ? traceRequest(this.#watch, request, view, handler)
      : handler(request, view)
  }

  /** What the gateway says about itself in both eras. */
  async describe(address: GatewayAddress, client: GatewayClient): Promise<JsonObject> {
    const gatewayView = await this.views.of(address)
    const { view } = gatewayView
    // Only what is known already: a greeting must not wait for servers.
    await this.host.ready({ from: 'disk' })
    const shared = view.instructions().filter(({ server }) => gatewayView.isShared(server, undefined))
    const texts = shared.map(({ server, text }) => `# ${server}\n${text}`)
    const unlisted = unlistedInstructions(gatewayView.unlisted()) ?? []
    const instructions = [unlisted, texts].flat().join('\n\n').slice(0, maxInstructions)
    return { capabilities: capabilitiesFor(client), ...(instructions !== '' && { instructions }) }
  }

  #onEvent(event: HostEvent): void {
    if (event.type === 'server.changed') this.#serverChanged(event.server, event.status)
    else if (event.type === 'server.notified') this.#notified(event)
    else if (event.type !== 'catalog.changed' && event.type !== 'config.changed') return
    if (event.type === 'server.notified') return
    this.#version++
    this.lists.changed()
  }

  /** The settings were changed. */
  applyViews(addresses: ServedAddresses): void {
    this.#addresses = addresses
    this.views.forget()
    this.#version++
    this.lists.changed()
    this.watched.viewsChanged()
  }

  /** The settings were read. With a mistake in them, what is in force stays; counts go on unless the limits differ. */
  applyRules({ limits, approvals, flowMinutes }: ServedSettings): void {
    if (!limits) return
    this.#asksClients = approvals !== 'none'
    this.flows.applyMinutes(flowMinutes)
    const text = JSON.stringify(limits)
    if (text === this.#rules) return
    this.#rules = text
    this.#limits = limits.length === 0 ? undefined : new CallLimits(limits, this.#daily)
  }

  /** Ends the requests that last: the others may finish. */
  endSubscriptions(): void {
    this.#closing.abort()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    this.lists.close()
    this.#parked.close()
    this.#logins.close()
    await this.#approvals.close()
    await this.callerLogins.close()
    await this.host.close()
  }

  #createHandlers() {
    const list: Handler = ({ method, params, client: { era } }, view) => {
      if (params['cursor'] !== undefined)
        throw invalidParams('The list has one page; this cursor is not of it.')
      const name = method as ListMethod // only these methods have this handler
      return view.ready()?.then(() => view.list(name, era)) ?? view.list(name, era)
    }
    const shared: Readonly<Record<string, Handler>> = {
      'tools/list': list,
      'resources/list': list,
      'resources/templates/list': list,
      'prompts/list': list,
      'skills/list': list,
      'skills/get': (request, view) => this.#forward.skill(request, view, getSkill),
      'resources/directory/read': (request, view) => this.#forward.skill(request, view, readFolder),
      'tools/call': (request, view) => this.#forward.call(request, view),
      'resources/read': (request, view) => this.#forward.read(request, view),
      'prompts/get': (request, view) => this.#forward.prompt(request, view),
      'completion/complete': (request, view) => this.#forward.complete(request, view),
    }
    const task: Handler = (request, view) => this.#forward.task(request, view)
    return {
      legacy: {
        ...shared,
        ping: async () => ({}),
        'logging/setLevel': async ({ params, client }) => {
          const { level } = params
          if (!isLevel(level)) throw invalidParams('There is no such level.')
          this.#setLevel(client, level)
          return {}
        },
        'resources/subscribe': (request, view) => subscribe(request, view, this.watched),
        'resources/unsubscribe': async ({ params, client }) => {
          const { uri } = params
          if (typeof uri !== 'string') throw invalidParams('The request names no resource.')
          client.subscriptions?.remove(uri)
          return {}
        },
      },
      modern: {
        ...shared,
        'server/discover': async ({ address, client }, view) => {
          const { _meta: health, ...lifetime } = view.lifetime()
          return {
            resultType: 'complete',
            supportedVersions: [modernVersion],
            ...(await this.describe(address, client)),
            ...lifetime,
            _meta: { ...(isObject(health) && health), [serverInfoKey]: serverInfo },
          }
        },
        'subscriptions/listen': (request, view) => listen(request, view, this),
        'tasks/get': task,
        'tasks/update': task,
        'tasks/cancel': task,
      },
    } as const satisfies Record<string, Readonly<Record<string, Handler>>>
  }

  #noteStatus(server: string, status: Status): void {
    this.#statuses.set(server, status)
    if (status.state === 'ready') this.#eras.set(server, status.era)
  }

  #serverChanged(server: string, status: Status): void {
    this.#noteStatus(server, status)
    if (status.state !== 'ready') this.#active.disconnected(server)
    if (status.state === 'ready' && this.#toldLevel !== defaultLevel) this.#tellLevel(server)
  }

  #notified({
    server,
    own,
    method,
    params,
    request,
  }: HostEvent & { readonly type: 'server.notified' }): void {
    if (method === 'notifications/message' && isObject(params))
      this.#active.log({ server, own }, params, request)
  }

  /** Each client gets what it asked for. One without a session changes nothing for others: nothing says when it leaves. */
  #setLevel(client: GatewayClient, level: string): void {
    client.logLevel = level
    if (!client.leaving) return
    const forget = () => {
      this.#levels.delete(client)
      this.#tellLevels()
    }
    if (!this.#levels.has(client)) client.leaving.addEventListener('abort', forget, { once: true })
    this.#levels.set(client, level)
    this.#tellLevels()
  }

  /** Servers send from the least level on that a client wants, and never less than what clients get that set none. */
  #tellLevels(): void {
    const least = leastLevel([...this.#levels.values(), defaultLevel])
    if (least === this.#toldLevel) return
    this.#toldLevel = least
    for (const server of this.#statuses.keys()) this.#tellLevel(server)
  }

  #tellLevel(server: string): void {
    const status = this.#statuses.get(server)
    if (status?.state !== 'ready' || status.era !== 'legacy' || !status.capabilities['logging']) return
    this.host.request(server, 'logging/setLevel', { level: this.#toldLevel }).catch(() => undefined)
  }
}

/**
 * The same for every view and every moment: what a client may use must not depend on which servers run. Legacy clients that do
 * not stay cannot be told of changes, and no legacy client has tasks of this kind.
 */
function capabilitiesFor({ era, subscriptions }: GatewayClient): JsonObject {
  const isModern = era === 'modern'
  const changes = isModern || subscriptions ? { listChanged: true } : {}
  return {
    tools: changes,
    resources: { ...changes, ...((isModern || subscriptions) && { subscribe: true }) },
    prompts: changes,
    completions: {},
    logging: {},
    extensions: { [skillsExtension]: { directoryRead: true }, ...(isModern && { [tasksExtension]: {} }) },
  }
}

/** Opens a gateway over the servers in force in a folder, and follows changes of the configuration. */
export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const { source, warn, person, hasReplicas = false } = options
  const discover = source ? publishedOptions(options.discover, source.file) : options.discover
  const active = new ActiveCalls(options.only ?? (() => undefined), person)
  const first = await readServedSettings(discover, source)
  const isolation = new ServerIsolation(first.servers)
  const ring = new GatewayRing()
  const host = await createHost({
    ...discover,
    audit: { surface: 'gateway' },
    accept: 'person',
    ...(person?.answersFor(undefined) && { approve: (asked, asking) => person.approve(asked, asking) }),
    idleMs: (server, declared) => isolation.idleMsOf(server, declared),
    maxInFlight: (server, isOfProject) => isolation.maxInFlightOf(server, isOfProject),
    relay: {
      capabilities: options.capabilities,
      answer: (request, { signal }) => active.ask(request, signal),
      gateways: () => ring.value(),
    },
  })
  host.on((event) => void (event.type === 'audit.failed' && warn(event.message)), { calls: false })
  const logIn: LogIn = async (name, how) => {
    const server = host.discovery.servers.find((each) => each.name === name)
    const { login } = await import('../../auth.ts')
    return login(server ?? name, { ...discover, ...how })
  }
  const openAccounts = async () => new (await import('../../tokens.ts')).CallerAccounts(discover)
  let clashes: readonly string[] = []
  const addressed = (views: Readonly<Record<string, GatewayViewSettings>>) => {
    const found = addressViews(host, views, { hasReplicas })
    for (const name of found.clashes) if (!clashes.includes(name)) warn(viewClash(name).message)
    clashes = found.clashes
    return found
  }
  const gateway = new Gateway(
    host,
    active,
    addressed(first.views),
    { ...options, logIn, openAccounts, ring, findAnswered: (questions) => findAnswered(discover, questions) },
    isolation,
  )
  gateway.applyRules(first)
  const { ending } = gateway
  const readAgain = async () => {
    await host.reload({ ifChanged: true, keepFailed: true })
    const settings = await readServedSettings(discover, source)
    // With a mistake in the settings, what is in force stays.
    if (settings.servers) isolation.apply(settings.servers)
    gateway.applyViews(addressed(settings.views))
    gateway.applyRules(settings)
    options.onChange?.()
  }
  const onError = (error: unknown) => ending.aborted || warn(notReadAgain(error))
  const followed = watchConfig({ ...discover, signal: ending, onChange: readAgain, onError })
  // What changed between the first reading and that of the watch is no change to the watch.
  followed.then(readAgain, () => undefined).catch(onError)
  followed.catch((error: unknown) => ending.aborted || warn(`Changes are not followed: ${String(error)}`))
  return gateway
}

function notReadAgain(error: unknown): string {
  return `What was in force stays. ${error instanceof Error ? error.message : String(error)}`
}
