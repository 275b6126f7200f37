import * as fc from 'fast-check'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createPerson, home, pathOf, project } from '../../../test/support/person.ts'
import { hashOf } from '../../model/canonical.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { Authority, Server, TrustState } from '../../model/server.ts'
import { nodePlatform } from '../../platform/node/node-platform.ts'
import { ohMyPi } from '../../sources/clients/oh-my-pi/oh-my-pi.ts'
import type { SourceId } from '../../sources/places.ts'
import { plugboard } from '../../sources/clients/plugboard/plugboard.ts'
import { requestTrust, trustServer } from './request-trust.ts'
import { trustQuestionFor, grantTrust, revokeTrust } from './trust-grants.ts'
import { earlierRecord, needsTrust, readTrust, trustFile, trustKey, trustOf } from './trust-store.ts'
import { createWorld } from '../world.ts'

const linux = process.platform === 'linux'

/** Declares an entry in the project and discovers it. */
async function declare(entry: JsonObject, person = createPerson({})) {
  person.files.texts.set(pathOf('.mcp.json'), JSON.stringify({ mcpServers: { a: entry } }))
  const { servers } = await person.discover()
  const [server] = servers
  if (!server) throw new Error(`not a server: ${JSON.stringify(entry)}`)
  return { person, server }
}

/** A person who trusts a project server with this entry. */
async function trusted(entry: JsonObject) {
  const { person, server } = await declare(entry)
  const world = await createWorld(person.platform)
  const question = await trustQuestionFor(server, plugboard.valuesOf(server, world), person.files)
  await grantTrust(server, question, person.platform)
  return person
}

async function stateOf(server: Server, person: ReturnType<typeof createPerson>): Promise<TrustState> {
  return (await trustOf(server, await readTrust(person.platform), person.files)).state
}

const entry = {
  command: 'node',
  args: ['server.js', '--port', '1'],
  env: { TOKEN: '${TOKEN}', MODE: 'dev' },
  cwd: '/srv',
  timeout: 1000,
  allowedTools: ['read'],
  deniedTools: ['write'],
  enabled: true,
  note: { deep: ['kept', 1, null, true] },
}

