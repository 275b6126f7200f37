import { afterAll, describe, expect, test } from 'vitest'
import type { Store } from '../../src/store/store-interface.ts'
import { drivers, platformAt, Stores } from '../support/stores.ts'

const time = '2026-11-18T10:00:00.000Z'
const day = '2026-11-18'

for (const { driver, missing } of drivers)
  describe.skipIf(missing)(`what gateways share on ${driver}${missing ? ` (${missing})` : ''}`, () => {
    const stores = new Stores(driver)
    afterAll(() => stores.close())

    /** Two programs with one store. */
    async function openTwo(): Promise<readonly [Store, Store]> {
      const at = await stores.place()
      const platform = platformAt(time)
      return [await stores.open({ at, platform }), await stores.open({ at, platform })]
    }

    test('versions: each publish adds one, an equal text adds none, and a rollback repeats an earlier text', async () => {
      const [{ versions }, other] = await openTwo()
      expect(await versions.read()).toBeUndefined()
      const first = await versions.publish({ text: '{"a":1}', by: 'dana', message: 'first' })
      expect(first).toEqual({
        number: 1,
        at: time,
        by: 'dana',
        message: 'first',
        hash: 'sha256:015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862',
        isNew: true,
      })
      expect(await versions.publish({ text: '{"a":1}' })).toEqual({ ...first, isNew: false })
      expect(await versions.publish({ text: '{"a":2}' })).toMatchObject({ number: 2, isNew: true })
      expect(await versions.rollback(1, 'sam')).toMatchObject({
        number: 3,
        copyOf: 1,
        by: 'sam',
        isNew: true,
      })
      expect(await versions.rollback(9, 'sam')).toBeUndefined()
      expect(await other.versions.read()).toMatchObject({ number: 3, text: '{"a":1}' })
      expect(await other.versions.read(2)).toMatchObject({ number: 2, text: '{"a":2}' })
      expect((await other.versions.list(2)).map(({ number }) => number)).toEqual([3, 2])
    })

    test('versions: two programs that publish at once make two versions', async () => {
      const [one, other] = await openTwo()
      const made = await Promise.all(
        [one, other].flatMap(({ versions }, at) => [
          versions.publish({ text: `{"a":${at}}` }),
          versions.publish({ text: `{"b":${at}}` }),
        ]),
      )
      expect(made.map(({ number }) => number).sort((one, other) => one - other)).toEqual([1, 2, 3, 4])
    })

    test('watch: another program learns which part has changed', async () => {
      const [one, other] = await openTwo()
      const seen: string[] = []
      let onSeen = () => {}
      const watch = other.watch({
        everyMs: driver === 'postgres' ? 60_000 : 20,
        onChange: (parts) => {
          seen.push(...parts)
          onSeen()
        },
      })
      /** What was seen since the last time; the notice may come before the change itself has returned. */
      const next = async () => {
        if (seen.length === 0) await new Promise<void>((resolve) => (onSeen = resolve))
        return seen.splice(0)
      }
      expect(await next()).toEqual(['config', 'keys', 'acceptances', 'logins'])
      await one.versions.publish({ text: '{}' })
      expect(await next()).toEqual(['config'])
      await one.keys.add({ name: 'ci', id: '0123456789ab', hash: 'h', createdAt: time })
      expect(await next()).toEqual(['keys'])
      await watch[Symbol.asyncDispose]()
    })

    test('quotas: portions end at the limit, and what was spent before counts beyond it', async () => {
      const [one, other] = await openTwo()
      const take = (store: Store, spent: number, wanted: number) =>
        store.quotas.take({ id: 'q', day, limit: 10, spent, wanted })
      expect(await take(one, 0, 4)).toBe(4)
      expect(await take(other, 1, 4)).toBe(4)
      expect(await take(one, 0, 4)).toBe(1)
      expect(await take(other, 3, 4)).toBe(0)
      // 13 are used now: giving two back is not enough for another portion.
      await one.quotas.giveBack('q', day, 2)
      expect(await take(one, 0, 4)).toBe(0)
      await other.quotas.giveBack('q', day, 2)
      expect(await take(one, 0, 4)).toBe(1)
      await one.quotas.forget('2026-11-19')
      expect(await take(one, 0, 4)).toBe(4)
    })

    test('quotas: programs that take at once never get more than the limit together', async () => {
      const [one, other] = await openTwo()
      const taken = await Promise.all(
        Array.from({ length: 12 }, (_, at) =>
          (at % 2 ? one : other).quotas.take({ id: 'q', day, limit: 20, spent: 0, wanted: 3 }).catch(() => 0),
        ),
      )
      expect(taken.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(20)
      const rest = await one.quotas.take({ id: 'q', day, limit: 20, spent: 0, wanted: 20 })
      expect(taken.reduce((sum, each) => sum + each, rest)).toBe(20)
    })

    test('acceptances: a changed declaration finds what was accepted under its name', async () => {
      const [one, other] = await openTwo()
      const place = { key: 'a'.repeat(64), account: '', server: 'github' }
      expect(await one.acceptances.read(place)).toBeUndefined()
      await one.acceptances.change(place, (current) => `first ${current?.text}`)
      expect(await other.acceptances.read(place)).toEqual({ text: 'first undefined', isEarlier: false })
      const edited = { ...place, key: 'b'.repeat(64) }
      expect(await other.acceptances.read(edited)).toEqual({ text: 'first undefined', isEarlier: true })
      expect(await other.acceptances.read({ ...edited, account: 'work' })).toBeUndefined()
      await other.acceptances.change(edited, (current) => `then ${current?.text}`)
      expect(await one.acceptances.read(edited)).toEqual({ text: 'then first undefined', isEarlier: false })
    })

    test('logins: a row is replaced and removed', async () => {
      const [one, other] = await openTwo()
      await one.logins.write({ id: 'a', account: '{}', sealed: 'x' })
      await one.logins.write({ id: 'a', account: '{}', sealed: 'y' })
      expect(await other.logins.all()).toEqual([{ id: 'a', account: '{}', sealed: 'y' }])
      await other.logins.remove('a')
      expect(await one.logins.read('a')).toBeUndefined()
    })

    test.runIf(driver === 'postgres')(
      'logins: work under the lock of a row runs in one program at a time',
      async () => {
        const [one, other] = await openTwo()
        const steps: string[] = []
        let finish = () => {}
        const held = new Promise<void>((resolve) => (finish = resolve))
        const started = new Promise<void>((resolve) => {
          void one.logins.locked('a', async () => {
            steps.push('one begins')
            resolve()
            await held
            steps.push('one ends')
          })
        })
        await started
        const second = other.logins.locked('a', async () => steps.push('other'))
        // The lock of another login is free meanwhile.
        await other.logins.locked('b', async () => steps.push('b'))
        finish()
        await second
        expect(steps).toEqual(['one begins', 'b', 'one ends', 'other'])
        await expect(other.logins.locked('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
      },
    )
  })
