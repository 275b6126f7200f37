import { invalidEntry, readChannelEntry, readCodeEntry } from '../config/in-code/read-code-entry.ts'
import type { CodeServer } from '../config/in-code/read-code-entry.ts'
import { HostError } from '../model/error.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { Server } from '../model/server.ts'
import type { Platform } from '../platform/platform.ts'
import type { SourceReading, World } from '../sources/source.ts'
import type { OpenChannel } from '../wire/channel.ts'
import { openInProcess } from '../wire/in-process.ts'
import type { InProcessServer } from '../wire/in-process.ts'
import type { ServerEntry } from './server-entry.ts'

interface KeptServer extends CodeServer {
  readonly channel?: OpenChannel
}

/** The servers that the program declares in code (D-17), in the order in which they were added. */
export class CodeServers {
  readonly #options: { readonly world: World; readonly isExpanded: boolean }
  readonly #kept = new Map<string, KeptServer>()

  constructor(platform: Platform, { expand = false }: { readonly expand?: boolean | undefined }) {
    const { os, home, cwd, env, systemRoot } = platform
    this.#options = { world: { os, home, cwd, env, systemRoot, dirs: [cwd] }, isExpanded: expand }
  }

  has(name: string): boolean {
    return this.#kept.has(name)
  }

  /** Throws `config.invalid` for an entry that cannot be used, and for a name that is taken. */
  async add(name: string, entry: ServerEntry): Promise<void> {
    const isTaken = () => this.#kept.has(name)
    if (isTaken()) throw taken(name)
    const server = await this.#read(name, entry).catch((error: unknown) => {
      if (error instanceof HostError) throw error
      // Such as one of a getter or a proxy.
      const why = error instanceof Error ? error.message : String(error)
      throw invalidEntry(name, [], `It cannot be read: ${why}`)
    })
    if (isTaken()) throw taken(name)
    this.#kept.set(name, server)
  }

  remove(name: string): void {
    this.#kept.delete(name)
  }

  /** The channel of a server that the program has itself. */
  channelOf({ id, name }: Server): OpenChannel | undefined {
    const kept = this.#kept.get(name)
    return kept?.server.id === id ? kept.channel : undefined
  }

  reading(): SourceReading {
    const kept = [...this.#kept.values()]
    return {
      servers: kept.map(({ server }) => server),
      shadowed: [],
      diagnostics: kept.flatMap(({ diagnostics }) => diagnostics),
    }
  }

  async #read(name: string, given: unknown): Promise<KeptServer> {
    if (!isRecord(given)) throw invalidEntry(name, [], 'It must be an object.')
    const { server, channel, ...rest } = given
    const ways = ['command', 'url', 'server', 'channel'].filter((key) => given[key] !== undefined)
    const isObject = server !== undefined || channel !== undefined
    if (ways.length > 1)
      throw invalidEntry(name, [], `It has ${ways.join(' and ')}; only one of them can be used.`)
    const entry = toJsonObject(name, rest)
    if (!isObject) return readCodeEntry(name, entry, this.#options)
    const open = server === undefined ? toChannel(name, channel) : toInProcess(name, server)
    const serial = serialOf(open.object)
    return { ...(await readChannelEntry(name, entry, { ...this.#options, serial })), channel: open.channel }
  }
}

function taken(name: string): HostError<'config.invalid'> {
  return new HostError(
    'config.invalid',
    { server: name, key: `servers.${name}` },
    `The program already declares a server "${name}".`,
    { hint: `Remove it first: await host.remove(${JSON.stringify(name)})` },
  )
}

interface GivenObject {
  readonly object: object
  readonly channel: OpenChannel
}

function toInProcess(name: string, server: unknown): GivenObject {
  if (isServerObject(server)) return { object: server, channel: openInProcess(server) }
  throw invalidEntry(name, ['server'], 'It must be an MCP server object, with a method "connect(transport)".')
}

function isServerObject(value: unknown): value is InProcessServer {
  return (
    typeof value === 'object' && value !== null && 'connect' in value && typeof value.connect === 'function'
  )
}

function toChannel(name: string, channel: unknown): GivenObject {
  if (isOpenChannel(channel)) return { object: channel, channel }
  throw invalidEntry(name, ['channel'], 'It must be a function that opens a channel.')
}

function isOpenChannel(value: unknown): value is OpenChannel {
  return typeof value === 'function'
}

const serials = new WeakMap<object, number>()
let lastSerial = 0

/** A number for each object, the same every time in this process. */
function serialOf(object: object): number {
  const known = serials.get(object) ?? ++lastSerial
  serials.set(object, known)
  return known
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What it contains is not in its keys, as in a `Map`, `Headers` or a `Date`. */
function hasOtherContent(value: object): boolean {
  return Symbol.iterator in value || 'toJSON' in value
}

/** Copies the entry as JSON, so that later changes by the program have no effect. A key that is `undefined` counts as absent. */
function toJsonObject(name: string, given: Readonly<Record<string, unknown>>): JsonObject {
  const present = Object.entries(given).filter(([, value]) => value !== undefined)
  return Object.fromEntries(present.map(([key, value]) => [key, toJson(name, value, [key])]))
}

/** Deeper than any entry. */
const maxDepth = 50

function toJson(name: string, value: unknown, path: readonly string[]): Json {
  if (path.length > maxDepth)
    throw invalidEntry(name, path.slice(0, 1), 'It is nested too deeply, or contains itself.')
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  if (value instanceof URL) return value.href
  // Not `map`, which leaves holes out.
  if (Array.isArray(value))
    return Array.from(value, (item: unknown, index) => toJson(name, item, [...path, String(index)]))
  if (!isRecord(value)) throw invalidEntry(name, path, `It is ${kindOf(value)}.`)
  if (hasOtherContent(value))
    throw invalidEntry(name, path, `It must be a plain object, not a ${value.constructor.name}.`)
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, toJson(name, item, [...path, key])]),
  )
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'undefined'
  return typeof value === 'number' ? `${value}, not a finite number` : `a ${typeof value}`
}