describe('T02 trustOf: bound to the exact entry', () => {
  test('the state is trusted for a trusted entry, pending for an unknown one, changed for an edited one', async () => {
    const person = await trusted(entry)
    const states: TrustState[] = []
    for (const each of [entry, { ...entry, command: 'deno' }]) {
      states.push(await stateOf((await declare(each, person)).server, person))
    }
    expect(states).toEqual(['trusted', 'changed'])
    expect(await stateOf((await declare(entry)).server, createPerson({}))).toBe('pending')
  })

  test('a change to any single field invalidates trust', async () => {
    const person = await trusted(entry)
    const paths = leaves(entry).filter(([key]) => key !== 'enabled')
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...paths), fc.constantFrom('change', 'remove'), async (path, how) => {
        const changed = mutate(entry, path, how) as JsonObject // an object stays one
        const { servers } = await withEntry(changed, person)
        for (const server of servers) expect(await stateOf(server, person)).toBe('changed')
      }),
    )
    expect(paths).toHaveLength(14)
  })

  test('an added field invalidates trust', async () => {
    const person = await trusted(entry)
    await fc.assert(
      fc.asyncProperty(
        fc
          .string({ minLength: 1 })
          .filter(
            (key) =>
              !Object.hasOwn(entry, key) && !/^(?:__proto__|constructor|prototype|disabled)$/.test(key),
          ),
        fc.jsonValue(),
        async (key, value) => {
          const { servers } = await withEntry({ ...entry, [key]: value as Json }, person)
          for (const server of servers) expect(await stateOf(server, person)).toBe('changed')
        },
      ),
      { numRuns: 50 },
    )
  })

  test('turning a server on or off keeps trust; an on/off key of a wrong type does not', async () => {
    const { enabled: _on, ...bare } = entry
    const forms: readonly JsonObject[] = [
      bare,
      { ...bare, enabled: true },
      { ...bare, enabled: false },
      { ...bare, disabled: true },
      { ...bare, disabled: false, enabled: true },
    ]
    for (const first of forms) {
      const person = await trusted(first)
      for (const next of forms) {
        expect(await stateOf((await declare(next, person)).server, person)).toBe('trusted')
      }
    }
    const { person, server } = await declare(bare)
    const key = (changed: JsonObject) => {
      const declared = server.declared.map((each) => ({ ...each, entry: changed }))
      return trustKey({ ...server, declared }, person.files)
    }
    expect(await key({ ...bare, enabled: false })).toBe(await key(bare))
    for (const odd of [{ enabled: 'false' }, { disabled: 0 }, { enabled: null }, { Enabled: false }]) {
      expect(await key({ ...bare, ...odd })).not.toBe(await key(bare))
    }
  })

  test('only the on/off key that the client reads is left out of the hash', async () => {
    const places: readonly (readonly [SourceId, string, string])[] = [
      ['opencode', 'opencode.json', 'mcp'],
      ['roo-code', '.roo/mcp.json', 'mcpServers'],
      ['cursor', '.cursor/mcp.json', 'mcpServers'],
    ]
    const kept: Record<string, readonly string[]> = {}
    for (const [source, file, root] of places) {
      const command =
        source === 'opencode' ? { type: 'local', command: ['node'] } : { type: 'stdio', command: 'node' }
      const keyWith = async (flags: JsonObject) => {
        const person = createPerson({ [file]: { [root]: { a: { ...command, ...flags } } } })
        const [server] = (await person.discover({ sources: [source] })).servers
        return server && trustKey(server, person.files)
      }
      const bare = await keyWith({})
      const same = await Promise.all(
        ['enabled', 'disabled'].map(async (key) => ((await keyWith({ [key]: true })) === bare ? [] : [key])),
      )
      kept[source] = same.flat()
    }
    expect(kept).toEqual({
      opencode: ['disabled'],
      'roo-code': ['enabled'],
      cursor: ['enabled', 'disabled'],
    })
  })

  test('a record of an earlier version, whose hash included the switch, is valid for that exact text', async () => {
    const { person, server } = await declare(entry)
    const { source, file, authority } = server.origin
    const entries = [{ source, file, authority, entry }]
    const key = hashOf({ name: 'a', source, entries, inputs: [] })
    await grantTrust(server, { key, variables: [], commands: [], files: [] }, person.platform)
    expect(await stateOf(server, person)).toBe('trusted')
    const off = (await declare({ ...entry, enabled: false }, person)).server
    expect(await stateOf(off, person)).toBe('changed')
  })

  test('the order of keys, white space and comments do not affect trust', async () => {
    const person = await trusted(entry)
    const shuffled = fc
      .shuffledSubarray(Object.keys(entry), { minLength: Object.keys(entry).length })
      .map((keys) => Object.fromEntries(keys.map((key) => [key, entry[key as keyof typeof entry]])))
    await fc.assert(
      fc.asyncProperty(shuffled, fc.constantFrom(undefined, 1, 4, '\t'), async (again, indent) => {
        const text = JSON.stringify({ mcpServers: { a: again } }, null, indent)
        person.files.texts.set(pathOf('.mcp.json'), `// note\n${text}`)
        const { servers, trust } = await person.discover()
        expect(servers.map((server) => trust.get(server))).toEqual(['trusted'])
      }),
      { numRuns: 30 },
    )
  })

  test('another name, file or authority gives another key', async () => {
    const person = await trusted(entry)
    const { server } = await declare(entry, person)
    const as = (origin: Partial<Server['origin']>, name = server.name): Server => ({
      ...server,
      name,
      origin: { ...server.origin, ...origin },
      declared: server.declared.map((declared) => ({
        ...declared,
        origin: { ...declared.origin, ...origin },
      })),
    })
    const keyOf = (each: Server) => trustKey(each, person.files)
    const key = await keyOf(server)
    expect(await keyOf(as({}))).toBe(key)
    expect(await keyOf(as({}, 'b'))).not.toBe(key)
    expect(await keyOf(as({ file: pathOf('mcp.json') }))).not.toBe(key)
    expect(await keyOf(as({ authority: 'explicit' }))).not.toBe(key)
    expect(await stateOf(as({ file: pathOf('mcp.json') }), person)).toBe('pending')
    expect(await stateOf(as({}, 'b'), person)).toBe('pending')
  })

  test('T02 trust for one client does not cover another, where the same text may be a command', async () => {
    const headers = { 'X-A': '!make-header' }
    const person = createPerson({
      '.mcp.json': { mcpServers: { a: { type: 'http', url: 'https://a.example/mcp', headers } } },
    })
    const read = async (source: 'claude-code' | 'oh-my-pi') => {
      const [server] = (await person.discover({ sources: [source] })).servers
      if (!server) throw new Error('nothing is declared')
      return server
    }
    const [plain, shell] = [await read('claude-code'), await read('oh-my-pi')]
    await trustServer(await requestTrust(plain, person), person)
    expect([await stateOf(plain, person), await stateOf(shell, person)]).toEqual(['trusted', 'pending'])
    await trustServer(await requestTrust(shell, person), person)
    expect([await stateOf(plain, person), await stateOf(shell, person)]).toEqual(['trusted', 'trusted'])
  })

  test('T02 a change to the default of an input outside the entry invalidates trust', async () => {
    const withDefault = (preset: string) =>
      JSON.stringify({
        inputs: [{ id: 'pkg', type: 'promptString', default: preset }],
        servers: { a: { command: 'npx', args: ['-y', '${input:pkg}'] } },
      })
    const person = createPerson({ '.vscode/mcp.json': withDefault('good@1.0.0') })
    const read = async () => {
      const [server] = (await person.discover({ sources: ['vscode'] })).servers
      if (!server) throw new Error('nothing is declared')
      return server
    }
    await trustServer(await requestTrust(await read(), person), person)
    expect(await stateOf(await read(), person)).toBe('trusted')
    person.files.texts.set(pathOf('.vscode/mcp.json'), withDefault('evil@6.6.6'))
    expect((await requestTrust(await read(), person)).changes).toEqual([
      { pointer: '/inputs/pkg/default', before: 'good@1.0.0', after: 'evil@6.6.6' },
    ])
    expect(await stateOf(await read(), person)).toBe('changed')
  })

  test('an added layer invalidates trust', async () => {
    const person = await trusted(entry)
    const { server } = await declare(entry, person)
    const [own] = server.declared
    const joined = { ...server, declared: own ? [own, { ...own, entry: { env: { EVIL: '1' } } }] : [] }
    expect(await stateOf(joined, person)).toBe('changed')
  })

  async function withEntry(changed: JsonObject, person: ReturnType<typeof createPerson>) {
    person.files.texts.set(pathOf('.mcp.json'), JSON.stringify({ mcpServers: { a: changed } }))
    return person.discover()
  }
})

