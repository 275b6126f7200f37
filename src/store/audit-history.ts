import { readAuditRow } from '../audit/read-row.ts'
import type { AuditRow } from '../audit/audit-row.ts'
import type { Database } from './connect.ts'
import { readRows } from './read-rows.ts'
import { partsOf } from './removal.ts'
import type { ListAudit, StoredAudit } from './stored-audit.ts'

export function createStoredAudit({ run }: Database): StoredAudit {
  const list = async ({ since, server, outcome, question, before, row, limit = 100 }: ListAudit = {}) => {
    const rows = await run((db) => {
      let query = db
        .selectFrom('audit')
        .select('row')
        .where('kind', '!=', 'end')
        .orderBy('at', 'desc')
        .orderBy('writer')
      if (since !== undefined) query = query.where('at', '>=', since)
      if (server !== undefined) query = query.where('server', '=', server)
      if (outcome !== undefined) query = query.where('outcome', '=', outcome)
      if (question !== undefined)
        query = query.where('row', 'like', `%"question":${JSON.stringify(question)}%`)
      if (row) query = query.where('writer', '=', row.writer).where('seq', '=', row.seq)
      if (before)
        query = query.where((of) =>
          of.or([
            of('at', '<', before.at),
            of.and([of('at', '=', before.at), of('writer', '>', before.writer)]),
            of.and([of('at', '=', before.at), of('writer', '=', before.writer), of('seq', '<', before.seq)]),
          ]),
        )
      return query.orderBy('seq', 'desc').limit(limit).execute()
    })
    // A text that is no row is left out; verification shows that it was changed.
    return rows.flatMap(({ row }) => readAuditRow(row) ?? [])
  }
  return {
    async add(rows) {
      for (const part of partsOf(rows, 100)) {
        const values = part.map((row) => ({
          writer: row.writer,
          seq: row.seq,
          at: row.at,
          kind: row.kind,
          ...foundBy(row),
          row: JSON.stringify(row),
        }))
        await run((db) =>
          db
            .insertInto('audit')
            .values(values)
            .onConflict((conflict) => conflict.doNothing())
            .execute(),
        )
      }
    },

    list,

    async *read() {
      for await (const { row, ...columns } of readRows(run, 'audit'))
        yield withColumns(readAuditRow(String(row)), columns)
    },

    async newest() {
      const [row] = await list({ limit: 1 })
      return row && { writer: row.writer, seq: row.seq, hash: row.hash }
    },

    async remove(upTo) {
      await run((db) =>
        db.transaction().execute(async (within) => {
          for (const part of partsOf([...upTo], 200))
            await within
              .deleteFrom('audit')
              .where((of) =>
                of.or(part.map(([writer, seq]) => of.and([of('writer', '=', writer), of('seq', '<=', seq)]))),
              )
              .execute()
        }),
      )
    },
  }
}

/** What rows are searched by, besides their time. */
function foundBy(row: AuditRow) {
  const isCall = row.kind === 'call'
  return { server: isCall ? (row.server ?? null) : null, outcome: isCall ? row.outcome : null }
}

/**
 * The row, with a broken seal if it differs from its columns: they are what a person searches by, and a changed one would hide
 * the row. In place of a text that is no row, one that was never sealed.
 */
function withColumns(row: AuditRow | undefined, columns: Readonly<Record<string, unknown>>): AuditRow {
  const place = { writer: String(columns['writer']), seq: Number(columns['seq']), at: String(columns['at']) }
  if (!row) return { ...place, prev: null, hash: '', kind: 'checkpoint', before: '', removed: 0, ends: [] }
  const { writer, seq, at, kind } = row
  const own: Readonly<Record<string, unknown>> = { writer, seq, at, kind, ...foundBy(row) }
  const isSame = Object.entries(own).every(([name, value]) => String(columns[name]) === String(value))
  return isSame ? row : Object.assign({ ...row }, place, { columns: 'differ' })
}
