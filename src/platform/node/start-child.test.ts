import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { untilGone, isRunning } from '../../../test/support/alive.ts'
import { bundleScript, runScript } from '../../../test/support/processes.ts'
import type { Child, SpawnOptions } from '../platform.ts'
import { SpawnError } from '../platform.ts'
import { startChild } from './start-child.ts'

let folder = ''
const children: Child[] = []

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'child-'))
})
afterAll(() => rmSync(folder, { recursive: true }))
afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill('SIGKILL')
    await child.exited
    child.release()
  }
})

const path = process.env['PATH'] ?? ''

async function start(args: readonly string[], over: Partial<SpawnOptions> = {}): Promise<Child> {
  const child = await startChild({ command: 'sh', args, env: { PATH: path }, cwd: folder, ...over })
  children.push(child)
  return child
}

function shell(line: string, over: Partial<SpawnOptions> = {}): Promise<Child> {
  return start(['-c', line], over)
}

/** All it says, once nothing more comes. */
function said({ io }: Child): Promise<{ readonly text: string; readonly error: Error | undefined }> {
  return new Promise((resolve) => {
    let text = ''
    io.onData((chunk) => (text += Buffer.from(chunk).toString()))
    io.onEnd((error) => resolve({ text, error }))
  })
}

function firstLine({ io }: Child): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    io.onData((chunk) => {
      text += Buffer.from(chunk).toString()
      if (text.includes('\n')) resolve(text.split('\n')[0] ?? '')
    })
  })
}

const refusal = (options: Partial<SpawnOptions>): Promise<unknown> =>
  start([], options).then(
    () => 'started',
    (error: unknown) =>
      error instanceof SpawnError && {
        reason: error.reason,
        message: error.message,
        searched: error.searched,
      },
  )

describe.skipIf(process.platform !== 'linux')('a program', () => {
  test('is spoken to over its pipes, and its end is told', async () => {
    const child = await start([], { command: 'cat' })
    const all = said(child)
    expect(child.io.write('one\n')).toBe(true)
    child.io.write('zwölf ✓\n')
    child.io.end()
    expect(await all).toEqual({ text: 'one\nzwölf ✓\n', error: undefined })
    expect(await child.exited).toEqual({ code: 0, signal: null })
    expect(child).toMatchObject({
      command: expect.stringMatching(/^\/.*\/cat$/),
      startMark: expect.stringMatching(/^\d+@./),
    })
  })

  test('T05 gets the environment it is given, and nothing else of ours', async () => {
    process.env['AWS_SECRET_ACCESS_KEY'] = 'ours'
    try {
      const child = await start([], { command: 'env', env: { PATH: path, ONLY: 'this' } })
      const lines = (await said(child)).text.trim().split('\n')
      expect(lines.sort()).toEqual(['ONLY=this', `PATH=${path}`])
    } finally {
      delete process.env['AWS_SECRET_ACCESS_KEY']
    }
  })

  test('T04 gets its arguments as they are: no shell reads them', async () => {
    const args = ['$HOME', '; echo injected', '`id`', '*', 'a "b" \'c\'', '']
    const child = await start(['%s\\n', ...args], { command: 'printf' })
    expect((await said(child)).text).toBe(args.map((arg) => `${arg}\n`).join(''))
  })

  test('T04 is not taken from the folder it runs in', async () => {
    const work = join(folder, 'hostile')
    mkdirSync(work)
    for (const name of ['cat', 'only-here']) {
      writeFileSync(join(work, name), '#!/bin/sh\necho hostile\n')
      chmodSync(join(work, name), 0o755)
    }
    const env = { PATH: `.:${work}:${path}` }
    const child = await start([], { command: 'cat', cwd: work, env })
    child.io.end()
    expect((await said(child)).text).toBe('')
    expect(await refusal({ command: 'only-here', cwd: work, env })).toMatchObject({ reason: 'not-found' })
    expect((await said(await start([], { command: './only-here', cwd: work }))).text).toBe('hostile\n')
  })

  test('runs in a group of its own', async () => {
    const child = await shell('ps -o pgid= -p $$')
    expect((await said(child)).text.trim()).toBe(String(child.pid))
  })

  test('exit code and signal are told apart', async () => {
    expect(await (await shell('exit 7')).exited).toEqual({ code: 7, signal: null })
    expect(await (await shell('kill -9 $$')).exited).toEqual({ code: null, signal: 'SIGKILL' })
  })

  test('FI-21 that does not read makes us wait, and what was written arrives when it does', async () => {
    const child = await shell('read go; cat | wc -c')
    const all = said(child)
    child.io.write('go\n')
    const drained = new Promise<void>((resolve) => child.io.onDrain(resolve))
    const big = 'x'.repeat(5_000_000)
    expect(child.io.write(big)).toBe(false)
    await drained
    child.io.end()
    expect((await all).text.trim()).toBe('5000000')
  })

  test('FI-20 that closes its input ends the pair once, with the error, and throws nowhere', async () => {
    const child = await shell('exec 0<&-; echo ready; sleep 60')
    const ends: unknown[] = []
    const ended = new Promise<void>((resolve) => {
      child.io.onEnd((error) => {
        ends.push(error)
        resolve()
      })
    })
    await firstLine(child)
    child.io.write('a'.repeat(100_000))
    await ended
    expect(child.io.write('more')).toBe(false)
    child.io.end()
    child.kill('SIGKILL')
    await child.drained
    expect(ends).toEqual([expect.objectContaining({ code: 'EPIPE' })])
  })

  test('FI-20 what it said before it closed its input is heard', async () => {
    const child = await shell('echo last words; exec 0<&-; kill -9 $$')
    const all = said(child)
    await child.exited
    child.io.write('too late\n')
    expect((await all).text).toBe('last words\n')
  })

  test('FI-26 is drained on stderr though nobody listens', async () => {
    const child = await shell('head -c 20000000 /dev/zero >&2; echo done')
    expect(await said(child)).toEqual({ text: 'done\n', error: undefined })
    expect(await child.exited).toEqual({ code: 0, signal: null })
  })

  test('stderr is given to who listens, from the first byte on', async () => {
    const child = await shell('echo first >&2; echo second >&2')
    let text = ''
    child.onStderr((chunk) => (text += Buffer.from(chunk).toString()))
    child.io.onData(() => undefined)
    await child.drained
    expect(text).toBe('first\nsecond\n')
  })

  test('FI-26 what it says takes memory only until it was heard', async () => {
    const child = await shell('head -c 5000000 /dev/zero; head -c 5000000 /dev/zero >&2')
    const chunks: Uint8Array[] = []
    let bytes = 0
    const hear = (chunk: Uint8Array) => {
      chunks.push(chunk)
      bytes += chunk.length
    }
    child.onStderr(hear)
    child.io.onData(hear)
    await child.drained
    const left = chunks.filter(({ length }) => length >= 1024)
    expect({ bytes, left }).toEqual({ bytes: 10_000_000, left: [] })
  })
})

