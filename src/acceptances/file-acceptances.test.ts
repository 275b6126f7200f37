import { describe, expect, test } from 'vitest'
import type { FileStat } from '../platform/platform.ts'
import { createFakePlatform } from '../testing/fake-platform.ts'
import { noAcceptance } from './acceptance.ts'
import type { Acceptance } from './acceptance.ts'
import { createAcceptanceFiles } from './file-acceptances.ts'

const at = '2026-11-17T00:00:00.000Z'
const offer = {
  hash: 'sha256:1',
  definition: { name: 'a', note: 'secret-value' },
  at,
  how: 'first-sight',
} as const
const acceptance: Acceptance = {
  ...noAcceptance,
  instructions: { ...offer, definition: 'Be brief.' },
  tools: new Map([
    ['a', offer],
    ['__proto__', offer],
  ]),
  rejected: [{ kind: 'tool', name: 'b', hash: 'sha256:2', at }],
}
const owner = { key: 'a'.repeat(64), placeKey: 'c'.repeat(64), server: 'a', account: '' }

test('T12 acceptances: what was written is read again, and another account sees nothing of it', async () => {
  const store = createAcceptanceFiles({ directory: '/state/acceptances', platform: createFakePlatform() })
  expect(await store.read(owner)).toEqual({ kind: 'none' })
  await store.change(owner, () => acceptance)
  expect(await store.read(owner)).toEqual({ kind: 'known', acceptance })
  expect(await store.read({ ...owner, account: 'other' })).toEqual({ kind: 'none' })
})

test('T12 acceptances: another entry of the same name and file carries them over, in another place it does not', async () => {
  const store = createAcceptanceFiles({ directory: '/state/acceptances', platform: createFakePlatform() })
  await store.change(owner, () => acceptance)
  const edited = { ...owner, key: 'b'.repeat(64) }
  const carried = await store.read(edited)
  expect(carried.kind === 'known' && [...carried.acceptance.tools.values()].map(({ how }) => how)).toEqual([
    'carried',
    'carried',
  ])
  expect(await store.read({ ...edited, placeKey: 'd'.repeat(64) })).toEqual({ kind: 'none' })
})

test('T12 acceptances: a definition with a secret is kept by its hash alone', async () => {
  const isStorable = (text: string) => !text.includes('secret-value')
  const platform = createFakePlatform()
  const store = createAcceptanceFiles({ directory: '/state/acceptances', platform, isStorable })
  await store.change(owner, () => acceptance)
  const found = await store.read(owner)
  expect(found.kind === 'known' && found.acceptance.tools.get('a')).toEqual({ ...offer, definition: {} })
})

const directory = '/state/acceptances'
const file = `${directory}/${owner.key}.json`
const last = `${directory}/${owner.placeKey}.last.json`

/** A store with an acceptance, whose files and folder have other owners and modes where a test says so. */
async function stored(stats: Readonly<Record<string, Partial<FileStat>>> = {}, more = {}) {
  const platform = createFakePlatform({ uid: 1000, ...more })
  const own = (path: string, stat: FileStat) => ({ ...stat, uid: 1000, ...stats[path] })
  const files = {
    ...platform.files,
    stat: async (path: string) => {
      const stat = await platform.files.stat(path)
      return stat && own(path, stat)
    },
    readText: async (path: string) => {
      const found = await platform.files.readText(path)
      return found.kind === 'text' ? { ...found, stat: own(path, found.stat) } : found
    },
  }
  const store = createAcceptanceFiles({ directory, platform: { ...platform, files } })
  await createAcceptanceFiles({ directory, platform: createOpen(platform) }).change(owner, () => acceptance)
  return { store, texts: platform.files.texts }
}

/** The same files, on a system without owners and modes. */
const createOpen = (platform: ReturnType<typeof createFakePlatform>) => ({
  ...platform,
  os: 'win32' as const,
})

const damaged = (why: string) => ({
  kind: 'damaged',
  problem: {
    code: 'store-damaged',
    severity: 'error',
    message: `What was accepted of this server cannot be read: ${why}. Everything it offers is held.`,
    hint: `Repair ${file}, or remove it to see the server as new.`,
    origin: { file },
  },
})

