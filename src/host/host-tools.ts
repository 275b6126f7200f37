import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { createSearch } from '../catalog/search.ts'
import { createVolatileMemory } from '../config/file-memory.ts'
import { stateDirectory } from '../config/own-directories.ts'
import { settingsFile } from '../config/settings.ts'
import type { Connection } from '../connections/connection.ts'
import type { CallLines } from '../calls/call-lines.ts'
import { refuseHeldRequest } from '../calls/held-tool.ts'
import { judgeNamedAnswer } from '../calls/judge-answer.ts'
import { createSpill } from '../calls/spill.ts'
import { HostCatalog } from './host-catalog.ts'
import { checkScope } from './check-options.ts'
import { AgentPolicies, readSharedPolicy, toViewPolicy } from './host-policy.ts'
import type { HostContext } from './host-context.ts'
import type { Host, OfferChoice, ReviewResult, ServerHeld, ServerStatus } from './host-options.ts'
import { createFlows } from './flows/information-flows.ts'
import { createGate } from './offers/create-gate.ts'
import { openOwnMemory } from './own-memory.ts'
import type { HostTasks } from './tasks/host-tasks.ts'
import type { HostSubscriptions } from './subscriptions.ts'
import { askableOf, unusableOf } from './unusable-servers.ts'
import type { Agent } from '../model/agent.ts'
import { hashOffers } from '../model/definition/hash-offers.ts'
import type { Finding } from '../model/finding.ts'
import type { Json } from '../model/json.ts'
import type { Memory } from '../model/memory.ts'
import type { Discovery, Server } from '../model/server.ts'
import type { Skill } from '../model/skills/skill.ts'
import type { Status } from '../model/status.ts'
import type { Tool } from '../model/tool.ts'
import type { TextScan, ViewContext } from '../calls/view/view-context.ts'
import type { ScopeOptions, View } from '../calls/view/view.ts'
import { createView } from '../calls/view/create-view.ts'

interface ToolsOptions {
  readonly servers: readonly Server[]
  readonly serverOf: (name: string) => Server | undefined
  readonly statusOf: (server: string) => Status | undefined
  /** When the attempt to connect that is under way began, on the monotonic clock. */
  readonly openingSince: (server: string) => number | undefined
  readonly connectionOf: (server: string) => Connection | Promise<Connection>
  readonly lease: ViewContext['lease']
  /** A call waits for the attempt to connect that is under way. */
  readonly raise: (server: string) => void
  /** The status of every declared server. */
  readonly statuses: () => readonly ServerStatus[]
  readonly discovery: () => Discovery
  /** Throws once the host is closed. */
  readonly refuseClosed: () => void
}

export interface HostTools {
  readonly catalog: HostCatalog
  definitions: Host['definitions']
  /** What servers offer and a person has not accepted. */
  held(servers: readonly string[]): readonly ServerHeld[]
  /** Throws if a bare request calls a tool or gets a prompt that is held. */
  refuseHeldRequest(server: string, method: string, params: unknown): Promise<void>
  /** Rejects if a bare request called a tool that is held by now; nothing to wait for if nothing changed. */
  judgeAnswer(server: string, tool: Json | undefined): Promise<void> | undefined
  /** The answer to a bare request without what is held. */
  withoutHeld(answer: Json, request: { readonly server: string; readonly method: string }): Promise<Json>
  heldCount(server: string): Pick<ServerStatus, 'held'>
  /** Records a decision of a person about held offers, and applies it. */
  decide(
    server: string,
    choices: readonly OfferChoice[],
    decision: 'accept' | 'reject',
  ): Promise<ReviewResult>
  /** Loads the tasks, with the first use. */
  tasks(): Promise<HostTasks>
  readonly memory: Memory
  /** Reads what other programs have changed in the memory. */
  readonly recall: () => Promise<void>
  /** The host's own view. */
  readonly view: View
  scope(narrow: ScopeOptions): Promise<View>
  /** The agents, as their files declare them now. */
  agents(): Promise<readonly Agent[]>
  /** Applies a reloaded configuration: servers, settings and agents. */
  rebind(servers: readonly Server[]): Promise<void>
  /** Whether the settings say something else about tools and calls than what is in force. */
  hasOtherPolicy(): Promise<boolean>
  close(): Promise<void>
}