describe.skipIf(process.platform !== 'linux')('FI-04 B23 a program that cannot be started says why', () => {
  test('a name that is nowhere in PATH, with the folders that were searched', async () => {
    expect(await refusal({ command: 'no-such-program', env: { PATH: '/usr/bin:/bin:rel' } })).toEqual({
      reason: 'not-found',
      message: '"no-such-program" was not found in PATH.',
      searched: ['/usr/bin', '/bin'],
    })
  })

  test('a path that does not exist', async () => {
    const file = join(folder, 'none')
    const answer = { reason: 'not-found', message: `${file} does not exist.`, searched: [file] }
    expect(await refusal({ command: file })).toEqual(answer)
    expect(await refusal({ command: './none' })).toEqual(answer)
  })

  test('a file that may not be run', async () => {
    const file = join(folder, 'plain')
    writeFileSync(file, 'x', { mode: 0o644 })
    expect(await refusal({ command: file })).toEqual({
      reason: 'no-permission',
      message: `${file} may not be run: permission denied.`,
      searched: [file],
    })
  })

  test('a script whose interpreter does not exist', async () => {
    const file = join(folder, 'script')
    writeFileSync(file, '#!/no/such/interpreter\n', { mode: 0o755 })
    expect(await refusal({ command: file })).toEqual({
      reason: 'not-found',
      message: `${file} or the program that runs it does not exist.`,
      searched: [file],
    })
  })

  test('a working directory that does not exist, or is none', async () => {
    const cwd = join(folder, 'nowhere')
    const answer = {
      reason: 'bad-cwd',
      message: `The working directory ${cwd} does not exist.`,
      searched: [],
    }
    expect(await refusal({ cwd })).toEqual(answer)
    expect(await refusal({ cwd, command: './run' })).toEqual(answer)
    const file = join(folder, 'file')
    writeFileSync(file, '')
    expect(await refusal({ cwd: file })).toMatchObject({
      reason: 'bad-cwd',
      message: `The working directory ${file} is not a directory.`,
    })
  })

  test.each<[string, Partial<SpawnOptions>, string]>([
    ['no command', { command: '' }, 'The command is empty.'],
    ['a line break in the command', { command: 'sh\n' }, 'The command holds a line break or a NUL.'],
    ['a NUL in an argument', { args: ['a', 'b\0'] }, 'Argument 2 holds a line break or a NUL.'],
    ['a line break in an argument', { args: ['a\nb'] }, 'Argument 1 holds a line break or a NUL.'],
    ['a NUL in a variable', { env: { KEY: 'se\0cret' } }, 'The variable KEY holds a NUL.'],
    ['a name of two', { env: { 'A=B': '' } }, '"A=B" cannot be the name of a variable.'],
  ])('T04 %s', async (_what, options, message) => {
    const answer = await refusal(options)
    expect(answer).toEqual({ reason: 'bad-argument', message, searched: [] })
    expect(JSON.stringify(answer)).not.toContain('cret')
  })

  test('arguments beyond what the system takes', async () => {
    expect(await refusal({ args: ['x'.repeat(8_000_000)] })).toMatchObject({ reason: 'bad-argument' })
  })
})

