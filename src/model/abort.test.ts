import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { onAbort, raceAbort } from './abort.ts'

const never = new Promise<never>(() => undefined)

function listenersOf(signal: AbortSignal): number {
  return getEventListeners(signal, 'abort').length
}

describe('raceAbort', () => {
  test('returns the work itself if there is no signal', () => {
    const work = Promise.resolve(1)
    expect(raceAbort(work, undefined)).toBe(work)
  })

  test('resolves with the value of work that finishes first, and removes its listener', async () => {
    const { signal } = new AbortController()
    const raced = raceAbort(Promise.resolve('done'), signal)
    expect(listenersOf(signal)).toBe(1)
    expect(await raced).toBe('done')
    await Promise.resolve()
    expect(listenersOf(signal)).toBe(0)
  })

  test('rejects with the error of work that fails first, and removes its listener', async () => {
    const { signal } = new AbortController()
    const error = new Error('broken')
    await expect(raceAbort(Promise.reject(error), signal)).rejects.toBe(error)
    await Promise.resolve()
    expect(listenersOf(signal)).toBe(0)
  })

  test('rejects with the reason of the signal on abort', async () => {
    const controller = new AbortController()
    const raced = raceAbort(never, controller.signal)
    const reason = new Error('enough')
    controller.abort(reason)
    await expect(raced).rejects.toBe(reason)
    expect(listenersOf(controller.signal)).toBe(0)
  })

  test('rejects for a signal that is already aborted, without adding a listener', async () => {
    const signal = AbortSignal.abort('too late')
    await expect(raceAbort(never, signal)).rejects.toBe('too late')
    expect(listenersOf(signal)).toBe(0)
  })

  test('rejects with the error that toError makes from the reason', async () => {
    const toError = (reason: unknown) => new Error('cancelled', { cause: reason })
    const raced = raceAbort(never, AbortSignal.abort('why'), toError)
    await expect(raced).rejects.toMatchObject({ message: 'cancelled', cause: 'why' })
  })

  test('causes no unhandled rejection if the work fails after the abort', async () => {
    const controller = new AbortController()
    let fail = (): void => undefined
    const work = new Promise<never>((_, reject) => {
      fail = () => reject(new Error('late'))
    })
    const raced = raceAbort(work, controller.signal)
    controller.abort('over')
    await expect(raced).rejects.toBe('over')
    fail()
    // Vitest fails the run for an unhandled rejection in this turn.
    await new Promise((resolve) => setTimeout(resolve))
  })
})

describe('onAbort', () => {
  test('calls the listener once when the signal aborts', () => {
    const controller = new AbortController()
    let calls = 0
    onAbort(controller.signal, () => calls++)
    expect(calls).toBe(0)
    controller.abort()
    expect(calls).toBe(1)
  })

  test('calls the listener at once for a signal that is already aborted', () => {
    let calls = 0
    onAbort(AbortSignal.abort(), () => calls++)
    expect(calls).toBe(1)
  })

  test('never calls the listener after it was disposed', () => {
    const controller = new AbortController()
    let calls = 0
    onAbort(controller.signal, () => calls++)[Symbol.dispose]()
    expect(listenersOf(controller.signal)).toBe(0)
    controller.abort()
    expect(calls).toBe(0)
  })

  test('never calls the listener without a signal', () => {
    onAbort(undefined, () => expect.unreachable())[Symbol.dispose]()
  })
})
