import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, test } from 'vitest'
import { untilGone, isRunning } from '../../../test/support/programs/alive.ts'
import { nodePlatform } from '../../platform/node/node-platform.ts'
import { SpawnError } from '../../platform/platform.ts'
import type { Clock, Env } from '../../platform/platform.ts'
import { createFakeClock } from '../../testing/fake-clock.ts'
import type { FakeClock } from '../../testing/fake-clock.ts'
import { WireError } from '../../wire/wire-error.ts'
import type { StopResult, StopStyle } from './process-stop.ts'
import { startProcess } from './server-process.ts'
import type { ServerProcess } from './server-process.ts'

const { spawn, processes, os, clock } = nodePlatform()
const path = process.env['PATH'] ?? ''
const boocode: StopStyle = { eofGraceMs: 0, termGraceMs: 5000 }

interface StartedProcess extends ServerProcess {
  readonly clock: FakeClock
  /** The output lines so far, once there are this many. */
  lines(count: number): Promise<readonly string[]>
}

const running: ServerProcess[] = []
afterEach(async () => {
  for (const one of running.splice(0)) {
    void one.stop()
    void one.stop()
    await untilGone(one.pid)
  }
})

/** Runs on a fake clock that only the test advances, unless a real one is given. */
async function start(line: string, style?: StopStyle, own: Env = {}, real?: Clock): Promise<StartedProcess> {
  const clock = createFakeClock()
  const started = await startProcess(
    { command: 'sh', args: ['-c', line], env: { PATH: path }, cwd: '/' },
    { spawn, processes, os, env: own, clock: real ?? clock, ...(style && { style }) },
  )
  running.push(started)
  let text = ''
  started.io.onData((chunk) => (text += Buffer.from(chunk).toString()))
  return {
    ...started,
    clock,
    async lines(count) {
      await expect.poll(() => text.split('\n').length - 1).toBeGreaterThanOrEqual(count)
      return text.split('\n').slice(0, count)
    },
  }
}

async function numbers(started: StartedProcess, count: number): Promise<readonly number[]> {
  return (await started.lines(count)).map(Number)
}

/** Advances the clock in small steps until the promise settles. */
async function pass<T>(clock: FakeClock, promise: Promise<T>): Promise<{ readonly value: T }> {
  const settled: { readonly value: T }[] = []
  void promise.then((value) => settled.push({ value }))
  for (;;) {
    if (settled[0]) return settled[0]
    await clock.advance(1)
  }
}

const linux = process.platform === 'linux'

describe.skipIf(!linux)('B20 server process: life', () => {
  test('runs until it is stopped, and ends when its input does', async () => {
    const server = await start('echo ready; while read line; do echo "$line"; done; echo bye >&2; exit 5')
    await server.lines(1)
    server.io.write('one\n')
    server.io.write('two\n')
    expect(await server.lines(3)).toEqual(['ready', 'one', 'two'])
    expect(ownResult(await server.stop())).toEqual({ exit: { code: 5, signal: null }, left: [] })
    expect({ exit: await server.exited, said: server.stderrTail() }).toEqual({
      exit: { code: 5, signal: null },
      said: ['bye'],
    })
    expect(server.clock.sleeping).toBe(0)
    await untilGone(server.pid)
  })

  test('stop can be called repeatedly', async () => {
    const server = await start('cat')
    const first = await server.stop()
    expect(await server.stop()).toEqual(first)
    expect(ownResult(await server.stop())).toEqual({ exit: { code: 0, signal: null }, left: [] })
  })

  test('B23 FI-04 a program that cannot be started rejects with the reason', async () => {
    const clock = createFakeClock()
    const options = { command: 'no-such-program', args: [], env: { PATH: path }, cwd: '/' }
    const error: unknown = await startProcess(options, { spawn, processes, os, env: {}, clock }).catch(
      (cause: unknown) => cause,
    )
    expect(error).toBeInstanceOf(SpawnError)
    expect(error).toMatchObject({ reason: 'not-found', searched: expect.arrayContaining(['/usr/bin']) })
    expect(clock.sleeping).toBe(0)
  })
})