describe('D-8 needsTrust: by authority', () => {
  test.each([
    ['managed', false],
    ['user', false],
    ['explicit', false],
    ['project', true],
  ] as const)('%s: %s', async (authority: Authority, needed) => {
    const { server } = await declare(entry)
    const declared = server.declared.map((each) => ({ ...each, origin: { ...each.origin, authority } }))
    expect(needsTrust({ ...server, declared })).toBe(needed)
  })

  test('a single layer from the project makes trust necessary', async () => {
    const { server } = await declare(entry)
    const [own] = server.declared
    if (!own) throw new Error('no declaration')
    const theirs = { ...own, origin: { ...own.origin, authority: 'user' as const } }
    expect(needsTrust({ ...server, declared: [theirs, own] })).toBe(true)
  })
})

describe('trustOf: grants', () => {
  test('T06 exactly the variables in the trusted entry are granted', async () => {
    const person = await trusted(entry)
    const { server } = await declare(entry, person)
    const store = await readTrust(person.platform)
    expect(await trustOf(server, store, person.files)).toEqual({ state: 'trusted', granted: ['TOKEN'] })
    const changed = await declare({ ...entry, env: { A: '${AWS_SECRET_ACCESS_KEY}' } }, person)
    expect(await trustOf(changed.server, store, person.files)).toEqual({ state: 'changed', granted: [] })
    const own = server.declared.map((each) => ({
      ...each,
      origin: { ...each.origin, authority: 'user' as const },
    }))
    expect(await trustOf({ ...server, declared: own }, store, person.files)).toEqual({ state: 'trusted' })
  })

  test('earlierRecord returns the newest record of the same server', async () => {
    const { person, server } = await declare(entry)
    const record = { name: 'a', file: pathOf('.mcp.json'), variables: [], entry: {} }
    const records = new Map([
      ['1', { ...record, at: '2026-01-01T00:00:00.000Z' }],
      ['2', { ...record, at: '2026-03-01T00:00:00.000Z' }],
      ['3', { ...record, at: '2026-02-01T00:00:00.000Z' }],
      ['4', { ...record, at: '2026-04-01T00:00:00.000Z', name: 'b' }],
    ])
    expect(await earlierRecord(server, { file: '/store', records }, person.files)).toEqual(records.get('2'))
  })
})

