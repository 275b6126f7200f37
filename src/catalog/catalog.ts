import type { JsonObject } from '../model/json.ts'
import { namingSchemes } from '../model/preset.ts'
import type { NamingRules } from '../model/preset.ts'
import type { Server } from '../model/server.ts'
import { fromRef, toRef } from '../model/tool.ts'
import type { Tool, ToolDefinition } from '../model/tool.ts'
import { Entry } from './offered-tool.ts'
import { createFilter } from './tool-filter.ts'
import { Names, compare, createClaims } from './tool-names.ts'
import type { Clash } from './tool-names.ts'
import type { Offering, Parallel } from './offered-tool.ts'

/** Everything one server offers at one moment. Never changed, only replaced. */
export interface Snapshot {
  readonly tools: readonly ToolDefinition[]
  readonly resources: readonly JsonObject[]
  readonly resourceTemplates: readonly JsonObject[]
  readonly prompts: readonly JsonObject[]
  readonly instructions?: string
  /** Nothing is hidden in any text of its tools; where that is not known, each is looked at. */
  readonly isPlain?: true
  /** Of tools whose texts were masked, by name: the hash of the definition as it came. */
  readonly hashes?: Readonly<Record<string, string>>
  /** When it was seen, as ISO 8601. */
  readonly at: string
}

export interface CatalogOptions {
  readonly naming?: NamingRules
  /** Names of the embedder's own tools, which no tool of a server gets. */
  readonly native?: Iterable<string>
  readonly descriptions?: Offering['descriptions']
  readonly properties?: Offering['properties']
}

/** A server as far as the catalog is concerned. */
export interface CatalogServer extends Pick<Server, 'name' | 'tools'> {
  readonly parallel?: Parallel
}

/** Refs, in the order of the catalog. */
export interface CatalogChange {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly changed: readonly string[]
}

interface Slice {
  readonly snapshot: Snapshot
  /** By the server's own name for a tool, in order. */
  readonly entries: ReadonlyMap<string, Entry>
  /** Made anew when one of them has changed. */
  tools: readonly Tool[] | undefined
}

interface Differences {
  readonly added: readonly Entry[]
  readonly removed: readonly Entry[]
  readonly changed: readonly Entry[]
}

/**
 * What all servers offer at this moment: their tools in one stable order, by server and then by tool. There is no other
 * list of them anywhere (B17): whoever asks is told the present truth, and a server that comes back as it was changes
 * no byte of it.
 */
export class Catalog {
  readonly #naming: NamingRules
  readonly #offers: Pick<Offering, 'descriptions' | 'properties'>
  readonly #names: Names<Entry>
  readonly #slices = new Map<string, Slice>()
  /** Those that the last one of their name replaces (O13). */
  readonly #nameless = new Set<Entry>()
  #tools: readonly Tool[] | undefined
  #version = 0

  constructor(options: CatalogOptions = {}) {
    const {
      naming = namingSchemes.double,
      native = [],
      descriptions = 'as-sent',
      properties = 'as-sent',
    } = options
    this.#naming = naming
    this.#offers = { descriptions, properties }
    this.#names = new Names(new Set(native), naming.clash)
  }

  /** Another number whenever a tool is another one. */
  get version(): number {
    return this.#version
  }