describe.skipIf(!linux)('server process: exits on its own', () => {
  test('FI-01 B21 the end of its pipes carries the exit code and the last stderr lines, without delay', async () => {
    const server = await start('read go; echo "out of luck" >&2; exit 3')
    const ended = new Promise<unknown>((resolve) => server.io.onEnd(resolve))
    server.io.write('go\n')
    const error = await ended
    expect(error).toBeInstanceOf(WireError)
    expect(error).toMatchObject({
      code: 'exit',
      sent: true,
      message: 'The server ended with exit code 3.',
      facts: { exit: { code: 3, signal: null }, stderr: ['out of luck'] },
    })
    expect(await server.exited).toEqual({ code: 3, signal: null })
    expect(server.clock.now()).toBe(0)
  })

  test('FI-01 the end carries the signal that killed it', async () => {
    const server = await start('kill -SEGV $$')
    const error = await new Promise<unknown>((resolve) => server.io.onEnd(resolve))
    expect(error).toMatchObject({ message: 'The server ended with SIGSEGV.' })
  })

  test('FI-02 is noticed while a grandchild holds its pipes, and the grandchild is ended', async () => {
    const server = await start('sleep 60 & echo $!; read go; exit 1')
    const [grandchild = 0] = await numbers(server, 1)
    const ended = new Promise<unknown>((resolve) => server.io.onEnd(resolve))
    server.io.write('go\n')
    expect(await ended).toMatchObject({ code: 'exit', facts: { exit: { code: 1, signal: null } } })
    await untilGone(grandchild, server.pid)
    const { value } = await pass(server.clock, server.stop())
    expect(ownResult(value)).toEqual({ exit: { code: 1, signal: null }, left: [] })
  })

  test('FI-02 a grandchild that ignores SIGTERM is killed after the grace period', async () => {
    const server = await start(
      `sh -c 'trap "" TERM HUP; echo $$; while :; do sleep 60; done' & read go; exit 1`,
    )
    const [grandchild = 0] = await numbers(server, 1)
    server.io.write('go\n')
    expect(await server.exited).toEqual({ code: 1, signal: null })
    expect(isRunning(grandchild)).toBe(true)
    await server.clock.advance(2999)
    expect(isRunning(grandchild)).toBe(true)
    await server.clock.advance(1)
    await untilGone(grandchild)
    const { value } = await pass(server.clock, server.stop())
    expect(ownResult(value)).toEqual({ exit: { code: 1, signal: null }, left: [] })
  })

  test('FI-20 a server that closes its input but lives ends the connection with the pipe error', async () => {
    const server = await start('exec 0<&-; echo ready; sleep 60')
    await server.lines(1)
    const ended = new Promise<unknown>((resolve) => server.io.onEnd(resolve))
    server.io.write('x'.repeat(100_000))
    const { value } = await pass(server.clock, ended)
    expect(value).toMatchObject({ code: 'EPIPE' })
    expect(isRunning(server.pid)).toBe(true)
  })
})

