import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { toOpenAi } from '../../src/adapters/openai.ts'
import type { Host, JsonObject, ServerEntry, Status } from '../../src/index.ts'
import { nodePlatform } from '../../src/platform/node/node-platform.ts'
import { createFakeClock } from '../../src/testing/fake-clock.ts'
import { callOutcome, faultHost, faulty, newHome as newFaultHome } from '../support/fault-host.ts'
import type { FaultHost } from '../support/fault-host.ts'
import { newHome, toolHost } from '../support/tool-host.ts'

// The clock of these hosts stands still: whatever resolves without an advance waited for no time limit.

const hanging = faulty({ on: { 'server/discover': 'hang', initialize: 'hang' } })
const goodTool = 'good__tool-0'

const isGreeting = (status: Status) => status.state === 'connecting' && status.step === 'greeting'

const untilGreeting = (fault: FaultHost) =>
  fault.until('server.changed', ({ server, status }) => server === 'x' && isGreeting(status))

describe('FI-93 a hanging server beside a good one, nothing known', () => {
  const acts: Readonly<Record<string, (host: Host) => Promise<unknown>>> = {
    'a call by name': (host) => host.call(goodTool).then(({ failed }) => failed),
    'a call by ref': (host) => host.call('good/tool-0').then(({ failed }) => failed),
    'ready() for one tool': (host) => host.ready({ tool: goodTool }).then(() => host.tools().length > 0),
    'ready() of a view without the server': async (host) => {
      const view = await host.scope({ tools: ['good__*'] })
      await view.ready()
      return view.tools().map(({ name }) => name)
    },
    'a tool that the good server does not have': (host) => callOutcome(host.call('good__ecko')),
    'a prompt of the good server': (host) => callOutcome(host.prompt('good', 'none')),
    'a prompt as a command': (host) => callOutcome(host.command('/good:none')),
  }
  const expected: Readonly<Record<keyof typeof acts, unknown>> = {
    'a call by name': false,
    'a call by ref': false,
    'ready() for one tool': true,
    'ready() of a view without the server': [goodTool],
    'a tool that the good server does not have': expect.objectContaining({ code: 'tool.unknown' }),
    'a prompt of the good server': expect.objectContaining({ code: 'prompt.unknown' }),
    'a prompt as a command': expect.objectContaining({ code: 'usage' }),
  }

  test.each(Object.keys(acts))('FI-93 %s does not wait for the hanging server', async (what) => {
    await using fault = await faultHost({ x: hanging })
    expect(await acts[what]?.(fault.host)).toEqual(expected[what])
  })

  test('FI-93 a call to the hanging server waits for the whole startup time and says why it failed', async () => {
    await using fault = await faultHost({ x: hanging })
    const called = callOutcome(fault.host.call('x__echo', {}))
    await untilGreeting(fault)
    await fault.clock.advance(29_999)
    await fault.goodAnswers()
    await fault.clock.advance(1)
    expect(await called).toMatchObject({ code: 'server.failed', failure: { code: 'timeout' } })
  })

  test('FI-93 D-4 an adapter waits 10 s for a new server; what comes later appears with an event', async () => {
    const home = newFaultHome()
    const flag = join(home, 'go')
    const { command, args } = faulty() as { readonly command: string; readonly args: string[] }
    const script = `while [ ! -e '${flag}' ]; do sleep 0.05; done; exec "$0" "$@"`
    await using fault = await faultHost(
      { x: { command: '/bin/sh', args: ['-c', script, command, ...args] } },
      { home },
    )
    let isOpen = true
    const offered = toOpenAi(fault.host).finally(() => (isOpen = false))
    await untilGreeting(fault)
    await fault.until('catalog.changed', ({ server }) => server === 'good')
    await fault.clock.advance(9_000)
    expect(isOpen).toBe(true)
    await fault.clock.advance(1_000)
    const namesOf = ({ chat }: Awaited<typeof offered>) => chat.tools.map((tool) => tool.function.name)
    expect(namesOf(await offered)).toEqual([goodTool])
    // The time counts from the start of the server, not from each question.
    expect(namesOf(await toOpenAi(fault.host))).toEqual([goodTool])
    writeFileSync(flag, '')
    const { added } = await fault.until('catalog.changed', ({ server }) => server === 'x')
    expect(added).toEqual(['x/tool-0'])
    expect(namesOf(await toOpenAi(fault.host))).toEqual([goodTool, 'x__tool-0'])
  })

  test('FI-93 D-4 in short programs an adapter waits 10 s once and then 1 s, as long as others have tools', async () => {
    const clock = createFakeClock()
    /** How long an adapter, or `ready()`, waits in a new host that is closed when it has waited. */
    const waitedMs = async (
      servers: Readonly<Record<string, JsonObject>>,
      home: string,
      wait: (host: Host) => Promise<unknown> = toOpenAi,
    ) => {
      await using opened = await toolHost(servers, { home, platform: { clock } })
      const { host, until } = opened
      const listed = until('catalog.changed', ({ server }) => server === 'good')
      const state = { isOpen: true }
      void wait(host).finally(() => (state.isOpen = false))
      await until('server.changed', ({ server, status }) => server === 'x' && isGreeting(status))
      if (servers['good'] && host.tools().length === 0) await listed
      let ms = 0
      for (; state.isOpen && ms < 60_000; ms += 500) await clock.advance(500)
      return ms
    }
    const [home, alone] = [newHome(), newHome()]
    const both = { x: hanging, good: faulty() }
    const times = []
    for (const _run of [1, 2, 3]) times.push(await waitedMs(both, home))
    expect(times).toEqual([10_000, 1000, 1000])
    // `ready()` gives it twice the time, and so does an adapter while there is nothing else.
    expect(await waitedMs(both, home, (host) => host.ready())).toBe(20_000)
    for (const ms of [10_000, 20_000, 30_000, 1000]) expect(await waitedMs({ x: hanging }, alone)).toBe(ms)
  })

  test('FI-93 D-4 a server that had its whole time gets 1 s in the next run, and 10 s again after a restart', async () => {
    const home = newHome()
    /** How long `ready()` waits in a new host of this home, in steps of the clock. */
    const clock = createFakeClock()
    const waitedMs = async (act?: (host: Host) => Promise<unknown>, most = 60_000) => {
      await using opened = await toolHost({ x: hanging, good: faulty() }, { home, platform: { clock } })
      const { host, until } = opened
      const waited = host.ready()
      const listed = until('catalog.changed', ({ server }) => server === 'good')
      await until('server.changed', ({ server, status }) => server === 'x' && isGreeting(status))
      if (host.tools().length === 0) await listed
      const state = { isOpen: true }
      void waited.finally(() => (state.isOpen = false))
      let ms = 0
      for (; state.isOpen && ms < most; ms += 500) await clock.advance(500)
      await act?.(host)
      // The attempt itself may have more time than `ready` waits.
      if (!act) await clock.advance(30_000)
      return ms
    }
    expect(await waitedMs()).toBe(10_000)
    expect(await waitedMs()).toBe(1000)
    const restart = async (host: Host) => {
      void callOutcome(host.restart('x'))
      await expect
        .poll(() => host.servers().find(({ name }) => name === 'x')?.status)
        .toMatchObject({ reason: 'progress' })
    }
    expect(await waitedMs(restart)).toBe(1000)
    expect(await waitedMs()).toBe(10_000)
  })

  test('FI-93 a server that greets and never lists its tools is remembered like one that hangs', async () => {
    const home = newHome()
    const clock = createFakeClock()
    const unlisted = faulty({ on: { 'tools/list': 'hang' } })
    const waitedMs = async () => {
      await using opened = await toolHost({ x: unlisted, good: faulty() }, { home, platform: { clock } })
      const { host, until } = opened
      const listed = until('catalog.changed', ({ server }) => server === 'good')
      const state = { isOpen: true }
      const ready = until(
        'server.changed',
        ({ server, status }) => server === 'x' && status.state === 'ready',
      )
      void host.ready().finally(() => (state.isOpen = false))
      await ready
      if (host.tools().length === 0) await listed
      let ms = 0
      for (; state.isOpen && ms < 60_000; ms += 500) await clock.advance(500)
      return ms
    }
    for (const ms of [10_000, 20_000, 30_000, 1000, 1000]) expect(await waitedMs()).toBe(ms)
  })

  test('FI-93 a call to a server that never lists its tools says so, after its start-up time', async () => {
    await using fault = await faultHost({ x: faulty({ on: { 'tools/list': 'hang' } }) })
    const called = callOutcome(fault.host.call('x__echo', {}))
    await fault.until('server.changed', ({ server, status }) => server === 'x' && status.state === 'ready')
    await fault.clock.advance(30_000)
    expect(await called).toMatchObject({
      code: 'server.failed',
      failure: { code: 'timeout', message: 'It is connected but has not listed its tools.' },
    })
  })

  test('FI-93 waiting for many servers leaves one listener at a time', async () => {
    const warnings: Error[] = []
    const onWarning = (warning: Error) => void warnings.push(warning)
    process.on('warning', onWarning)
    const names = Array.from({ length: 12 }, (_, n) => `s${n}`)
    await using fault = await faultHost({
      ...Object.fromEntries(names.map((name) => [name, faulty()])),
      x: hanging,
    })
    const waited = fault.host.ready()
    await untilGreeting(fault)
    for (const name of names)
      if (!fault.host.servers().find((each) => each.name === name)?.isKnown)
        await fault.until('catalog.changed', ({ server }) => server === name)
    await fault.clock.advance(10_000)
    await waited
    process.off('warning', onWarning)
    expect(warnings).toEqual([])
  })

  test('FI-93 add and remove do not wait for the servers that a reload starts', async () => {
    await using fault = await faultHost({ x: hanging })
    const { host } = fault
    await host.ready({ servers: ['good'] })
    const reloaded = host.reload()
    await untilGreeting(fault)
    await host.add('late', faulty() as unknown as ServerEntry)
    expect(host.tools().map(({ server }) => server)).toContain('late')
    await host.remove('late')
    await fault.clock.advance(10_000)
    await reloaded
  })

  test('FI-93 ready() waits 1 s for a known server that is listed again', async () => {
    const list = { each: ['answer', 'hang'] }
    await using fault = await faultHost({ x: faulty({ on: { 'tools/list': list } }) })
    await fault.host.ready()
    const relisting = fault.host.ready({ servers: ['x'], from: 'servers' })
    const state = { isOpen: true }
    void relisting.finally(() => (state.isOpen = false))
    await fault.goodAnswers()
    await fault.clock.advance(900)
    expect(state.isOpen).toBe(true)
    await fault.clock.advance(100)
    await relisting
    expect(fault.host.tools().map(({ server }) => server)).toContain('x')
  })

  test('FI-93 a call goes before the servers that only ready() waits for', async () => {
    const servers = Object.fromEntries(['a', 'b', 'c', 'x'].map((name) => [name, hanging]))
    const { spawn } = nodePlatform()
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    const held: typeof spawn = async (how) => {
      await released
      return spawn(how)
    }
    await using fault = await faultHost(servers, { limits: { spawns: 1 }, platform: { spawn: held } })
    const isStarting = (status: Status) => status.state === 'connecting' && status.step === 'starting'
    const waited = fault.host.ready({ timeoutMs: 1000 })
    await fault.until('server.changed', ({ server, status }) => server === 'a' && isStarting(status))
    const called = fault.host.call(goodTool)
    await new Promise((resolve) => setImmediate(resolve))
    release()
    expect((await called).failed).toBe(false)
    const started = fault.events.flatMap((event) =>
      event.type === 'server.changed' && isStarting(event.status) ? [event.server] : [],
    )
    expect(started.slice(0, 2)).toEqual(['a', 'good'])
    await fault.advanceUntil(waited)
  })

  test('FI-93 ready() waits for a server whose cache file takes many turns to read', async () => {
    const { files } = nodePlatform()
    const slowFiles = {
      ...files,
      async readText(...args: Parameters<typeof files.readText>) {
        for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
        return files.readText(...args)
      },
    }
    await using opened = await toolHost({ good: faulty() }, { platform: { files: slowFiles } })
    await opened.host.ready()
    expect(opened.host.tools().map(({ name }) => name)).toEqual([goodTool])
  })

  test('FI-93 ready({ timeoutMs }) and the option of an adapter say otherwise', async () => {
    await using fault = await faultHost({ x: hanging })
    const offered = toOpenAi(fault.host, { timeoutMs: 50 })
    await untilGreeting(fault)
    await fault.clock.advance(50)
    await offered
    await fault.advanceUntil(fault.host.ready({ timeoutMs: 100 }))
    expect(fault.status('x')).toMatchObject({ state: 'connecting' })
  })
})

