import { describe, expect, test } from 'vitest'
import {
  connectProcess,
  connectRemote,
  createLinkContext,
  goodChild,
  initialized,
  watchConnection,
} from '../../test/support/connection.ts'
import type { Remote } from '../../test/support/connection.ts'
import { countedSignal, outcomeOf, turn } from '../../test/support/outcome.ts'
import type { ScriptedChild } from '../../test/support/scripted-spawn.ts'
import type { WireRequest } from '../../test/support/wire.ts'
import { createFakeClock } from '../testing/fake-clock.ts'
import { createFakePlatform } from '../testing/fake-platform.ts'
import { createScriptedServer } from '../testing/scripted-server.ts'
import { WireError } from '../wire/wire-error.ts'
import { startRpc } from './link.ts'

const call = (name: string) => ['tools/call', { name }] as const
const ready = [
  'connecting asked-for',
  'connecting progress',
  'connecting progress',
  'connecting progress',
  'ready greeted',
]

/** Answers the handshake and hangs on everything else. */
function hanging({ id, method }: WireRequest, child: Pick<ScriptedChild, 'answer'>): void {
  if (method === 'initialize') child.answer(id, initialized)
}

/** A server that crashes on some tools. */
function dyingOf(...tools: readonly string[]) {
  return (asked: WireRequest, child: ScriptedChild) => {
    if (asked.method === 'tools/call' && tools.some((tool) => tool === asked.params['name']))
      child.exit({ code: 9 })
    else goodChild(asked, child)
  }
}

describe('connection: opening', () => {
  test('D14 the program starts with the first request, and concurrent requests share one attempt', async () => {
    const { connection, children, statuses } = connectProcess()
    expect(connection.status).toEqual({ state: 'idle', reason: 'declared', since: 0 })
    const answers = await Promise.all([
      connection.connect(),
      connection.request(...call('a')),
      connection.request(...call('b')),
    ])
    expect(answers).toEqual([
      { era: 'legacy', version: '2025-11-25', capabilities: { tools: {} } },
      { echo: 'a' },
      { echo: 'b' },
    ])
    expect(children).toHaveLength(1)
    expect(statuses.map(({ state, reason }) => `${state} ${reason}`)).toEqual(ready)
    await connection.close()
  })

  test('a caller that cancels does not cancel the attempt for others', async () => {
    const { connection, children } = connectProcess({ script: () => undefined })
    const counted = countedSignal()
    const given = outcomeOf(connection.request(...call('a'), { signal: counted.signal }))
    const other = connection.request(...call('b'))
    await turn()
    counted.abort()
    expect(await given).toEqual({
      host: 'call.cancelled',
      message: '"x": Cancelled while connecting.',
      data: { server: 'x', method: 'tools/call', sent: false },
    })
    const [child] = children
    child?.answer(1, initialized)
    await turn()
    child?.answer(2, 'fine')
    expect(await other).toBe('fine')
    expect(counted.listeners).toBe(0)
    await connection.close()
  })

  test('C27 a server that is not ready within the startup timeout fails, with its last stderr lines', async () => {
    const { connection, clock, children, spawned } = connectProcess({ script: () => undefined })
    const greeting = outcomeOf(connection.connect())
    await turn()
    children[0]?.say('waiting for a key\n')
    await clock.advance(40_000)
    expect(await greeting).toMatchObject({
      host: 'server.failed',
      data: { failure: { code: 'timeout', stderr: ['waiting for a key'] } },
    })
    expect({ alive: spawned.alive, status: connection.status }).toMatchObject({
      alive: 0,
      status: { state: 'waiting', reason: 'failed' },
    })
    await connection.close()
    expect(clock.sleeping).toBe(0)
  })

  test('a program that cannot be started fails, and the next call may retry', async () => {
    const clock = createFakeClock()
    const { connection } = connectProcess({ clock, context: { platform: createFakePlatform({ clock }) } })
    expect(await outcomeOf(connection.connect())).toMatchObject({
      host: 'server.failed',
      data: { failure: { code: 'spawn', message: 'there is no program server here' } },
    })
    expect(connection.status).toMatchObject({ state: 'failed', reason: 'failed' })
    await connection.close()
  })

  test('a failed attempt is reported until its wait is over, then the next attempt is made', async () => {
    let isBroken = true
    const { connection, clock, children } = connectProcess({
      script: (asked, child) => (isBroken ? child.exit() : goodChild(asked, child)),
    })
    expect(await outcomeOf(connection.request(...call('a')))).toMatchObject({ host: 'server.failed' })
    expect(await outcomeOf(connection.request(...call('a')))).toMatchObject({ host: 'server.failed' })
    expect(children).toHaveLength(1)
    isBroken = false
    await clock.advance(500)
    expect(await connection.request(...call('a'))).toEqual({ echo: 'a' })
    await connection.close()
  })

  test.each([
    ['disabled', 'switched-off', 'server.disabled'],
    ['untrusted', 'not-trusted', 'server.untrusted'],
  ] as const)('a server that is %s is never started', async (state, reason, code) => {
    const { connection, children } = connectProcess({ initial: { state, reason, since: 0 } })
    expect([await outcomeOf(connection.connect()), await outcomeOf(connection.restart())]).toMatchObject([
      { host: code },
      { host: code },
    ])
    connection.keepOpen()
    await turn()
    expect(children).toEqual([])
  })

  test('a listener that closes the connection when it starts connecting leaves nothing behind', async () => {
    const { connection, children, clock } = connectProcess({
      on: { changed: ({ state }) => void (state === 'connecting' && connection.close()) },
    })
    expect(await outcomeOf(connection.request(...call('a')))).toMatchObject({
      host: 'call.cancelled',
      data: { sent: false },
    })
    await connection.close()
    expect({ state: connection.status.state, children, timers: clock.sleeping }).toEqual({
      state: 'closed',
      children: [],
      timers: 0,
    })
  })
})