describe.skipIf(!linux)('server process: does not exit on request', () => {
  const stubborn = `trap 'echo term' TERM; echo ready; while :; do sleep 60 & wait $!; done`

  test('FI-22 gets the end of its input, SIGTERM after 2 s and SIGKILL after 3 s more', async () => {
    const server = await start(stubborn)
    await server.lines(1)
    const stopped = server.stop()
    await server.clock.advance(1999)
    expect(server.clock.sleeping).toBe(1)
    await server.clock.advance(1)
    expect(await server.lines(2)).toEqual(['ready', 'term'])
    await server.clock.advance(2999)
    expect(isRunning(server.pid)).toBe(true)
    await server.clock.advance(1)
    expect(await server.exited).toEqual({ code: null, signal: 'SIGKILL' })
    const { value } = await pass(server.clock, stopped)
    expect(ownResult(value)).toEqual({ exit: { code: null, signal: 'SIGKILL' }, left: [] })
    expect(server.clock.sleeping).toBe(0)
    await untilGone(server.pid)
  })

  test('B22 C15 under BooCode gets SIGTERM immediately and SIGKILL after 5 s', async () => {
    const server = await start(stubborn, boocode)
    await server.lines(1)
    const stopped = server.stop()
    expect(await server.lines(2)).toEqual(['ready', 'term'])
    await server.clock.advance(4999)
    expect(isRunning(server.pid)).toBe(true)
    await server.clock.advance(1)
    await server.exited
    expect((await pass(server.clock, stopped)).value).toEqual({
      exit: { code: null, signal: 'SIGKILL' },
      left: [],
    })
    await untilGone(server.pid)
  })

  test('B22 under BooCode a server that obeys SIGTERM is stopped without delay', async () => {
    const server = await start(
      'trap "exit 0" TERM; echo ready; while :; do sleep 60 & wait $!; done',
      boocode,
    )
    await server.lines(1)
    const stopped = server.stop()
    expect(await server.exited).toEqual({ code: 0, signal: null })
    expect(ownResult((await pass(server.clock, stopped)).value)).toEqual({
      exit: { code: 0, signal: null },
      left: [],
    })
  })

  test('is killed immediately by a second stop', async () => {
    const server = await start(stubborn)
    await server.lines(1)
    const stopped = server.stop()
    await server.clock.advance(100)
    const again = server.stop()
    expect(await server.exited).toEqual({ code: null, signal: 'SIGKILL' })
    expect((await pass(server.clock, stopped)).value).toEqual({
      exit: { code: null, signal: 'SIGKILL' },
      left: [],
    })
    expect(await again).toEqual(await stopped)
    await untilGone(server.pid)
  })
})

describe.skipIf(!linux)('FI-23 server process: descendants end with the server', () => {
  test('its group, even if a child ignores SIGTERM and the server itself exits cleanly', async () => {
    const server = await start(
      `sh -c 'trap "" TERM HUP; echo $$; while :; do sleep 60; done' & sleep 60 & echo $!; cat >/dev/null`,
    )
    const pids = await numbers(server, 2)
    const stopped = server.stop()
    await server.exited
    await server.clock.advance(3000)
    await untilGone(server.pid, ...pids)
    const { value } = await pass(server.clock, stopped)
    expect(ownResult(value)).toEqual({ exit: { code: 0, signal: null }, left: [] })
  })

  test('a child that left the group with setsid, and its children', async () => {
    const server = await start(
      `setsid sh -c 'trap "" TERM HUP; echo $$; sleep 60 & echo $!; while :; do sleep 60 & echo $!; wait $!; done' </dev/null & cat >/dev/null`,
    )
    // Wait for all of them: the fake clock would run out before an unawaited process is really gone.
    const pids = await numbers(server, 3)
    const stopped = server.stop()
    await server.exited
    await server.clock.advance(3000)
    await untilGone(server.pid, ...pids)
    const { value } = await pass(server.clock, stopped)
    expect(ownResult(value)).toEqual({ exit: { code: 0, signal: null }, left: [] })
  })

  test('a chain of npx, sh and node', async () => {
    const server = await start(
      `sh -c 'sh -c "echo \\$\\$; sleep 60 & echo \\$!; wait" & echo $!; wait' & trap "" TERM; wait; wait`,
    )
    const pids = await numbers(server, 3)
    const stopped = server.stop()
    await server.clock.advance(2000)
    await server.exited
    await untilGone(server.pid, ...pids)
    const { value } = await pass(server.clock, stopped)
    expect(value.left).toEqual([])
  })

  test('an unrelated process is left alone', async () => {
    const other = await start('echo $$; cat')
    const server = await start('cat')
    await other.lines(1)
    await server.stop()
    expect(isRunning(other.pid)).toBe(true)
  })
})

/** Without suspects: these are of the whole machine, where other tests start processes without an environment, too (FI-90). */
function ownResult({ exit, left }: StopResult) {
  return { exit, left }
}

