import type { Snapshot } from '../catalog/snapshot.ts'
import type { Connection } from '../connections/connection.ts'
import type { ListName } from '../connections/link.ts'
import { isObject } from '../model/json.ts'
import type { JsonObject } from '../model/json.ts'
import type { ToolDefinition } from '../model/tool.ts'
import type { Clock } from '../platform/platform.ts'

/** Which capability stands for a list. */
const capabilityOf = { resources: 'resources', resourceTemplates: 'resources', prompts: 'prompts' } as const

interface SnapshotOptions {
  readonly before: Snapshot | undefined
  readonly clock: Clock
}

/** Everything a server offers now; it is connected to if need be. */
export async function takeSnapshot(
  connection: Connection,
  { before, clock }: SnapshotOptions,
): Promise<Snapshot> {
  const { capabilities, isAssumed, instructions } = await connection.connect()
  /** A list that fails costs only itself: many servers declare more than they answer for. */
  const itemsOf = async (list: Exclude<ListName, 'tools'>): Promise<readonly JsonObject[]> => {
    if (!isAssumed && capabilities[capabilityOf[list]] === undefined) return []
    try {
      return (await connection.list(list)).items.filter(isObject)
    } catch {
      return before?.[list] ?? []
    }
  }
  const [tools, resources, resourceTemplates, prompts] = await Promise.all([
    connection.list('tools'),
    itemsOf('resources'),
    itemsOf('resourceTemplates'),
    itemsOf('prompts'),
  ])
  return {
    tools: tools.items as readonly ToolDefinition[], // read and checked by the connection
    resources,
    resourceTemplates,
    prompts,
    ...(instructions !== undefined && { instructions }),
    at: new Date(clock.now()).toISOString(),
  }
}
