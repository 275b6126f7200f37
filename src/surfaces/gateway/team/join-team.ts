import { resolve } from 'node:path'
import type { DiscoverOptions } from '../../../index.ts'
import { hasSharedStore } from '../../../store.ts'
import type { DailyCounter } from '../callers/call-limits.ts'
import type { ConfigSource } from './published-source.ts'
import type { SharedQuotasOptions } from './shared-quotas.ts'

export interface TeamOptions {
  readonly discover: DiscoverOptions
  /** `store`, or the file of a configuration. */
  readonly from?: string | undefined
  readonly quotaPortion?: number | undefined
  /** How often the store is looked at. */
  readonly everyMs?: number
  readonly warn: (message: string) => void
  readonly note: (message: string) => void
}

/** What a gateway shares with others that serve the same callers. */
export interface Team {
  readonly source?: ConfigSource
  /** Whether there may be others: the store is a database server. */
  readonly hasReplicas: boolean
  readonly daily?: DailyCounter
  onKeys(listener: () => void): void
  close(): Promise<void>
}

/** Joins the gateways that share a store. A gateway without one, and with files of its own, opens nothing. */
export async function joinTeam(options: TeamOptions): Promise<Team> {
  const { discover, from, warn, note, everyMs } = options
  const { cwd = '.', platform } = discover
  const own = { cwd, ...(platform && { platform }) }
  const hasReplicas = await hasSharedStore(own)
  const file = from === undefined || from === 'store' ? undefined : resolve(cwd, from)
  const { fileSource, storeSource } = await import('./published-source.ts')
  const ofFile = file === undefined ? {} : { source: fileSource(file) }
  if (!hasReplicas && from !== 'store')
    return { ...ofFile, hasReplicas, onKeys: () => undefined, close: async () => undefined }
  const { SharedStore } = await import('./shared-store.ts')
  const shared = new SharedStore({ ...own, warn, ...(everyMs !== undefined && { everyMs }) })
  const source = from === 'store' ? { source: await storeSource({ discover, shared, warn, note }) } : ofFile
  if (!source.source || file !== undefined) void shared.open()
  const quotas = hasReplicas
    ? await sharedQuotas(() => shared.current?.quotas, options.quotaPortion)
    : undefined
  return {
    ...source,
    hasReplicas,
    ...(quotas && { daily: (rule, limit, occurrence) => quotas.counterOf(rule, limit, occurrence) }),
    onKeys: (listener) => shared.onChange('keys', listener),
    async close() {
      await quotas?.close()
      await shared.close()
    },
  }
}

async function sharedQuotas(quotas: SharedQuotasOptions['quotas'], percent: number | undefined) {
  const { SharedQuotas } = await import('./shared-quotas.ts')
  return new SharedQuotas({ quotas, percent })
}
