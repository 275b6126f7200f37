import type { CachedCatalog } from '../catalog/server-cache.ts'
import type { Snapshot } from '../catalog/catalog.ts'
import type { Connection } from '../connections/connection.ts'
import type { ListName } from '../connections/link.ts'
import { isObject } from '../model/json.ts'
import type { JsonObject } from '../model/json.ts'
import type { Redactor } from '../model/secret.ts'
import type { ToolDefinition } from '../model/tool.ts'
import type { Clock } from '../platform/platform.ts'
import { withoutSecrets } from './without-secrets.ts'

/** Which capability stands for a list. */
const capabilityOf = { resources: 'resources', resourceTemplates: 'resources', prompts: 'prompts' } as const

interface SnapshotOptions {
  readonly before: Snapshot | undefined
  /** Asks even if the server said that its lists still hold. */
  readonly fresh?: boolean
  readonly clock: Clock
  readonly redactor: Redactor
}

/** Everything a server offers now, without the secrets that it was given; it is connected to if need be. */
export async function takeSnapshot(
  connection: Connection,
  { before, fresh = false, clock, redactor }: SnapshotOptions,
): Promise<CachedCatalog> {
  const { capabilities, isAssumed, instructions } = await connection.connect()
  /** A list that fails costs only itself: many servers declare more than they answer for. */
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

/** What one server offers is as fresh as the stalest of its lists; one that says nothing of that says nothing. */
function shortest(lists: readonly { readonly ttlMs: number }[]): number {
  const times = lists.map(({ ttlMs }) => ttlMs).filter((ttlMs) => ttlMs > 0)
  return times.length === 0 ? 0 : Math.min(...times)
}
