import { expect, test } from 'vitest'
import { isRunning } from '../support/programs/alive.ts'
import { callOutcome, faultHost, faulty } from '../support/fault-host.ts'

const died = (code: number, stderr: readonly string[] = []) => ({
  code: 'call.outcome-unknown',
  server: 'x',
  method: 'tools/call',
  sent: true,
  failure: {
    code: 'exit',
    message: `The server ended with exit code ${code}.`,
    hint: 'See its output: plugboard logs x',
    exit: { code, signal: null },
    ...(stderr.length > 0 && { stderr }),
    at: 0,
  },
})

test('FI-01 B1 exit during a call: its outcome is unknown, and the next call gets a new server', async () => {
  await using fault = await faultHost({
    x: faulty({ on: { 'tools/call:crash': [{ stderr: 'out of paper' }, { exit: 3 }] } }),
  })
  await fault.call()
  const crash = fault.call('crash')
  await fault.goodAnswers()
  expect(await callOutcome(crash)).toEqual(died(3, ['out of paper']))
  expect(fault.status()).toMatchObject({ state: 'waiting', reason: 'crashed' })

  const next = fault.call()
  await fault.clock.advance(399)
  expect(fault.pids()).toHaveLength(1)
  await fault.clock.advance(201)
  expect(JSON.parse(await next)).toEqual({ name: 'tool-0', arguments: {} })
  expect(fault.pids()).toHaveLength(2)
})

test('FI-01 exit by a signal: the failure names it, and a read-only request is repeated on the new connection', async () => {
  await using fault = await faultHost({
    x: faulty({
      on: { 'tools/call:crash': { kill: 'SIGKILL' }, 'tools/list': { eachStart: ['hang', 'answer'] } },
      starts: 'starts',
    }),
  })
  await fault.call()
  const list = fault.request('x', 'tools/list')
  expect(await callOutcome(fault.call('crash'))).toMatchObject({
    code: 'call.outcome-unknown',
    failure: { code: 'exit', exit: { code: null, signal: 'SIGKILL' } },
  })
  const abort = new AbortController()
  const ended = callOutcome(fault.call('tool-0', { signal: abort.signal }))
  abort.abort()
  expect(await ended).toMatchObject({ code: 'call.cancelled', sent: false })
  await fault.clock.advance(600)
  expect(await list).toMatchObject({ tools: [{ name: 'tool-0' }] })
  expect(fault.pids()).toHaveLength(2)
})

test('FI-01 exit: twenty calls that wait for the new server are all answered, without a Node warning', async () => {
  await using fault = await faultHost({ x: faulty({ on: { 'tools/call:crash': { exit: 1 } } }) })
  const warnings: string[] = []
  const onWarning = ({ name }: Error) => warnings.push(name)
  process.on('warning', onWarning)
  await fault.call()
  expect(await callOutcome(fault.call('crash'))).toEqual(died(1))
  const calls = Array.from({ length: 20 }, () => fault.call())
  await fault.goodAnswers()
  await fault.clock.advance(600)
  expect(new Set(await Promise.all(calls)).size).toBe(1)
  await fault.goodAnswers()
  process.off('warning', onWarning)
  expect(warnings).toEqual([])
})

test('C14 restart: ends the wait of calls that wait for the next attempt', async () => {
  await using fault = await faultHost({ x: faulty({ on: { 'tools/call:crash': { exit: 1 } } }) })
  await fault.call()
  expect(await callOutcome(fault.call('crash'))).toEqual(died(1))
  const waiting = fault.call()
  await fault.goodAnswers()
  await fault.host.restart('x')
  expect(JSON.parse(await waiting)).toEqual({ name: 'tool-0', arguments: {} })
  expect(fault.clock.now()).toBe(0)
  expect(fault.pids()).toHaveLength(2)
})

test('FI-02 exit: is noticed while a grandchild holds the pipes, and the grandchild is ended', async () => {
  await using fault = await faultHost({
    x: faulty({ on: { 'tools/call:crash': [{ grandchild: { holds: 'stdout' } }, { exit: 1 }] } }),
  })
  await fault.call()
  const crash = fault.call('crash')
  const { line } = await fault.until('server.said', ({ line }) => line.startsWith('grandchild '))
  await fault.goodAnswers()
  expect(await callOutcome(crash)).toEqual(died(1, [line]))
  const grandchild = Number(line.split(' ')[1])
  await fault.advanceUntil(expect.poll(() => isRunning(grandchild)).toBe(false))
})

test('FI-06 exit after half a line: counts as an exit, and the half line answers no call', async () => {
  await using fault = await faultHost({
    x: faulty({ on: { 'tools/call:crash': [{ answer: { write: 'half' } }, { exit: 1 }] } }),
  })
  await fault.call()
  const crash = fault.call('crash')
  await fault.goodAnswers()
  expect(await callOutcome(crash)).toEqual(died(1))
})

