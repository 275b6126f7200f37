import { readCache, updateCache } from '../catalog/server-cache.ts'
import type { CacheChange, CacheLocation, ServerCache } from '../catalog/server-cache.ts'
import type { Server } from '../model/server.ts'
import { capabilitiesOfHost } from './host-capabilities.ts'
import type { HostContext } from './host-context.ts'

/** How long a change waits for others of the same server: the list of tools follows the greeting. */
const gatherMs = 300

interface PendingChange {
  readonly server: Server
  change: CacheChange
  readonly timer: Disposable
}

export function createCaches(context: HostContext): ServerCaches {
  const { directories, platform, redactor, preset, options } = context
  const place = {
    directory: directories.cache,
    platform,
    // A file without resources and prompts is not one that says that there are none.
    capabilities: { ...capabilitiesOfHost(context), ...(options.offers && { offers: options.offers }) },
    isStorable: (text: string) => !redactor.hasDistinctSecretInJson(text),
  }
  const { channels = {} } = options
  // What is behind a channel may change with every run, and a recording is not the server of the entry.
  const isStored = ({ name, transport }: Server) =>
    !preset.keepsNothing && transport.kind !== 'channel' && !Object.hasOwn(channels, name)
  return new ServerCaches(place, { isStored })
}

/**
 * The cache files of a host's servers. A file is read once, and all that is learned of a server at its first contact is
 * written at once.
 */
export class ServerCaches {
  readonly #place: CacheLocation
  readonly #isStored: (server: Server) => boolean
  readonly #known = new Map<string, Promise<ServerCache>>()
  readonly #pending = new Map<string, PendingChange>()
  /** The last write of each server: writes of one file must not overtake each other. */
  readonly #writing = new Map<string, Promise<void>>()
  #directory: Promise<void> | undefined

  /** `isStored`: for other servers nothing is read from disk or written to it (C33). */
  constructor(place: CacheLocation, { isStored }: { readonly isStored: (server: Server) => boolean }) {
    this.#place = place
    this.#isStored = isStored
  }

  read(server: Server): Promise<ServerCache> {
    const known = this.#known.get(server.id)
    if (known) return known
    const read = this.#isStored(server) ? readCache(server, this.#place) : Promise.resolve({})
    this.#known.set(server.id, read)
    return read
  }

  /** Changes what is known of a server; it is written soon. `now` writes in the next turn. */
  change(server: Server, change: CacheChange, when: 'soon' | 'now' = 'soon'): void {
    const { id } = server
    this.#known.set(
      id,
      this.read(server).then((known) => withoutUndefined({ ...known, ...change })),
    )
    if (!this.#isStored(server)) return
    const before = this.#pending.get(id)
    if (before) before.change = { ...before.change, ...change }
    else {
      const onDue = () => this.#flush(id)
      const timer = this.#place.platform.clock.timer(gatherMs, onDue, { background: true })
      this.#pending.set(id, { server, change, timer })
    }
    // In the next turn: callers get a list first, because serializing a long one takes a while.
    if (when === 'now') setImmediate(() => this.#flush(id))
  }

  /** Drops what is known in memory of a server that is no longer declared; what is on disk stays. */
  forget({ id }: Pick<Server, 'id'>): void {
    this.#flush(id)
    this.#known.delete(id)
  }

  async close(): Promise<void> {
    for (const id of this.#pending.keys()) this.#flush(id)
    await Promise.all(this.#writing.values())
  }

  #flush(id: string): void {
    const pending = this.#pending.get(id)
    if (!pending) return
    this.#pending.delete(id)
    pending.timer[Symbol.dispose]()
    const before = this.#writing.get(id) ?? Promise.resolve()
    const write = before.then(() => this.#write(pending))
    this.#writing.set(id, write)
    void write.then(() => this.#writing.get(id) === write && this.#writing.delete(id))
  }

  async #write({ server, change }: PendingChange): Promise<void> {
    const { directory, platform } = this.#place
    this.#directory ??= platform.files.makePrivateDirectory(directory).catch(() => undefined)
    await this.#directory
    await updateCache(server, change, this.#place)
  }
}

function withoutUndefined(change: CacheChange): ServerCache {
  const { era, catalog, start } = change
  return { ...(era && { era }), ...(catalog && { catalog }), ...(start && { start }) }
}
