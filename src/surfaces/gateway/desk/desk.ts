import { createServer } from 'node:net'
import type { Server, Socket } from 'node:net'
import { join } from 'node:path'
import { version } from '../../../index.ts'
import type { DiscoverOptions, JsonObject } from '../../../index.ts'
import { believePlatform, isObject, readSettings } from '../../../internal.ts'
import type { ClientVariables, Values } from './client-variables.ts'
import { DeskCalls } from './desk-calls.ts'
import { DeskClient, toObject } from './desk-client.ts'
import type { DeskFolderStatus, DeskStatus } from '../../facts/desk/desk-facts.ts'
import type { DeskRequest } from './desk-messages.ts'
import { GatewayPool } from './gateway-pool.ts'
import type { PooledGateway } from './gateway-pool.ts'
import { leavingSockets, listenPrivately, removeLeftSockets } from './private-socket.ts'
import { readFirstLine, writeLine } from './socket-lines.ts'
import { StatusWatchers } from './status-watchers.ts'

export interface DeskOptions {
  readonly preset: string
  readonly socket: string
  readonly log: (message: string) => void
}

const usualIdleSeconds = 300
/** How long a connection may take to say what it is, and how long the first client may take to come. */
const openingMs = 10_000
const firstClientMs = 30_000

/** The gateway of one user: serves all clients that this user's programs start, and ends when none is left. */
export class Desk {
  readonly #options: DeskOptions
  #server: Server
  /** Where it listens; another one after `retire`. */
  #socket: string
  readonly #pool: GatewayPool
  readonly #clients = new Set<DeskClient>()
  readonly #watchers = new StatusWatchers(() => this.status())
  readonly #calls = new DeskCalls((call) => this.#watchers.called(call))
  readonly #startedAt = new Date().toISOString()
  readonly #firstClient: NodeJS.Timeout
  readonly #ended: Promise<void>
  #end: () => void = () => undefined
  #isLeaving = false
  #greeted = 0