/** Creates the parts that only hosts with tools need: the catalog, the memory and the views. */
export async function createTools(context: HostContext, options: ToolsOptions): Promise<HostTools> {
  const { platform, preset, flow } = context
  const { native = [], approve, asks, settings } = context.options
  const { clock } = platform
  const isOwn = !context.options.memory && !preset.keepsNothing
  const own = isOwn ? await openOwnMemory(platform) : undefined
  const memory = context.options.memory ?? own ?? createVolatileMemory(() => platform.clock.now())
  const recall = async () => memory.recall?.()
  let sharedPolicy = await readSharedPolicy(context)
  const modeOf = () => (context.accept === 'person' ? sharedPolicy.accept : context.accept)
  const isGated = context.accept !== 'off' || context.options.lock === true
  const gate = isGated ? createGate(context, modeOf, options.discovery) : undefined
  const catalog = new HostCatalog(context, { ...options, caches: await context.caches(), gate })
  let policy = toViewPolicy(sharedPolicy)
  const agents = new AgentPolicies(context, () => sharedPolicy)
  const held = gate && {
    tools: () => catalog.heldNames?.of(catalog.names()) ?? [],
    promptsOf: (server: string) => catalog.heldNames?.promptsOf(server) ?? [],
    at: (server: string, uri: string) => catalog.heldNames?.at(server, uri),
    isCurrent: (tool: Tool) => catalog.isCurrent(tool),
    problems: () => gate.problems(),
  }
  let calls = 0
  const shared: ViewContext = {
    catalog: catalog.catalog,
    servers: () => catalog.names(),
    async wait(servers, waitOptions) {
      await catalog.wait(servers, waitOptions)
      options.refuseClosed()
    },
    isReady: () => catalog.isReady,
    search: createSearch(() => catalog.catalog.slices()),
    memory,
    reloadMemory: memory.recall && recall,
    damage: () => own?.damage,
    // A getter: a reload may read another mode, or find a lock file, which holds in every mode.
    get held() {
      const isLocked = (options.discovery().locks?.size ?? 0) > 0
      return modeOf() === 'off' && !isLocked ? undefined : held
    },
    native,
    policy: () => policy,
    calling: preset.calling,
    loadAppScan: loadTextScan,
    admitApp:
      gate &&
      (async (app) => {
        const { admitApp } = await import('./offers/admit-app.ts')
        return admitApp(gate, options.serverOf(app.server), app)
      }),
    hasResourceTools: context.options.resources === 'tools',
    callListener: () =>
      context.events.hasCallListeners
        ? { id: `call-${++calls}`, onEvent: (event) => context.events.emit(event) }
        : undefined,
    audit: context.audit?.record,
    approve,
    asks,
    flows: flow.trifecta === 'off' ? undefined : createFlows(flow.trifecta, flow.labels),
    loadTextScan: context.options.scanResults ? loadTextScan : undefined,
    settingsFile: settings === false ? undefined : settingsFile(platform),
    spill: createSpill({
      directory: join(stateDirectory(platform), 'results'),
      files: platform.files,
      clock: platform.clock,
    }),
    redactor: context.redactor,
    clock: platform.clock,
    serverOf: options.serverOf,
    statusOf: options.statusOf,
    unusable: () => unusableOf(options.statuses(), options.discovery(), preset, platform.clock.now()),
    askable: () => askableOf(options.statuses(), platform.clock.now()),
    beginTask(state, begun) {
      const id = randomBytes(5).toString('hex')
      // The watch is needed at once; what it hears waits for the code.
      const loaded = loadTasks().then(async (tasks) => {
        await tasks.begin(id, state, begun)
        begun.onTask?.(id)
        return tasks
      })
      loaded.catch(() => undefined)
      const tell = (say: (tasks: HostTasks) => void) => void loaded.then(say, () => undefined)
      return {
        answered: [],
        onState: (next) => tell((tasks) => tasks.onState(id, next)),
        onAnswered: (keys) => tell((tasks) => tasks.onAnswered(id, keys)),
      }
    },
    lines: { run: async (...args) => (await (lines ??= loadLines())).run(...args) },
    connectionOf: options.connectionOf,
    lease: options.lease,
    hasListed: (server) => catalog.hasListed(server),
    async listServer(server, { signal, timeoutMs }) {
      const [waitMs, stop] = [timeoutMs || context.limits.callMs, signal && { signal }]
      await (await options.connectionOf(server)).connect(stop)
      const readyOptions = { servers: [server], from: 'servers', timeoutMs: waitMs } as const
      // The call itself reports that it was aborted.
      await catalog.ready({ ...readyOptions, ...stop }).catch(() => undefined)
    },
    isOutdated: (server) => catalog.outdated.has(server),
    listAgain: (server, { signal, timeoutMs }) =>
      catalog.outdated.listAgain(
        server,
        { signal, timeoutMs: timeoutMs || context.limits.callMs },
        { list: (each) => catalog.ready({ servers: [server], from: 'servers', ...each }), clock },
      ),
    subscribe: async (...args) => (await (subscriptions ??= loadSubscriptions())).subscribe(...args),
    refresh: () => catalog.refresh(),
    async scanSkill(skill, text) {
      const { scanSkill } = await import('./skills/scan-skill.ts')
      return scanSkill(skill, text, { catalog: catalog.catalog, ignored: context.ignoredFindings, clock })
    },
    get holdSkill() {
      if (!gate || modeOf() === 'off') return undefined
      return async (skill: Skill, findings: readonly Finding[]) => {
        const isHeld = await gate.holdSkill(skill, findings)
        if (isHeld) await catalog.judgeAgain(skill.server)
        return isHeld
      }
    },
  }
  /** Loaded on first use: only adapters make serial calls. */
  let lines: Promise<CallLines> | undefined
  const loadLines = async () => {
    const { CallLines: Loaded } = await import('../calls/call-lines.ts')
    const { clock } = platform
    return new Loaded({ rule: preset.calling.serial, clock, maxQueued: context.limits.maxQueued })
  }
  /** Loaded on first use: few servers run tasks. */
  let tasks: Promise<HostTasks> | undefined
  const loadTasks = () =>
    (tasks ??= import('./tasks/host-tasks.ts').then(({ HostTasks: Loaded }) => new Loaded(context, options)))
  /** Loaded on first use: few hosts subscribe to a resource. */
  let subscriptions: Promise<HostSubscriptions> | undefined
  const loadSubscriptions = async () => {
    const { HostSubscriptions: Loaded } = await import('./subscriptions.ts')
    return new Loaded(context, options)
  }
  return {
    catalog,
    definitions(server) {
      const offered = catalog.offeredBy(server)
      return offered && hashOffers(offered)
    },
    held: (servers) =>
      servers
        .map((server) => ({
          server,
          offers: gate?.heldOf(server) ?? [],
          removed: gate?.removedOf(server) ?? [],
        }))
        .filter(({ offers, removed }) => offers.length + removed.length > 0),
    refuseHeldRequest: (server, method, params) => refuseHeldRequest({ server, method, params }, shared),
    judgeAnswer: (server, tool) =>
      typeof tool === 'string' ? judgeNamedAnswer(server, tool, shared) : undefined,
    async withoutHeld(answer, request) {
      const { withoutHeld } = await import('./offers/shown-lists.ts')
      return withoutHeld(answer, request, {
        held: shared.held,
        hasListed: shared.hasListed,
        listServer: shared.listServer,
        acceptedOf: (server) => catalog.catalog.snapshotOf(server),
        offeredBy: (server) => catalog.offeredBy(server),
        redactor: context.redactor,
      })
    },
    heldCount(server) {
      const { length } = gate?.heldOf(server) ?? []
      return length === 0 ? {} : { held: length }
    },
    async decide(server, choices, decision) {
      const refused = choices.map(({ kind, name }) => ({ kind, name, why: 'unknown' as const }))
      if (!gate) return { done: [], refused }
      const result = await gate.decide(server, choices, decision)
      await catalog.judgeAgain(server)
      return result
    },
    tasks: loadTasks,
    memory,
    recall,
    view: createView(shared),
    async scope(narrow) {
      checkScope(narrow)
      const { agent, conversation, asks: stricter } = narrow
      if (conversation !== undefined) await recall()
      const own = stricter === undefined ? shared : { ...shared, asks: stricter }
      if (agent === undefined) return createView(own, narrow)
      return createView({ ...own, policy: await agents.policyOf(agent) }, narrow)
    },
    agents: () => agents.list(),
    async rebind(servers) {
      catalog.rebind(servers)
      // A lock file may be another one.
      if (gate) await Promise.all(servers.map(({ name }) => catalog.judgeAgain(name)))
      sharedPolicy = await readSharedPolicy(context)
      policy = toViewPolicy(sharedPolicy)
      await Promise.all([recall(), agents.reload()])
      void subscriptions?.then((each) => each.rebind())
    },
    hasOtherPolicy: async () => (await readSharedPolicy(context)).text !== sharedPolicy.text,
    async close() {
      void subscriptions?.then((each) => each.close())
      await (await tasks)?.close()
      await catalog.close()
      await gate?.close()
      await own?.close()
    },
  }
}

/** Loaded with the first call: the scanner is large, and a host may make none. */
async function loadTextScan(): Promise<TextScan> {
  const { scanParts, scanResult } = await import('../scan/scan-result.ts')
  return { result: scanResult, parts: scanParts }
}
