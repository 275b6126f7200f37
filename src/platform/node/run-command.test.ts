import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import type { RunOptions } from '../platform.ts'
import { runCommand } from './run-command.ts'

let folder = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'spawn-'))
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const options = (over: Partial<RunOptions> = {}): RunOptions => ({
  cwd: folder,
  env: { PATH: process.env['PATH'] },
  timeoutMs: 30_000,
  maxBytes: 64 * 1024,
  ...over,
})

/** An exited process is listed until its parent has collected it. */
function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return !/^\d+ \(.*\) [ZX]/s.test(stat)
  } catch {
    return false
  }
}

/** The pids that a script wrote, one per line. */
async function pidsIn(file: string, count: number): Promise<readonly number[]> {
  const pids = () => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : [])
  await expect.poll(() => pids().filter(Boolean).length).toBe(count)
  return pids()
}

async function gone(pids: readonly number[]): Promise<void> {
  await expect.poll(() => pids.filter(isRunning)).toEqual([])
}

describe.skipIf(process.platform === 'win32')('runCommand: output', () => {
  test('returns stdout unchanged', async () => {
    expect(await runCommand(['printf', '%s', 'a b\n'], options())).toEqual({ kind: 'done', stdout: 'a b\n' })
  })

  test('an argv runs without a shell, a string in one', async () => {
    expect(await runCommand(['echo', '$HOME; exit 3'], options())).toEqual({
      kind: 'done',
      stdout: '$HOME; exit 3\n',
    })
    expect(await runCommand('echo $((1 + 1))', options())).toEqual({ kind: 'done', stdout: '2\n' })
  })

  test('uses the given working directory and only the given environment', async () => {
    const env = { PATH: process.env['PATH'], ONLY: 'this' }
    const { stdout } = (await runCommand('pwd; env', options({ env }))) as { stdout: string } // it succeeds
    expect(stdout.split('\n')[0]).toContain('spawn-')
    expect(stdout).toContain('ONLY=this')
    expect(stdout).not.toContain('VITEST')
  })

  test('T07 stdin is empty, and stderr is dropped', async () => {
    expect(await runCommand('cat; echo secret >&2; echo done', options())).toEqual({
      kind: 'done',
      stdout: 'done\n',
    })
  })

  test.each([
    ['exit 3', { reason: 'exit', message: 'exit code 3' }],
    ['kill -TERM $$', { reason: 'exit', message: 'ended by SIGTERM' }],
    ['no-such-program-here', { reason: 'exit', message: 'exit code 127' }],
  ])('%s fails with the reason', async (line, failure) => {
    expect(await runCommand(line, options())).toEqual({ kind: 'failed', ...failure })
  })

  test.each([
    ['a program that does not exist', ['no-such-program-here'], 'ENOENT'],
    ['no name', [], expect.any(String)],
    ['a NUL in an argument', ['echo', 'a\0b'], expect.any(String)],
  ])('fails as not found: %s', async (_what, command, message) => {
    expect(await runCommand(command, options())).toEqual({ kind: 'failed', reason: 'not-found', message })
  })
})

describe.skipIf(process.platform === 'win32')('T07 runCommand: the shell of a string', () => {
  const shellWith = async (shell: string) => {
    const env = { PATH: process.env['PATH'], SHELL: shell }
    return runCommand('echo line', options({ env }))
  }

  test('is the shell of the person', async () => {
    const shell = join(folder, 'own-shell')
    writeFileSync(shell, '#!/bin/sh\necho "own: $*"\n')
    chmodSync(shell, 0o755)
    expect(await shellWith(shell)).toEqual({ kind: 'done', stdout: 'own: -c echo line\n' })
  })

  test.each(['', 'sh', './own-shell', '/no/such/shell', '/bin/false', '/usr/sbin/nologin'])(
    'is the default of the system if SHELL is %j',
    async (shell) => expect(await shellWith(shell)).toEqual({ kind: 'done', stdout: 'line\n' }),
  )
})

describe.skipIf(process.platform === 'win32')('T07 runCommand: after the command ended', () => {
  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })

  test.each([['true'], ['exit 3']])('%s: its group is killed once, and no timer remains', async (line) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const kill = vi.spyOn(process, 'kill')
    await runCommand(line, options())
    expect(vi.getTimerCount()).toBe(0)
    await vi.runAllTimersAsync()
    expect(kill).toHaveBeenCalledTimes(1)
  })
})

test.skipIf(process.platform === 'win32')('runCommand: a file without execute permission fails', async () => {
  const file = join(folder, 'plain')
  writeFileSync(file, 'x', { mode: 0o644 })
  const result = await runCommand([file], options())
  expect(result).toEqual({ kind: 'failed', reason: 'not-found', message: 'EACCES' })
})

describe.skipIf(process.platform !== 'linux')('T07 runCommand: leaves no process behind', () => {
  test('`sleep 60` is killed at the timeout', async () => {
    const file = join(folder, 'timeout')
    const script = `echo $$ > ${file}; sleep 60 & echo $! >> ${file}; exec sleep 60`
    expect(await runCommand(script, options({ timeoutMs: 2000 }))).toEqual({
      kind: 'failed',
      reason: 'timeout',
      message: 'no answer within 2000 ms',
    })
    await gone(await pidsIn(file, 2))
  })

  test('`yes` is killed at the output limit', async () => {
    expect(await runCommand(['yes'], options())).toEqual({
      kind: 'failed',
      reason: 'too-large',
      message: 'more than 65536 bytes of output',
    })
  })

  test('output up to the limit is returned', async () => {
    const exactly = await runCommand('head -c 1000 /dev/zero', options({ maxBytes: 1000 }))
    expect(exactly).toMatchObject({ kind: 'done' })
    const more = await runCommand('head -c 1001 /dev/zero', options({ maxBytes: 1000 }))
    expect(more).toMatchObject({ reason: 'too-large' })
  })

  test('an abort kills it with its children', async () => {
    const file = join(folder, 'cancel')
    const cancel = new AbortController()
    const running = runCommand(
      `echo $$ > ${file}; sleep 60 & echo $! >> ${file}; wait`,
      options({ signal: cancel.signal }),
    )
    const pids = await pidsIn(file, 2)
    expect(pids.map(isRunning)).toEqual([true, true])
    cancel.abort()
    expect(await running).toEqual({ kind: 'failed', reason: 'cancelled', message: 'cancelled' })
    await gone(pids)
  })

  test('an aborted signal prevents the start', async () => {
    const file = join(folder, 'never')
    const signal = AbortSignal.abort()
    expect(await runCommand(['touch', file], options({ signal }))).toMatchObject({ reason: 'cancelled' })
    expect(existsSync(file)).toBe(false)
  })

  test('a background child is killed and does not delay the result', async () => {
    const file = join(folder, 'background')
    expect(await runCommand(`sleep 60 & echo $! > ${file}; echo done`, options())).toEqual({
      kind: 'done',
      stdout: 'done\n',
    })
    await gone(await pidsIn(file, 1))
  })
})
