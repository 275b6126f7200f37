import { createHost, nodePlatform } from '../../index.ts'
import type { Host, HostOptions, Platform, ServerStatus, Tool, View } from '../../index.ts'
import { createClient, isConnected, refusedStatuses, toMcpStatus } from './dispatch-server.ts'
import type { McpClient, McpServerStatus } from './mcp-service.ts'
import type { DirectoryLog } from './directory-log.ts'

/** A server that failed to start is not tried again before this time has passed. */
const retryFailedMs = 30_000

interface DirectoryOptions {
  readonly cwd: string
  readonly host: HostOptions
  readonly waitMs: number
  readonly log: DirectoryLog
  /** Called when the tools of a server changed. */
  readonly onTools: (directory: Directory) => void
}

/** One working directory: its configuration, its servers and their tools (D5). Nothing starts before a turn. */
export class Directory {
  readonly #options: DirectoryOptions
  readonly #host: Host
  readonly #clock: Platform['clock']
  #starting: Promise<void> | undefined
  #refreshing: Promise<void> | undefined
  /** Servers whose lists were requested. */
  readonly #requested = new Set<string>()
  #isUsed = false

  private constructor(host: Host, options: DirectoryOptions) {
    this.#host = host
    this.#options = options
    this.#clock = nodePlatform(options.host.platform).clock
  }

  static async open(options: DirectoryOptions): Promise<Directory> {
    const { log } = options
    let directory: Directory | undefined
    const host = await createHost({
      ...options.host,
      on(event) {
        if (event.type === 'config.changed' && directory) directory.#logDiscovery()
        log.logEvent(event)
        if (event.type !== 'catalog.changed' || !directory) return
        log.logProblems(directory.#host.problems().filter(({ code }) => code === 'name-clash'))
        options.onTools(directory)
      },
    })
    directory = new Directory(host, options)
    directory.#logDiscovery()
    return directory
  }

  get cwd(): string {
    return this.#options.cwd
  }

  /** Whether a turn has run in this directory. */
  get isUsed(): boolean {
    return this.#isUsed
  }

  get redact(): DirectoryLog['redact'] {
    return this.#options.log.redact
  }

  log: DirectoryLog['write'] = (...args) => this.#options.log.write(...args)

  /** Reads the configuration again and starts the servers that are due; waits at most `waitMs` (D14). */
  async prepareTurn(signal: AbortSignal | undefined): Promise<void> {
    this.#isUsed = true
    const done = new AbortController()
    const end = signal ? AbortSignal.any([signal, done.signal]) : done.signal
    const timeout = this.#clock.sleep(this.#options.waitMs, end).catch(() => undefined)
    await Promise.race([this.#startDue(), timeout]).finally(() => done.abort())
  }

  /** Applies changes of the files and of trust; runs before each turn. */
  refresh(): Promise<void> {
    return (this.#refreshing ??= this.#host
      .reload({ ifChanged: true })
      .finally(() => (this.#refreshing = undefined)))
  }

  view(conversation: string | undefined): Promise<View> {
    return this.#host.scope(conversation === undefined ? {} : { conversation })
  }

  /** The tools of connected servers; those of the others are missing in this turn (D6). */
  toolsOf(view: View): readonly Tool[] {
    const connected = new Set(
      this.#host.servers().flatMap(({ name, status }) => (isConnected(status) ? [name] : [])),
    )
    return view.tools().filter(({ server }) => connected.has(server))
  }

  /** All known tools of servers, connected or not. */
  tools(): readonly Tool[] {
    return this.#host.tools().filter(({ server }) => server !== '')
  }

  async status(): Promise<readonly McpServerStatus[]> {
    // Once a directory is used, its turns read the configuration; before that, a status request does. Starts no server.
    if (!this.#isUsed) await this.refresh()
    const servers = this.#host.servers()
    const known = this.tools()
    const statuses = servers.map((each) =>
      toMcpStatus(each, {
        cwd: this.cwd,
        toolCount: known.filter(({ server }) => server === each.name).length,
      }),
    )
    const names = new Set(servers.map(({ name }) => name))
    return [...statuses, ...refusedStatuses(this.#host.discovery.diagnostics, names)].map((status) =>
      status.error === undefined ? status : { ...status, error: this.redact(status.error) },
    )
  }

  client(serverId: string): McpClient | undefined {
    return this.declares(serverId) ? createClient(this.#host, serverId) : undefined
  }

  declares(serverId: string): boolean {
    return this.#host.servers().some(({ name }) => name === serverId)
  }

  switchServer(conversation: string, server: string, on: boolean): Promise<void> {
    return this.#host.switchServer(conversation, server, on)
  }

  held: Host['held'] = () => this.#host.held()
  accept: Host['accept'] = (server, choices) => this.#host.accept(server, choices)

  close(): Promise<void> {
    return this.#host.close()
  }

  async #startDue(): Promise<void> {
    await this.refresh()
    const due = this.#host.servers().filter((server) => this.#isDue(server))
    if (due.length > 0) this.#start(due.map(({ name }) => name))
    await this.#starting
  }

  /** Concurrent turns share one start: each waits for the same promise. */
  #start(servers: readonly string[]): void {
    const before = this.#starting
    for (const server of servers) this.#requested.add(server)
    const { waitMs: timeoutMs } = this.#options
    const starting = Promise.allSettled([before, this.#host.ready({ servers, from: 'servers', timeoutMs })])
    this.#starting = starting.then(() => undefined)
  }

  #isDue({ name, status }: ServerStatus): boolean {
    const now = this.#clock.now()
    if (status.state === 'idle') return true
    // The lists are requested again: the answer says that it is back.
    if (status.state === 'ready' && status.away) return true
    // Connected by a client of the service: its lists may not have been requested yet.
    if (status.state === 'ready' || status.state === 'connecting') return !this.#requested.has(name)
    // A wall clock behind the start of the wait was set back: the wait would last as long as it was set back (T49).
    const isSetBack = now < status.since
    if (status.state === 'waiting') return isSetBack || status.retryAt <= now
    const hasFailed = status.state === 'failed' || status.state === 'needs-auth'
    return hasFailed && (isSetBack || status.since + retryFailedMs <= now)
  }

  #logDiscovery(): void {
    const { servers, diagnostics } = this.#host.discovery
    this.#options.log.registerSecrets(servers)
    this.#options.log.logProblems(diagnostics)
  }
}
