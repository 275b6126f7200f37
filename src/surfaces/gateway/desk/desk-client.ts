import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { version } from '../../../index.ts'
import type { JsonObject } from '../../../index.ts'
import { isObject } from '../../../internal.ts'
import type { ServedRequest } from '../served-request.ts'
import { StdioFront } from '../stdio-front.ts'
import { askVariables, discoverOptionsOf, poolKey } from './client-variables.ts'
import type { ClientVariables, Values } from './client-variables.ts'
import { controlLine, splitControl } from './control-lines.ts'
import type { DeskClientStatus } from '../../facts/desk/desk-facts.ts'
import type { DeskReply, DeskRequest } from './desk-messages.ts'
import type { GatewayPool, PoolClient, PooledGateway } from './gateway-pool.ts'

interface DeskClientOptions {
  /** Paused after its first line. */
  readonly socket: Socket
  readonly request: DeskRequest
  /** What came with the first line. */
  readonly variables: ClientVariables
  readonly pid: number
  /** Names it in the status. */
  readonly id: string
  readonly pool: GatewayPool
  /** What its status says has changed. */
  readonly onChange: () => void
  readonly log: (message: string) => void
}

/** One client of the desk, from its first message to its end. */
export class DeskClient implements PoolClient {
  readonly id: string
  readonly pid: number
  readonly request: DeskRequest
  readonly #options: DeskClientOptions
  readonly #since = new Date().toISOString()
  readonly #left: Promise<void>
  #leave: () => void = () => undefined
  #variables: ClientVariables
  #pooled: { readonly key: string; readonly gateway: PooledGateway } | undefined
  #front: StdioFront | undefined
  readonly #input: Readable
  #followed: Promise<void> = Promise.resolve()
  #onValues: ((values: Values) => void) | undefined

  constructor(options: DeskClientOptions) {
    this.#options = options
    this.id = options.id
    this.pid = options.pid
    this.request = options.request
    this.#left = new Promise((resolve) => (this.#leave = resolve))
    this.#variables = options.variables
    const { socket } = options
    socket.on('close', () => this.#leave())
    this.#input = new Readable({ read: () => socket.resume() })
    const pass = (bytes: Buffer) => void (this.#input.push(bytes) || socket.pause())
    socket.on(
      'data',
      splitControl(pass, (text) => this.#receive(text)),
    )
    socket.on('end', () => this.#input.push(null))
    socket.resume()
  }

  /** Resolves when the client is gone. */
  get left(): Promise<void> {
    return this.#left
  }

  get capabilities(): JsonObject {
    return this.#front?.capabilities ?? {}
  }

  get openRequests(): number {
    return this.#front?.openRequests ?? 0
  }

  between(): ServedRequest | undefined {
    return this.#front?.between()
  }

  /** Asks for what the entries in force at its folder need. */
  async open(): Promise<void> {
    this.#enter(await askVariables(this.request, (names) => this.#ask(names), this.#variables))
  }

  /** Serves the client until it closes its end. */
  async serve(): Promise<void> {
    const { view, search } = this.request
    const front = new StdioFront({
      input: this.#input,
      output: this.#options.socket,
      address: { ...(view !== undefined && { view }), mode: search ? 'search' : 'all' },
      openGateway: () => this.#openGateway(),
      from: this.id,
      onRequests: this.#options.onChange,
    })
    this.#front = front
    void this.#left.then(() => front.end())
    this.#send({ ready: true, version })
    await front.serve()
    this.end()
  }

  /**
   * Entries have changed, and may name other variables: then the client moves to another set of servers. Changes are followed
   * one after the other: each asks the client for values, and it answers without saying which question it answers.
   */
  follow(): Promise<void> {
    this.#followed = this.#followed.catch(() => undefined).then(() => this.#followChange())
    return this.#followed
  }

  async #followChange(): Promise<void> {
    const known = this.#variables
    const found = await askVariables(this.request, (names) => this.#ask(names), known)
    if (found.asked.size === known.asked.size) return
    const before = this.#pooled
    this.#enter(found)
    if (before?.key === this.#pooled?.key) return
    const answered = this.#front?.reopen()
    // Calls that run go on where they are, however long they take.
    if (before) void Promise.resolve(answered).then(() => this.#options.pool.leave(before.key, this))
  }

  refuse(why: string): void {
    this.#send({ refused: why, version })
    this.end()
  }

  /** The gateway is stopped by a person. Without this message, the client would go on with another one. */
  stop(): void {
    this.#send({ stopped: true, version })
    this.end()
  }

  end(): void {
    this.#front?.end()
    this.#options.socket.end()
    this.#leave()
  }

  async leavePool(): Promise<void> {
    if (this.#pooled) await this.#options.pool.leave(this.#pooled.key, this)
  }

  status(): DeskClientStatus {
    const { cwd, view } = this.request
    const { era, version: protocol, info } = this.#front?.client ?? {}
    return {
      id: this.id,
      pid: this.pid,
      ...info,
      ...(era !== undefined && { era }),
      ...(protocol !== undefined && { protocol }),
      cwd,
      ...(view !== undefined && { view }),
      since: this.#since,
      requests: this.openRequests,
    }
  }

  /** How a person knows it. */
  get name(): string {
    const { name, version: ofClient } = this.#front?.client?.info ?? {}
    if (name === undefined) return `process ${this.pid}`
    return ofClient === undefined ? name : `${name} ${ofClient}`
  }

  #enter(variables: ClientVariables): void {
    this.#variables = variables
    const { values } = variables
    const key = poolKey(this.request, values)
    const discover = { ...discoverOptionsOf(this.request), platform: { env: values } }
    this.#pooled = { key, gateway: this.#options.pool.enter(key, discover, this) }
  }

  #openGateway() {
    if (!this.#pooled) throw new Error('The client has not sent its variables yet.')
    return this.#pooled.gateway.open()
  }

  #ask(names: readonly string[]): Promise<Values> {
    this.#send({ need: names, version })
    return Promise.race([
      new Promise<Values>((resolve) => (this.#onValues = resolve)),
      this.#left.then(() => Promise.reject(new Error('The client is gone.'))),
    ])
  }

  #receive(text: string): void {
    const { values } = toObject(text)
    if (!isObject(values)) return
    const texts = Object.entries(values).filter(([, value]) => typeof value === 'string')
    this.#onValues?.(Object.fromEntries(texts) as Values) // only texts are left
    this.#onValues = undefined
  }

  #send(reply: DeskReply): void {
    const { socket } = this.#options
    if (socket.writable) socket.write(controlLine(reply))
  }
}

/** A text that is not JSON has no fields. */
export function toObject(text: string): JsonObject {
  try {
    const value = JSON.parse(text) as unknown
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}
