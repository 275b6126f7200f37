import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { untilGone, isRunning } from '../support/programs/alive.ts'
import { callOutcome, faultHost, faulty, membersOf } from '../support/fault-host.ts'
import type { FaultHost } from '../support/fault-host.ts'

/** The events that a server recorded itself, readable after its exit. */
function journalled(fault: FaultHost, name = 'journal'): readonly unknown[] {
  const lines = readFileSync(join(fault.home, name), 'utf8').trimEnd().split('\n')
  return lines
    .map((line) => JSON.parse(line) as { readonly event?: string })
    .flatMap(({ event }) => event ?? [])
}

test('FI-22 C15 stop: a server that ignores the end of its input and SIGTERM is killed, and close waits for it', async () => {
  await using fault = await faultHost({ x: faulty({ journal: 'journal', on: { eof: [], sigterm: [] } }) })
  await fault.call()
  await fault.goodAnswers()
  const [pid = 0] = fault.pids()
  const closed = fault.host.close()
  await expect.poll(() => journalled(fault)).toEqual(['start', 'eof'])
  await fault.clock.advance(1999)
  expect(isRunning(pid)).toBe(true)
  await fault.clock.advance(1)
  await expect.poll(() => journalled(fault)).toEqual(['start', 'eof', 'sigterm'])
  await fault.clock.advance(2900)
  expect(isRunning(pid)).toBe(true)
  await fault.clock.advance(100)
  await fault.advanceUntil(closed)
  expect(isRunning(pid)).toBe(false)
})

test('C15 close: a second call does not wait for a slow server', async () => {
  await using fault = await faultHost({ x: faulty({ journal: 'journal', on: { eof: [], sigterm: [] } }) })
  await fault.call()
  const closed = fault.host.close()
  await expect.poll(() => journalled(fault)).toEqual(['start', 'eof'])
  expect(fault.host.close()).toBe(closed)
  await fault.advanceUntil(closed)
  expect(fault.clock.now()).toBeLessThan(2000)
})

test('FI-23 stop: all descendants end with the server: behind shells, ignoring SIGTERM, outside its group', async () => {
  const { command, args } = faulty() as { readonly command: string; readonly args: readonly string[] } // as `faulty` builds it
  const wrapped = { command: 'sh', args: ['-c', 'sh -c \'"$0" "$@"; :\' "$0" "$@"; :', command, ...args] }
  await using fault = await faultHost({ x: wrapped })
  await fault.act([
    { grandchild: { holds: 'stdout', ignoreSigterm: true } },
    { grandchild: { holds: 'nothing', setsid: true } },
    'answer',
  ])
  await fault.until('server.said', ({ line }) => line.startsWith('grandchild '))
  const { pid } = JSON.parse(await fault.call('environment')) as { readonly pid: number } // printed by the faulty server
  const [leader = 0] = fault.pids()
  const grandchildren = fault.events.flatMap((event) =>
    event.type === 'server.said' && event.line.startsWith('grandchild ')
      ? [Number(event.line.split(' ')[1])]
      : [],
  )
  expect(grandchildren).toHaveLength(2)
  expect([leader, pid, ...grandchildren].map(isRunning)).toEqual([true, true, true, true])
  // Two shells, the server, and the grandchild that stayed in the group.
  expect(membersOf([leader])).toHaveLength(4)
  await fault.advanceUntil(fault.host.close())
  expect([leader, pid, ...grandchildren].filter(isRunning)).toEqual([])
})

describe('close', () => {
  test('fails calls in flight with a reason, and includes servers that are still connecting', async () => {
    const hanging = { 'server/discover': 'hang', initialize: 'hang' }
    await using fault = await faultHost({
      x: faulty({ on: { 'tools/call:slow': 'hang' } }),
      waking: faulty({
        info: { name: 'waking', version: '1' },
        on: { ...hanging, start: { stderr: 'here' } },
      }),
    })
    await fault.call()
    const slow = callOutcome(fault.call('slow'))
    const connect = callOutcome(fault.host.connect('waking'))
    await fault.until('server.said', ({ server }) => server === 'waking')
    await fault.goodAnswers()
    await fault.advanceUntil(fault.host.close())
    expect(await slow).toEqual({ code: 'call.cancelled', server: 'x', method: 'tools/call', sent: true })
    expect(await connect).toMatchObject({ code: 'call.cancelled', server: 'waking' })
    await untilGone(...fault.pids(), ...fault.pids('waking'))
    expect(fault.host.servers().map(({ status }) => status.state)).toEqual(['closed', 'closed', 'closed'])
    expect(await callOutcome(fault.call())).toMatchObject({ code: 'host.closed' })
    expect(await callOutcome(fault.host.connect('waking'))).toMatchObject({ code: 'host.closed' })
    expect(await callOutcome(fault.host.restart('good'))).toMatchObject({ code: 'host.closed' })
  })

  test('can be called repeatedly, and works before anything was used', async () => {
    await using unused = await faultHost({ x: faulty() })
    expect(unused.host.close()).toBe(unused.host.close())
    await unused.host.close()
    expect(unused.pids()).toEqual([])
    expect(unused.clock.sleeping).toBe(0)
  })

  test('during the first start leaves no process', async () => {
    await using fault = await faultHost({ x: faulty() })
    const call = callOutcome(fault.call())
    const closed = fault.host.close()
    expect(await call).toMatchObject({ code: 'host.closed' })
    await fault.advanceUntil(closed)
    expect(fault.clock.sleeping).toBe(0)
  })

  test('leaves no timer, also for a server that waits for its next attempt', async () => {
    await using fault = await faultHost({
      x: faulty({ on: { start: { exit: 1 } } }, { protocol: 'legacy', lifecycle: 'background' }),
    })
    await fault.untilStatus('waiting')
    await fault.goodAnswers()
    await fault.advanceUntil(fault.host.close())
    expect(fault.clock.sleeping).toBe(0)
  })

  test('by the host’s abort signal works the same', async () => {
    const abort = new AbortController()
    await using fault = await faultHost({ x: faulty() }, { signal: abort.signal })
    await fault.call()
    abort.abort()
    expect(await fault.untilStatus('closed')).toMatchObject({ reason: 'host-closed' })
    await fault.advanceUntil(untilGone(...fault.pids()))
  })
})
