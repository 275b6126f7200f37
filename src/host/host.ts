import { resolve } from 'node:path'
import { hostDirectories } from '../config/own-directories.ts'
import { discoverServers, settingsOf } from '../config/discover.ts'
import { believedPlatformOf } from '../config/discover-options.ts'
import { defaultLimits, discoverOptions } from './host-context.ts'
import type { HostContext } from './host-context.ts'
import type { CodeServers } from './code-servers.ts'
import { createAudit } from './host-audit.ts'
import { Events } from './host-events.ts'
import { needsCheck } from './host-option-keys.ts'
import type {
  Host,
  HostOptions,
  OfferChoice,
  ReadyOptions,
  ReloadOptions,
  ServerStatus,
} from './host-options.ts'
import { HostError } from '../model/error.ts'
import type { Json, JsonObject } from '../model/json.ts'
import { Redactor } from '../model/secrets/redactor.ts'
import { isInCode } from '../model/server.ts'
import type { Discovery, Server } from '../model/server.ts'
import type { Status } from '../model/status.ts'
import { loadPreset } from '../presets/load-preset.ts'
import { overlayPreset } from '../presets/overlay-preset.ts'
import type { Connection } from '../connections/connection.ts'
import { HostConnections } from './host-connections.ts'
import { damagedStore, initialStatus } from './initial-status.ts'
import { maskAnswer } from '../model/secrets/mask-answer.ts'
import { Roots } from './roots.ts'
import { openTeam } from './team/open-team.ts'
import { safetyOf } from './flows/safety-options.ts'
import { byName, declaredInFile, unknownServer } from './declared-names.ts'
import type { HostTools } from './host-tools.ts'
import { createLateTasks } from './tasks/late-tasks.ts'
import type { Greeting } from '../wire/eras/greeting.ts'

/**
 * Reads the configuration and returns a host. Servers are connected when they are first needed, unless an entry or
 * `lifecycle` says otherwise. Close the host: it ends every program that it started.
 *
 * @example
 * const host = await createHost()
 * try {
 *   const { text } = await generateText({ model, prompt, tools: await toAiSdk(host) })
 * } finally {
 *   await host.close()
 * }
 */
export async function createHost(given: HostOptions = {}): Promise<Host> {
  const { accept = 'off', lock = accept !== 'off', lastGood = new Map<string, string>() } = given
  const options = { ...given, lastGood, lock }
  if (needsCheck(options)) (await import('./check-options.ts')).checkOptions(options)
  const place = await believedPlatformOf(options)
  const { platform } = place
  let code: CodeServers | undefined
  const loadCode = async () =>
    (code ??= new (await import('./code-servers.ts')).CodeServers(platform, options))
  for (const [name, entry] of Object.entries(options.servers ?? {})) await (await loadCode()).add(name, entry)
  const settings = await settingsOf(options, platform)
  const declared = { place, settings, code: code?.reading() }
  const discovery = await discoverServers(discoverOptions(options), declared)
  if (options.channels)
    (await import('./check-options.ts')).checkChannels(options.channels, [...byName(discovery).keys()])
  const redactor = new Redactor()
  const events = new Events(redactor, () => platform.clock.now())
  if (options.on) events.on(options.on)
  const chosen = await loadPreset(options.preset ?? settings.settings.preset ?? 'default')
  const preset = await overlayPreset(chosen, options)
  const parts = { platform, redactor, options, preset, events, settings: settings.settings }
  const context: HostContext = {
    options,
    platform,
    preset,
    limits: { ...defaultLimits, ...options.limits },
    ...safetyOf(options, settings.settings),
    team: await openTeam(platform, settings.settings),
    redactor,
    events,
    subscribed: new Set(),
    directories: hostDirectories(platform),
    roots: new Roots(platform.cwd),
    code: () => code,
    loadCode,
    audit: options.audit && createAudit(parts, options.audit),
    caches: () => (caches ??= import('./server-caches.ts').then(({ createCaches }) => createCaches(context))),
  }
  let caches: ReturnType<HostContext['caches']> | undefined
  const host = new OpenHost(discovery, context)
  await host.begin()
  return host
}