describe('FI-74 a damaged trust store trusts no project server', () => {
  const record = {
    name: 'a',
    file: pathOf('.mcp.json'),
    at: '2026-01-01T00:00:00.000Z',
    variables: [],
    entry: {},
  }
  const store = '~/.local/state/plugboard/trust.json'

  test.each([
    ['broken JSON', '{ "version": 1', 'it is not valid JSON'],
    ['an empty file', '', 'it is not valid JSON'],
    ['a list', '[]', 'it does not contain trust entries'],
    ['no entries', '{ "version": 1 }', 'it does not contain trust entries'],
    ['a version of the future', '{ "version": 2, "entries": {} }', 'version 2 is not supported'],
    ['no version', '{ "entries": {} }', 'version undefined is not supported'],
    ['half a record', { version: 1, entries: { k: { name: 'a' } } }, 'the entry k is incomplete'],
    [
      'a record of another type',
      { version: 1, entries: { k: { ...record, variables: [1] } } },
      'the entry k is incomplete',
    ],
  ])('%s', async (_what, content, why) => {
    const person = createPerson({ [store]: content, '.mcp.json': { mcpServers: { a: entry } } })
    const found = await person.discover()
    expect([...found.trust.values()]).toEqual(['pending'])
    expect(found.diagnostics.filter(({ code }) => code === 'store-damaged')).toEqual([
      {
        code: 'store-damaged',
        severity: 'error',
        message: `The trust store cannot be used: ${why}. No project server is trusted until it is repaired.`,
        hint: `Repair ${pathOf(store)} or remove it, then trust the servers again.`,
        origin: { file: pathOf(store) },
      },
    ])
  })

  test('granting and revoking are refused, and the file is not overwritten', async () => {
    const person = createPerson({ [store]: 'damaged', '.mcp.json': { mcpServers: { a: entry } } })
    const { servers } = await person.discover()
    const [server] = servers
    if (!server) throw new Error('no server')
    const question = await trustQuestionFor(
      server,
      plugboard.valuesOf(server, await createWorld(person.platform)),
      person.files,
    )
    const refused = { code: 'store.damaged', data: { file: pathOf(store) } }
    await expect(grantTrust(server, question, person.platform)).rejects.toMatchObject(refused)
    await expect(revokeTrust({ name: 'a' }, person.platform)).rejects.toMatchObject(refused)
    expect(person.files.texts.get(pathOf(store))).toBe('damaged')
  })

  test('a missing store has no records and no damage', async () => {
    expect(await readTrust(createPerson({}).platform)).toEqual({ file: pathOf(store), records: new Map() })
  })
})

describe('trustFile: location', () => {
  test('the store is in the state directory', () => {
    expect(trustFile({ env: {}, home })).toBe('/home/dana/.local/state/plugboard/trust.json')
    expect(trustFile({ env: { XDG_STATE_HOME: '/state' }, home })).toBe('/state/plugboard/trust.json')
  })

  test('T01 T54 a store inside the project is neither used nor written: the usual one is', async () => {
    const person = await trusted({ command: 'x' })
    const text = person.files.texts.get(trustFile({ env: {}, home })) ?? ''
    const planted = pathOf('.state/plugboard/trust.json')
    const given = createPerson(
      { '.mcp.json': person.files.texts.get(pathOf('.mcp.json')), [planted]: text },
      { env: { XDG_STATE_HOME: pathOf('.state') } },
    )
    const { servers, trust, diagnostics } = await given.discover()
    expect([...trust.values()]).toEqual(['pending'])
    expect(diagnostics).toMatchObject([{ code: 'directory-in-project', severity: 'warn' }])
    given.files.texts.delete(planted)
    const [server] = servers
    if (!server) throw new Error('no server')
    const { platform } = given
    await trustServer(await requestTrust(server, { platform }), { platform })
    expect(given.files.texts.has(planted)).toBe(false)
    expect(given.files.texts.has(trustFile({ env: {}, home }))).toBe(true)
  })

  test('T01 the default place is accepted even if the project contains it', async () => {
    const cwd = `${home}/.local`
    for (const env of [{}, { XDG_STATE_HOME: `${home}/.local/state` }]) {
      const files = {
        '~/.local/.git/HEAD': '',
        '~/.local/.mcp.json': { mcpServers: { a: { command: 'x' } } },
      }
      const person = createPerson(files, { cwd, env })
      const { platform } = person
      const [server] = (await person.discover()).servers
      if (!server) throw new Error('no server')
      await trustServer(await requestTrust(server, { platform }), { platform })
      expect([...(await person.discover()).trust.values()]).toEqual(['trusted'])
    }
  })

  test.each(['', 'state', './x'])('XDG_STATE_HOME=%j (not absolute) is ignored', (value) => {
    expect(trustFile({ env: { XDG_STATE_HOME: value }, home })).toBe(
      '/home/dana/.local/state/plugboard/trust.json',
    )
  })
})

