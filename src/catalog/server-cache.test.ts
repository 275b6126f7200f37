import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Server } from '../model/server.ts'
import { version } from '../model/version.ts'
import { FileError } from '../platform/platform.ts'
import { nodePlatform } from '../platform/node/node-platform.ts'
import { createFakeClock } from '../testing/fake-clock.ts'
import { createFakePlatform } from '../testing/fake-platform.ts'
import { clearCache, readCache, updateCache } from './server-cache.ts'
import type { CachedCatalog } from './server-cache.ts'

const mine = { authority: 'user', file: '/home/mcp.json' } as const
// the cache reads no other field
const server = (hash: string, origin: Partial<Server['origin']> = mine) =>
  ({ entryHash: `sha256:${hash}`, origin }) as Server
const at = '2026-01-01T00:00:00.000Z'
const era = { is: 'modern', at } as const
const catalog: CachedCatalog = {
  snapshot: {
    tools: [{ name: 'x', inputSchema: { type: 'object' } }],
    resources: [{ uri: 'file:///a' }],
    resourceTemplates: [],
    prompts: [],
    instructions: 'Be kind.',
    isPlain: true,
    at,
  },
  ttlMs: 60_000,
}

function open(files: Readonly<Record<string, string>> = {}) {
  const clock = createFakeClock(Date.parse('2026-01-02T00:00:00.000Z'))
  const platform = createFakePlatform({ files, clock })
  return { platform, place: { directory: '/cache', platform } }
}

function record(more: object): string {
  return summed({ version: 3, by: version, entry: 'sha256:abc', account: '', ...more })
}

/** The file of a record: its sum covers all that follows it. */
function summed(value: object): string {
  const rest = `${JSON.stringify(value).slice(1)}\n`
  return `{"sum":"${createHash('sha256').update(rest).digest('hex')}",${rest}`
}

describe('server cache', () => {
  test('C29 is read again in the next run, for the same entry only', async () => {
    const { platform, place } = open()
    await updateCache(server('abc'), { era }, place)
    expect(await readCache(server('abc'), place)).toEqual({ era })
    expect(await readCache(server('def'), place)).toEqual({})
    expect([...platform.files.texts]).toEqual([['/cache/abc.json', record({ era })]])
    await updateCache(server('abc'), { era: undefined }, place)
    expect(await readCache(server('abc'), place)).toEqual({})
  })

  test('is separate for two projects with the same entry', async () => {
    const { place } = open()
    const [here, there] = ['/a/.mcp.json', '/b/.mcp.json'].map((file) =>
      server('abc', { authority: 'project', file }),
    ) as [Server, Server] // two go in
    await updateCache(here, { catalog }, place)
    expect(await readCache(here, place)).toEqual({ catalog })
    expect([await readCache(there, place), await readCache(server('abc'), place)]).toEqual([{}, {}])
    expect(await clearCache(place, [there])).toBe(0)
    expect(await clearCache(place, [here])).toBe(1)
  })

  test('is separate for different client capabilities', async () => {
    const { platform, place } = open()
    const asking = { ...place, capabilities: { sampling: {}, elicitation: { form: {}, url: {} } } }
    // The same capabilities in another order of keys.
    const same = { ...place, capabilities: { elicitation: { url: {}, form: {} }, sampling: {} } }
    const others = [place, { ...place, capabilities: { sampling: {} } }, { ...asking, account: 'ann' }]
    await updateCache(server('abc'), { catalog }, asking)
    expect(await readCache(server('abc'), same)).toEqual({ catalog })
    for (const each of others) expect(await readCache(server('abc'), each)).toEqual({})
    await updateCache(server('abc'), { catalog }, { ...place, capabilities: {} })
    expect(platform.files.texts.has('/cache/abc.json')).toBe(true)
    expect([...platform.files.texts.keys()].length).toBe(2)
    expect(await clearCache(place, [server('abc')])).toBe(1)
    expect([...platform.files.texts.keys()]).toEqual([])
  })

  test('a change of one part keeps the others', async () => {
    const { place } = open()
    await updateCache(server('abc'), { catalog }, place)
    await updateCache(server('abc'), { era }, place)
    expect(await readCache(server('abc'), place)).toEqual({ era, catalog })
    await updateCache(server('abc'), { era: undefined }, place)
    expect(await readCache(server('abc'), place)).toEqual({ catalog })
    await updateCache(server('abc'), { era }, place)
    await updateCache(server('abc'), { catalog: undefined }, place)
    expect(await readCache(server('abc'), place)).toEqual({ era })
    const start = { at, reason: 'cut-off', waitedMs: 7 } as const
    await updateCache(server('abc'), { start }, place)
    expect(await readCache(server('abc'), place)).toEqual({ era, start })
  })

  test('is separate for each account', async () => {
    const { platform, place } = open()
    await updateCache(server('abc'), { catalog }, { ...place, account: 'dana@example.com' })
    expect(await readCache(server('abc'), place)).toEqual({})
    expect(await readCache(server('abc'), { ...place, account: 'kim@example.com' })).toEqual({})
    expect(await readCache(server('abc'), { ...place, account: 'dana@example.com' })).toEqual({ catalog })
    expect([...platform.files.texts.keys()].join()).not.toContain('dana')
    await updateCache(server('abc'), { era }, place)
    expect(await clearCache(place, [server('abc')])).toBe(1)
    expect([...platform.files.texts]).toEqual([])
  })

  test('T35 does not store a catalog that contains a secret, but stores the era', async () => {
    const { place } = open()
    const isStorable = (text: string) => !text.includes('hunter2-hunter2')
    const { snapshot } = catalog
    const holding = { ...catalog, snapshot: { ...snapshot, resources: [{ uri: 'file:///hunter2-hunter2' }] } }
    await updateCache(server('abc'), { era }, place)
    await updateCache(server('abc'), { catalog }, { ...place, isStorable })
    expect(await readCache(server('abc'), place)).toEqual({ era, catalog })
    await updateCache(server('abc'), { catalog: holding }, { ...place, isStorable })
    expect(await readCache(server('abc'), place)).toEqual({ era })
  })

  test('does not store a catalog that is too large, but stores the era', async () => {
    const { platform, place } = open()
    const instructions = 'x'.repeat(17 * 1024 * 1024)
    await updateCache(server('abc'), { era }, place)
    await updateCache(
      server('abc'),
      { catalog: { ...catalog, snapshot: { ...catalog.snapshot, instructions } } },
      place,
    )
    expect([...platform.files.texts]).toEqual([['/cache/abc.json', record({ era })]])
  })
})