describe('FI-93 the limit of a caller while a server starts', () => {
  const limit = { maxTimeoutMs: 1000 }
  const acts: Readonly<Record<string, (host: Host) => Promise<unknown>>> = {
    'a call by name': (host) => host.call('x__echo', {}, limit),
    'a serial call': (host) => host.call('x/echo', {}, { ...limit, isSerial: true }),
    'a name that fits no server': (host) => host.call('echo', {}, limit),
    'a prompt': (host) => host.prompt('x', 'p', {}, limit),
    'a prompt as a command': (host) => host.command('/x:p', {}, limit),
    'a resource': (host) => host.read('note://one', limit),
    'a resource of the server': (host) => host.read('note://one', { ...limit, server: 'x' }),
    'a completion': (host) => host.complete({ server: 'x', prompt: 'p', argument: 'a', value: '' }, limit),
    'a request': (host) => host.request('x', 'tools/call', { name: 'echo' }, limit),
    'a list': (host) => host.list('x', 'tools', limit),
  }

  test.each(Object.entries(acts))('FI-93 %s: maxTimeoutMs includes the start', async (_what, act) => {
    await using fault = await faultHost({ x: hanging })
    const state = { isOpen: true }
    const done = callOutcome(act(fault.host)).finally(() => (state.isOpen = false))
    await untilGreeting(fault)
    await fault.clock.advance(999)
    expect(state.isOpen).toBe(true)
    await fault.clock.advance(1)
    expect(await done).toMatchObject({ code: 'call.timeout', sent: false })
    // Only this caller gave up.
    expect(fault.status('x')).toMatchObject({ state: 'connecting' })
  })

  test('FI-93 what the start took is missing for the answer; timeoutMs counts from when it is sent', async () => {
    const slow = faulty({
      on: { initialize: [{ wait: 300 }, 'answer'], 'server/discover': 'hang', 'tools/call': 'hang' },
    })
    await using fault = await faultHost({ x: { ...slow, protocol: 'legacy' } })
    const limited = callOutcome(fault.host.call('x/tool-0', {}, { maxTimeoutMs: 5000 }))
    const silent = callOutcome(fault.host.call('x/tool-0', {}, { timeoutMs: 1000 }))
    await untilGreeting(fault)
    await fault.clock.advance(4000)
    await fault.untilStatus('ready')
    await fault.until('catalog.changed', ({ server }) => server === 'x')
    await fault.clock.advance(999)
    await fault.goodAnswers()
    await fault.clock.advance(1)
    for (const outcome of [limited, silent])
      expect(await outcome).toMatchObject({ code: 'call.timeout', sent: true })
  })
})