describe('connection: crashes', () => {
  test('FI-48 a call in flight fails with an unknown outcome and is not repeated', async () => {
    const { connection, children } = connectProcess({ script: dyingOf('bad') })
    expect(await outcomeOf(connection.request(...call('bad')))).toMatchObject({
      host: 'call.outcome-unknown',
      data: {
        server: 'x',
        method: 'tools/call',
        sent: true,
        failure: { code: 'exit', exit: { code: 9, signal: null } },
      },
    })
    expect(children).toHaveLength(1)
    expect(connection.status).toMatchObject({ state: 'waiting', reason: 'crashed', retryAt: 500 })
    await connection.close()
  })

  test('FI-48 a read-only request is repeated on the next connection', async () => {
    const { connection, clock, children } = connectProcess({
      script(asked, child) {
        if (asked.method === 'tools/list' && child.number === 1) child.exit()
        else if (asked.method === 'tools/list') child.answer(asked.id, { tools: [] })
        else goodChild(asked, child)
      },
    })
    const list = connection.request('tools/list', {})
    await clock.advance(500)
    expect(await list).toEqual({ tools: [] })
    expect(children).toHaveLength(2)
    await connection.close()
  })

  test('FI-28 a lazy server is restarted for the next call, after its wait', async () => {
    const { connection, clock, children } = connectProcess({ script: dyingOf('bad') })
    await outcomeOf(connection.request(...call('bad')))
    const next = connection.request(...call('good'))
    await clock.advance(499)
    expect(children).toHaveLength(1)
    await clock.advance(1)
    expect(await next).toEqual({ echo: 'good' })
    await connection.close()
  })

  test('FI-28 FI-91 a server that is kept open restarts on its own, rests after its fifth crash, and comes back', async () => {
    const { connection, clock, children } = connectProcess({ isKeptOpen: true })
    connection.keepOpen()
    await turn()
    const waits: number[] = []
    for (let crash = 1; crash <= 4; crash++) {
      const before = clock.monotonic()
      children.at(-1)?.exit()
      while (children.length === crash) await clock.advance(100)
      waits.push(clock.monotonic() - before)
      await turn()
    }
    children.at(-1)?.exit()
    await clock.advance(299_000)
    expect(waits).toEqual([500, 1000, 2000, 4000])
    expect({ started: children.length, status: connection.status }).toMatchObject({
      started: 5,
      status: { state: 'waiting', reason: 'crash-loop' },
    })
    expect(await outcomeOf(connection.request(...call('a')))).toMatchObject({ host: 'server.failed' })
    await clock.advance(1000)
    await turn()
    expect({ started: children.length, status: connection.status }).toMatchObject({
      started: 6,
      status: { state: 'ready' },
    })
    await connection.close()
    expect(clock.sleeping).toBe(0)
  })

  test('FI-29 after three crashes by one tool that tool is quarantined, and others still work', async () => {
    const { connection, clock } = connectProcess({ script: dyingOf('bad') })
    for (let crash = 1; crash <= 3; crash++) {
      const bad = outcomeOf(connection.request(...call('bad')))
      await clock.advance(5000)
      expect(await bad).toMatchObject({ host: 'call.outcome-unknown' })
    }
    expect(await outcomeOf(connection.request(...call('bad')))).toEqual({
      host: 'tool.quarantined',
      message: '"x" crashed during the last calls of "bad".',
      data: { server: 'x', tool: 'bad' },
    })
    const good = connection.request(...call('good'))
    await clock.advance(5000)
    expect(await good).toEqual({ echo: 'good' })
    await connection.close()
  })

  test('C14 with restart "never", a crash is final until restart() is called', async () => {
    const { connection, clock, children } = connectProcess({
      script: dyingOf('bad'),
      restart: 'never',
      isKeptOpen: true,
    })
    await outcomeOf(connection.request(...call('bad')))
    await clock.advance(600_000)
    expect({ started: children.length, status: connection.status }).toMatchObject({
      started: 1,
      status: { state: 'failed', reason: 'crashed' },
    })
    await connection.restart()
    expect(children).toHaveLength(2)
    await connection.close()
  })

  test('a new program starts only after the previous one has exited', async () => {
    const { connection, clock, children, spawned } = connectProcess({
      script: hanging,
      endsWithInput: false,
    })
    await connection.connect()
    const stopped = connection.stop()
    const next = connection.connect()
    await turn()
    expect({ started: children.length, alive: spawned.alive }).toEqual({ started: 1, alive: 1 })
    await clock.advance(6000)
    await Promise.all([stopped, next])
    expect({ started: children.length, most: spawned.most, state: connection.status.state }).toEqual({
      started: 2,
      most: 1,
      state: 'ready',
    })
    const closed = connection.close()
    await clock.advance(6000)
    await closed
  })
})