describe.skipIf(!linux)('T47 readTrust: permissions of the store', () => {
  let root = ''
  let file = ''
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'plugboard-trust-'))
    file = join(root, 'plugboard/trust.json')
    mkdirSync(dirname(file), { mode: 0o700 })
    writeFileSync(file, JSON.stringify({ version: 1, entries: {} }), { mode: 0o600 })
  })
  afterEach(() => rmSync(root, { recursive: true }))

  const platform = (uid = process.getuid?.()) =>
    nodePlatform({
      home: root,
      cwd: project,
      env: { XDG_STATE_HOME: root },
      ...(uid !== undefined && { uid }),
    })
  const damage = async (uid?: number) => (await readTrust(platform(uid))).damage?.message

  test('a store that only its owner can write is used', async () => expect(await damage()).toBeUndefined())

  test.each([
    [0o620, 'file', 'the group may write the file'],
    [0o602, 'file', 'all users may write the file'],
    [0o666, 'file', 'all users may read and write the file'],
    [0o770, 'folder', 'the group may write the folder'],
    [0o777, 'folder', 'all users may write the folder'],
    [0o1777, 'folder', 'all users may write the folder, although it is sticky'],
  ])('mode %o of the %s is refused: %s', async (mode, what) => {
    const path = what === 'file' ? file : dirname(file)
    chmodSync(path, mode)
    expect(await damage()).toBe(
      `The trust store cannot be used: ${path} can be written by others (mode ${mode.toString(8)}). ` +
        'No project server is trusted until it is repaired.',
    )
  })

  test('a link to a file that others may write is refused', async () => {
    const other = join(root, 'other.json')
    writeFileSync(other, JSON.stringify({ version: 1, entries: {} }))
    chmodSync(other, 0o666)
    rmSync(file)
    symlinkSync(other, file)
    expect(await damage()).toContain('can be written by others')
  })

  test('a store that belongs to another user is refused', async () => {
    expect(await damage(statSync(file).uid + 1)).toContain(`${file} belongs to another user`)
  })

  test.skipIf(process.getuid?.() !== 0)('a folder that belongs to another user is refused', async () => {
    chownSync(dirname(file), 12345, 12345)
    expect(await damage()).toContain(`${dirname(file)} belongs to another user`)
  })

  test('a directory in place of the store is reported as damage', async () => {
    rmSync(file)
    mkdirSync(file)
    expect(await damage()).toContain('is not a regular file')
  })

  test('T34 the folder and the store are created with access for their owner only', async () => {
    rmSync(dirname(file), { recursive: true })
    const { server } = await declare(entry)
    const world = await createWorld(platform())
    await grantTrust(
      server,
      await trustQuestionFor(server, ohMyPi.valuesOf(server, world), platform().files),
      platform(),
    )
    expect([statSync(dirname(file)).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600])
    expect(await damage()).toBeUndefined()
  })
})

type Path = readonly (string | number)[]

/** Every place in a value that is not an object or a list itself. */
function leaves(value: Json, path: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  return Object.entries(value).flatMap(([key, item]) =>
    leaves(item, [...path, Array.isArray(value) ? Number(key) : key]),
  )
}

function mutate(value: Json, [key, ...rest]: Path, how: string): Json {
  if (key === undefined) return typeof value === 'string' ? `${value} ` : value === 7 ? 8 : 7
  if (Array.isArray(value)) {
    const items = value as readonly Json[] // Array.isArray does not narrow a readonly union
    if (rest.length === 0 && how === 'remove') return items.filter((_, index) => index !== key)
    return items.map((item, index) => (index === key ? mutate(item, rest, how) : item))
  }
  const object = value as JsonObject // a path leads through objects and lists
  if (rest.length === 0 && how === 'remove') {
    return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key))
  }
  return { ...object, [key]: mutate(object[key] ?? null, rest, how) }
}
