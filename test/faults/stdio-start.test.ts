import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { untilGone } from '../support/programs/alive.ts'
import { callOutcome, faultHost, faulty, newHome } from '../support/fault-host.ts'

const hanging = { 'server/discover': 'hang', initialize: 'hang' }

test('FI-03 C27 a server that hangs on its greeting fails at the startup timeout with its last stderr lines, and has exited', async () => {
  await using fault = await faultHost({ x: faulty({ on: { ...hanging, start: { stderr: 'warming up' } } }) })
  const connect = callOutcome(fault.host.connect('x'))
  await fault.until('server.said', ({ line }) => line === 'warming up')
  await fault.goodAnswers()

  await fault.clock.advance(10_000)
  expect(fault.warnings()).toEqual(['No answer for 10 s. It last said: warming up'])
  await fault.clock.advance(19_999)
  expect(fault.status()).toMatchObject({ state: 'connecting', step: 'greeting' })
  await fault.clock.advance(1)
  expect(await connect).toMatchObject({
    code: 'server.failed',
    server: 'x',
    failure: { code: 'timeout', message: 'It did not get ready within 30 s.', stderr: ['warming up'] },
  })
  expect(fault.status()).toMatchObject({ state: 'waiting', reason: 'failed' })
  await untilGone(...fault.pids())
})

test('C27 FI-03 an entry can shorten the startup timeout', async () => {
  await using fault = await faultHost({ x: faulty({ on: hanging }, { startupTimeoutMs: 700 }) })
  const connect = callOutcome(fault.host.connect('x'))
  await expect.poll(() => fault.status()).toMatchObject({ step: 'greeting' })
  await fault.clock.advance(700)
  expect(await connect).toMatchObject({
    failure: { code: 'timeout', message: 'It did not get ready within 700 ms.' },
  })
})

test('FI-04 B23 P11 a program that cannot be started fails with the searched paths, and is not retried on its own', async () => {
  const home = newHome()
  writeFileSync(join(home, 'plain'), '#!/bin/sh\n')
  chmodSync(join(home, 'plain'), 0o600)
  await using fault = await faultHost(
    {
      absent: { command: 'no-such-program', args: [] },
      plain: { command: join(home, 'plain'), args: [] },
      nowhere: faulty({}, { cwd: join(home, 'nowhere') }),
    },
    {
      home,
      lifecycle: 'background',
      platform: { env: { HOME: home, PATH: '/usr/local/bin:/usr/bin:/bin' } },
    },
  )
  const spawnFailure = async (server: string) => {
    const { failure } = (await callOutcome(fault.host.connect(server))) as { readonly failure: object } // connecting always fails here
    return failure
  }
  const path = ['/usr/local/bin', '/usr/bin', '/bin']
  expect(await spawnFailure('absent')).toEqual({
    code: 'spawn',
    message: '"no-such-program" was not found in PATH.',
    hint: 'Install it, or put its full path into the entry: plugboard why absent',
    searched: path,
    at: 0,
  })
  expect(await spawnFailure('plain')).toMatchObject({
    code: 'spawn',
    message: `${join(home, 'plain')} may not be run: permission denied.`,
    hint: 'Make the file executable, or name the program that runs it.',
  })
  expect(await spawnFailure('nowhere')).toMatchObject({
    code: 'spawn',
    message: `The working directory ${join(home, 'nowhere')} does not exist.`,
  })
  for (const server of ['absent', 'plain', 'nowhere']) {
    expect(fault.status(server)).toMatchObject({ state: 'failed', reason: 'failed' })
  }
  await fault.goodAnswers()
  const tries = fault.events.length
  await fault.clock.advance(3_600_000)
  expect(fault.events).toHaveLength(tries)
})

test('start: eight hanging servers do not delay a good one', async () => {
  const names = Array.from({ length: 8 }, (_, index) => `hung-${index}`)
  const scripts = names.map((name) => [name, faulty({ info: { name, version: '1' }, on: hanging })])
  await using fault = await faultHost(Object.fromEntries(scripts), { lifecycle: 'background' })
  await fault.goodAnswers()
  for (const name of names) expect(fault.status(name)).toMatchObject({ state: 'connecting' })
  // A start slot is released when the greeting is written, so the good server started without time passing.
  expect(fault.clock.now()).toBe(0)
})

test('start: concurrent connects share one connection, and a cancelled one leaves it to the others', async () => {
  await using fault = await faultHost({ x: faulty() })
  const impatient = new AbortController()
  const given = callOutcome(fault.host.connect('x', { signal: impatient.signal }))
  const kept = [fault.host.connect('x'), fault.host.connect('x')]
  await fault.untilStatus('connecting')
  impatient.abort()
  expect(await given).toMatchObject({ code: 'call.cancelled' })
  const [first, second] = await Promise.all(kept)
  expect(first).toBe(second)
  expect(fault.pids()).toHaveLength(1)
})

test('start: the same name in two directories gives two connections, the same entry gives one', async () => {
  const script = { capabilities: { tools: {} } }
  await using here = await faultHost({ x: faulty(script) })
  await here.host.connect('x')
  await using there = await faultHost({ x: faulty(script) })
  const cwdOf = async (fault: typeof here) => JSON.parse(await fault.call('environment')).cwd as unknown // checked below
  expect([await cwdOf(here), await cwdOf(there)]).toEqual([here.home, there.home])
  expect(here.host.servers()[0]?.id).not.toBe(there.host.servers()[0]?.id)
  expect(here.pids()).not.toEqual(there.pids())
  await Promise.all([here.call(), here.call(), here.host.connect('x'), here.host.list('x', 'tools')])
  expect(here.pids()).toHaveLength(1)
})