/** Whether this machine has a program. */
function has(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

describe.skipIf(!linux)(
  'FI-90 server process: what leaves its group and loses its parents ends with the server',
  () => {
    const sleeper = 'echo $$; exec sleep 600'
    /** On the real clock: the processes end in real time. */
    const begin = (line: string, own: Env = {}) =>
      start(line, { eofGraceMs: 2000, termGraceMs: 500 }, own, clock)
    const forked = (body: string) =>
      `python3 -c 'import os, time, ctypes; ${body}; print(os.getpid(), flush=True); time.sleep(600)'`
    const ways: readonly (readonly [way: string, line: string, program?: string])[] = [
      ['setsid', `(setsid sh -c '${sleeper}' &)`],
      ['setsid -f', `setsid -f sh -c '${sleeper}'`],
      ['nohup and a lost parent', `(nohup setsid sh -c '${sleeper}' 2>/dev/null &)`],
      ['bash, disown', `bash -c "set -m; sh -c '${sleeper}' & disown"`, 'bash'],
      [
        'a double fork',
        forked('os.fork() and os._exit(0); os.setsid(); os.fork() and os._exit(0)'),
        'python3',
      ],
      ['daemon(3)', forked('out = os.dup(1); ctypes.CDLL(None).daemon(0, 0); os.dup2(out, 1)'), 'python3'],
      [
        'perl, POSIX::setsid',
        `perl -MPOSIX -e 'fork and exit; setsid; $| = 1; print "$$\\n"; sleep 600'`,
        'perl',
      ],
      [
        'a detached child of a child that ends',
        `"${process.execPath}" -e 'require("child_process").spawn("sh", ["-c", "echo $$; exec sleep 600"], { detached: true, stdio: ["ignore", "inherit", "inherit"] }).unref()'`,
      ],
      [
        'one that ignores SIGTERM',
        `setsid -f sh -c 'trap "" TERM HUP; echo $$; while :; do sleep 600; done'`,
      ],
    ]
    test.each(ways.filter(([, , program = 'sh']) => program === 'sh' || has(program)))(
      'FI-90 %s',
      async (_, line) => {
        const server = await begin(`${line}; cat >/dev/null`)
        const [escaped = 0] = await numbers(server, 1)
        await expect.poll(() => parentOf(escaped)).not.toBe(server.pid)
        expect([(await server.stop()).left, isRunning(escaped)]).toEqual([[], false])
      },
    )

    test('FI-90 a detached child of a server that crashes', async () => {
      const server = await begin(`setsid -f sh -c '${sleeper}'; read go; exit 1`)
      const [escaped = 0] = await numbers(server, 1)
      server.io.write('go\n')
      expect(await server.exited).toEqual({ code: 1, signal: null })
      expect([(await server.stop()).left, isRunning(escaped)]).toEqual([[], false])
    })

    test('FI-90 one that removes its environment is not ended but named, and a process from before is neither', async () => {
      const earlier = await begin(`env -i setsid -f sh -c '${sleeper}'; cat >/dev/null`)
      const [before = 0] = await numbers(earlier, 1)
      const server = await begin(`sleep 0.1; env -i setsid -f sh -c '${sleeper}'; cat >/dev/null`)
      const [bare = 0] = await numbers(server, 1)
      const { left, suspects = [] } = await server.stop()
      expect([left, [before, bare].map(isRunning)]).toEqual([[], [true, true]])
      const named = suspects.map(({ pid }) => pid)
      expect([named.includes(bare), named.includes(before)]).toEqual([true, false])
      await earlier.stop()
      for (const pid of [before, bare]) process.kill(pid, 'SIGKILL')
    })

    test('FI-90 one that starts a program again whenever it ends', async () => {
      const line = `setsid -f sh -c 'trap "" TERM; while :; do setsid -f sleep 600; echo x; sleep 0.05; done'; cat >/dev/null`
      const server = await begin(line)
      await server.lines(1)
      expect((await server.stop()).left).toEqual([])
      expect((await processes.tagged('all')).filter(({ tags }) => tags.includes(server.tag))).toEqual([])
    })

    test('FI-90 a process of another server, and one with a tag that only looks similar, are left alone', async () => {
      const server = await begin('echo $PLUGBOARD_STARTED; cat >/dev/null')
      const [tag = ''] = await server.lines(1)
      expect(tag).toBe(server.tag)
      const other = await begin(`setsid -f sh -c '${sleeper}'; cat >/dev/null`)
      const alike = await begin(`PLUGBOARD_STARTED=${tag}x setsid -f sh -c '${sleeper}'; cat >/dev/null`)
      const [[first = 0], [second = 0]] = [await numbers(other, 1), await numbers(alike, 1)]
      await server.stop()
      expect([first, second].map(isRunning)).toEqual([true, true])
      await other.stop()
      expect([first, second].map(isRunning)).toEqual([false, true])
      process.kill(second, 'SIGKILL')
      await alike.stop()
    })

    test('FI-90 a host in a server: the outer one finds what the inner one started, the inner one only its own', async () => {
      const outer = await begin(`setsid -f sh -c '${sleeper}'; cat >/dev/null`)
      const own = { PLUGBOARD_STARTED: outer.tag }
      const inner = await begin(`setsid -f sh -c '${sleeper}'; cat >/dev/null`, own)
      const more = await begin(`setsid -f sh -c '${sleeper}'; cat >/dev/null`, own)
      const escaped = [await numbers(outer, 1), await numbers(inner, 1), await numbers(more, 1)].flat()
      const found = (await processes.tagged('all')).filter(({ pid }) => pid === escaped[1])
      expect(found.map(({ tags }) => tags)).toEqual([[outer.tag, inner.tag]])
      await inner.stop()
      expect(escaped.map(isRunning)).toEqual([true, false, true])
      await outer.stop()
      expect(escaped.map(isRunning)).toEqual([false, false, false])
      await more.stop()
    })

    test('FI-90 a stop looks only at children of our ancestors, and at each of them once', async () => {
      const looks: string[] = []
      const counted = {
        ...processes,
        tagged: (where: 'orphans' | 'all') => (looks.push(where), processes.tagged(where)),
      }
      const server = await startProcess(
        { command: 'cat', args: [], env: { PATH: path }, cwd: '/' },
        { spawn, processes: counted, os, env: {}, clock: createFakeClock() },
      )
      expect(ownResult(await server.stop())).toEqual({ exit: { code: 0, signal: null }, left: [] })
      expect(looks).toEqual(['orphans'])
    })
  },
)

function parentOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
}

