import { createCallHistory } from './call-history.ts'
import { connect } from './connect.ts'
import { createConversations } from './conversations.ts'
import { migrate } from './migrate.ts'
import type { Store, StoreOptions } from './store-interface.ts'
import { createStoredAudit } from './audit-history.ts'
import { createStoredKeys } from './stored-keys.ts'
import { createQuestions } from './stored-questions.ts'
import { importMemory, openMemoryOf } from './stored-memory.ts'
import { readStoreVersion } from './store-version.ts'
import { createUpkeep } from './upkeep.ts'
import { watchParts } from './team/part-changes.ts'
import { createStoredAcceptances } from './team/stored-acceptances.ts'
import { createStoredLogins } from './team/stored-logins.ts'
import { createStoredQuotas } from './team/stored-quotas.ts'
import { createStoredVersions } from './team/stored-versions.ts'
import { createWriting } from './writing.ts'

/** Opens the store, and creates or updates its tables. `undefined`: there is no driver for SQLite here. */
export async function openStore(options: StoreOptions): Promise<Store | undefined> {
  const { platform, redact, onProblem = () => undefined } = options
  const database = await connect(options)
  if (!database) return undefined
  try {
    await migrate(database)
    const writing = createWriting(redact, platform.clock)
    const calls = createCallHistory(database, writing, onProblem)
    const memory = await openMemoryOf(database, writing)
    const onRemoved = async (ids: readonly string[]) => {
      if (ids.length === 0) return
      await database.scrub()
      await options.onRemoved?.(ids)
    }
    const close = async () => {
      await calls.flush()
      await database.close()
    }
    return {
      ...createUpkeep(database, platform.files, onRemoved),
      conversations: createConversations(database, writing, onRemoved),
      questions: createQuestions(database, writing, platform),
      calls,
      audit: createStoredAudit(database),
      keys: createStoredKeys(database),
      versions: createStoredVersions(database, writing),
      quotas: createStoredQuotas(database),
      acceptances: createStoredAcceptances(database, writing),
      logins: createStoredLogins(database, writing),
      watch: (watching) => watchParts(database, watching),
      memory,
      isFile: database.place.kind === 'sqlite',
      version: () => readStoreVersion(database),
      async takeOver({ switches, approvals }) {
        const rows = switches.map(({ on, ...row }) => ({ ...row, is_on: on ? 1 : 0 }))
        await importMemory(database, { switches: rows, approvals })
        await memory.recall()
      },
      close,
      [Symbol.asyncDispose]: close,
    }
  } catch (error) {
    await database.close()
    throw error
  }
}
