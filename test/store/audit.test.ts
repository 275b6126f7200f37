import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { AuditChain } from '../../src/audit/audit-chain.ts'
import { verifyAudit } from '../../src/audit/verify-audit.ts'
import { nodePlatform } from '../../src/platform/node/node-platform.ts'
import { connect } from '../../src/store/connect.ts'
import { Stores, drivers } from '../support/stores.ts'

/** Rows of two writers, the second of which knew the first. */
function sampleRows() {
  const entry = (n: number) => ({
    at: `2026-01-02T03:04:${String(10 + n)}.000Z`,
    entry: {
      kind: 'call' as const,
      by: { surface: 'test' },
      ref: `files/read-${n}`,
      server: n % 2 === 0 ? 'files' : 'web',
      tool: `read-${n}`,
      outcome: n === 3 ? ('denied' as const) : ('done' as const),
      ms: n,
      argsBytes: 2,
      resultBytes: 2,
      shape: {},
    },
  })
  const first = new AuditChain('aaaa', undefined).next([0, 1, 2, 3, 4, 5].map(entry))
  const { writer, seq, hash } = first.at(-1)!
  const second = new AuditChain('bbbb', { writer, seq, hash }).next([6, 7].map(entry))
  return [...first, ...second]
}

for (const { driver, missing } of drivers)
  describe.skipIf(missing !== undefined)(`the audit trail in ${driver}`, () => {
    const stores = new Stores(driver)
    afterAll(() => stores.close())

    test('keeps rows once, lists them by time, server and outcome, and can be verified', async () => {
      const { audit } = await stores.open()
      const rows = sampleRows()
      await audit.add(rows)
      await audit.add(rows)
      expect(await audit.list({ limit: 100 })).toEqual(rows.toReversed())
      expect((await audit.list({ server: 'web' })).map(({ seq }) => seq)).toEqual([2, 6, 4, 2])
      expect((await audit.list({ outcome: 'denied' })).map(({ seq }) => seq)).toEqual([4])
      expect(await audit.list({ since: '2026-01-02T03:04:17.000Z' })).toEqual([rows[7]])
      const { hash } = rows[7]!
      expect(await verifyAudit(() => audit.read(), { head: hash })).toEqual({
        rows: 8,
        writers: 2,
        head: { writer: 'bbbb', seq: 2, hash, at: '2026-01-02T03:04:17.000Z' },
        open: expect.any(Array) as unknown[],
        problems: [],
      })
    })

    test.each([
      [
        'a changed text',
        `update audit set row = replace(row, 'read-1', 'read-9') where seq = 2 and writer = 'aaaa'`,
        ['changed'],
      ],
      ['a deleted range', `delete from audit where writer = 'aaaa' and seq in (2, 3, 4)`, ['missing']],
      [
        'rows exchanged',
        `update audit set seq = 9 - seq where writer = 'aaaa' and seq in (4, 5)`,
        Array<string>(5).fill('changed'),
      ],
      [
        'a column that hides a row from a search',
        `update audit set server = 'other' where writer = 'aaaa' and seq = 3`,
        ['changed'],
      ],
      [
        'a time that hides a row from a search',
        `update audit set at = '2020-01-01' where writer = 'aaaa' and seq = 3`,
        ['changed'],
      ],
      [
        'a text that is no row',
        `update audit set row = '{}' where writer = 'aaaa' and seq = 3`,
        Array<string>(3).fill('changed'),
      ],
      [
        'a last row that is none',
        `update audit set row = '{}' where writer = 'bbbb' and seq = (select max(seq) from audit where writer = 'bbbb')`,
        ['changed', 'changed'],
      ],
      [
        'a kind that says more than the row',
        `update audit set kind = 'checkpoint' where writer = 'aaaa' and seq = 3`,
        ['changed'],
      ],
      ['a writer that is gone', `delete from audit where writer = 'aaaa'`, ['cut']],
    ])('verification finds %s', async (_, statement, kinds) => {
      const at = await stores.place()
      const { audit } = await stores.open({ at })
      await audit.add(sampleRows())
      const database = await connect({ at, platform: nodePlatform({}) })
      // In SQLite a key is checked row by row, so that two cannot be exchanged in one statement.
      const parts = statement.includes('9 - seq')
        ? [
            `update audit set seq = 100 + seq where writer = 'aaaa' and seq in (4, 5)`,
            `update audit set seq = 109 - seq where writer = 'aaaa' and seq > 100`,
          ]
        : [statement]
      for (const part of parts) await database?.run((db) => sql.raw(part).execute(db))
      await database?.close()
      const { problems } = await verifyAudit(() => audit.read())
      expect(problems.map(({ kind }) => kind)).toEqual(kinds)
    })
  })