test.each([
  'not json',
  'null',
  '[]',
  '{}',
  '{"version":1,"era":{"is":"modern","at":"2026-01-01T00:00:00.000Z"}}',
  record({ version: 4, era }),
  record({ entry: 'sha256:def', era }),
  record({ account: 'kim', era }),
  record({ era }).replace('modern', 'legacy'),
  record({ era }).replace(/"sum":"./, '"sum":"x'),
  record({ era }).replace(/"sum":"\w+",/, ''),
  record({ start: { at: '2026-01-02T00:00:01.000Z', reason: 'timed-out', waitedMs: 1 } }),
  record({}),
  record({ era: 'modern' }),
  record({ era: { is: 'future', at } }),
  record({ era: { is: 'modern' } }),
  record({ era: { is: 'modern', at: 'some day' } }),
  record({ era: { is: 'modern', at: '2026-02-01T00:00:00.000Z' } }),
  record({ catalog: [] }),
  record({ start: { at, reason: 'cut-off' } }),
  record({ start: { at, reason: 'tired', waitedMs: 1 } }),
  record({ catalog: { ...catalog, ttlMs: -1 } }),
  record({ catalog: { ...catalog, snapshot: { ...catalog.snapshot, at: '2026-02-01T00:00:00.000Z' } } }),
  record({ catalog: { ...catalog, snapshot: { ...catalog.snapshot, tools: [{ name: 'x' }] } } }),
  record({ catalog: { ...catalog, snapshot: { ...catalog.snapshot, prompts: ['x'] } } }),
  record({ catalog: { ...catalog, snapshot: { ...catalog.snapshot, instructions: 1 } } }),
])('readCache: returns {} for a damaged, foreign or future file: %s', async (text) => {
  const { place } = open({ '/cache/abc.json': text })
  expect(await readCache(server('abc'), place)).toEqual({})
})

test('readCache: lists that another version of Plugboard read have no marks, so that they are read again', async () => {
  const marks = { tools: { mark: 'm', ttlMs: 0 } }
  const marked = { ...catalog, snapshot: { ...catalog.snapshot, marks } }
  const { place } = open({ '/cache/abc.json': record({ catalog: marked }) })
  expect(await readCache(server('abc'), place)).toEqual({ catalog: marked })
  const older = open({ '/cache/abc.json': record({ catalog: marked, by: '0.0.9' }) })
  expect(await readCache(server('abc'), older.place)).toEqual({ catalog })
})

test('server cache: write errors are ignored', async () => {
  const { platform } = open()
  const refuse = async () => {
    throw new FileError('no-space', 'full')
  }
  const files = { ...platform.files, replace: refuse, makePrivateDirectory: refuse }
  await updateCache(server('abc'), { era }, { directory: '/cache', platform: { ...platform, files } })
  expect([...platform.files.texts]).toEqual([])
})

test('clearCache: removes one server or all, and no other files', async () => {
  const files = { '/cache/a.json': '{}', '/cache/b.json': '{}', '/cache/notes.txt': 'mine' }
  const one = open(files)
  expect(await clearCache(one.place, [server('a'), server('missing')])).toBe(1)
  expect([...one.platform.files.texts.keys()]).toEqual(['/cache/b.json', '/cache/notes.txt'])
  const all = open(files)
  expect(await clearCache(all.place)).toBe(2)
  expect([...all.platform.files.texts.keys()]).toEqual(['/cache/notes.txt'])
  expect(await clearCache(open().place)).toBe(0)
})

describe('server cache on a real disk', () => {
  const directory = mkdtempSync(join(tmpdir(), 'plugboard-cache-'))
  const place = { directory: join(directory, 'servers'), platform: nodePlatform() }
  const file = join(place.directory, 'abc.json')
  beforeEach(() => mkdirSync(place.directory, { recursive: true, mode: 0o700 }))
  afterEach(() => rmSync(place.directory, { recursive: true, force: true }))

  test('writes a file that only its owner can read, and leaves no temporary file', async () => {
    await updateCache(server('abc'), { era, catalog }, place)
    expect(await readCache(server('abc'), place)).toEqual({ era, catalog })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readdirSync(place.directory)).toEqual(['abc.json'])
  })

  test('ignores a file that others can write', async () => {
    await updateCache(server('abc'), { catalog }, place)
    chmodSync(file, 0o666)
    expect(await readCache(server('abc'), place)).toEqual({})
  })

  test('ignores a truncated file and replaces it', async () => {
    await updateCache(server('abc'), { catalog }, place)
    writeFileSync(file, readFileSync(file, 'utf8').slice(0, 100), { mode: 0o600 })
    expect(await readCache(server('abc'), place)).toEqual({})
    await updateCache(server('abc'), { era }, place)
    expect(await readCache(server('abc'), place)).toEqual({ era })
  })
})