describe.skipIf(!linux)('FI-26 server process: floods its stderr', () => {
  test('the tail stays bounded, and the server keeps answering', async () => {
    const server = await start(
      '(yes "noise noise noise" | head -n 3000000) >&2; echo last >&2; echo done; cat',
    )
    expect(await server.lines(1)).toEqual(['done'])
    await expect.poll(() => server.stderrTail(1)).toEqual(['last'])
    const all = server.stderrTail(1_000_000)
    expect(all.join('\n').length).toBeLessThanOrEqual(64 * 1024)
    expect(new Set(all)).toEqual(new Set(['noise noise noise', 'last']))
    server.io.write('still here\n')
    expect(await server.lines(2)).toEqual(['done', 'still here'])
  })
})

test('T35 server process: the stderr tail contains no secret, not even one of several lines', async () => {
  const started = await startProcess(
    {
      command: 'sh',
      args: ['-c', 'echo "key: one" >&2; echo "two." >&2; exit 1'],
      env: { PATH: path },
      cwd: '/',
    },
    {
      spawn,
      processes,
      os,
      env: {},
      clock: createFakeClock(),
      redact: (text) => text.replaceAll('one\ntwo', '•••'),
    },
  )
  running.push(started)
  await started.exited
  expect(started.stderrTail()).toEqual(['key: •••.'])
})
