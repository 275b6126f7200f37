import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { untilGone, isRunning } from '../../../test/support/programs/alive.ts'
import { bundleScript, runScript } from '../../../test/support/programs/processes.ts'
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

/** The complete output, after it ended. */
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

describe.skipIf(process.platform !== 'linux')('startChild', () => {
  test('exchanges data over its pipes, and reports its exit', async () => {
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

  test('T05 the program gets only the given environment', async () => {
    process.env['AWS_SECRET_ACCESS_KEY'] = 'ours'
    try {
      const child = await start([], { command: 'env', env: { PATH: path, ONLY: 'this' } })
      const lines = (await said(child)).text.trim().split('\n')
      expect(lines.sort()).toEqual(['ONLY=this', `PATH=${path}`])
    } finally {
      delete process.env['AWS_SECRET_ACCESS_KEY']
    }
  })

  test('T04 the program gets its arguments unchanged, without a shell', async () => {
    const args = ['$HOME', '; echo injected', '`id`', '*', 'a "b" \'c\'', '']
    const child = await start(['%s\\n', ...args], { command: 'printf' })
    expect((await said(child)).text).toBe(args.map((arg) => `${arg}\n`).join(''))
  })

  test('T04 a name is not searched in the working directory', async () => {
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

  test('the program runs in its own process group', async () => {
    const child = await shell('ps -o pgid= -p $$')
    expect((await said(child)).text.trim()).toBe(String(child.pid))
  })

  test('exit code and signal are reported separately', async () => {
    expect(await (await shell('exit 7')).exited).toEqual({ code: 7, signal: null })
    expect(await (await shell('kill -9 $$')).exited).toEqual({ code: null, signal: 'SIGKILL' })
  })

  test('FI-21 a program that does not read causes backpressure, and gets everything when it reads', async () => {
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

  test('FI-20 a program that closes its stdin ends the streams once, with the error, and nothing throws', async () => {
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

  test('FI-20 output written before the program closed its stdin is received', async () => {
    const child = await shell('echo last words; exec 0<&-; kill -9 $$')
    const all = said(child)
    await child.exited
    child.io.write('too late\n')
    expect((await all).text).toBe('last words\n')
  })

  test('FI-26 stderr is drained without a listener', async () => {
    const child = await shell('head -c 20000000 /dev/zero >&2; echo done')
    expect(await said(child)).toEqual({ text: 'done\n', error: undefined })
    expect(await child.exited).toEqual({ code: 0, signal: null })
  })

  test('onStderr receives stderr from the first byte on', async () => {
    const child = await shell('echo first >&2; echo second >&2')
    let text = ''
    child.onStderr((chunk) => (text += Buffer.from(chunk).toString()))
    child.io.onData(() => undefined)
    await child.drained
    expect(text).toBe('first\nsecond\n')
  })

  test('FI-26 the memory of a chunk is freed after its listener returned', async () => {
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

describe.skipIf(process.platform !== 'linux')('FI-04 B23 startChild: reasons of a failed start', () => {
  test('a name that is not in PATH: lists the searched folders', async () => {
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

  test('a file without execute permission', async () => {
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

  test('a working directory that does not exist or is a file', async () => {
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
    ['a line break in the command', { command: 'sh\n' }, 'The command contains a line break or a NUL.'],
    ['a NUL in an argument', { args: ['a', 'b\0'] }, 'Argument 2 contains a line break or a NUL.'],
    ['a line break in an argument', { args: ['a\nb'] }, 'Argument 1 contains a line break or a NUL.'],
    ['a NUL in a variable', { env: { KEY: 'se\0cret' } }, 'The variable KEY contains a NUL.'],
    ['a variable name with =', { env: { 'A=B': '' } }, '"A=B" cannot be the name of a variable.'],
  ])('T04 %s', async (_what, options, message) => {
    const answer = await refusal(options)
    expect(answer).toEqual({ reason: 'bad-argument', message, searched: [] })
    expect(JSON.stringify(answer)).not.toContain('cret')
  })

  test('arguments longer than the limit of the system', async () => {
    expect(await refusal({ args: ['x'.repeat(8_000_000)] })).toMatchObject({ reason: 'bad-argument' })
  })
})

describe.skipIf(process.platform !== 'linux')('startChild: a program with children', () => {
  test('FI-02 exits when the program itself exits, and its pipes are released although a grandchild holds them', async () => {
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
    // Its child may exit a moment later.
    await expect.poll(() => child.kill('SIGKILL')).toBe(false)
  })

  test('kill ends its whole group', async () => {
    const child = await shell('sleep 60 & echo $!; wait')
    const grandchild = Number(await firstLine(child))
    expect(child.kill('SIGTERM')).toBe(true)
    expect(await child.exited).toEqual({ code: null, signal: 'SIGTERM' })
    await untilGone(grandchild, child.pid)
    expect(child.kill('SIGKILL')).toBe(false)
  })
})

describe.skipIf(process.platform !== 'linux')('startChild: a host in trouble', () => {
  let script = ''
  beforeAll(async () => {
    script = await bundleScript('spawner.ts')
  })

  test('FI-83 out of file descriptors: fails with a reason, and works again when some are free', async () => {
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
    ['crashes with an uncaught error', 'crash', 1],
  ])('T40 a host that %s kills its programs', async (_how, task, code) => {
    const host = runScript(script, [task])
    const { pids } = JSON.parse((await host.nextLine()) ?? '') as { pids: number[] } // the output of our script
    expect(pids.map(isRunning)).not.toContain(false)
    host.go()
    expect(await host.ended).toEqual({ code, signal: null })
    await untilGone(...pids)
  })

  test('T40 one exit listener serves any number of programs', async () => {
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
