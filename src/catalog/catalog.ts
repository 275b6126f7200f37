import type { JsonObject } from '../model/json.ts'
import { namingSchemes } from '../model/preset.ts'
import type { NamingRules } from '../model/preset.ts'
import type { Server } from '../model/server.ts'
import { fromRef, isForModels, toRef } from '../model/tool.ts'
import { isForApps } from '../model/app/app-meta.ts'
import type { Tool, ToolDefinition } from '../model/tool.ts'
import { findAddressClashes } from './address-clashes.ts'
import type { AddressClash } from './address-clashes.ts'
import { OfferedTool, ToolRecord } from './offered-tool.ts'
import { createFilter } from './tool-filter.ts'
import { NameTable, candidateName, compare, createClaims, needsMark } from './tool-names.ts'
import type { Clash } from './tool-names.ts'
import type { OfferOptions, Parallel } from './offered-tool.ts'

/** Everything a server offers at one moment. Immutable: a new list is a new snapshot. */
export interface Snapshot {
  readonly tools: readonly ToolDefinition[]
  readonly resources: readonly JsonObject[]
  readonly resourceTemplates: readonly JsonObject[]
  readonly prompts: readonly JsonObject[]
  /** Checked entries; absent if the server declares no skills. */
  readonly skills?: readonly JsonObject[]
  /** Skills that were left out, each with the reason. */
  readonly badSkills?: readonly { readonly skill: string; readonly reason: string }[]
  readonly instructions?: string
  /** No text of its tools contains hidden characters; absent when unknown, and then each text is checked. */
  readonly isPlain?: true
  /** Hashes of the original definitions, by name, for tools in whose texts a secret was masked. */
  readonly hashes?: Readonly<Record<string, string>>
  /** Other definitions of names in `tools`, from the same list: models get the first one, or none. */
  readonly conflicts?: readonly ToolDefinition[]
  /** What tells the lists from later ones, by list. */
  readonly marks?: Readonly<Record<string, ListMark>>
  /** When it was listed, as ISO 8601. */
  readonly at: string
  /** When the server was first listed, as far as that is known. */
  readonly since?: string
  /** When addresses that were not in that first list were. */
  readonly addressTimes?: readonly (readonly [uri: string, at: string])[]
}

/** Tells a list from others by the text of the server's answers. */
export interface ListMark {
  readonly mark: string
  readonly ttlMs: number
  readonly isUnkept?: true | undefined
}

export interface CatalogOptions {
  readonly naming?: NamingRules
  /** Names of the embedder's own tools; a server's tool never gets one of these. */
  readonly native?: Iterable<string>
  readonly descriptions?: OfferOptions['descriptions']
  readonly properties?: OfferOptions['properties']
}

/** The parts of a server that the catalog needs. */
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
  /** By the server's name for the tool, sorted. */
  readonly records: ReadonlyMap<string, ToolRecord>
  /** Cached list of the offered tools; rebuilt after a change. */
  tools: readonly Tool[] | undefined
  /** The server's entry, for tools that only its apps may call. */
  readonly server: CatalogServer
  /** Tools that only apps may call, made when one first does. */
  forApps?: Map<string, OfferedTool>
}

interface RecordChanges {
  readonly added: readonly ToolRecord[]
  readonly removed: readonly ToolRecord[]
  readonly changed: readonly ToolRecord[]
}

/**
 * The tools of all servers, sorted by server and then by tool. It is the only list of them (B17), so every reader sees
 * the current state. A server that reconnects with the same tools does not change a byte of it.
 */
export class Catalog {
  readonly #naming: NamingRules
  readonly #toolOptions: Pick<OfferOptions, 'descriptions' | 'properties'>
  readonly #names: NameTable<ToolRecord>
  readonly #slices = new Map<string, Slice>()
  /** Tools without a name, because the last tool of the same name replaces them (O13). */
  readonly #unnamed = new Set<ToolRecord>()
  #tools: readonly Tool[] | undefined
  #version = 0
  #addressClashes: readonly AddressClash[] | undefined

  constructor(options: CatalogOptions = {}) {
    const {
      naming = namingSchemes.double,
      native = [],
      descriptions = 'as-sent',
      properties = 'as-sent',
    } = options
    this.#naming = naming
    this.#toolOptions = { descriptions, properties }
    this.#names = new NameTable(new Set(native), naming.clash)
  }

  /** Version counter; incremented when a tool is added, removed or changed. */
  get version(): number {
    return this.#version
  }

