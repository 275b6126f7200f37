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
})
