import { expect, test } from 'vitest'
import { createFakeClock } from './fake-clock.ts'

test('createFakeClock: time stands still until advanced, and sleeps end in order', async () => {
  const clock = createFakeClock(1000)
  const woken: string[] = []
  const sleep = (ms: number) => clock.sleep(ms).then(() => woken.push(`${ms} at ${clock.now()}`))
  void sleep(30)
  void sleep(10).then(() => sleep(5))
  await clock.advance(20)
  expect({ woken: [...woken], now: clock.now(), sleeping: clock.sleeping }).toEqual({
    woken: ['10 at 1010', '5 at 1015'],
    now: 1020,
    sleeping: 1,
  })
  await clock.advance(10)
  expect(woken).toEqual(['10 at 1010', '5 at 1015', '30 at 1030'])
})

test('createFakeClock: sleep rejects with the reason of its signal, also one that was aborted before', async () => {
  const clock = createFakeClock()
  const stop = new AbortController()
  const sleeping = clock.sleep(10, stop.signal)
  stop.abort(new Error('enough'))
  await expect(sleeping).rejects.toThrow('enough')
  await expect(clock.sleep(10, stop.signal)).rejects.toThrow('enough')
  expect(clock.sleeping).toBe(0)
})
