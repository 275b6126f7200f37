import { expect, test } from 'vitest'
import { faultyServer } from '../../src/testing.ts'
import { startServed } from '../support/served.ts'

test('servers that are not known are connected when a page looks, and one that fails says so', async () => {
  await using it = await startServed({
    good: faultyServer({ tools: 2 }),
    broken: { command: 'sh', args: ['-c', 'echo "no TOKEN" >&2; exit 3'] },
  })
  const states = async () =>
    (await it.client.send('GET /api/servers')).servers.map(({ name, state }) => [name, state.word])
  expect(await states()).toEqual([
    ['good', 'idle'],
    ['broken', 'idle'],
  ])
  const reading = new AbortController()
  const words = new Map<string, string>()
  for await (const event of it.client.follow({ signal: reading.signal })) {
    if (event.type === 'server.changed') words.set(event.server.name, event.server.state.word)
    if (words.get('good') === 'ready' && words.get('broken') === 'failed') break
  }
  reading.abort()
  const { servers } = await it.client.send('GET /api/servers')
  expect(servers.find(({ name }) => name === 'broken')?.state.sentence).toContain('no TOKEN')
  // Its tools are counted once they are accepted, which comes after its greeting.
  const toolCount = async () =>
    (await it.client.send('GET /api/servers')).servers.find(({ name }) => name === 'good')?.tools?.count
  await expect.poll(toolCount).toBe(2)

  // A page that is loaded again does not start the broken one again.
  const since = servers.find(({ name }) => name === 'broken')?.state.since
  for await (const event of it.client.follow()) if (event.type === 'snapshot') break
  await it.client.send('POST /api/servers/:server/restart', { params: { server: 'good' } })
  const later = await it.client.send('GET /api/servers')
  expect(later.servers.find(({ name }) => name === 'broken')?.state.since).toBe(since)
})
