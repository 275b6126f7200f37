import { describe, expect, test } from 'vitest'
import type { RunOptions, RunResult } from '../../platform/platform.ts'
import { CommandCache, commandLimits, commandOutput } from './command-values.ts'

/** A platform that records the commands it runs and returns the given answers in order. */
function createRunner(answers: readonly RunResult[] = []) {
  const ran: { command: readonly string[] | string; options: RunOptions }[] = []
  const run = async (command: readonly string[] | string, options: RunOptions) => {
    ran.push({ command, options })
    return answers[ran.length - 1] ?? { kind: 'done' as const, stdout: `answer ${ran.length}\n` }
  }
  const context = {
    platform: { run },
    cwd: '/p',
    env: { A: '1' },
    limits: commandLimits,
    cache: new CommandCache(),
  }
  return { ran, context }
}

const failed: RunResult = { kind: 'failed', reason: 'exit', message: 'exit code 1' }

describe('T07 commandOutput', () => {
  test('runs as an argument list without a shell, or as a line in one, within 10 s and 64 KiB', async () => {
    const { ran, context } = createRunner()
    await commandOutput('op read "a b"', 'argv', context)
    await commandOutput('op read "a b"', 'shell', context)
    const signal = expect.any(AbortSignal)
    const options = { cwd: '/p', env: { A: '1' }, timeoutMs: 10_000, maxBytes: 65_536, signal }
    expect(ran).toEqual([
      { command: ['op', 'read', 'a b'], options },
      { command: 'op read "a b"', options },
    ])
  })

  test.each([
    ['argv', ' x \n', ' x '],
    ['argv', 'x\r\n', 'x'],
    ['argv', 'x\n\n', 'x\n'],
    ['argv', 'x', 'x'],
    ['shell', ' x \n\n', 'x'],
  ] as const)('%s: output %j becomes %j (argv drops one newline, shell trims)', async (how, stdout, text) => {
    const { context } = createRunner([{ kind: 'done', stdout }])
    expect(await commandOutput('x', how, context)).toEqual({ text })
  })

  test.each(['', '\n'])('O22 output %j counts as no value', async (stdout) => {
    const { context } = createRunner([{ kind: 'done', stdout }])
    expect(await commandOutput('x', 'argv', context)).toEqual({ why: 'it printed nothing' })
  })

  test('returns the reason when the command fails', async () => {
    expect(await commandOutput('x', 'argv', createRunner([failed]).context)).toEqual({ why: 'exit code 1' })
  })
})

describe('T07 CommandCache: each command runs once', () => {
  test('concurrent and later callers share one run', async () => {
    const { ran, context } = createRunner()
    const ask = () => commandOutput('x', 'argv', context)
    expect(await Promise.all([ask(), ask(), ask()])).toEqual(
      Array.from({ length: 3 }, () => ({ text: 'answer 1' })),
    )
    expect(await ask()).toEqual({ text: 'answer 1' })
    expect(ran).toHaveLength(1)
  })

  test('a different command, run mode, folder or environment runs separately', async () => {
    const { ran, context } = createRunner()
    await commandOutput('x', 'argv', context)
    await commandOutput('y', 'argv', context)
    await commandOutput('x', 'shell', context)
    await commandOutput('x', 'argv', { ...context, cwd: '/q' })
    await commandOutput('x', 'argv', { ...context, env: { A: '2' } })
    expect(ran).toHaveLength(5)
  })

  test('a failure is not remembered, and caches share nothing', async () => {
    const { ran, context } = createRunner([failed])
    expect(await commandOutput('x', 'argv', context)).toEqual({ why: 'exit code 1' })
    expect(await commandOutput('x', 'argv', context)).toEqual({ text: 'answer 2' })
    expect(await commandOutput('x', 'argv', { ...context, cache: new CommandCache() })).toEqual({
      text: 'answer 3',
    })
    expect(ran).toHaveLength(3)
  })

  test('a rejected run is not remembered', async () => {
    const cache = new CommandCache()
    await expect(cache.once('k', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await cache.once('k', async () => failed)).toEqual(failed)
  })
})

describe('T07 CommandCache: cancellation', () => {
  /** A command that runs until the test calls `answer`. */
  function createSlowRun() {
    const runs: { readonly signal: AbortSignal; readonly answer: (result: RunResult) => void }[] = []
    const run = (signal: AbortSignal) =>
      new Promise<RunResult>((answer) => {
        runs.push({ signal, answer })
      })
    return { runs, run, cache: new CommandCache() }
  }
  const done: RunResult = { kind: 'done', stdout: 'x' }
  const cancelled: RunResult = { kind: 'failed', reason: 'cancelled', message: 'cancelled' }

  test('a cancelled caller does not stop the run for the others', async () => {
    const { runs, run, cache } = createSlowRun()
    const first = new AbortController()
    const one = cache.once('k', run, first.signal)
    const two = cache.once('k', run, new AbortController().signal)
    first.abort()
    expect(await one).toEqual(cancelled)
    expect(runs.map(({ signal }) => signal.aborted)).toEqual([false])
    runs[0]?.answer(done)
    expect(await two).toEqual(done)
    expect(await cache.once('k', run)).toEqual(done)
    expect(runs).toHaveLength(1)
  })

  test('the run stops when its last caller is cancelled, and the next caller starts a new one', async () => {
    const { runs, run, cache } = createSlowRun()
    const cancel = new AbortController()
    const both = [cache.once('k', run, cancel.signal), cache.once('k', run, cancel.signal)]
    cancel.abort()
    expect(await Promise.all(both)).toEqual([cancelled, cancelled])
    expect(runs.map(({ signal }) => signal.aborted)).toEqual([true])
    const next = cache.once('k', run)
    runs[0]?.answer(cancelled)
    runs[1]?.answer(done)
    expect([await next, await cache.once('k', run), runs.length]).toEqual([done, done, 2])
  })

  test('an already aborted signal starts no run', async () => {
    const { runs, run, cache } = createSlowRun()
    expect(await cache.once('k', run, AbortSignal.abort())).toEqual(cancelled)
    expect(runs).toEqual([])
  })
})