describe.skipIf(process.platform !== 'linux')('a program with children', () => {
  test('FI-02 is gone when it is gone itself, and its pipes are let go though a grandchild holds them', async () => {
    const child = await shell('sh -c \'trap "" TERM HUP; echo $$; sleep 60; echo never\' & read go; exit 1')
    const order: string[] = []
    const grandchild = Number(await firstLine(child))
    const ended = new Promise<void>((resolve) => {
      child.io.onEnd(() => {
        order.push('pipes')
        resolve()
      })
    })
    void child.exited.then(() => order.push('exit'))
    child.io.write('go\n')
    expect(await child.exited).toEqual({ code: 1, signal: null })
    expect(isRunning(grandchild)).toBe(true)
    await ended
    await child.drained
    expect(order).toEqual(['exit', 'pipes'])
    expect(child.kill('SIGKILL')).toBe(true)
    await untilGone(grandchild)
    // Its own child may take a moment longer.
    await expect.poll(() => child.kill('SIGKILL')).toBe(false)
  })

  test('is ended with all of its group', async () => {
    const child = await shell('sleep 60 & echo $!; wait')
    const grandchild = Number(await firstLine(child))
    expect(child.kill('SIGTERM')).toBe(true)
    expect(await child.exited).toEqual({ code: null, signal: 'SIGTERM' })
    await untilGone(grandchild, child.pid)
    expect(child.kill('SIGKILL')).toBe(false)
  })
})

describe.skipIf(process.platform !== 'linux')('a host in trouble', () => {
  let script = ''
  beforeAll(async () => {
    script = await bundleScript('spawner.ts')
  })

  test('FI-83 without a file descriptor left gets a reason, and starts programs again when it has some', async () => {
    const host = spawn('sh', ['-c', 'ulimit -n 64; exec "$0" "$@"', process.execPath, script, 'starve'])
    let text = ''
    host.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()))
    await once(host, 'close')
    const lines = text
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line))
    expect(lines).toEqual([
      { reason: 'no-resources', message: expect.stringContaining('too many files are open') },
      { kill: true, exit: { code: null, signal: 'SIGKILL' } },
    ])
  })

  test.each([
    ['exits', 'exit', 3],
    ['fails by an error that nobody caught', 'crash', 1],
  ])('T40 that %s takes its programs along', async (_how, task, code) => {
    const host = runScript(script, [task])
    const { pids } = JSON.parse((await host.nextLine()) ?? '') as { pids: number[] } // what the script says
    expect(pids.map(isRunning)).not.toContain(false)
    host.go()
    expect(await host.ended).toEqual({ code, signal: null })
    await untilGone(...pids)
  })

  test('T40 listens for its own end once, however many programs it starts', async () => {
    const host = runScript(script, ['exit'])
    const { pids, listeners } = JSON.parse((await host.nextLine()) ?? '') as {
      pids: number[]
      listeners: number
    } // ditto
    expect(listeners).toBe(1)
    host.go()
    await host.ended
    await untilGone(...pids)
  })
})
