import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import type { CliProcess } from './command-context.ts'
import { watchSignals } from './signals.ts'

/** A process that hears signals from the test, and writes down that it would end. */
function createProcess() {
  const emitter = new EventEmitter()
  const exits: number[] = []
  const stderr = new PassThrough()
  const process = Object.assign(emitter, { stderr, exit: (code: number) => exits.push(code) })
  // Of the process only these parts are used here.
  return { emitter, exits, stderr, process: process as unknown as CliProcess }
}

/** Something open that takes until it is asked twice. */
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

describe('work that can be ended from outside', () => {
  test('gives its result, after what it opened is closed', async () => {
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

  test('fails as it fails, after what it opened is closed', async () => {
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
  ])('%s aborts it even if it does not listen', async (signal, exit) => {
    const { process, emitter } = createProcess()
    const guarded = watchSignals(process).guard(async () => never)
    emitter.emit(signal, signal)
    await expect(guarded).rejects.toMatchObject({ exit })
  })

  test('FI-25 the first signal closes, the second hurries, the third waits for nothing', async () => {
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

  test('what is opened after the signal is closed at once', async () => {
    const { process, emitter } = createProcess()
    const late = createSlow()
    const guarded = watchSignals(process).guard(async ({ closeOnEnd }) => {
      emitter.emit('SIGINT', 'SIGINT')
      closeOnEnd(late)
    })
    await expect(guarded).rejects.toMatchObject({ exit: 'cancelled' })
    expect(late.asked()).toBe(1)
  })

  test('a time that is up ends it', async () => {
    const guarded = watchSignals(createProcess().process).guard(async () => never, { timeoutMs: 1 })
    await expect(guarded).rejects.toMatchObject({ exit: 'timeout', message: 'Timed out after 1 ms.' })
  })

  test('what says itself that its time is up is given a moment to do so', async () => {
    const { process } = createProcess()
    const told = (ms: number) => new Promise((resolve) => void setTimeout(resolve, ms))
    const guarded = watchSignals(process).guard(async () => told(5), { timeoutMs: 1, graceMs: 60_000 })
    await expect(guarded).resolves.toBeUndefined()
  })

  test('a fault that nobody caught ends it', async () => {
    const { process, emitter } = createProcess()
    const guarded = watchSignals(process).guard(async () => never)
    emitter.emit('uncaughtException', new Error('boom'))
    await expect(guarded).rejects.toMatchObject({ exit: 'internal' })
  })

  test('outside of it such a fault ends the process at once', () => {
    const { process, emitter, exits, stderr } = createProcess()
    watchSignals(process)
    emitter.emit('uncaughtException', new Error('boom'))
    expect(exits).toEqual([70])
    expect(String(stderr.read())).toMatch(/^Plugboard failed unexpectedly: Error: boom\n/)
  })
})