  constructor(options: DeskOptions) {
    this.#options = options
    this.#ended = new Promise((resolve) => (this.#end = resolve))
    this.#socket = options.socket
    this.#server = this.#createServer()
    this.#pool = new GatewayPool({
      log: options.log,
      idleMs: async (discover) => (this.#isLeaving ? 0 : idleMsOf(discover)),
      watch: this.#calls,
      onChange: (pooled) => this.#follow(pooled),
      onServers: () => this.#watchers.changed(),
      onEmpty: () => this.#endIfUnused(),
    })
    this.#firstClient = setTimeout(() => this.#endIfUnused(), firstClientMs)
  }

  /** Resolves when the last client has left, or after `stop`. Everything that was started has ended then. */
  get ended(): Promise<void> {
    return this.#ended
  }

  /** Only the user of this process can connect. Rejects if another process listens there. */
  listen(): Promise<void> {
    return listenPrivately(this.#server, this.#socket)
  }

  /**
   * Takes no new clients, so that another process can; goes on until the last one has left. Until then it listens at an
   * address with its process id, where it is shown and stopped.
   */
  async retire(): Promise<void> {
    if (this.#isLeaving) return
    this.#isLeaving = true
    this.#options.log('A newer version takes over; clients stay until they leave.')
    this.#server.close()
    await this.#listenElsewhere().catch((error: unknown) =>
      this.#options.log(`It can no longer be shown or stopped: ${String(error)}`),
    )
    this.#watchers.changed()
    this.#pool.closeUnused()
    this.#endIfUnused()
  }

  /**
   * Ends subscriptions, gives running requests until the deadline, then closes everything. After a fault of this process, clients
   * go on with another one.
   */
  async stop({
    deadlineMs,
    isFault = false,
  }: {
    readonly deadlineMs: number
    readonly isFault?: boolean
  }): Promise<void> {
    this.#isLeaving = true
    this.#server.close()
    for (const pooled of this.#pool.all) pooled.endSubscriptions()
    const isIdle = () => [...this.#clients].every(({ openRequests }) => openRequests === 0)
    for (const until = Date.now() + deadlineMs; Date.now() < until && !isIdle();)
      await new Promise((resolve) => setTimeout(resolve, 50))
    for (const client of this.#clients)
      if (isFault) client.end()
      else client.stop()
    await this.#pool.close()
    this.#finish()
  }

  status(): DeskStatus {
    return {
      pid: process.pid,
      version,
      preset: this.#options.preset,
      socket: this.#socket,
      startedAt: this.#startedAt,
      isLeaving: this.#isLeaving,
      clients: [...this.#clients].map((client) => client.status()),
      folders: this.#pool.all.map(folderStatus),
    }
  }

  #createServer(): Server {
    return createServer({ allowHalfOpen: false }, (socket) => void this.#accept(socket))
  }

  async #listenElsewhere(): Promise<void> {
    // A pipe of Windows cannot be found by its name.
    if (process.platform === 'win32') return
    const { directory, start } = leavingSockets(this.#options.socket)
    removeLeftSockets(directory, start)
    const socket = join(directory, `${start}${process.pid}.sock`)
    this.#server = this.#createServer()
    await listenPrivately(this.#server, socket)
    this.#socket = socket
  }

  async #accept(socket: Socket): Promise<void> {
    socket.on('error', () => socket.destroy())
    const timer = setTimeout(() => socket.destroy(), openingMs)
    const text = await readFirstLine(socket)
    clearTimeout(timer)
    const opening = text === undefined ? {} : toObject(text)
    if (opening['plugboard'] !== 1) return void socket.destroy()
    const { hello, command } = opening
    if (isObject(hello)) return this.#greet(socket, hello, opening)
    return this.#obey(socket, command)
  }

  async #greet(socket: Socket, hello: JsonObject, opening: JsonObject): Promise<void> {
    const { pid } = opening
    const { log } = this.#options
    const client = new DeskClient({
      socket,
      id: `${process.pid}-${++this.#greeted}`,
      onChange: () => this.#watchers.changed(),
      request: toRequest(hello),
      variables: toVariables(opening),
      pid: typeof pid === 'number' ? pid : 0,
      pool: this.#pool,
      log,
    })
    this.#clients.add(client)
    this.#watchers.changed()
    clearTimeout(this.#firstClient)
    try {
      await client.open()
      log(`Client ${client.pid} is in ${client.request.cwd}.`)
      await client.serve()
    } catch (error) {
      client.refuse(error instanceof Error ? error.message : String(error))
    }
    await client.left
    this.#clients.delete(client)
    this.#watchers.changed()
    log(`Client ${client.pid} has left.`)
    await client.leavePool()
    this.#endIfUnused()
  }

  async #obey(socket: Socket, command: unknown): Promise<void> {
    if (command === 'status') writeLine(socket, this.status())
    if (command === 'watch') return this.#watchers.add(socket, this.#calls.all())
    if (command === 'retire') await this.retire()
    if (command !== 'stop') return void socket.end()
    writeLine(socket, { stopping: true })
    this.#options.log('Stopping.')
    await this.stop({ deadlineMs: 10_000 })
    return void socket.end()
  }

  #follow(pooled: PooledGateway): void {
    for (const client of this.#clients)
      if (pooled.clients.has(client))
        client.follow().catch((error: unknown) => this.#options.log(`Variables: ${String(error)}`))
  }

  #endIfUnused(): void {
    if (this.#clients.size === 0 && this.#pool.isEmpty) this.#finish()
  }

  #finish(): void {
    clearTimeout(this.#firstClient)
    this.#watchers.close()
    this.#server.close()
    this.#end()
  }
}

function toRequest({ cwd, preset, config, source, trust, view, search }: JsonObject): DeskRequest {
  const isText = (value: unknown): value is string => typeof value === 'string'
  return {
    cwd: isText(cwd) ? cwd : '/',
    ...(isText(preset) && { preset }),
    ...(isText(config) && { config }),
    ...(Array.isArray(source) && { source: source.filter(isText) }),
    ...(trust === true && { trust }),
    ...(isText(view) && { view }),
    ...(search === true && { search }),
  }
}

function toVariables({ values, asked }: JsonObject): ClientVariables {
  const isText = (value: unknown): value is string => typeof value === 'string'
  const texts = Object.entries(isObject(values) ? values : {}).filter(([, value]) => isText(value))
  return {
    values: Object.fromEntries(texts) as Values, // only texts are left
    asked: new Set(Array.isArray(asked) ? asked.filter(isText) : []),
  }
}

function folderStatus({ discover, clients, current }: PooledGateway): DeskFolderStatus {
  return {
    cwd: discover.cwd ?? '/',
    clients: [...clients].map(({ pid }) => pid),
    servers: (current?.host.servers() ?? []).map(({ name, status }) => ({ name, state: status.state })),
  }
}

async function idleMsOf({ cwd, platform: given }: DiscoverOptions): Promise<number> {
  const { platform } = await believePlatform({ ...given, ...(cwd !== undefined && { cwd }) })
  const { settings } = await readSettings(platform)
  return (settings.desk?.idleSeconds ?? usualIdleSeconds) * 1000
}
