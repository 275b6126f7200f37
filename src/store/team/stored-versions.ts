import { createHash } from 'node:crypto'
import type { Transaction } from 'kysely'
import type { GatewayVersion, GatewayVersions } from '../../model/gateway/gateway-version.ts'
import type { Database } from '../connect.ts'
import type { Tables, VersionRow } from '../tables.ts'
import type { Writing } from '../writing.ts'
import { changePart } from './part-changes.ts'

/** The published configurations of gateways in the store. */
export function createStoredVersions(database: Database, { now, text: mask }: Writing): GatewayVersions {
  const { run } = database
  const add = async (
    within: Transaction<Tables>,
    row: Pick<VersionRow, 'made_by' | 'message' | 'copy_of' | 'document'>,
  ) => {
    const hash = `sha256:${createHash('sha256').update(row.document).digest('hex')}`
    const newest = await newestOf(within)
    // Also what a repeated attempt finds whose first one was written.
    if (newest?.hash === hash) return { ...toVersion(newest), isNew: false }
    const added: VersionRow = { ...row, number: (newest?.number ?? 0) + 1, at: now(), hash }
    await within.insertInto('versions').values(added).execute()
    return { ...toVersion(added), isNew: true }
  }
  return {
    async list(limit) {
      const rows = await run((db) =>
        db.selectFrom('versions').selectAll().orderBy('number', 'desc').limit(limit).execute(),
      )
      return rows.map(toVersion)
    },
    async read(number) {
      const row = await run((db) => {
        const all = db.selectFrom('versions').selectAll().orderBy('number', 'desc').limit(1)
        return (number === undefined ? all : all.where('number', '=', number)).executeTakeFirst()
      })
      return row && { ...toVersion(row), text: row.document }
    },
    publish: ({ text, by, message }) =>
      changePart(database, 'config', (within) =>
        add(within, {
          document: text,
          made_by: by ?? null,
          message: message === undefined ? null : mask(message),
          copy_of: null,
        }),
      ),
    rollback: (number, by) =>
      changePart(database, 'config', async (within) => {
        const row = await within
          .selectFrom('versions')
          .select('document')
          .where('number', '=', number)
          .executeTakeFirst()
        return (
          row && add(within, { document: row.document, made_by: by ?? null, message: null, copy_of: number })
        )
      }),
  }
}

function newestOf(within: Transaction<Tables>): Promise<VersionRow | undefined> {
  return within.selectFrom('versions').selectAll().orderBy('number', 'desc').limit(1).executeTakeFirst()
}

function toVersion({ number, at, made_by, message, copy_of, hash }: VersionRow): GatewayVersion {
  return {
    number,
    at,
    ...(made_by !== null && { by: made_by }),
    ...(message !== null && { message }),
    ...(copy_of !== null && { copyOf: copy_of }),
    hash,
  }
}
