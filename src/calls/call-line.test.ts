import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CallLine } from './call-line.ts'
import type { LineKind } from './call-line.ts'

/** Calls that end when the test says so. */
function line() {
  const calls = new CallLine()
  const log: string[] = []
  const ends = new Map<string, () => void>()
  const enter = (name: string, kind: LineKind, lane?: unknown, signal?: AbortSignal) => {
    const result = calls.run({ kind, lane, signal }, async () => {
      log.push(`${name} begins`)
      await new Promise<void>((resolve) => ends.set(name, resolve))
      log.push(`${name} ends`)
      return name
    })
    return result.catch((error: unknown) => (error as Error).message)
  }
  const end = async (name: string) => {
    await turn()
    ends.get(name)?.()
    await turn()
  }
  return { calls, log, enter, end }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('C25 CallLine', () => {
  test('C25 a call that runs alone waits for those before it, and those behind it wait for it', async () => {
    const { log, enter, end, calls } = line()
    const all = [
      enter('read 1', 'together'),
      enter('read 2', 'together'),
      enter('write', 'alone'),
      enter('read 3', 'together'),
      enter('read 4', 'together'),
    ]
    for (const name of ['read 2', 'read 1', 'write', 'read 3', 'read 4']) await end(name)
    await Promise.all(all)
    expect(log.join(', ')).toBe(
      'read 1 begins, read 2 begins, read 2 ends, read 1 ends, write begins, write ends, ' +
        'read 3 begins, read 4 begins, read 3 ends, read 4 ends',
    )
    expect(calls.isEmpty).toBe(true)
  })

  test('a call that is cancelled in line never runs, and no longer keeps others waiting', async () => {
    const { log, enter, end } = line()
    const cancel = new AbortController()
    const first = enter('read 1', 'together')
    const cancelled = enter('write', 'alone', undefined, cancel.signal)
    const second = enter('read 2', 'together')
    cancel.abort(new Error('no longer wanted'))
    expect(await cancelled).toBe('no longer wanted')
    await end('read 2')
    await end('read 1')
    expect(await Promise.all([first, second])).toEqual(['read 1', 'read 2'])
    expect(log).toEqual(['read 1 begins', 'read 2 begins', 'read 2 ends', 'read 1 ends'])
  })

  test('a call that fails lets the next one in', async () => {
    const calls = new CallLine()
    const fail = async () => {
      throw new Error('failed')
    }
    const first = calls.run({ kind: 'alone' }, fail)
    const second = calls.run({ kind: 'alone' }, async () => 'ran')
    await expect(first).rejects.toThrow('failed')
    expect(await second).toBe('ran')
  })

  test('lanes take turns', async () => {
    const { log, enter, end } = line()
    const names = ['a1', 'a2', 'a3', 'b1']
    const all = names.map((name) => enter(name, 'alone', name[0]))
    for (const name of ['a1', 'a2', 'b1', 'a3']) await end(name)
    await Promise.all(all)
    expect(log.filter((each) => each.endsWith('begins'))).toEqual(
      ['a1', 'a2', 'b1', 'a3'].map((name) => `${name} begins`),
    )
  })

  test('nothing runs beside a call that runs alone, and a lane keeps its order (property)', async () => {
    const call = fc.record({
      kind: fc.constantFrom<LineKind>('alone', 'together'),
      lane: fc.nat({ max: 2 }),
      turns: fc.nat({ max: 3 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(call, { maxLength: 20 }), async (all) => {
        const calls = new CallLine()
        const running = new Set<number>()
        const begun: number[] = []
        await Promise.all(
          all.map(({ kind, lane, turns }, number) =>
            calls.run({ kind, lane }, async () => {
              begun.push(number)
              const isBesideAlone = [...running].some((each) => all[each]?.kind === 'alone')
              expect({ isBesideAlone, beside: kind === 'alone' ? running.size : 0 }).toEqual({
                isBesideAlone: false,
                beside: 0,
              })
              running.add(number)
              for (let count = 0; count < turns; count++) await turn()
              running.delete(number)
            }),
          ),
        )
        for (const lane of [0, 1, 2]) {
          const order = begun.filter((number) => all[number]?.lane === lane)
          expect(order).toEqual(order.toSorted((a, b) => a - b))
        }
        expect(begun).toHaveLength(all.length)
        expect(calls.isEmpty).toBe(true)
      }),
      { numRuns: 50 },
    )
  })
})