describe('connection: stop and restart', () => {
  test('calls in flight fail with the reason, and the next call starts the server again', async () => {
    const { connection, children } = connectProcess({
      script: (asked, child) => (asked.params['name'] === 'slow' ? undefined : goodChild(asked, child)),
    })
    await connection.connect()
    const slow = outcomeOf(connection.request(...call('slow')))
    await turn()
    await connection.stop()
    expect(await slow).toEqual({
      host: 'call.cancelled',
      message: '"x": The server was stopped.',
      data: { server: 'x', method: 'tools/call', sent: true },
    })
    expect(connection.status).toMatchObject({ state: 'idle', reason: 'stopped' })
    expect(await connection.request(...call('a'))).toEqual({ echo: 'a' })
    expect(children.map(({ isAlive }) => isAlive)).toEqual([false, true])
    await connection.close()
  })

  test('restart during an attempt cancels it, and waiting calls fail as unsent', async () => {
    const { connection, children, spawned } = connectProcess({
      script: (asked, child) => (child.number === 1 ? undefined : goodChild(asked, child)),
    })
    const waiting = outcomeOf(connection.request(...call('a')))
    await turn()
    const restarted = connection.restart()
    const later = connection.request(...call('b'))
    expect(await waiting).toEqual({
      host: 'call.cancelled',
      message: '"x": The server was restarted.',
      data: { server: 'x', method: 'tools/call', sent: false },
    })
    await restarted
    expect(await later).toEqual({ echo: 'b' })
    expect({ started: children.length, most: spawned.most }).toEqual({ started: 2, most: 1 })
    await connection.close()
  })

  test('restart starts the next attempt for calls that wait for one', async () => {
    const { connection, clock } = connectProcess({ script: dyingOf('bad') })
    await outcomeOf(connection.request(...call('bad')))
    const waiting = connection.request(...call('a'))
    await turn()
    await connection.restart()
    expect(await waiting).toEqual({ echo: 'a' })
    await connection.close()
    expect(clock.sleeping).toBe(0)
  })

  test('a lazy server stops after the idle time, and never during a call', async () => {
    const { connection, clock, children } = connectProcess({
      script: (asked, child) => (asked.params['name'] === 'slow' ? undefined : goodChild(asked, child)),
      timeouts: { startupMs: 30_000, callMs: 60_000, maxCallMs: 600_000, idleMs: 1000 },
    })
    await connection.request(...call('a'))
    await clock.advance(999)
    const slow = connection.request(...call('slow'))
    await clock.advance(30_000)
    expect(connection.status.state).toBe('ready')
    children[0]?.answer(3, 'done')
    expect(await slow).toBe('done')
    await clock.advance(999)
    expect(connection.status.state).toBe('ready')
    await clock.advance(1)
    await turn()
    expect(connection.status).toMatchObject({ state: 'idle', reason: 'idle' })
    expect(children.map(({ isAlive }) => isAlive)).toEqual([false])
    await connection.close()
    expect(clock.sleeping).toBe(0)
  })
})

