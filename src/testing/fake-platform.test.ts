import { expect, test } from 'vitest'
import { createFakePlatform } from './fake-platform.ts'

test('createFakePlatform: has files in memory and a fake clock, and nothing else by default', async () => {
  const platform = createFakePlatform({ files: { '/home/dana/a': 'text' }, env: { A: '1' } })
  expect(await platform.files.readText('/home/dana/a')).toMatchObject({ kind: 'text', text: 'text' })
  expect([platform.env, platform.clock.now(), await platform.processes.descendants(1)]).toEqual([
    { A: '1' },
    0,
    [],
  ])
  await expect(platform.spawn({ command: 'npx', args: [], env: {}, cwd: '/' })).rejects.toMatchObject({
    reason: 'not-found',
  })
  const url = new URL('https://mcp.example.com')
  await expect(platform.http({ url, env: {}, maxConnections: 1 })).rejects.toMatchObject({
    reason: 'refused',
  })
  expect(await platform.run('x', { cwd: '/', env: {}, timeoutMs: 1, maxBytes: 1 })).toMatchObject({
    kind: 'failed',
    reason: 'not-found',
  })
})

test('createFakePlatform: the lock runs work sequentially, also after a failure', async () => {
  const { lock } = createFakePlatform()
  const order: string[] = []
  const first = lock('/a', async () => {
    order.push('first begins')
    await Promise.resolve()
    order.push('first ends')
    throw new Error('failed')
  })
  const second = lock('/a', async () => void order.push('second'))
  await expect(first).rejects.toThrow('failed')
  await second
  expect(order).toEqual(['first begins', 'first ends', 'second'])
})
