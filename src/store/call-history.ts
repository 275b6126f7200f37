import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Database } from './connect.ts'
import { toRef } from '../model/tool.ts'
import type { CallHistory, CallMaker, ListCalls, StoredCall, StoredCallError } from './stored-call.ts'
import type { CallRow, Tables } from './tables.ts'
import { readJson } from './stored-json.ts'
import type { Writing } from './writing.ts'

const maxResultChars = 8000
/** A result for an app that is longer as JSON is not kept. */
const maxRawChars = 256 * 1024
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
    record(call) {
      const {
        id,
        by,
        app,
        conversation,
        agent,
        ref,
        args,
        outcome,
        result,
        raw,
        ms,
        waitedMs,
        bytes,
        error,
        at,
      } = call
      if (queue.length >= maxQueued) return
      const whole = raw === undefined ? '' : json(raw)
      const endedAt = at ?? now()
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
        at: endedAt,
        made_by: by ?? null,
        error: error ? json({ ...error }) : null,
        started_at: earlier(endedAt, toCount(ms) + toCount(waitedMs ?? 0)),
        waited_ms: waitedMs === undefined ? null : toCount(waitedMs),
        raw: whole === '' || whole.length > maxRawChars ? null : whole,
        app: app ?? null,
      })
      writing ??= pause().then(write)
      if (queue.length >= maxTogether) endPause()
    },

    async list(options = {}) {
      const rows = await run((db) => select(db, options).execute())
      return rows.map(toCall)
    },

    async get(id) {
      const row = await run((db) =>
        db.selectFrom('calls').selectAll().where('id', '=', id).executeTakeFirst(),
      )
      return row && toCall(row)
    },

    async newest(limit) {
      const rows = await run((db) =>
        db
          .selectFrom('calls')
          .select('id')
          .orderBy('at', 'desc')
          .orderBy('id', 'desc')
          .limit(limit)
          .execute(),
      )
      return rows.map(({ id }) => id)
    },

    async flush() {
      endPause()
      await writing
    },
  }
}

/** Everything but results for apps, which are large. */
const listed = [
  'id',
  'conversation',
  'agent',
  'ref',
  'args',
  'outcome',
  'result',
  'ms',
  'bytes',
  'at',
  'made_by',
  'error',
  'started_at',
  'waited_ms',
  'app',
] as const

function select(db: Kysely<Tables>, { conversation, server, outcome, by, before, limit = 100 }: ListCalls) {
  let query = db
    .selectFrom('calls')
    .select(listed)
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
  if (conversation !== undefined) query = query.where('conversation', '=', conversation)
  if (outcome !== undefined) query = query.where('outcome', '=', outcome)
  if (by !== undefined) query = query.where('made_by', '=', by)
  if (server !== undefined) {
    // No pattern: a name may have the signs of patterns.
    const start = toRef(server, '')
    query = query.where(sql<boolean>`substr(ref, 1, ${sql.lit(start.length)}) = ${start}`)
  }
  if (before !== undefined) {
    const id = typeof before === 'string' ? before : before.id
    const at =
      typeof before === 'string'
        ? db.selectFrom('calls').select('started_at').where('id', '=', id)
        : sql.val(before.startedAt)
    query = query.where((of) =>
      of.or([of('started_at', '<', at), of.and([of('started_at', '=', at), of('id', '<', id)])]),
    )
  }
  return query
}

function insert(db: Kysely<Tables>, rows: readonly CallRow[]): Promise<unknown> {
  return db
    .insertInto('calls')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** A time before an ISO 8601 time; that time itself if it cannot be read. */
function earlier(at: string, ms: number): string {
  const time = Date.parse(at) - ms
  return Number.isNaN(time) ? at : new Date(time).toISOString()
}

/** A number that every driver can store. */
function toCount(value: number): number {
  return Number.isFinite(value) ? Math.min(Math.max(Math.round(value), 0), 2_147_483_647) : 0
}

function toCall(row: Omit<CallRow, 'raw'> & Partial<Pick<CallRow, 'raw'>>): StoredCall {
  return {
    id: row.id,
    ...(row.conversation !== null && { conversation: row.conversation }),
    ...(row.agent !== null && { agent: row.agent }),
    ref: row.ref,
    args: readJson(row.args),
    outcome: row.outcome as StoredCall['outcome'], // written by `record`
    result: row.result,
    ...(typeof row.raw === 'string' && { raw: readJson(row.raw) }),
    ms: row.ms,
    bytes: row.bytes,
    at: row.at,
    startedAt: row.started_at,
    ...(row.waited_ms !== null && { waitedMs: row.waited_ms }),
    ...(row.made_by !== null && { by: row.made_by as CallMaker }), // written by `record`
    ...(row.app !== null && { app: row.app }),
    ...(row.error !== null && { error: readJson(row.error) as unknown as StoredCallError }),
  }
}