describe('connection: close', () => {
  test.each(['stop', 'close'] as const)(
    '%s at the moment the link becomes ready closes that link as well',
    async (end) => {
      const closed: string[] = []
      const finish = async () => void closed.push('closed')
      const { open } = createScriptedServer()
      const deaf = new AbortController().signal
      const { connection, statuses } = watchConnection(
        (clock) => (_signal, attempt) =>
          startRpc(open, createLinkContext(clock, attempt), { signal: deaf, finish }).greet('legacy'),
      )
      const connected = outcomeOf(connection.connect())
      await Promise.resolve()
      await Promise.resolve()
      await connection[end]()
      expect(await connected).toMatchObject({ host: 'call.cancelled', data: { sent: false } })
      expect({ closed, states: new Set(statuses.map(({ state }) => state)).has('ready') }).toEqual({
        closed: ['closed'],
        states: false,
      })
      await connection.close()
    },
  )

  test('close fails calls in flight and waiting calls, and ends everything that was started', async () => {
    const { connection, clock, children } = connectProcess({ script: hanging })
    await connection.connect()
    const calls = [1, 2, 3].map((index) => outcomeOf(connection.request(...call(`${index}`))))
    await turn()
    await connection.close()
    expect(await Promise.all(calls)).toEqual(
      calls.map(() => ({
        host: 'call.cancelled',
        message: '"x": The host was closed.',
        data: { server: 'x', method: 'tools/call', sent: true },
      })),
    )
    expect({ alive: children.map(({ isAlive }) => isAlive), timers: clock.sleeping }).toEqual({
      alive: [false],
      timers: 0,
    })
    expect([
      await outcomeOf(connection.request(...call('a'))),
      await outcomeOf(connection.connect()),
    ]).toMatchObject([{ host: 'host.closed' }, { host: 'host.closed' }])
    await connection.stop()
    expect(await outcomeOf(connection.restart())).toMatchObject({ host: 'host.closed' })
    expect(connection.status).toMatchObject({ state: 'closed', reason: 'host-closed' })
  })

  test('close ends a server that is still starting', async () => {
    const { connection, clock, children } = connectProcess({ script: () => undefined })
    const waiting = outcomeOf(connection.request(...call('a')))
    await turn()
    await connection.close()
    expect(await waiting).toMatchObject({ host: 'call.cancelled', data: { sent: false } })
    expect({ alive: children.map(({ isAlive }) => isAlive), timers: clock.sleeping }).toEqual({
      alive: [false],
      timers: 0,
    })
  })

  test('close fails calls that wait for a reconnect', async () => {
    const { connection, clock } = connectProcess({ script: dyingOf('bad') })
    await outcomeOf(connection.request(...call('bad')))
    const waiting = outcomeOf(connection.request(...call('a')))
    await turn()
    await connection.close()
    expect(await waiting).toMatchObject({ host: 'call.cancelled', data: { sent: false } })
    expect(clock.sleeping).toBe(0)
  })

  test('a second close does not wait for a slow server', async () => {
    const { connection, children } = connectProcess({ script: hanging, endsWithInput: false })
    await connection.connect()
    const first = connection.close()
    await turn()
    expect(children[0]?.signals).toEqual([])
    const second = connection.close()
    expect(second).toBe(first)
    await first
    expect(children[0]?.signals).toEqual(['SIGKILL'])
  })
})