describe('T12 acceptances that others can write do not count', () => {
  test.each<[string, Record<string, Partial<FileStat>>, string]>([
    [
      'a file that a group can write',
      { [file]: { mode: 0o620 } },
      `${file} can be written by others (mode 620)`,
    ],
    ['a file that all can write', { [file]: { mode: 0o602 } }, `${file} can be written by others (mode 602)`],
    ['a file of another user', { [file]: { uid: 1001 } }, `${file} belongs to another user`],
    [
      'a folder that all can write',
      { [directory]: { mode: 0o707 } },
      `${directory} can be written by others (mode 707)`,
    ],
    ['a folder of another user', { [directory]: { uid: 0 } }, `${directory} belongs to another user`],
  ])('%s', async (_title, stats, why) => {
    const { store, texts } = await stored(stats)
    expect(await store.read(owner)).toEqual(damaged(why))
    const before = texts.get(file)
    await expect(store.change(owner, () => acceptance)).rejects.toMatchObject({
      code: 'store.damaged',
      data: { file },
      hint: `Repair ${file}, or remove it to see the server as new.`,
    })
    expect(texts.get(file)).toBe(before)
  })

  test('files that others can only read count, and so do all where there are no modes or no users', async () => {
    const known = { kind: 'known', acceptance }
    expect(await (await stored({ [file]: { mode: 0o644 } })).store.read(owner)).toEqual(known)
    expect(await (await stored({ [file]: { mode: 0o666 } }, { os: 'win32' })).store.read(owner)).toEqual(
      known,
    )
    expect(await (await stored({ [file]: { uid: 7 } }, { uid: undefined })).store.read(owner)).toEqual(known)
  })
})

describe('T12 acceptances that cannot be read hold everything', () => {
  test('a file that is not as it was written', async () => {
    const { store, texts } = await stored()
    texts.set(file, '{}')
    expect(await store.read(owner)).toEqual(damaged('it is not as it was written'))
  })

  test('a file that cannot be opened', async () => {
    const platform = createFakePlatform()
    const readText = async () => ({ kind: 'problem', problem: 'io', message: 'it is a folder' }) as const
    const files = { ...platform.files, readText }
    const store = createAcceptanceFiles({ directory, platform: { ...platform, files } })
    expect(await store.read(owner)).toEqual(damaged('it is a folder'))
  })

  test('the file of the earlier entry', async () => {
    const { store, texts } = await stored()
    texts.set(file, '{}')
    expect(await store.read({ ...owner, key: 'b'.repeat(64) })).toEqual(
      damaged('it is not as it was written'),
    )
  })
})

describe('T12 the small file that leads to the earlier entry', () => {
  test('has the key of the last entry, and is written when another entry was', async () => {
    const { store, texts } = await stored()
    expect(texts.get(last)).toBe(`{"version":1,"key":"${owner.key}"}\n`)
    await store.change({ ...owner, key: 'b'.repeat(64) }, (before) => before ?? noAcceptance)
    expect(texts.get(last)).toBe(`{"version":1,"key":"${'b'.repeat(64)}"}\n`)
  })

  test('is not written again for the same entry', async () => {
    const { store, texts } = await stored()
    const same = `{ "key": "${owner.key}" }`
    texts.set(last, same)
    await store.change(owner, () => acceptance)
    expect(texts.get(last)).toBe(same)
  })

  test.each(['{', '{}', '"x"', '{"key":7}', '{"key":"../../secret"}'])('%s leads nowhere', async (text) => {
    const { store, texts } = await stored()
    texts.set(last, text)
    expect(await store.read({ ...owner, key: 'b'.repeat(64) })).toEqual({ kind: 'none' })
  })

  test('cannot lead out of the folder', async () => {
    const { store, texts } = await stored()
    texts.set('/secret.json', texts.get(file) ?? '')
    texts.set(last, '{"key":"../../secret"}')
    expect(await store.read({ ...owner, key: 'b'.repeat(64) })).toEqual({ kind: 'none' })
  })

  test('that leads to the entry itself, which is gone, leads nowhere', async () => {
    const { store, texts } = await stored()
    texts.delete(file)
    expect(await store.read(owner)).toEqual({ kind: 'none' })
  })

  test('of another account is another file', async () => {
    const { store, texts } = await stored()
    await store.change({ ...owner, account: 'dana' }, () => noAcceptance)
    const names = [...texts.keys()].map((path) => path.slice(directory.length + 1)).sort()
    expect(names).toEqual([
      expect.stringMatching(/^a{64}\.[\da-f]{16}\.json$/),
      `${owner.key}.json`,
      expect.stringMatching(/^c{64}\.[\da-f]{16}\.last\.json$/),
      `${owner.placeKey}.last.json`,
    ])
  })
})

test('T12 acceptances: a change is made from what is stored, in private files', async () => {
  const platform = createFakePlatform()
  const written: unknown[] = []
  const files: typeof platform.files = {
    ...platform.files,
    replace: async (path, text, options) => {
      written.push([path, options])
      await platform.files.replace(path, text, options)
    },
    makePrivateDirectory: async (path) => void written.push(path),
  }
  const store = createAcceptanceFiles({ directory, platform: { ...platform, files } })
  const seen: unknown[] = []
  const change = (before: Acceptance | undefined) => {
    seen.push(before)
    return acceptance
  }
  expect(await store.change(owner, change)).toBe(acceptance)
  await store.change(owner, change)
  expect(seen).toEqual([undefined, acceptance])
  expect(written.slice(0, 3)).toEqual([directory, [file, { mode: 0o600 }], [last, { mode: 0o600 }]])
})