  tools(): readonly Tool[] {
    return (this.#tools ??= this.slices().flat())
  }

  /** Those with anything to offer, in order. */
  servers(): readonly string[] {
    return [...this.#slices.keys()].sort(compare)
  }

  /** The same tools, one list a server; a list stays the same object as long as nothing in it changes. */
  slices(): readonly (readonly Tool[])[] {
    return this.servers().map((server) => this.toolsOf(server))
  }

  toolsOf(server: string): readonly Tool[] {
    const slice = this.#slices.get(server)
    if (!slice) return []
    return (slice.tools ??= [...slice.entries.values()].filter(isNamed).map(({ offered }) => offered))
  }

  byName(name: string): Tool | undefined {
    return this.#names.holder(name)?.offered
  }

  byRef(ref: string): Tool | undefined {
    const parts = fromRef(ref)
    const entry = parts && this.#slices.get(parts.server)?.entries.get(parts.tool)
    return entry && isNamed(entry) ? entry.offered : undefined
  }

  snapshotOf(server: string): Snapshot | undefined {
    return this.#slices.get(server)?.snapshot
  }

  clashes(): readonly Clash[] {
    return this.#names.clashes()
  }

  /** Puts what a server offers now in the place of all it offered before; without a snapshot it offers nothing (C22). */
  replace(server: CatalogServer, snapshot: Snapshot | undefined): CatalogChange {
    const before = this.#slices.get(server.name)
    const { entries, added, changed } = this.#read(server, snapshot, before?.entries)
    const removed = [...(before?.entries.values() ?? [])].filter(({ tool }) => !entries.has(tool))
    for (const entry of removed) this.#names.remove(entry)
    for (const entry of added) this.#names.add(entry)
    if (snapshot) this.#slices.set(server.name, { snapshot, entries, tools: before?.tools })
    else this.#slices.delete(server.name)
    return this.#settle(server.name, { added, removed, changed: this.#withRenamed(changed, added) })
  }

  /** A tool that has another name is another tool to a model, whichever server it is of. */
  #withRenamed(changed: readonly Entry[], added: readonly Entry[]): readonly Entry[] {
    const moved = this.#names.takeMoved()
    if (changed.length + moved.length === 0) return []
    const all = new Set([...changed, ...moved])
    for (const entry of added) all.delete(entry)
    return [...all].sort((a, b) => compare(a.server, b.server) || compare(a.tool, b.tool))
  }

  #settle(server: string, { added, removed, changed }: Differences): CatalogChange {
    if (added.length + removed.length + changed.length > 0) {
      for (const name of [server, ...changed.map((entry) => entry.server)]) {
        const slice = this.#slices.get(name)
        if (slice) slice.tools = undefined
      }
      this.#tools = undefined
      this.#version++
    }
    return this.#told({ added, removed, changed })
  }

  /** What that means for what is offered: a tool that has no name any more is gone, one that has a name again is there. */
  #told({ added, removed, changed }: Differences): CatalogChange {
    const wasHidden = (entry: Entry) => this.#nameless.has(entry)
    const change = {
      added: [...added, ...changed.filter(wasHidden)].filter(isNamed).map(refOf),
      removed: [...removed, ...changed.filter((entry) => !isNamed(entry))]
        .filter((entry) => !wasHidden(entry))
        .map(refOf),
      changed: changed.filter((entry) => isNamed(entry) && !wasHidden(entry)).map(refOf),
    }
    // Hardly ever is there one without a name.
    if (this.#nameless.size > 0) for (const entry of [...removed, ...changed]) this.#nameless.delete(entry)
    for (const list of [added, changed])
      for (const entry of list) if (!isNamed(entry)) this.#nameless.add(entry)
    return change
  }

  #read(
    server: CatalogServer,
    { tools, isPlain, hashes }: Pick<Snapshot, 'tools' | 'isPlain' | 'hashes'> = { tools: [] },
    before: ReadonlyMap<string, Entry> | undefined,
  ) {
    const offering: Offering = {
      server: server.name,
      parallel: server.parallel ?? 'never',
      isPlain: isPlain ?? false,
      hashes,
      ...this.#offers,
    }
    const claim = createClaims(this.#naming, server.name)
    const [entries, added, changed] = [new Map<string, Entry>(), new Array<Entry>(), new Array<Entry>()]
    for (const definition of admitted(tools, server)) {
      // Two of one name would be one tool with two claims.
      if (entries.has(definition.name)) continue
      const old = before?.get(definition.name)
      const entry = old ?? new Entry(claim(definition.name), definition, offering)
      if (!old) added.push(entry)
      else if (old.define(definition, offering)) changed.push(old)
      entries.set(definition.name, entry)
    }
    return { entries, added, changed }
  }
}

function admitted(tools: readonly ToolDefinition[], server: CatalogServer): readonly ToolDefinition[] {
  const isAdmitted = createFilter(server.tools)
  return tools.filter(({ name }) => isAdmitted(name)).sort((a, b) => compare(a.name, b.name))
}

function isNamed({ name }: Entry): boolean {
  return name !== ''
}

function refOf({ server, tool }: Entry): string {
  return toRef(server, tool)
}