  tools(): readonly Tool[] {
    return (this.#tools ??= this.slices().flat())
  }

  /** The servers that have a snapshot, sorted. */
  servers(): readonly string[] {
    return [...this.#slices.keys()].sort(compare)
  }

  /** The tools as one list per server. A list stays the same object while nothing in it changes. */
  slices(): readonly (readonly Tool[])[] {
    return this.servers().map((server) => this.toolsOf(server))
  }

  toolsOf(server: string): readonly Tool[] {
    const slice = this.#slices.get(server)
    if (!slice) return []
    return (slice.tools ??= [...slice.records.values()].filter(isNamed).map(({ offered }) => offered))
  }

  byName(name: string): Tool | undefined {
    return this.#names.holder(name)?.offered
  }

  byRef(ref: string): Tool | undefined {
    const parts = fromRef(ref)
    const record = parts && this.#slices.get(parts.server)?.records.get(parts.tool)
    return record && isNamed(record) ? record.offered : undefined
  }

  /**
   * The tool that an app of the server may call by the server's own name: it may be one that no model sees (MCP Apps). The same
   * object while the snapshot is the same.
   */
  forApp(server: string, name: string): Tool | undefined {
    const slice = this.#slices.get(server)
    const definition = slice?.snapshot.tools.find((each) => each.name === name)
    if (!slice || !definition || !isForApps(definition)) return undefined
    if (isForModels(definition)) return this.byRef(toRef(server, name))
    if (!createFilter(slice.server.tools)(name)) return undefined
    const made = (slice.forApps ??= new Map())
    const known = made.get(name)
    if (known) return known
    const claim = createClaims(this.#naming, server)(name)
    const options = this.#offerOptions(slice.server, slice.snapshot)
    const tool = new OfferedTool(definition, candidateName(claim, needsMark(claim) ? 1 : 0), options)
    made.set(name, tool)
    return tool
  }

  /** Whether this very tool is listed now, for models or for apps. */
  isListed(tool: Tool): boolean {
    return (this.byRef(tool.ref) ?? this.forApp(tool.server, tool.tool)) === tool
  }

  snapshotOf(server: string): Snapshot | undefined {
    return this.#slices.get(server)?.snapshot
  }

  clashes(): readonly Clash[] {
    return this.#names.clashes()
  }

  /** Addresses that several servers list. */
  addressClashes(): readonly AddressClash[] {
    return (this.#addressClashes ??= findAddressClashes(
      this.servers().flatMap((server) => {
        const snapshot = this.snapshotOf(server)
        return snapshot ? [[server, snapshot]] : []
      }),
    ))
  }

  /** Replaces everything that a server offered before; without a snapshot it offers nothing (C22). */
  replace(server: CatalogServer, snapshot: Snapshot | undefined): CatalogChange {
    const before = this.#slices.get(server.name)
    const { records, added, changed } = this.#readTools(server, snapshot, before?.records)
    const removed = [...(before?.records.values() ?? [])].filter(({ tool }) => !records.has(tool))
    for (const record of removed) this.#names.remove(record)
    for (const record of added) this.#names.add(record)
    if (snapshot) this.#slices.set(server.name, { snapshot, records, tools: before?.tools, server })
    else this.#slices.delete(server.name)
    this.#addressClashes = undefined
    return this.#apply(server.name, { added, removed, changed: this.#withRenamed(changed, added) })
  }

  /** Adds the renamed tools of any server: to a model a new name is a changed tool. */
  #withRenamed(changed: readonly ToolRecord[], added: readonly ToolRecord[]): readonly ToolRecord[] {
    const moved = this.#names.takeRenamed()
    if (changed.length + moved.length === 0) return []
    const all = new Set([...changed, ...moved])
    for (const record of added) all.delete(record)
    return [...all].sort((a, b) => compare(a.server, b.server) || compare(a.tool, b.tool))
  }

  #apply(server: string, { added, removed, changed }: RecordChanges): CatalogChange {
    if (added.length + removed.length + changed.length > 0) {
      for (const name of [server, ...changed.map((record) => record.server)]) {
        const slice = this.#slices.get(name)
        if (slice) slice.tools = undefined
      }
      this.#tools = undefined
      this.#version++
    }
    return this.#toChange({ added, removed, changed })
  }

  /** Reports a tool that lost its name as removed, and one that got a name again as added. */
  #toChange({ added, removed, changed }: RecordChanges): CatalogChange {
    const wasHidden = (record: ToolRecord) => this.#unnamed.has(record)
    const change = {
      added: [...added, ...changed.filter(wasHidden)].filter(isNamed).map(refOf),
      removed: [...removed, ...changed.filter((record) => !isNamed(record))]
        .filter((record) => !wasHidden(record))
        .map(refOf),
      changed: changed.filter((record) => isNamed(record) && !wasHidden(record)).map(refOf),
    }
    // Usually every tool has a name.
    if (this.#unnamed.size > 0) for (const record of [...removed, ...changed]) this.#unnamed.delete(record)
    for (const list of [added, changed])
      for (const record of list) if (!isNamed(record)) this.#unnamed.add(record)
    return change
  }

  #readTools(
    server: CatalogServer,
    snapshot: Pick<Snapshot, 'tools' | 'isPlain' | 'hashes'> = { tools: [] },
    before: ReadonlyMap<string, ToolRecord> | undefined,
  ) {
    const options = this.#offerOptions(server, snapshot)
    const claim = createClaims(this.#naming, server.name)
    const [records, added, changed] = [
      new Map<string, ToolRecord>(),
      new Array<ToolRecord>(),
      new Array<ToolRecord>(),
    ]
    for (const definition of admittedTools(snapshot.tools, server)) {
      // A tool that is listed twice counts once.
      if (records.has(definition.name)) continue
      const old = before?.get(definition.name)
      const record = old ?? new ToolRecord(claim(definition.name), definition, options)
      if (!old) added.push(record)
      else if (old.define(definition, options)) changed.push(old)
      records.set(definition.name, record)
    }
    return { records, added, changed }
  }

  #offerOptions(
    server: CatalogServer,
    { isPlain = false, hashes }: { readonly isPlain?: boolean; readonly hashes?: Snapshot['hashes'] },
  ): OfferOptions {
    return {
      server: server.name,
      parallel: server.parallel ?? 'never',
      isPlain,
      hashes,
      ...this.#toolOptions,
    }
  }
}

function admittedTools(tools: readonly ToolDefinition[], server: CatalogServer): readonly ToolDefinition[] {
  const isAdmitted = createFilter(server.tools)
  return tools
    .filter((tool) => isAdmitted(tool.name) && isForModels(tool))
    .sort((a, b) => compare(a.name, b.name))
}

function isNamed({ name }: ToolRecord): boolean {
  return name !== ''
}

function refOf({ server, tool }: ToolRecord): string {
  return toRef(server, tool)
}