/** Requests that name what may be held, or whose answers may have it. */
const mayNameHeld = /^(?:(?:tools|prompts|resources|skills|completion)\/|initialize$|server\/discover$)/

class OpenHost implements Host {
  readonly #context: HostContext
  #discovery: Discovery
  #byName: ReadonlyMap<string, Server>
  /** When the configuration was read. */
  #since: number
  readonly #connections: HostConnections
  #loading: Promise<HostTools> | undefined
  #tools: HostTools | undefined
  #changing: Promise<unknown> | undefined
  /** What is said in a conversation may be kept, so secrets are known before any server needs them. */
  #secrets: Promise<void> | undefined
  #closed: Promise<void> | undefined

  constructor(discovery: Discovery, context: HostContext) {
    this.#context = context
    this.#discovery = discovery
    this.#byName = byName(discovery)
    this.#since = context.platform.clock.now()
    this.#connections = new HostConnections(context, (server) => this.#initial(server))
    context.roots.onChange(() => this.#connections.notifyRoots())
    if (context.audit) context.audit.knowSecrets = () => this.knowSecrets()
  }

  /** Connects to `background` and `eager` servers; waits only for the `eager` ones, and not longer than 10 s. */
  async begin(): Promise<void> {
    const { events, options } = this.#context
    options.signal?.throwIfAborted()
    options.signal?.addEventListener('abort', this.#onAbort, { once: true })
    for (const server of this.discovery.servers) {
      const status = this.#initial(server)
      if (status.state === 'untrusted')
        events.emit({ type: 'server.changed', id: server.id, server: server.name, status })
    }
    await this.#connections.begin(this.#usable())
  }

  get discovery(): Discovery {
    return this.#discovery
  }

  servers(): readonly ServerStatus[] {
    return this.discovery.servers.map((server) => ({
      get id() {
        return server.id
      },
      name: server.name,
      server,
      status: this.#connections.named(server.name)?.status ?? this.#initial(server),
      isKnown: this.#tools?.catalog.isKnown(server.name) ?? false,
      ...this.#tools?.heldCount(server.name),
      ...this.#tools?.catalog.factsOf(server.name),
    }))
  }

  on: Host['on'] = (listener, options) => this.#context.events.on(listener, options)

  // A secret of another server may have become known since the server was greeted.
  connect: Host['connect'] = async (name, options) =>
    this.#maskGreeting(await (await this.#find(name)).connect(options))

  /** As the server sends it: the program that asks gave the secrets, and masks what it shows by `redact`. */
  request: Host['request'] = async (name, method, params, options) => {
    const connection = this.#connections.named(name) ?? (await this.#find(name))
    const send = () => connection.request(method, toParams(params), options)
    const { audit, platform, accept, options: given } = this.#context
    const isGated = (accept !== 'off' || given.lock === true) && mayNameHeld.test(method)
    if (!isGated && (!audit || method !== 'tools/call')) return send()
    const { sendGuarded } = await import('./offers/guarded-request.ts')
    const tools = isGated ? await this.#loadTools() : undefined
    const request = { server: name, method, params: toParams(params) }
    return sendGuarded(request, send, { tools, record: audit?.record, clock: platform.clock })
  }

  notify: Host['notify'] = (name, method, params) => {
    if (!this.#byName.has(name)) throw this.#unknownServer(name)
    this.#connections.named(name)?.notify(method, toParams(params))
  }

  list: Host['list'] = async (name, list, options) => {
    const listed = await (await this.#find(name)).list(list, options)
    const { redactor } = this.#context
    if (redactor.isEmpty) return listed
    const { listWithoutSecrets } = await import('./secrets/without-secrets.ts')
    return listWithoutSecrets(list, listed, redactor)
  }

  restart: Host['restart'] = async (name, options) =>
    this.#maskGreeting(await (await this.#find(name)).restart(options))

  stop: Host['stop'] = async (name) => this.#connections.named(name)?.stop()

  /** The next change waits until this one is applied, not for the servers that it starts. */
  reload: Host['reload'] = async (options) => {
    const applied = await this.#change(() => this.#reload(options))
    if (!applied) return
    const { tools } = applied
    await this.#connections.begin(this.#usable().filter(({ name }) => !this.#connections.named(name)))
    if (!tools?.catalog.isUsed) return
    // To wait for a server that failed would start it.
    const failed = options?.keepFailed
      ? this.#usable().filter(({ name }) => this.#connections.hasFailed(name))
      : []
    const others = this.#usable().filter((server) => !failed.includes(server))
    await tools.catalog.wait(failed.length === 0 ? 'all' : others.map(({ name }) => name), {})
  }

  add: Host['add'] = async (name, entry, options = {}) => {
    this.#refuseClosed()
    const code = await this.#context.loadCode()
    await code.add(name, entry)
    const { server } = await this.#applyCode(name, options)
    this.#refuseClosed()
    if (this.#byName.get(name)?.id !== server?.id) throw this.#unknownServer(name)
  }

  remove: Host['remove'] = async (name) => {
    this.#refuseClosed()
    const code = this.#context.code()
    if (!code?.has(name)) throw this.#notInCode(name)
    code.remove(name)
    await (
      await this.#applyCode(name)
    ).gone
  }

  /** Of all servers, also of those that the settings hide: `why` explains their tools. */
  ready: Host['ready'] = async (options = {}) => {
    const { catalog, view } = await this.#loadTools()
    const { tool, slow, servers, from } = options
    const isOfView = tool !== undefined || (slow !== undefined && !servers && !from)
    await (isOfView ? view.ready(options) : catalog.ready(options))
  }

  definitions: Host['definitions'] = (name) => this.#tools?.definitions(name)

  scope: Host['scope'] = async (narrow) => {
    const view = await (await this.#loadTools()).scope(narrow)
    if (narrow.conversation !== undefined) await this.knowSecrets()
    const { platform, roots } = this.#context
    const root = narrow.cwd === undefined ? undefined : roots.add(resolve(platform.cwd, narrow.cwd))
    return { ...view, [Symbol.dispose]: () => root?.[Symbol.dispose]() }
  }

  agents: Host['agents'] = async () => (await this.#loadTools()).agents()

  async switchServer(conversation: string, server: string, on: boolean): Promise<void> {
    const { memory, recall } = await this.#loadTools()
    if (!this.#byName.has(server)) throw this.#unknownServer(server)
    await recall()
    await memory.toggles.set(conversation, server, on)
  }

  recall: Host['recall'] = async () => (await this.#loadTools()).view.recall()
  tools: Host['tools'] = (options) => this.#tools?.view.tools(options) ?? []
  native: Host['native'] = () => this.#tools?.view.native() ?? this.#context.options.native ?? []
  search: Host['search'] = (words, options) => this.#tools?.view.search(words, options) ?? []
  resources: Host['resources'] = () => this.#tools?.view.resources() ?? []
  hiddenTools: Host['hiddenTools'] = () => this.#tools?.view.hiddenTools() ?? []
  problems: Host['problems'] = () => this.#tools?.view.problems() ?? []
  prompts: Host['prompts'] = () => this.#tools?.view.prompts() ?? []
  call: Host['call'] = (name, args, options) => {
    // Fast path for nearly every call: nothing to wait for.
    const { catalog, view } = this.#tools ?? {}
    const isKnown = catalog?.isReady || catalog?.has(name)
    if (view && isKnown && !this.#closed) return view.call(name, args, options)
    return this.#loadTools().then((tools) => tools.view.call(name, args, options))
  }
  read: Host['read'] = async (uri, options) => (await this.#loadTools()).view.read(uri, options)
  readApp: Host['readApp'] = async (name, options) => (await this.#loadTools()).view.readApp(name, options)
  prompt: Host['prompt'] = async (server, name, args, options) =>
    (await this.#loadTools()).view.prompt(server, name, args, options)
  complete: Host['complete'] = async (...args) => (await this.#loadTools()).view.complete(...args)
  forward: Host['forward'] = async (...args) => (await this.#loadTools()).view.forward(...args)
  subscribe: Host['subscribe'] = async (uri, listener, options) =>
    (await this.#loadTools()).view.subscribe(uri, listener, options)
  skills: Host['skills'] = () => this.#tools?.view.skills() ?? []
  readSkill: Host['readSkill'] = async (...args) => (await this.#loadTools()).view.readSkill(...args)
  skillFolder: Host['skillFolder'] = async (...args) => (await this.#loadTools()).view.skillFolder(...args)
  loadSkill: Host['loadSkill'] = async (...args) => (await this.#loadTools()).view.loadSkill(...args)
  unlisted: Host['unlisted'] = () => this.#tools?.view.unlisted() ?? []
  instructions: Host['instructions'] = () => this.#tools?.view.instructions() ?? []
  commands: Host['commands'] = () => this.#tools?.view.commands() ?? []
  command: Host['command'] = async (...args) => (await this.#loadTools()).view.command(...args)

  why: Host['why'] = (nameOrRef, options) => {
    if (this.#tools) return this.#tools.view.why(nameOrRef, options)
    throw new HostError('tool.unknown', { tool: nameOrRef, near: [] }, 'No tools are known yet.', {
      hint: 'Call await host.ready() first.',
    })
  }

  held: Host['held'] = () => this.#tools?.held([...this.#byName.keys()]) ?? []
  accept: Host['accept'] = (server, choices) => this.#decide(server, choices, 'accept')
  reject: Host['reject'] = (server, choices) => this.#decide(server, choices, 'reject')

  knowSecrets: Host['knowSecrets'] = () => (this.#secrets ??= this.#registerSecrets())
  redact: Host['redact'] = (text) => this.#context.redactor.redact(text)
  redactName: Host['redactName'] = (text) => this.#context.redactor.maskDistinct(text)
  auditRefused: Host['auditRefused'] = async (call) => this.#context.audit?.refused(call)
  readonly tasks: Host['tasks'] = createLateTasks(async () => (await this.#loadTools()).tasks())
  flushAudit: Host['flushAudit'] = async () => this.#context.audit?.flush()

  close(): Promise<void> {
    if (this.#closed) this.#connections.hurry()
    this.#closed ??= this.#end()
    return this.#closed
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  readonly #onAbort = () => {
    this.close().catch(() => undefined)
  }

  async #end(): Promise<void> {
    this.#context.options.signal?.removeEventListener('abort', this.#onAbort)
    await this.#connections.close()
    await (await this.#loading?.catch(() => undefined))?.close()
    await Promise.all([this.#context.team?.close(), this.#context.audit?.close()])
  }

  async #decide(server: string, choices: readonly OfferChoice[], decision: 'accept' | 'reject') {
    const tools = await this.#loadTools()
    if (!this.#byName.has(server)) throw this.#unknownServer(server)
    return tools.decide(server, choices, decision)
  }

  async #loadTools(): Promise<HostTools> {
    this.#refuseClosed()
    this.#loading ??= import('./host-tools.ts').then(({ createTools }) =>
      createTools(this.#context, {
        servers: this.#usable(),
        serverOf: (name) => this.#byName.get(name),
        statusOf: (name) => this.#connections.named(name)?.status,
        openingSince: (name) => this.#connections.named(name)?.openingSince,
        connectionOf: (name) => this.#connections.named(name) ?? this.#find(name),
        lease: (name, own) => this.#connections.lease(this.#declared(name), own),
        raise: (name) => this.#connections.named(name)?.raise(),
        statuses: () => this.servers(),
        discovery: () => this.discovery,
        refuseClosed: () => this.#refuseClosed(),
      }),
    )
    return (this.#tools ??= await this.#loading)
  }

  /** Changes of the configuration are applied one after another. */
  #change<T>(apply: () => Promise<T>): Promise<T> {
    const applied = (this.#changing ?? Promise.resolve()).then(apply)
    this.#changing = applied.catch(() => undefined)
    return applied
  }

  async #reload({ ifChanged = false, keepFailed = false }: ReloadOptions = {}): Promise<
    { readonly tools: HostTools | undefined } | undefined
  > {
    const discovery = await this.#discover()
    const { isSameDiscovery } = await import('./discovery-digest.ts')
    const isSame = ifChanged && isSameDiscovery(discovery, this.discovery)
    if (isSame && !(await (await this.#loading)?.hasOtherPolicy())) return undefined
    const { gone, tools } = await this.#apply(discovery, (servers) =>
      this.#connections.keepOnly(servers, { keepFailed }),
    )
    // A new server may need a resource, such as a port, that the old one still holds.
    await gone
    return { tools }
  }

  /** Applies a change of the servers in code. Other servers, also those that failed, stay as they are. */
  async #applyCode(name: string, options: Pick<ReadyOptions, 'timeoutMs'> = {}) {
    const { gone, tools } = await this.#change(async () =>
      this.#apply(await this.#discover(), (servers) => this.#connections.retireOthers(servers)),
    )
    const server = this.#byName.get(name)
    await this.#connections.begin(this.#usable().filter((each) => each === server))
    if (tools?.catalog.isUsed) await tools.catalog.wait([name], options)
    return { gone, server }
  }

  #discover(): Promise<Discovery> {
    this.#refuseClosed()
    return discoverServers(discoverOptions(this.#context.options), { code: this.#context.code()?.reading() })
  }

  async #apply(discovery: Discovery, close: (servers: readonly Server[]) => Promise<unknown>) {
    this.#discovery = discovery
    this.#byName = byName(discovery)
    this.#since = this.#context.platform.clock.now()
    const gone = close(this.#usable())
    if (this.#secrets) await (this.#secrets = this.#registerSecrets())
    const tools = await this.#loading
    await tools?.rebind(this.#usable())
    this.#context.events.emit({ type: 'config.changed', diagnostics: discovery.diagnostics })
    return { gone, tools }
  }

  async #registerSecrets(): Promise<void> {
    const { knowSecrets } = await import('./secrets/know-secrets.ts')
    await knowSecrets(this.discovery, this.#usable(), this.#context)
  }

  #maskGreeting(greeting: Greeting): Greeting {
    return maskAnswer(greeting as unknown as Json, this.#context.redactor) as unknown as Greeting // it was read from JSON
  }

  #refuseClosed(): void {
    if (this.#closed) throw new HostError('host.closed', {}, 'The host is closed.')
  }

  #initial(server: Server): Status {
    return initialStatus(server, this.discovery, {
      canAsk: typeof this.#context.options.trust === 'function',
      since: this.#since,
    })
  }

  /** The servers that are enabled and trusted. */
  #usable(): readonly Server[] {
    return this.discovery.servers.filter((server) => this.#initial(server).state === 'idle')
  }

  readonly #find = async (name: string): Promise<Connection> => this.#connections.of(this.#declared(name))

  #declared(name: string): Server {
    const server = this.#byName.get(name)
    if (!server) throw this.#unknownServer(name)
    const damage = this.#initial(server).state === 'untrusted' && damagedStore(this.discovery)
    if (damage) throw damage
    return server
  }

  #notInCode(name: string): HostError {
    const declared = this.#byName.get(name)
    // One that is declared in code is being removed already.
    if (!declared || isInCode(declared)) return this.#unknownServer(name)
    return declaredInFile(name, declared.origin.file)
  }

  #unknownServer(name: string): HostError {
    return unknownServer(name, [...this.#byName.keys()])
  }
}

/** Parameters may be typed by an interface, which TypeScript does not accept as a JSON object. */
function toParams(params: object | undefined): JsonObject | undefined {
  return params as JsonObject | undefined // a value that is not JSON fails when it is sent
}
