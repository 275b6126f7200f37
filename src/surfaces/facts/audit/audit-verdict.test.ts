import { describe, expect, test } from 'vitest'
import type { AuditVerification } from '../../../store.ts'
import { describeVerification } from './audit-facts.ts'

const cutOff = { kind: 'lost', writer: '', seq: 0, message: '1 line is cut off.' } as const
const changed = { kind: 'changed', writer: 'a', seq: 2, message: 'Row 2 was changed.' } as const
const pruned = { rows: 3, before: '2026-11-18T00:00:00.000Z' }
const prunedWords =
  '"audit --prune" removed 3 rows from before 2026-11-18, as a checkpoint says: check that it was you.'

describe('the verdict on an audit trail', () => {
  test.each<[string, Partial<AuditVerification>, boolean, string]>([
    ['nothing is wrong', {}, true, 'nothing was changed or removed.'],
    [
      'a line is cut off',
      { problems: [cutOff] },
      true,
      'no row that is left was changed, but some were never written.',
    ],
    ['rows were pruned', { pruned }, true, `no row that is left was changed. ${prunedWords}`],
    [
      'T143 a writer was not closed',
      { open: [{ writer: 'a', seq: 2, at: '2026-11-18T10:00:00.000Z' }] },
      true,
      'nothing was changed or removed. 1 writer has no closing row (last row: 2026-11-18 10:00:00): it still runs, or was killed and may have lost the last calls.',
    ],
    ['a row was changed', { problems: [changed] }, false, 'the trail is not whole.'],
    [
      'rows were pruned, and one was changed',
      { pruned, problems: [changed] },
      false,
      `the trail is not whole. ${prunedWords}`,
    ],
  ])('%s: it says no more than was checked', (_, found, isWhole, verdict) => {
    const facts = describeVerification({ rows: 5, writers: 2, problems: [], ...found })
    expect([facts.isWhole, facts.verdict]).toEqual([isWhole, `5 rows of 2 writers: ${verdict}`])
  })

  test('T144 an empty trail is not said to be unchanged', () => {
    expect(describeVerification({ rows: 0, writers: 0, problems: [] }).verdict).toBe(
      '0 rows of 0 writers: there is no row: no call was recorded yet, or all rows were removed. Only a hash that you kept tells which (--head).',
    )
  })
})
