import type { CachedCatalog } from '../catalog/server-cache.ts'
import type { Snapshot } from '../catalog/catalog.ts'
import type { Connection } from '../connections/connection.ts'
import type { ListName } from '../connections/link.ts'
import { isObject } from '../model/json.ts'
import type { JsonObject } from '../model/json.ts'
import type { Redactor } from '../model/secrets/redactor.ts'
import type { ToolDefinition } from '../model/tool.ts'
import type { Clock } from '../platform/platform.ts'
import { withoutSecrets } from './without-secrets.ts'

/** The capability that a server declares for each list. */
const capabilityOf = { resources: 'resources', resourceTemplates: 'resources', prompts: 'prompts' } as const

interface SnapshotOptions {
  readonly before: Snapshot | undefined
  /** Lists again even if the server said that its lists are still valid. */
  readonly fresh?: boolean
  readonly clock: Clock
  readonly redactor: Redactor
}

/** Lists everything that a server offers, with known secrets masked; connects to it if necessary. */
export async function takeSnapshot(
  connection: Connection,
  { before, fresh = false, clock, redactor }: SnapshotOptions,
): Promise<CachedCatalog> {
  const { capabilities, isAssumed, instructions } = await connection.connect()
  /** A list that fails keeps its earlier items and does not fail the others: many servers declare lists they do not serve. */
  const listOf = async (list: Exclude<ListName, 'tools'>): Promise<List> => {
    if (!isAssumed && capabilities[capabilityOf[list]] === undefined) return { items: [], ttlMs: 0 }
    try {
      const { items, ttlMs } = await connection.list(list, { fresh })
      return { items: items.filter(isObject), ttlMs }
    } catch {
      return { items: before?.[list] ?? [], ttlMs: 0 }
    }
  }
  const [tools, resources, resourceTemplates, prompts] = await Promise.all([
    connection.list('tools', { fresh }),
    listOf('resources'),
    listOf('resourceTemplates'),
    listOf('prompts'),
  ])
  const snapshot = {
    tools: tools.items as readonly ToolDefinition[], // read and checked by the connection
    resources: resources.items,
    resourceTemplates: resourceTemplates.items,
    prompts: prompts.items,
    ...(instructions !== undefined && { instructions }),
    ...(tools.isPlain && { isPlain: tools.isPlain }),
    at: new Date(clock.now()).toISOString(),
  }
  const ttlMs = shortest([tools, resources, resourceTemplates, prompts])
  return withoutSecrets({ snapshot, ttlMs }, redactor)
}

interface List {
  readonly items: readonly JsonObject[]
  readonly ttlMs: number
}

/** A snapshot expires with the first of its lists; lists without a `ttlMs` do not count. */
function shortest(lists: readonly { readonly ttlMs: number }[]): number {
  const times = lists.map(({ ttlMs }) => ttlMs).filter((ttlMs) => ttlMs > 0)
  return times.length === 0 ? 0 : Math.min(...times)
}
