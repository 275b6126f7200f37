import { createHost, discover, nodePlatform } from '../../index.ts'
import type { Discovery, Host, HostOptions, Platform, ServerStatus, Tool, View } from '../../index.ts'
import { createClient, refusedStatuses, toMcpStatus } from './dispatch-server.ts'
import type { McpClient, McpServerStatus } from './mcp-service.ts'
import type { DirectoryLog } from './directory-log.ts'

/** How long one that could not be started is left alone. */
const brokenMs = 30_000

interface DirectoryOptions {
  readonly cwd: string
  readonly host: HostOptions
  readonly waitMs: number
  readonly log: DirectoryLog
  /** Called whenever a server offers other tools than before. */
  readonly onTools: (directory: Directory) => void
}

/** One working directory: its configuration, its servers, and what they offer (D5). Nothing starts before a turn. */
export class Directory {
  readonly #options: DirectoryOptions
  readonly #host: Host
  readonly #clock: Platform['clock']
  #starting: Promise<void> | undefined
  #refreshing: Promise<void> | undefined
  readonly #asked = new Set<string>()
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
        if (event.type === 'config.changed' && directory) directory.#learn()
        log.happened(event)
        if (event.type === 'catalog.changed' && directory) options.onTools(directory)
      },
    })
    directory = new Directory(host, options)
    directory.#learn()
    return directory
  }

  get cwd(): string {
    return this.#options.cwd
  }

  /** A turn has been here. */
  get isUsed(): boolean {
    return this.#isUsed
  }

  get redact(): DirectoryLog['redact'] {
    return this.#options.log.redact
  }

  say: DirectoryLog['say'] = (...said) => this.#options.log.say(...said)

  /** For a turn: the configuration as it is now, and the servers started that are not yet (D14). */
  async begin(signal: AbortSignal | undefined): Promise<void> {
    this.#isUsed = true
    const over = new AbortController()
    const end = signal ? AbortSignal.any([signal, over.signal]) : over.signal
    const waited = this.#clock.sleep(this.#options.waitMs, end).catch(() => undefined)
    await Promise.race([this.#begin(), waited]).finally(() => over.abort())
  }

  /** A changed file, or a person's trust, counts from the next turn on. */
  refresh(): Promise<void> {
    return (this.#refreshing ??= this.#refresh().finally(() => (this.#refreshing = undefined)))
  }

  view(conversation: string | undefined): Promise<View> {
    return this.#host.scope(conversation === undefined ? {} : { conversation })
  }

  /** Of servers that are connected: the others lose theirs for the turn (D6). */
  toolsOf(view: View): readonly Tool[] {
    const connected = new Set(
      this.#host.servers().flatMap(({ name, status }) => (status.state === 'ready' ? [name] : [])),
    )
    return view.tools().filter(({ server }) => connected.has(server))
  }

  /** Everything that is known, connected or not. */
  tools(): readonly Tool[] {
    return this.#host.tools().filter(({ server }) => server !== '')
  }

  async status(): Promise<readonly McpServerStatus[]> {
    // In use, a turn reads the configuration; whoever only looks starts nothing.
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

  close(): Promise<void> {
    return this.#host.close()
  }

  async #begin(): Promise<void> {
    await this.refresh()
    const due = this.#host.servers().filter((server) => this.#isDue(server))
    if (due.length > 0) this.#start(due.map(({ name }) => name))
    await this.#starting
  }

  /** Whoever comes while servers start waits for the same start. */
  #start(servers: readonly string[]): void {
    const before = this.#starting
    for (const server of servers) this.#asked.add(server)
    const { waitMs: timeoutMs } = this.#options
    const starting = Promise.allSettled([before, this.#host.ready({ servers, from: 'servers', timeoutMs })])
    this.#starting = starting.then(() => undefined)
  }

  #isDue({ name, status }: ServerStatus): boolean {
    const now = this.#clock.now()
    if (status.state === 'idle') return true
    // Somebody else connected to it, and nobody has asked what it offers.
    if (status.state === 'ready' || status.state === 'connecting') return !this.#asked.has(name)
    if (status.state === 'waiting') return status.retryAt <= now
    const isBroken = status.state === 'failed' || status.state === 'needs-auth'
    return isBroken && status.reason !== 'crash-loop' && status.since + brokenMs <= now
  }

  async #refresh(): Promise<void> {
    const { platform, trust } = this.#options.host
    const found = await discover({
      cwd: this.cwd,
      sources: ['dispatch'],
      ...(platform && { platform }),
      ...(trust === 'project' && { trust }),
    })
    if (digest(found) !== digest(this.#host.discovery)) await this.#host.reload()
  }

  #learn(): void {
    const { servers, diagnostics } = this.#host.discovery
    this.#options.log.learn(servers)
    this.#options.log.problems(diagnostics)
  }
}

/** What decides which servers may be used, and how. */
function digest({ servers, trust, diagnostics }: Discovery): string {
  const each = servers.map((server) => [server.id, server.entryHash, server.enabled, trust.get(server)])
  return JSON.stringify([each, diagnostics.map(({ code, message, origin }) => [code, message, origin?.file])])
}
