import { randomUUID } from 'node:crypto'
import type { Approval } from '../model/memory.ts'
import type { Mask } from '../model/mask-texts.ts'
import type { Platform } from '../platform/platform.ts'
import { createCallHistory } from './call-history.ts'
import type { CallHistory } from './call-history.ts'
import { connect } from './connect.ts'
import type { ConnectOptions } from './connect.ts'
import { createConversations } from './conversations.ts'
import type { Conversations } from './conversations.ts'
import { migrate } from './migrate.ts'
import { createQuestions } from './stored-questions.ts'
import type { Questions } from './stored-questions.ts'
import { importMemory, openMemoryOf } from './stored-memory.ts'
import type { StoredMemory } from './stored-memory.ts'
import { createUpkeep } from './upkeep.ts'
import type { Upkeep } from './upkeep.ts'
import { createWriting } from './writing.ts'

/** What people expect to find again tomorrow (D-19), in SQLite or PostgreSQL, shared by all programs of a person. */
export interface Store extends Upkeep, AsyncDisposable {
  readonly conversations: Conversations
  readonly questions: Questions
  readonly calls: CallHistory
  /** Switches and approvals, for `createHost({ memory })`. */
  readonly memory: StoredMemory
  /** Adds what a memory file had. */
  takeOver(memory: {
    readonly switches: readonly {
      readonly conversation: string
      readonly server: string
      readonly on: boolean
      readonly at: string
    }[]
    readonly approvals: readonly Approval[]
  }): Promise<void>
  close(): Promise<void>
}

export interface StoreOptions extends ConnectOptions {
  readonly platform: Pick<Platform, 'files' | 'clock'>
  /** Takes secrets out of a text before it is written. */
  readonly redact: Mask
  /** Called if a row of the call history cannot be written; `record` has returned by then. */
  readonly onProblem?: (problem: unknown) => void
}

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
    const close = async () => {
      await calls.flush()
      await database.close()
    }
    return {
      ...createUpkeep(database, platform.files),
      conversations: createConversations(database, writing),
      questions: createQuestions(database, writing, { clock: platform.clock, asker: randomUUID() }),
      calls,
      memory,
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
