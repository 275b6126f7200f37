import { createHost, nodePlatform } from '../../index.ts'
import type {
  Diagnostic,
  Host,
  HostEvent,
  HostOptions,
  Platform,
  ReviewResult,
  ServerStatus,
} from '../../index.ts'
import { nextCommand } from '../../model/next-command.ts'
import { isSameLink, shownFailure } from '../../model/status.ts'
import { helpFor, ompWords } from '../../presets/omp-words.ts'
import { heldSentences } from '../held-sentence.ts'
import { DeferredMCPTool, MCPTool } from './custom-tool.ts'
import type { CustomTool } from './custom-tool.ts'
import { sourceOf } from './omp-configs.ts'
import type { MCPSource } from './omp-configs.ts'

export type MCPStatusEvent =
  | { readonly type: 'connecting'; readonly serverNames: readonly string[] }
  | { readonly type: 'connected'; readonly serverName: string }
  | { readonly type: 'failed'; readonly serverName: string; readonly error: string }

type Status = ServerStatus['status']

export interface MCPManagerOptions extends Omit<HostOptions, 'cwd' | 'preset'> {
  readonly onStatus?: (event: MCPStatusEvent) => void
  /** How long to wait for servers whose tools are known from an earlier run, 250 ms by default. Other servers are always awaited. */
  readonly startupTimeoutMs?: number
  /** `false` ignores every file of the project. */
  readonly enableProjectConfig?: boolean
  /** Called for each problem in the files, whenever they are read (O21), and for each offer that is held (`offer-held`). */
  readonly onDiagnostic?: (diagnostic: Diagnostic) => void
}

export interface MCPLoadResult {
  readonly tools: CustomTool[]
  /** By server name. */
  readonly errors: Map<string, string>
  readonly connectedServers: string[]
}

/** A host with the interface of omp's own manager. */
export class MCPManager implements AsyncDisposable {
  readonly #cwd: string
  readonly #options: MCPManagerOptions
  /** FI-94: outlives the host, because omp reloads by disconnecting and connecting again. */
  readonly #lastGood: Map<string, string>
  #opening: Promise<Host> | undefined
  #host: Host | undefined
  #ending = new AbortController()
  #onToolsChanged: ((tools: CustomTool[]) => void) | undefined
  /** The last reported error of each server that is down. */
  readonly #failed = new Map<string, string>()

  constructor(cwd: string, options: MCPManagerOptions = {}) {
    this.#cwd = cwd
    this.#options = options
    this.#lastGood = options.lastGood ?? new Map()
  }

  /** The host itself, for everything omp's manager does not have; `undefined` while nothing is open. */
  get host(): Host | undefined {
    return this.#host
  }

