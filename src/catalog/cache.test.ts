import { expect, test } from 'vitest'
import type { Server } from '../model/server.ts'
import { FileError } from '../platform/platform.ts'
import { createFakePlatform } from '../testing/fake-platform.ts'
import { clearCache, readCache, writeCache } from './cache.ts'

const server = (hash: string) => ({ entryHash: `sha256:${hash}` }) as Server // nothing else of it counts here
const era = { is: 'modern', at: '1970-01-01T00:00:00.000Z' } as const
const head = { version: 2, entry: 'sha256:abc', account: '' }

function open(files: Readonly<Record<string, string>> = {}) {
  const platform = createFakePlatform({ files })
  return { platform, place: { directory: '/cache', platform } }
}

test('C29 what was found out is there the next time, for that entry alone', async () => {
  const { platform, place } = open()
  await writeCache(server('abc'), { era }, place)
  expect([await readCache(server('abc'), place), await readCache(server('def'), place)]).toEqual([
    { era },
    {},
  ])
  expect([...platform.files.texts]).toEqual([['/cache/abc.json', `${JSON.stringify({ ...head, era })}\n`]])
  await writeCache(server('abc'), {}, place)
  expect(await readCache(server('abc'), place)).toEqual({})
})

test.each([
  'not json',
  'null',
  '[]',
  '{}',
  JSON.stringify({ ...head, version: 1, era }),
  JSON.stringify(head),
  JSON.stringify({ ...head, era: 'modern' }),
  JSON.stringify({ ...head, era: { ...era, is: 'future' } }),
  JSON.stringify({ ...head, era: { is: 'modern' } }),
  JSON.stringify({ ...head, era: { ...era, at: '2100-01-01T00:00:00.000Z' } }),
  JSON.stringify({ ...head, era, entry: 'sha256:def' }),
  JSON.stringify({ ...head, era, account: 'dana' }),
])('a file that says %s says nothing', async (text) => {
  const { place } = open({ '/cache/abc.json': text })
  expect(await readCache(server('abc'), place)).toEqual({})
})

test('a disk that cannot be written to costs nothing but time', async () => {
  const { platform } = open()
  const refuse = async () => {
    throw new FileError('no-space', 'full')
  }
  const files = { ...platform.files, replace: refuse, makePrivateDirectory: refuse }
  await writeCache(server('abc'), { era }, { directory: '/cache', platform: { ...platform, files } })
  expect([...platform.files.texts]).toEqual([])
})

test('it forgets one server, or all, and nothing that is not its own', async () => {
  const files = { '/cache/a.json': '{}', '/cache/b.json': '{}', '/cache/notes.txt': 'mine' }
  const one = open(files)
  expect(await clearCache(one.place, [server('a'), server('missing')])).toBe(1)
  expect([...one.platform.files.texts.keys()]).toEqual(['/cache/b.json', '/cache/notes.txt'])
  const all = open(files)
  expect(await clearCache(all.place)).toBe(2)
  expect([...all.platform.files.texts.keys()]).toEqual(['/cache/notes.txt'])
  expect(await clearCache(open().place)).toBe(0)
})
