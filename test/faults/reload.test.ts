import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { requestTrust, trustServer } from '../../src/config.ts'
import type { JsonObject } from '../../src/index.ts'
import { untilGone } from '../support/programs/alive.ts'
import { faultHost, faulty, newHome } from '../support/fault-host.ts'
import type { FaultHost } from '../support/fault-host.ts'

const tools = [{ name: 'slow', inputSchema: { type: 'object' } }]
/** Answers a while after it was called. */
const patient = {
  tools,
  on: { 'tools/call:slow': [{ notify: 'started' }, { wait: 300 }, { text: 'done' }] },
}
const stuck = { tools, on: { 'tools/call:slow': [{ notify: 'started' }, 'hang'] } }

function declare({ home }: Pick<FaultHost, 'home'>, servers: Readonly<Record<string, JsonObject>>): void {
  writeFileSync(join(home, 'servers.json'), JSON.stringify({ mcpServers: servers }))
}

test('FI-76 a server that is removed while a call runs answers it, and is stopped then', async () => {
  await using fault = await faultHost({ x: faulty(patient) })
  const call = fault.call('slow')
  await fault.until('server.notified', ({ method }) => method === 'started')
  declare(fault, { good: faulty() })
  const reloaded = fault.host.reload()
  expect(await call).toBe('done')
  await fault.advanceUntil(reloaded)
  await untilGone(...fault.pids())
  await expect(fault.call('slow')).rejects.toMatchObject({ code: 'server.unknown' })
})

test('FI-76 a call that takes longer than 10 s after the removal of its server is cancelled', async () => {
  await using fault = await faultHost({ x: faulty(stuck) })
  const call = fault.call('slow')
  const state = { isOpen: true }
  void call.catch(() => undefined).finally(() => (state.isOpen = false))
  await fault.until('server.notified', ({ method }) => method === 'started')
  declare(fault, { good: faulty() })
  const reloaded = fault.host.reload()
  await fault.until('config.changed')
  await fault.clock.advance(9900)
  expect(state.isOpen).toBe(true)
  await fault.advanceUntil(reloaded)
  await expect(call).rejects.toMatchObject({ code: 'call.cancelled' })
  await untilGone(...fault.pids())
})

test('FI-76 a removed server in code has 10 s for its running call too', async () => {
  await using fault = await faultHost({})
  const { host } = fault
  await host.add('late', faulty(stuck) as never) // an entry of a file is one of a program
  const call = fault.call('slow', { server: 'late' })
  await fault.until('server.notified', ({ method }) => method === 'started')
  const seen = fault.events.length
  const removed = host.remove('late')
  await fault.until('config.changed', (event) => fault.events.indexOf(event) >= seen)
  await fault.clock.advance(10_000)
  await fault.advanceUntil(removed)
  await expect(call).rejects.toMatchObject({ code: 'call.cancelled' })
})

test('FI-76 T02 an entry of a project that changes while a call runs: the call ends, the new entry waits for trust', async () => {
  const home = newHome()
  const project = join(home, 'shop')
  mkdirSync(join(project, '.git'), { recursive: true })
  const write = (entry: JsonObject) =>
    writeFileSync(join(project, '.mcp.json'), JSON.stringify({ mcpServers: { x: entry } }))
  const entry = faulty(patient)
  write(entry)
  const platform = { home, env: { HOME: home, PATH: process.env['PATH'] } }
  const places = { cwd: project, sources: ['plugboard'] as const, platform }
  const files = { [`shop/.git/HEAD`]: 'ref: refs/heads/main\n' }
  await using fault = await faultHost(
    {},
    { home, cwd: project, sources: ['plugboard'], isConfigGiven: true, files },
  )
  const [found] = fault.host.servers()
  if (!found) throw new Error('not declared')
  await trustServer(await requestTrust(found.server, places), places)
  await fault.host.reload()
  const call = fault.call('slow')
  await fault.until('server.notified', ({ method }) => method === 'started')
  write({ ...entry, env: { MORE: '1' } })
  const reloaded = fault.host.reload()
  expect(await call).toBe('done')
  await fault.advanceUntil(reloaded)
  expect(fault.status().state).toBe('untrusted')
  await expect(fault.call('slow')).rejects.toMatchObject({ code: 'server.untrusted' })
})
