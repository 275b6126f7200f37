import type { CachedCatalog } from '../catalog/server-cache.ts'
import type { ListMark, Snapshot } from '../catalog/catalog.ts'
import type { Connection } from '../connections/connection.ts'
import type { ListName } from '../connections/link.ts'
import type { KnownList } from '../connections/server-lists.ts'
import { isObject } from '../model/json.ts'
import type { JsonObject } from '../model/json.ts'
import type { ToolDefinition } from '../model/tool.ts'
import type { Clock } from '../platform/platform.ts'

/** The capability that a server declares for each list. */
const capabilityOf = { resources: 'resources', resourceTemplates: 'resources', prompts: 'prompts' } as const

interface SnapshotOptions {
  readonly before: Snapshot | undefined
  /** Lists again even if the server said that its lists are still valid. */
  readonly fresh?: boolean
  /** Resources and prompts are not asked for. */
  readonly toolsOnly?: boolean
  readonly urgency?: 'called' | 'listed'
  readonly clock: Clock
}

/**
 * Lists everything that a server offers; connects to it if necessary. If the server sends the same as before, the snapshot
 * is the one from before.
 */
export async function takeSnapshot(
  connection: Connection,
  { before, fresh = false, toolsOnly = false, urgency = 'listed', clock }: SnapshotOptions,
): Promise<CachedCatalog> {
  const { capabilities, isAssumed, instructions } = await connection.connect({ urgency })
  const listOf = async (name: ListName): Promise<List> => {
    const known = before && toKnownList(before, name)
    const list = await connection.list(name, { fresh, known })
    const isSame = known !== undefined && list === known.list
    const { ttlMs, isPlain } = list
    const mark = isSame ? known.mark : connection.markOf(list)
    return { items: () => list.items.filter(isObject), isSame, ttlMs, isPlain, mark }
  }
  const otherListOf = async (name: keyof typeof capabilityOf): Promise<List> => {
    const earlier = before?.[name] ?? []
    const isDeclared = !toolsOnly && (isAssumed || capabilities[capabilityOf[name]] !== undefined)
    if (!isDeclared) return { items: () => [], isSame: earlier.length === 0, ttlMs: 0 }
    // A list that fails keeps its earlier items and does not fail the others: many servers declare lists they do not serve.
    return listOf(name).catch(() => ({ items: () => earlier, isSame: true, ttlMs: 0 }))
  }
  const [tools, resources, resourceTemplates, prompts] = await Promise.all([
    listOf('tools'),
    otherListOf('resources'),
    otherListOf('resourceTemplates'),
    otherListOf('prompts'),
  ])
  const lists = { tools, resources, resourceTemplates, prompts }
  const ttlMs = shortest(Object.values(lists))
  const isSame = Object.values(lists).every((list) => list.isSame) && before?.instructions === instructions
  if (before && isSame) return { snapshot: before, ttlMs }
  const { isPlain } = tools.isSame && before ? before : tools
  const hashes = tools.isSame ? before?.hashes : undefined
  const snapshot = {
    tools: tools.items() as readonly ToolDefinition[], // read and checked by the connection
    resources: resources.items(),
    resourceTemplates: resourceTemplates.items(),
    prompts: prompts.items(),
    ...(instructions !== undefined && { instructions }),
    ...(isPlain && { isPlain }),
    ...(hashes && { hashes }),
    marks: marksOf(lists),
    at: new Date(clock.now()).toISOString(),
  }
  return { snapshot, ttlMs }
}

interface List {
  readonly items: () => readonly JsonObject[]
  /** The items are those from before. */
  readonly isSame: boolean
  readonly ttlMs: number
  readonly isPlain?: true | undefined
  readonly mark?: string | undefined
}

/** The items are read only if another list has changed. */
function toKnownList(before: Snapshot, name: ListName): KnownList | undefined {
  const { marks = {} } = before
  const found = Object.hasOwn(marks, name) ? marks[name] : undefined
  if (!found) return undefined
  const list = {
    get items() {
      return before[name] as readonly JsonObject[] // definitions are JSON
    },
    quarantined: [],
    ttlMs: found.ttlMs,
  }
  return { mark: found.mark, list }
}

function marksOf(lists: Readonly<Record<ListName, List>>): Readonly<Record<string, ListMark>> {
  const marked = Object.entries(lists).flatMap(([name, { mark, ttlMs }]) =>
    mark === undefined ? [] : [[name, { mark, ttlMs }] as const],
  )
  return Object.fromEntries(marked)
}

/** A snapshot expires with the first of its lists; lists without a `ttlMs` do not count. */
function shortest(lists: readonly { readonly ttlMs: number }[]): number {
  const times = lists.map(({ ttlMs }) => ttlMs).filter((ttlMs) => ttlMs > 0)
  return times.length === 0 ? 0 : Math.min(...times)
}
