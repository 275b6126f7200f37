import { addressTimesOf } from '../catalog/address-clashes.ts'
import type { CachedCatalog } from '../catalog/server-cache.ts'
import type { ListMark, Snapshot } from '../catalog/catalog.ts'
import type { Connection } from '../connections/connection.ts'
import type { ListName } from '../connections/link.ts'
import type { KnownList, ServerList } from '../connections/server-lists.ts'
import { isEqual, isObject } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import { skillsCapabilityOf } from '../model/skills/skill.ts'
import type { ToolDefinition } from '../model/tool.ts'
import type { Clock } from '../platform/platform.ts'

/** The capability that a server declares for each list. */
const capabilityOf = { resources: 'resources', resourceTemplates: 'resources', prompts: 'prompts' } as const

interface SnapshotOptions {
  readonly before: Snapshot | undefined
  /** What is on disk of an earlier run, for the times of first listings, if nothing else is known. */
  readonly stored?: Snapshot | undefined
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
  { before, stored, fresh = false, toolsOnly = false, urgency = 'listed', clock }: SnapshotOptions,
): Promise<CachedCatalog> {
  const { capabilities, isAssumed, instructions } = await connection.connect({ urgency })
  const listOf = async (name: ListName): Promise<List> => {
    const known = before && toKnownList(before, name)
    const list = await connection.list(name, { fresh, known })
    const isSame = known !== undefined && list === known.list
    const { ttlMs, isUnkept, isPlain, conflicting, quarantined } = list
    const mark = isSame ? known.mark : connection.markOf(list)
    return {
      items: () => list.items.filter(isObject),
      isSame,
      ttlMs,
      isUnkept,
      isPlain,
      conflicting,
      quarantined,
      mark,
    }
  }
  const otherListOf = async (name: keyof typeof capabilityOf): Promise<List> => {
    const earlier = before?.[name] ?? []
    const isDeclared = !toolsOnly && (isAssumed || capabilities[capabilityOf[name]] !== undefined)
    if (!isDeclared) return { items: () => [], isSame: earlier.length === 0, ttlMs: 0 }
    // A list that fails keeps its earlier items and does not fail the others: many servers declare lists they do not serve.
    return listOf(name).catch(() => ({ items: () => earlier, isSame: true, ttlMs: 0 }))
  }
  const skillList = async (): Promise<List> => {
    const earlier = before?.skills ?? []
    const isDeclared = !toolsOnly && skillsCapabilityOf(capabilities) !== undefined
    if (!isDeclared) return { items: () => [], isSame: earlier.length === 0, ttlMs: 0 }
    return listOf('skills').catch(() => ({ items: () => earlier, isSame: true, ttlMs: 0 }))
  }
  const [tools, resources, resourceTemplates, prompts, skills] = await Promise.all([
    listOf('tools'),
    otherListOf('resources'),
    otherListOf('resourceTemplates'),
    otherListOf('prompts'),
    skillList(),
  ])
  const lists = { tools, resources, resourceTemplates, prompts, skills }
  const ttlMs = shortest(Object.values(lists))
  const isUnkept = Object.values(lists).some((list) => list.isUnkept)
  const lifetime = { ttlMs, ...(isUnkept && { isUnkept }) }
  const isSame = Object.values(lists).every((list) => list.isSame) && before?.instructions === instructions
  if (before && isSame) return { snapshot: before, ...lifetime }
  const { isPlain } = tools.isSame && before ? before : tools
  const hashes = tools.isSame ? before?.hashes : undefined
  const at = new Date(clock.now()).toISOString()
  const listed = resources.items()
  const snapshot = {
    tools: tools.items() as readonly ToolDefinition[], // read and checked by the connection
    resources: listed,
    ...addressTimesOf(listed, at, before ?? stored),
    resourceTemplates: resourceTemplates.items(),
    prompts: prompts.items(),
    ...skillsPart(skills),
    ...(instructions !== undefined && { instructions }),
    ...(isPlain && { isPlain }),
    ...(hashes && { hashes }),
    ...(tools.conflicting && { conflicts: tools.conflicting as readonly ToolDefinition[] }), // checked as the others
    marks: marksOf(lists),
    at,
  }
  return { snapshot, ...lifetime }
}

/** At most as many as a person reads. */
const maxBadSkills = 100

function skillsPart({ items, quarantined = [] }: List): Pick<Snapshot, 'skills' | 'badSkills'> {
  const skills = items()
  const bad = quarantined.slice(0, maxBadSkills).map(({ tool, reason }) => ({ skill: tool, reason }))
  return { ...(skills.length > 0 && { skills }), ...(bad.length > 0 && { badSkills: bad }) }
}

/** Whether resources, prompts and skills are as before. */
export function hasSameOthers(before: Snapshot | undefined, after: Snapshot | undefined): boolean {
  const lists = ['resources', 'resourceTemplates', 'prompts', 'skills', 'badSkills'] as const
  return lists.every((list) => isEqual(before?.[list] ?? [], after?.[list] ?? []))
}

interface List {
  readonly items: () => readonly JsonObject[]
  /** The items are those from before. */
  readonly isSame: boolean
  readonly ttlMs: number
  readonly isUnkept?: true | undefined
  readonly isPlain?: true | undefined
  readonly conflicting?: readonly Json[] | undefined
  readonly quarantined?: ServerList['quarantined']
  readonly mark?: string | undefined
}

/** The items are read only if another list has changed. */
function toKnownList(before: Snapshot, name: ListName): KnownList | undefined {
  const { marks = {} } = before
  const found = Object.hasOwn(marks, name) ? marks[name] : undefined
  if (!found) return undefined
  const list = {
    get items() {
      return before[name] ?? []
    },
    quarantined: [],
    ttlMs: found.ttlMs,
    ...(found.isUnkept && { isUnkept: found.isUnkept }),
  }
  return { mark: found.mark, list }
}

function marksOf(lists: Readonly<Record<ListName, List>>): Readonly<Record<string, ListMark>> {
  const marked = Object.entries(lists).flatMap(([name, { mark, ttlMs, isUnkept }]) =>
    mark === undefined ? [] : [[name, { mark, ttlMs, ...(isUnkept && { isUnkept }) }] as const],
  )
  return Object.fromEntries(marked)
}

/** A snapshot expires with the first of its lists; lists without a `ttlMs` do not count. */
function shortest(lists: readonly { readonly ttlMs: number }[]): number {
  const times = lists.map(({ ttlMs }) => ttlMs).filter((ttlMs) => ttlMs > 0)
  return times.length === 0 ? 0 : Math.min(...times)
}