  /** Reads the configuration and connects to all its servers. A failure is reported in `errors` and affects no other server. */
  async discoverAndConnect(): Promise<MCPLoadResult> {
    const { signal } = this.#ending
    const before = this.#opening
    const host = await (this.#opening ??= this.#open())
    if (before && !signal.aborted) await host.reload()
    await waitUntilSettled(host, {
      signal,
      clock: nodePlatform(this.#options.platform).clock,
      timeoutMs: this.#options.startupTimeoutMs ?? 250,
    })
    // `disconnectAll` may have run meanwhile: then there are no errors to report.
    return {
      tools: this.getTools(),
      errors: new Map(this.#host === host ? errorsOf(host) : []),
      connectedServers: this.getConnectedServers(),
    }
  }

  /** The current tools of all servers. */
  getTools(): CustomTool[] {
    const host = this.#host
    if (!host) return []
    const byName = new Map(host.servers().map((each) => [each.name, each]))
    return host.tools().map((tool) => {
      const owner = byName.get(tool.server)
      const Kind = owner?.status.state === 'ready' ? MCPTool : DeferredMCPTool
      return new Kind(host, tool, owner && sourceOf(owner.server))
    })
  }

  getConnectedServers(): string[] {
    const all = this.#host?.servers() ?? []
    return all.filter(({ status }) => status.state === 'ready').map(({ name }) => name)
  }

  getConnectionStatus(name: string): 'connected' | 'connecting' | 'disconnected' {
    const state = this.#host?.servers().find((each) => each.name === name)?.status.state
    if (state === 'ready') return 'connected'
    return state === 'connecting' ? 'connecting' : 'disconnected'
  }

  getSource(name: string): MCPSource | undefined {
    const found = this.#host?.servers().find((each) => each.name === name)
    return found && sourceOf(found.server)
  }

  /** Calls the listener with all tools whenever a server's tools change. */
  setOnToolsChanged(listener: (tools: CustomTool[]) => void): void {
    this.#onToolsChanged = listener
  }

  /** What servers offer and omp does not get until a person has reviewed it. */
  held: Host['held'] = () => this.#host?.held() ?? []

  /** Records that a person accepts exactly these definitions. */
  async accept(...args: Parameters<Host['accept']>): Promise<ReviewResult> {
    const [, choices] = args
    const refused = choices.map(({ kind, name }) => ({ kind, name, why: 'unknown' as const }))
    return (await this.#host?.accept(...args)) ?? { done: [], refused }
  }

  /** The server's tools stay; the next call connects again. */
  async disconnectServer(name: string): Promise<void> {
    await this.#host?.stop(name)
  }

  async disconnectAll(): Promise<void> {
    const opening = this.#opening
    this.#opening = undefined
    this.#host = undefined
    this.#failed.clear()
    this.#ending.abort()
    this.#ending = new AbortController()
    await (await opening?.catch(() => undefined))?.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.disconnectAll()
  }

  async #open(): Promise<Host> {
    const {
      onStatus: _,
      startupTimeoutMs: __,
      onDiagnostic: ___,
      enableProjectConfig,
      ...options
    } = this.#options
    const { signal } = this.#ending
    let host: Host | undefined
    try {
      host = await createHost({
        ...options,
        // Without an option the settings decide; without a setting the preset, which is off.
        accept: options.accept ?? 'person',
        ...(enableProjectConfig === false && { projectFiles: false }),
        cwd: this.#cwd,
        preset: 'omp',
        lastGood: this.#lastGood,
        on: (event) => this.#onHostEvent(event, signal),
      })
      if (signal.aborted) return host
      this.#host = host
      this.#report(host.discovery.diagnostics)
      const names = host.servers().flatMap(({ name, status }) => (willConnect(status) ? [name] : []))
      if (names.length > 0) this.#options.onStatus?.({ type: 'connecting', serverNames: names })
      return host
    } catch (error) {
      if (!signal.aborted) {
        this.#opening = undefined
        this.#host = undefined
      }
      await host?.close()
      throw error
    }
  }

  #onHostEvent(event: HostEvent, signal: AbortSignal): void {
    this.#options.on?.(event)
    if (signal.aborted) return
    if (event.type === 'config.changed') this.#report(event.diagnostics)
    if (event.type === 'offer.held') this.#report(toHeldDiagnostics(event))
    if (event.type === 'catalog.changed' && this.#host) this.#onToolsChanged?.(this.getTools())
    if (event.type !== 'server.changed') return
    const { server: serverName, status } = event
    if (isSameLink(status)) return
    if (status.state === 'ready') {
      this.#failed.delete(serverName)
      this.#options.onStatus?.({ type: 'connected', serverName })
    }
    if (isDown(status)) this.#reportFailure(serverName, status.failure.message)
  }

  #report(diagnostics: readonly Diagnostic[]): void {
    for (const diagnostic of diagnostics) this.#options.onDiagnostic?.(diagnostic)
  }

  /** Reports a failure once: repeated failures with the same message are not reported. */
  #reportFailure(serverName: string, error: string): void {
    if (this.#failed.get(serverName) === error) return
    this.#failed.set(serverName, error)
    this.#options.onStatus?.({ type: 'failed', serverName, error })
  }
}

function toHeldDiagnostics(
  event: Extract<HostEvent, { readonly type: 'offer.held' }>,
): readonly Diagnostic[] {
  const { server } = event
  return heldSentences(event, 'omp').map((message) => ({
    code: 'offer-held',
    severity: 'warn',
    message,
    server,
  }))
}

function willConnect({ state }: Status): boolean {
  return state === 'idle' || state === 'connecting' || state === 'ready'
}

interface SettleOptions {
  readonly signal: AbortSignal
  readonly clock: Platform['clock']
  /** For servers whose tools are already known. */
  readonly timeoutMs: number
}

/** An upper bound for `ready`, which needs one; each server's own deadline ends first. */
const maxReadyMs = 10 * 60_000

/**
 * Waits until the tools of every server are known or the server failed, then up to `timeoutMs` until no server is
 * connecting (C13).
 */
async function waitUntilSettled(host: Host, { signal, clock, timeoutMs }: SettleOptions): Promise<void> {
  try {
    await host.ready({ timeoutMs: maxReadyMs, signal })
    const done = new AbortController()
    const timeout = clock.sleep(timeoutMs, AbortSignal.any([signal, done.signal]))
    await Promise.race([waitUntilConnected(host, done.signal), timeout]).finally(() => done.abort())
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

function waitUntilConnected(host: Host, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (host.servers().some(({ status }) => status.state === 'connecting')) return
      subscription[Symbol.dispose]()
      resolve()
    }
    const subscription = host.on(check)
    signal.addEventListener('abort', () => subscription[Symbol.dispose](), { once: true })
    check()
  })
}

function isDown(status: Status): status is Extract<Status, { readonly failure: unknown }> {
  return status.state === 'failed' || status.state === 'waiting' || status.state === 'needs-auth'
}

/** Why servers are unavailable: unreachable, not trusted, or declared by an invalid entry. */
function errorsOf(host: Host): readonly (readonly [string, string])[] {
  const { servers, diagnostics } = host.discovery
  const known = new Set(servers.map(({ name }) => name))
  const refused = diagnostics.flatMap(({ severity, server, message }) =>
    severity === 'error' && server !== undefined && !known.has(server)
      ? [[server, ompWords.invalidConfig([message])] as const]
      : [],
  )
  return [...refused, ...host.servers().flatMap((each) => errorOf(each))]
}

function errorOf({ name, status }: ServerStatus): readonly (readonly [string, string])[] {
  if (status.state === 'untrusted')
    return [
      [
        name,
        `Server "${name}" is declared by the project and not trusted: ${nextCommand('trust --preset omp', name)}`,
      ],
    ]
  if (!isDown(status)) return []
  const failure = shownFailure(name, status)
  const help = helpFor(failure, name)
  const message = ompWords.connectFailed(name, failure.message)
  return [[name, help === undefined ? message : `${message}\n${help}`]]
}
