import { describe, expect, test } from 'vitest'
import type { HostError } from '../../../index.ts'
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

  test('the person who started the gateway is not limited, and each caller is counted by itself', async () => {
    const limits = new CallLimits([{ perMinute: 1 }])
    const owner: Caller = { id: 'owner', name: 'owner', kind: 'owner' }
    expect(await takeAll(limits, ['a/x', 'a/x', 'a/x'], owner)).toEqual(['ok', 'ok', 'ok'])
    expect(await takeAll(limits, ['a/x', 'a/x'])).toEqual(['ok', '1 a minute'])
    expect(await takeAll(limits, ['a/x', 'a/x'], { ...ci, id: 'key:2' })).toEqual(['ok', '1 a minute'])
  })

  test('a rule counts only the callers and tools that it names, all of its tools together', async () => {
    const limits = new CallLimits([{ callers: ['x*', 'c*'], tools: ['slow/*', 'big/*'], perDay: 1 }])
    expect(await takeAll(limits, ['fast/y', 'slow/x', 'fast/y', 'big/z'])).toEqual([
      'ok',
      'ok',
      'ok',
      '1 a day',
    ])
    expect(await takeAll(limits, ['slow/x', 'slow/x'], { ...ci, name: 'desk' })).toEqual(['ok', 'ok'])
  })

  test('a rule for a minute and a day counts both', async () => {
    expect(await takeAll(new CallLimits([{ perMinute: 2, perDay: 1 }]), ['a/x', 'a/x'])).toEqual([
      'ok',
      '1 a day',
    ])
    expect(await takeAll(new CallLimits([{ perMinute: 1, perDay: 2 }]), ['a/x', 'a/x'])).toEqual([
      'ok',
      '1 a minute',
    ])
  })

  test.each([
    [{ perMinute: 1 }, 60_000],
    [{ perDay: 1 }, 86_400_000],
  ])('%j: the error says when the next call is possible', async (rule, longest) => {
    const limits = new CallLimits([rule])
    await limits.take(ci, 'a/x')
    const error = await limits.take(ci, 'a/x').catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'call.limited', data: { ref: 'a/x' } })
    const { data, message } = error as HostError<'call.limited'>
    // The window began with the first call, moments ago.
    expect(data.retryAfterMs).toBeLessThanOrEqual(longest)
    expect(data.retryAfterMs).toBeGreaterThan(longest - 30_000)
    expect(message).toContain(`Try again in ${Math.ceil(data.retryAfterMs / 1000)} s.`)
  })

  test('a counter for all processes counts the rules of a day; equal subjects are told apart by their order', async () => {
    const created: unknown[] = []
    const refusing = { consume: () => Promise.reject({ msBeforeNext: 0.2 }), reward: async () => undefined }
    const rules: LimitRule[] = [
      { tools: ['a/*'], perMinute: 9 },
      { tools: ['a/*'], perDay: 5 },
      { tools: ['b/*'], perDay: 6 },
      { tools: ['a/*'], perDay: 7 },
    ]
    const limits = new CallLimits(rules, (rule, limit, occurrence) => {
      created.push([rule.tools, limit, occurrence])
      return refusing
    })
    await expect(limits.take(ci, 'a/x')).rejects.toMatchObject({ data: { retryAfterMs: 1 } })
    expect(created).toEqual([
      [['a/*'], 5, 0],
      [['b/*'], 6, 0],
      [['a/*'], 7, 1],
    ])
  })

  test('a refusal without a time is a second, and a counter that fails lets no call pass', async () => {
    const reward = async () => undefined
    const untimed = new CallLimits([{ perDay: 1 }], () => ({ consume: () => Promise.reject({}), reward }))
    await expect(untimed.take(ci, 'a/x')).rejects.toMatchObject({ data: { retryAfterMs: 1000 } })
    const away = new Error('The database is away.')
    const broken = new CallLimits([{ perDay: 1 }], () => ({ consume: () => Promise.reject(away), reward }))
    await expect(broken.take(ci, 'a/x')).rejects.toBe(away)
  })
})