describe('connection: HTTP address', () => {
  const upstream = new WireError('upstream', 'HTTP 500', { sent: true, facts: { status: 500 } })
  const greets = (asked: WireRequest, remote: Remote) => {
    if (asked.method !== 'initialize') return false
    remote.answer(asked.id, initialized)
    return true
  }

  test('FI-45 FI-46 five failures open the breaker, then exactly one probe is sent, and its success closes the breaker', async () => {
    let isBroken = true
    const { connection, clock, remotes } = connectRemote((asked, remote) => {
      if (greets(asked, remote)) return
      if (isBroken) remote.fail(asked.id, upstream)
      else remote.answer(asked.id, 'fine')
    })
    for (let index = 0; index < 5; index++)
      expect(await outcomeOf(connection.request(...call('a')))).toMatchObject({
        host: 'call.outcome-unknown',
      })
    expect(connection.status).toMatchObject({ state: 'waiting', reason: 'breaker-open', retryAt: 30_000 })
    const refused = await outcomeOf(connection.request(...call('a')))
    expect({ refused, asked: remotes.map(({ sent }) => sent.length) }).toMatchObject({
      refused: { host: 'server.failed' },
      asked: [6],
    })
    isBroken = false
    await clock.advance(30_000)
    const calls = Array.from({ length: 10 }, () => connection.request(...call('a')))
    expect(await Promise.all(calls)).toEqual(calls.map(() => 'fine'))
    expect(remotes.map(({ sent }) => sent.filter(({ method }) => method === 'initialize').length)).toEqual([
      1, 1,
    ])
    expect(connection.status.state).toBe('ready')
    await connection.close()
  })

  test('FI-45 an error answer counts as an answer and resets the breaker', async () => {
    const answers: (WireError | number)[] = [upstream, upstream, upstream, upstream, -32602, upstream]
    const { connection } = connectRemote((asked, remote) => {
      if (greets(asked, remote)) return
      const next = answers.shift()
      if (typeof next === 'number') remote.refuse(asked.id, next)
      else if (next) remote.fail(asked.id, next)
    })
    for (let index = 0; index < 6; index++) await outcomeOf(connection.request(...call('a')))
    expect(connection.status.state).toBe('ready')
    await connection.close()
  })

  test('FI-58 at most 16 requests are in flight', async () => {
    const { connection, remotes } = connectRemote(greets)
    await connection.connect()
    const controller = new AbortController()
    const calls = Array.from({ length: 100 }, (_, index) =>
      outcomeOf(connection.request(...call(`${index}`), index === 50 ? { signal: controller.signal } : {})),
    )
    await turn()
    const [remote] = remotes
    expect(remote?.sent).toHaveLength(17)
    controller.abort()
    expect(await calls[50]).toMatchObject({ host: 'call.cancelled', data: { sent: false } })
    for (let next = 1; next < (remote?.sent.length ?? 0); next++) {
      const { id, params } = remote?.sent[next] ?? { id: 0, params: {} }
      remote?.answer(id, params)
    }
    const names = (await Promise.all(calls)).map((each) => (each as { value?: { name: string } }).value?.name)
    expect(names).toEqual(calls.map((_, index) => (index === 50 ? undefined : `${index}`)))
    expect(remote?.sent.slice(1).map(({ params }) => params['name'])).toEqual(names.filter(Boolean))
    await connection.close()
  })

  test('a required login becomes the status needs-auth, and the next call retries', async () => {
    let isLoggedIn = false
    const { connection } = connectRemote((asked, remote) => {
      if (!isLoggedIn) remote.fail(asked.id, new WireError('auth', 'HTTP 401'))
      else if (!greets(asked, remote)) remote.answer(asked.id, 'fine')
    })
    expect(await outcomeOf(connection.request(...call('a')))).toMatchObject({ host: 'server.needs-auth' })
    expect(connection.status).toMatchObject({ state: 'needs-auth', reason: 'login-needed' })
    isLoggedIn = true
    expect(await connection.request(...call('a'))).toBe('fine')
    isLoggedIn = false
    expect(await outcomeOf(connection.request(...call('a')))).toMatchObject({ host: 'server.needs-auth' })
    expect(connection.status.state).toBe('needs-auth')
    await connection.close()
  })

  test('a lost session is renewed, and a read-only request is repeated', async () => {
    const lost = new WireError('session', 'HTTP 404', { facts: { status: 404 } })
    const { connection, remotes } = connectRemote((asked, remote) => {
      if (greets(asked, remote)) return
      if (remote.number === 1) remote.fail(asked.id, lost)
      else remote.answer(asked.id, 'fine')
    })
    expect(await connection.request('resources/read', {})).toBe('fine')
    expect(remotes.map(({ isOpen }) => isOpen)).toEqual([false, true])
    await connection.close()
  })

  test('closing the host ends a call that waits to be retried', async () => {
    const rate = new WireError('rate', 'HTTP 429', { facts: { status: 429, retryAfterMs: 50_000 } })
    const { connection, clock } = connectRemote((asked, remote) => {
      if (!greets(asked, remote)) remote.fail(asked.id, rate)
    })
    const waiting = outcomeOf(connection.request(...call('a')))
    await turn()
    await connection.close()
    expect(await waiting).toMatchObject({ host: 'call.cancelled', data: { sent: false } })
    expect(clock.sleeping).toBe(0)
  })

  test('C27 a server that only sends progress fails at the hard limit, with any timeout of the caller', async () => {
    const { connection, clock, remotes } = connectRemote(greets, {
      timeouts: { startupMs: 30_000, callMs: 1000, maxCallMs: 3000 },
    })
    const slow = outcomeOf(connection.request(...call('a'), { timeoutMs: 500, onProgress: () => undefined }))
    for (let progress = 1; progress <= 10; progress++) {
      await clock.advance(400)
      const params = { progressToken: 2, progress }
      remotes[0]?.say({ jsonrpc: '2.0', method: 'notifications/progress', params })
    }
    expect(await slow).toMatchObject({
      host: 'call.timeout',
      message: '"x": No answer to tools/call within 3000 ms.',
    })
    await connection.close()
  })
})

test('calls leave no listener on a signal that outlives them', async () => {
  const { connection, clock } = connectProcess({ script: dyingOf('bad') })
  const counted = countedSignal()
  const { signal } = counted
  for (const name of ['a', 'bad', 'b', 'c']) {
    const one = outcomeOf(connection.request(...call(name), { signal }))
    await clock.advance(1000)
    await one
  }
  await connection.list('tools', { signal }).catch(() => undefined)
  expect(counted.listeners).toBe(0)
  await connection.close()
  expect(clock.sleeping).toBe(0)
})
