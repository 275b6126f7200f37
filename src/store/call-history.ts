import type { Kysely } from 'kysely'
import type { Database } from './connect.ts'
import type { CallHistory, StoredCall } from './stored-call.ts'
import type { CallRow, Tables } from './tables.ts'
import { readJson } from './stored-json.ts'
import type { Writing } from './writing.ts'

const maxResultChars = 8000
/** A driver for SQLite blocks the process while it writes: the rows of this time are written together. */
const pauseMs = 100
const maxTogether = 500
/** Rows beyond these are dropped while the store cannot be written; they are counted. */
const maxQueued = 1000

export function createCallHistory(
  { run }: Database,
  { text, json, now }: Writing,
  onProblem: (problem: unknown) => void,
): CallHistory {
  let queue: CallRow[] = []
  let writing: Promise<void> | undefined
  let endPause = () => {}
  const pause = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, pauseMs)
      endPause = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  const write = async () => {
    while (queue.length > 0) {
      const rows = queue
      queue = []
      try {
        await run((db) => insert(db, rows))
      } catch {
        await writeEach(rows)
      }
    }
    writing = undefined
  }
  /** One row that cannot be stored does not cost the others. */
  const writeEach = async (rows: readonly CallRow[]) => {
    for (const row of rows)
      try {
        await run((db) => insert(db, [row]))
      } catch (error) {
        onProblem(error)
      }
  }
  return {
    record({ id, conversation, agent, ref, args, outcome, result, ms, bytes }) {
      if (queue.length >= maxQueued) return
      queue.push({
        id: text(id),
        conversation: conversation ?? null,
        agent: agent ?? null,
        ref,
        args: json(args),
        outcome,
        result: text(result).slice(0, maxResultChars),
        ms: toCount(ms),
        bytes: toCount(bytes),
        at: now(),
      })
      writing ??= pause().then(write)
      if (queue.length >= maxTogether) endPause()
    },

    async list({ conversation, limit = 100 } = {}) {
      const rows = await run((db) => {
        const all = db.selectFrom('calls').selectAll().orderBy('at', 'desc').limit(limit)
        return (conversation === undefined ? all : all.where('conversation', '=', conversation)).execute()
      })
      return rows.map(toCall)
    },

    async flush() {
      endPause()
      await writing
    },
  }
}

function insert(db: Kysely<Tables>, rows: readonly CallRow[]): Promise<unknown> {
  return db
    .insertInto('calls')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** A number that every driver can store. */
function toCount(value: number): number {
  return Number.isFinite(value) ? Math.min(Math.max(Math.round(value), 0), 2_147_483_647) : 0
}

function toCall(row: CallRow): StoredCall {
  return {
    id: row.id,
    ...(row.conversation !== null && { conversation: row.conversation }),
    ...(row.agent !== null && { agent: row.agent }),
    ref: row.ref,
    args: readJson(row.args),
    outcome: row.outcome as StoredCall['outcome'], // written by `record`
    result: row.result,
    ms: row.ms,
    bytes: row.bytes,
    at: row.at,
  }
}
