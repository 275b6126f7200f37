import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import type { CliProcess } from './command-context.ts'
import { watchSignals } from './signals.ts'

/** A fake process that receives signals from the test and records its exit. */
function createProcess() {
  const emitter = new EventEmitter()
  const exits: number[] = []
  const stderr = new PassThrough()
  const process = Object.assign(emitter, { stderr, exit: (code: number) => exits.push(code) })
  // Only these members of the process are used here.
  return { emitter, exits, stderr, process: process as unknown as CliProcess }
}

/** A resource that closes only after the second `close`. */
function createSlow() {
  let asked = 0
  let finish = (): void => undefined
  const closed = new Promise<void>((resolve) => {
    finish = resolve
  })
  const close = (): Promise<void> => {
    asked += 1
    if (asked === 2) finish()
    return closed
  }
  return { close, asked: () => asked }
}

const never = new Promise<never>(() => undefined)

describe('signals.guard', () => {
  test('returns the result after open resources are closed', async () => {
    const { process, emitter } = createProcess()
    const order: string[] = []
    const result = await watchSignals(process).guard(async ({ closeOnEnd }) => {
      closeOnEnd({ close: async () => void order.push('closed') })
      order.push('done')
      return 7
    })
    expect([result, order]).toEqual([7, ['done', 'closed']])
    expect(emitter.listenerCount('SIGINT')).toBe(0)
  })

  test('rethrows the error after open resources are closed', async () => {
    const slow = { isClosed: false, close: async () => void (slow.isClosed = true) }
    const guarded = watchSignals(createProcess().process).guard(async ({ closeOnEnd }) => {
      closeOnEnd(slow)
      throw new Error('broken')
    })
    await expect(guarded).rejects.toThrow('broken')
    expect(slow.isClosed).toBe(true)
  })

  test.each([
    ['SIGINT', 'cancelled'],
    ['SIGTERM', 'terminated'],
    ['SIGHUP', 'hungUp'],
  ])('%s ends work that ignores its abort signal', async (signal, exit) => {
    const { process, emitter } = createProcess()
    const guarded = watchSignals(process).guard(async () => never)
    emitter.emit(signal, signal)
    await expect(guarded).rejects.toMatchObject({ exit })
  })

  test('FI-25 the first signal closes, the second hurries, the third exits at once', async () => {
    const { process, emitter, exits } = createProcess()
    const slow = createSlow()
    const guarded = watchSignals(process).guard(async ({ closeOnEnd }) => {
      closeOnEnd(slow)
      await never
    })
    emitter.emit('SIGINT', 'SIGINT')
    expect(slow.asked()).toBe(1)
    emitter.emit('SIGTERM', 'SIGTERM')
    emitter.emit('SIGINT', 'SIGINT')
    expect(exits).toEqual([130])
    await expect(guarded).rejects.toMatchObject({ exit: 'cancelled' })
  })

  test('a resource opened after the signal is closed at once', async () => {
    const { process, emitter } = createProcess()
    const late = createSlow()
    const guarded = watchSignals(process).guard(async ({ closeOnEnd }) => {
      emitter.emit('SIGINT', 'SIGINT')
      closeOnEnd(late)
    })
    await expect(guarded).rejects.toMatchObject({ exit: 'cancelled' })
    expect(late.asked()).toBe(1)
  })

  test('timeoutMs ends the work', async () => {
    const guarded = watchSignals(createProcess().process).guard(async () => never, { timeoutMs: 1 })
    await expect(guarded).rejects.toMatchObject({ exit: 'timeout', message: 'Timed out after 1 ms.' })
  })

  test('graceMs lets the work report its timeout itself', async () => {
    const { process } = createProcess()
    const told = (ms: number) => new Promise((resolve) => void setTimeout(resolve, ms))
    const guarded = watchSignals(process).guard(async () => told(5), { timeoutMs: 1, graceMs: 60_000 })
    await expect(guarded).resolves.toBeUndefined()
  })

  test('an uncaught exception ends the work', async () => {
    const { process, emitter } = createProcess()
    const guarded = watchSignals(process).guard(async () => never)
    emitter.emit('uncaughtException', new Error('boom'))
    await expect(guarded).rejects.toMatchObject({ exit: 'internal' })
  })

  test('without a guard, an uncaught exception exits the process at once', () => {
    const { process, emitter, exits, stderr } = createProcess()
    watchSignals(process)
    emitter.emit('uncaughtException', new Error('boom'))
    expect(exits).toEqual([70])
    expect(String(stderr.read())).toMatch(/^Plugboard failed unexpectedly: Error: boom\n/)
  })
})
