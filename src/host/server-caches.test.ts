import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { CachedCatalog } from '../catalog/server-cache.ts'
import { createFakePlatform } from '../testing/fake-platform.ts'
import { serverOf } from '../../test/support/server.ts'
import { ServerCaches } from './server-caches.ts'

const server = serverOf('x', { entryHash: 'sha256:x' })
const other = serverOf('y', { entryHash: 'sha256:y' })

const at = '1970-01-01T00:00:00.000Z'
const era = { is: 'legacy', at } as const
const start = { at, reason: 'timed-out', waitedMs: 30_000 } as const
const catalog: CachedCatalog = {
  snapshot: { tools: [], resources: [], resourceTemplates: [], prompts: [], at },
  ttlMs: 0,
}

/** The caches of one host in a directory, and what they did with files, in order. */
function open({ isStored = true, platform = createFakePlatform() } = {}) {
  const done: string[] = []
  const { files, clock } = platform
  const noting: typeof files = {
    ...files,
    readText(path, options) {
      done.push(`read ${path.slice(-6)}`)
      return files.readText(path, options)
    },
    async replace(path, text, options) {
      // Later than any write that did not wait for this one.
      await nextTurn()
      done.push(`write ${path.slice(-6)}`)
      await files.replace(path, text, options)
    },
    async makePrivateDirectory(path) {
      done.push(`directory ${path}`)
      await files.makePrivateDirectory(path)
    },
  }
  const place = { directory: '/cache', platform: { files: noting, clock } }
  return { caches: new ServerCaches(place, { isStored: () => isStored }), done, clock, platform }
}

describe('ServerCaches', () => {
  test('a file is read once, also by callers at the same time', async () => {
    const { caches, done } = open()
    const both = [caches.read(server), caches.read(server)]
    expect(await Promise.all(both)).toEqual([{}, {}])
    await caches.read(server)
    expect(done).toEqual(['read x.json'])
  })

  test('all that is learned at the first contact is one write; the directory is checked once for all servers', async () => {
    const { caches, done, clock, platform } = open()
    caches.change(server, { era })
    caches.change(server, { catalog })
    caches.change(other, { era })
    await clock.advance(10_000)
    await caches.close()
    expect(done.filter((each) => !each.startsWith('read')).sort()).toEqual([
      'directory /cache',
      'write x.json',
      'write y.json',
    ])
    expect(await open({ platform }).caches.read(server)).toMatchObject({ era, catalog })
  })

  test('a change is seen at once, before it is written; an undefined part is removed, the others stay', async () => {
    const { caches, platform } = open()
    caches.change(server, { era, start })
    expect(await caches.read(server)).toEqual({ era, start })
    await caches.close()
    const next = open({ platform })
    next.caches.change(server, { start: undefined, catalog })
    expect(await next.caches.read(server)).toEqual({ era, catalog })
    await next.caches.close()
    const last = await open({ platform }).caches.read(server)
    expect(last).toMatchObject({ era, catalog })
    expect(last.start).toBeUndefined()
  })

  test('"now" writes without waiting for more, together with what was pending', async () => {
    const { caches, done, platform } = open()
    caches.change(server, { era })
    caches.change(server, { catalog }, 'now')
    await expect.poll(() => done.filter((each) => each.startsWith('write'))).toEqual(['write x.json'])
    await caches.close()
    expect(await open({ platform }).caches.read(server)).toMatchObject({ era, catalog })
  })

  test('writes of one server keep their order: the last change is what the next host reads', async () => {
    const { caches, platform } = open()
    for (const waitedMs of [10_000, 20_000, 30_000]) {
      caches.change(server, { start: { ...start, waitedMs } }, 'now')
      await nextTurn()
    }
    await caches.close()
    expect(await open({ platform }).caches.read(server)).toEqual({ start })
  })

  test('what is forgotten is written first, kept on disk and not in memory', async () => {
    const { caches, done } = open()
    caches.change(server, { era })
    caches.forget(server)
    await caches.close()
    expect(await caches.read(server)).toEqual({ era })
    expect(done.filter((each) => each === 'write x.json')).toHaveLength(1)
    expect(done.filter((each) => each === 'read x.json').length).toBeGreaterThan(1)
    const volatile = open({ isStored: false }).caches
    volatile.change(server, { era })
    volatile.forget(server)
    expect(await volatile.read(server)).toEqual({})
  })

  test('close writes what is pending, and a change after it is not lost', async () => {
    const { caches, platform } = open()
    caches.change(server, { era })
    await caches.close()
    caches.change(server, { start })
    await caches.close()
    expect(await open({ platform }).caches.read(server)).toEqual({ era, start })
  })

  test('C33 what is not stored is known to this host, and no file is touched', async () => {
    const { caches, done, clock } = open({ isStored: false })
    caches.change(server, { era }, 'now')
    await clock.advance(10_000)
    await caches.close()
    expect(await caches.read(server)).toEqual({ era })
    expect(done).toEqual([])
  })

  test('a directory that cannot be made costs the cache, not the caller', async () => {
    const platform = createFakePlatform()
    const { files, clock } = platform
    const full: typeof files = {
      ...files,
      makePrivateDirectory: () => Promise.reject(new Error('no space')),
      replace: () => Promise.reject(new Error('no space')),
    }
    const caches = new ServerCaches(
      { directory: '/cache', platform: { files: full, clock } },
      { isStored: () => true },
    )
    caches.change(server, { era }, 'now')
    await caches.close()
    expect(await caches.read(server)).toEqual({ era })
  })
})
