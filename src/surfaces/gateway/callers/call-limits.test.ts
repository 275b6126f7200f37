import { describe, expect, test } from 'vitest'
import type { Caller, LimitRule } from '../../../internal.ts'
import { CallLimits } from './call-limits.ts'

const ci: Caller = { id: 'key:1', name: 'ci', kind: 'key' }

/** Takes one call after another; for each `ok`, or what the error names as the limit. */
async function takeAll(limits: CallLimits, refs: readonly string[], caller = ci): Promise<string[]> {
  const outcomes: string[] = []
  for (const ref of refs)
    outcomes.push(
      await limits.take(caller, ref).then(
        () => 'ok',
        (error: Error) => /has (.+?)\./.exec(error.message)?.[1] ?? String(error),
      ),
    )
  return outcomes
}

describe('CallLimits', () => {
  test('a call that a later rule refuses is given back to the rules before it', async () => {
    const rules: LimitRule[] = [{ perMinute: 2 }, { tools: ['slow/*'], perMinute: 1 }]
    const refs = ['slow/x', 'slow/x', 'fast/y', 'fast/y']
    expect(await takeAll(new CallLimits(rules), refs)).toEqual(['ok', '1 a minute', 'ok', '2 a minute'])
  })
})
