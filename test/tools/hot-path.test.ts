import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createHost, nodePlatform } from '../../src/index.ts'
import { newHome, serverWithTools, writeServers } from '../support/tool-host.ts'

/** The clock of this machine; counts how often the monotonic time is read. */
function countedClock() {
  const { clock } = nodePlatform()
  let count = 0
  const monotonic = () => {
    count++
    return clock.monotonic()
  }
  const take = () => {
    const taken = count
    count = 0
    return taken
  }
  return { clock: { ...clock, monotonic }, take }
}

test('D-5 on an open connection a call reads the clock twice, a request once', async () => {
  const { clock, take } = countedClock()
  const home = newHome()
  writeServers(home, { a: serverWithTools(['one']) })
  const env = { HOME: home, PATH: process.env['PATH'] }
  await using host = await createHost({
    cwd: home,
    config: join(home, 'servers.json'),
    sources: ['plugboard'],
    platform: { clock, home, env },
  })
  await host.ready()
  await host.call('a__one', {})
  take()
  await host.call('a__one', {})
  expect(take()).toBe(2)
  await host.request('a', 'tools/call', { name: 'one', arguments: {} })
  expect(take()).toBe(1)
})