test('FI-28 FI-91 C14 crash loop: restarts after 0.5, 1, 2 and 4 s, then after a rest of 5 minutes or on a restart', async () => {
  await using fault = await faultHost({
    x: faulty(
      {
        on: { start: { eachStart: [{ exit: 1 }, { exit: 1 }, { exit: 1 }, { exit: 1 }, { exit: 1 }, []] } },
        starts: 'starts',
      },
      { protocol: 'legacy', lifecycle: 'background' },
    ),
  })
  for (const [index, plain] of [500, 1000, 2000, 4000].entries()) {
    const status = await fault.untilStatus('waiting')
    expect(status).toMatchObject({ reason: 'failed', failure: { code: 'exit' } })
    const ms = status.state === 'waiting' ? status.retryAt - fault.clock.now() : 0
    expect(Math.abs(ms / plain - 1)).toBeLessThanOrEqual(0.2)
    expect(fault.pids()).toHaveLength(index + 1)
    await fault.clock.advance(ms)
  }
  const resting = await fault.untilStatus('waiting')
  const retryAt = fault.clock.now() + 300_000
  expect(resting).toMatchObject({
    reason: 'crash-loop',
    retryAt,
    failure: { code: 'exit', exit: { code: 1, signal: null } },
  })
  await fault.goodAnswers()

  await fault.clock.advance(299_000)
  expect(await callOutcome(fault.call())).toMatchObject({
    code: 'server.failed',
    retryAt,
    failure: { code: 'exit' },
  })
  expect(fault.pids()).toHaveLength(5)

  await fault.clock.advance(1000)
  expect(await fault.untilStatus('ready')).toMatchObject({ state: 'ready' })
  expect(fault.pids()).toHaveLength(6)
  expect(JSON.parse(await fault.call())).toEqual({ name: 'tool-0', arguments: {} })
})

/** A lazy server that exits at its first five starts, and rests now. Its tools are unknown. */
async function restingHost() {
  const exits = Array.from({ length: 5 }, () => ({ exit: 1 }))
  const fault = await faultHost({
    x: faulty({ on: { start: { eachStart: [...exits, []] } }, starts: 'starts' }, { protocol: 'legacy' }),
  })
  await fault.host.ready()
  for (let start = 2; start <= 5; start++) {
    const status = fault.status()
    await fault.clock.advance(status.state === 'waiting' ? status.retryAt - fault.clock.now() : 0)
    expect(await callOutcome(fault.host.call('x/tool-0'))).toMatchObject({ code: 'server.failed' })
    expect(fault.pids()).toHaveLength(start)
  }
  return fault
}

test('FI-91 rest: calls of its tools say until when it lasts and how to restart it, by name and by ref', async () => {
  await using fault = await restingHost()
  const retryAt = fault.clock.now() + 300_000
  const until = `${new Date(retryAt).toISOString().slice(0, 19)}Z`
  for (const name of ['x/tool-0', 'x__tool-0']) {
    await expect(fault.host.call(name)).rejects.toMatchObject({
      code: 'server.failed',
      data: { server: 'x', retryAt },
      message:
        `There is no tool "${name}" now. Failed to connect to "x": It keeps crashing and rests until ${until}. ` +
        'Last failure: The server ended with exit code 1. Restart it now: /mcp restart x in the shell. ' +
        'See its output: plugboard logs x',
    })
  }
  await expect(fault.host.prompt('x', 'p')).rejects.toMatchObject({ code: 'server.failed' })
  expect(fault.pids()).toHaveLength(5)

  await fault.host.restart('x')
  await fault.until('catalog.changed', ({ server }) => server === 'x')
  expect(await fault.host.call('x/tool-0')).toMatchObject({ failed: false })
})

test('FI-91 rest: the first call after it starts the server again, though its tools were unknown', async () => {
  await using fault = await restingHost()
  await fault.clock.advance(300_000)
  expect(await fault.host.call('x__tool-0')).toMatchObject({ failed: false })
  expect(fault.pids()).toHaveLength(6)
})

test('FI-91 rest: a stop does not end it, a reload does', async () => {
  await using fault = await restingHost()
  await fault.host.stop('x')
  expect(fault.status()).toMatchObject({ state: 'waiting', reason: 'crash-loop' })
  await fault.host.reload()
  expect(await fault.host.call('x__tool-0')).toMatchObject({ failed: false })
})

test('FI-29 crashes by one tool: it is quarantined for five minutes after the third, other tools still work', async () => {
  await using fault = await faultHost({ x: faulty({ on: { 'tools/call:crash': { exit: 1 } } }) })
  await fault.call()
  for (const _ of [1, 2, 3]) {
    expect(await callOutcome(fault.advanceUntil(fault.call('crash')))).toMatchObject({
      code: 'call.outcome-unknown',
    })
  }
  expect(await callOutcome(fault.call('crash'))).toEqual({
    code: 'tool.quarantined',
    server: 'x',
    tool: 'crash',
  })
  await fault.goodAnswers()
  expect(JSON.parse(await fault.advanceUntil(fault.call('other')))).toEqual({ name: 'other', arguments: {} })
  expect(await callOutcome(fault.call('crash'))).toMatchObject({ code: 'tool.quarantined' })

  await fault.clock.advance(300_000)
  expect(await callOutcome(fault.advanceUntil(fault.call('crash')))).toMatchObject({
    code: 'call.outcome-unknown',
  })
})

test('FI-20 closed stdin: the call that could not be written fails, and the server is replaced', async () => {
  await using fault = await faultHost({ x: faulty() })
  await fault.act(['closeStdin', 'answer'])
  const call = fault.call()
  await fault.goodAnswers()
  expect(await callOutcome(fault.advanceUntil(call))).toMatchObject({
    code: 'call.outcome-unknown',
    failure: { code: 'closed' },
  })
  const [first] = fault.pids()
  expect(JSON.parse(await fault.advanceUntil(fault.call()))).toEqual({ name: 'tool-0', arguments: {} })
  expect(fault.pids()).toHaveLength(2)
  await fault.advanceUntil(expect.poll(() => isRunning(first ?? 0)).toBe(false))
})
