import { afterAll, expect, test } from 'vitest'
import { SharedQuotas } from '../../src/surfaces/gateway/team/shared-quotas.ts'
import { Stores } from '../support/stores.ts'

const stores = new Stores('libsql')
afterAll(() => stores.close())

const rule = { callers: ['ci'], perDay: 100 }
const noon = Date.parse('2026-11-18T12:00:00.000Z')

/** Three gateways on one store; while `isAway`, one cannot reach it. */
async function openReplicas() {
  const at = await stores.place()
  const world = { now: noon }
  const open = async () => {
    const { quotas } = await stores.open({ at })
    const state = { isAway: false }
    const take: typeof quotas.take = (request) =>
      state.isAway ? Promise.reject(new Error('away')) : quotas.take(request)
    const shared = new SharedQuotas({ quotas: () => ({ ...quotas, take }), now: () => world.now })
    const counter = shared.counterOf(rule, rule.perDay, 0)
    /** How many of so many calls, one after the other, were let through. */
    const call = async (times: number) => {
      let passed = 0
      for (let done = 0; done < times; done++)
        passed += await counter.consume('key:ci').then(
          () => 1,
          () => 0,
        )
      return passed
    }
    return { state, call, close: () => shared.close(), counter }
  }
  return { replicas: [await open(), await open(), await open()] as const, world }
}

/** Of 100 calls. */
const portion = 5

/** Between both ends, which count. */
function expectBetween(passed: number, least: number, most: number): void {
  expect({ passed, isWithin: passed >= least && passed <= most }).toEqual({ passed, isWithin: true })
}

test('a gateway alone exceeds a quota by at most one portion, and says when the next day begins', async () => {
  const { replicas, world } = await openReplicas()
  const [one] = replicas
  expectBetween(await one.call(150), 100, 100 + portion)
  await expect(one.counter.consume('key:ci')).rejects.toEqual({ msBeforeNext: 12 * 3_600_000 })
  // The quota of another caller is another one.
  await expect(one.counter.consume('key:other')).resolves.toBeUndefined()
  world.now += 12 * 3_600_000
  expectBetween(await one.call(150), 100, 100 + portion)
})

test('without the store a gateway lets one portion through, and the rest once the store is back', async () => {
  const { replicas } = await openReplicas()
  const [one] = replicas
  one.state.isAway = true
  expect(await one.call(7)).toBe(portion)
  one.state.isAway = false
  await expect.poll(() => one.call(1), { timeout: 5000 }).toBe(1)
  expectBetween(await one.call(150), 94, 94 + portion)
})

test('gateways exceed a quota by one portion each: those that cannot reach the store while it is used up', async () => {
  const { replicas } = await openReplicas()
  const [one, two, three] = replicas
  two.state.isAway = three.state.isAway = true
  const early = (await two.call(7)) + (await three.call(7))
  expect(early).toBe(2 * portion)
  expectBetween(await one.call(150), 100, 100 + portion)
  two.state.isAway = three.state.isAway = false
  // Both learn that nothing is left, and let nothing more through.
  for (const each of [two, three]) {
    await expect
      .poll(() => each.counter.consume('key:ci').catch((refused: unknown) => refused))
      .toEqual({
        msBeforeNext: 12 * 3_600_000,
      })
    expect(await each.call(3)).toBe(0)
  }
})

test('what a gateway has taken and not used is there for others after it has ended', async () => {
  const { replicas } = await openReplicas()
  const [one, two] = replicas
  expect(await one.call(1)).toBe(1)
  await one.close()
  expectBetween(await two.call(150), 99, 99 + portion)
})

test('a burst that outruns the store is not refused', async () => {
  const { replicas } = await openReplicas()
  const [one] = replicas
  const calls = await Promise.all(Array.from({ length: 9 }, () => one.call(1)))
  expect(calls).toEqual(Array.from({ length: 9 }, () => 1))
})
