import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createPerson, pathOf } from '../../../test/support/person.ts'
import type { Person } from '../../../test/support/person.ts'
import { discover } from '../discover.ts'
import { HostError } from '../../model/error.ts'
import type { JsonObject } from '../../model/json.ts'
import { nodePlatform } from '../../platform/node/node-platform.ts'
import { createFakeClock } from '../../testing/fake-clock.ts'
import { requestTrust, trustServer, untrustServer } from './request-trust.ts'

const entry = {
  command: 'node',
  args: ['server.js', '${WORD}'],
  env: { API_KEY: 'literal-key', MODE: 'dev' },
}
const clock = createFakeClock(Date.UTC(2026, 4, 1))

function declare(person: Person, value: JsonObject): void {
  person.files.texts.set(pathOf('.mcp.json'), JSON.stringify({ mcpServers: { a: value } }))
}

async function request(person: Person) {
  const [server] = (await person.discover()).servers
  if (!server) throw new Error('nothing is declared')
  return requestTrust(server, { platform: person.platform })
}

async function stateOf(person: Person) {
  const { trust } = await person.discover()
  return [...trust.values()]
}

describe('T01 T02 requestTrust, trustServer and untrustServer', () => {
  test('requestTrust returns what the entry needs and writes nothing', async () => {
    const person = createPerson({ '.mcp.json': { mcpServers: { a: entry } } }, { clock })
    const before = new Map(person.files.texts)
    expect(await request(person)).toMatchObject({
      state: 'pending',
      shown: {
        kind: 'stdio',
        command: 'node',
        args: ['server.js', '${WORD}'],
        env: { API_KEY: 'lite…', MODE: 'dev' },
      },
      variables: ['WORD'],
      commands: [],
      files: [],
      changes: [],
      key: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    })
    expect(person.files.texts).toEqual(before)
  })

  test('trustServer makes a server trusted, untrustServer makes it pending again', async () => {
    const person = createPerson({ '.mcp.json': { mcpServers: { a: entry } } }, { clock })
    const { platform } = person
    await trustServer(await request(person), { platform })
    expect(await stateOf(person)).toEqual(['trusted'])
    expect((await request(person)).state).toBe('trusted')
    expect(await untrustServer('a', { platform })).toBe(1)
    expect(await stateOf(person)).toEqual(['pending'])
    expect(await untrustServer('a', { platform })).toBe(0)
  })

  test('requestTrust lists the changes since the trusted form, with secrets masked', async () => {
    const person = createPerson({ '.mcp.json': { mcpServers: { a: entry } } }, { clock })
    const { platform } = person
    await trustServer(await request(person), { platform })
    declare(person, {
      ...entry,
      args: ['server.js', '${WORD}', '${AWS_SECRET}'],
      env: { API_KEY: 'other-key', MODE: 'dev' },
    })
    const again = await request(person)
    expect([again.state, again.trustedAt, again.variables]).toEqual([
      'changed',
      '2026-05-01T00:00:00.000Z',
      ['AWS_SECRET', 'WORD'],
    ])
    expect(again.changes.map(({ pointer }) => pointer)).toEqual(['/args/2', '/env/API_KEY'])
    expect(again.changes[0]).toEqual({ pointer: '/args/2', after: '${AWS_SECRET}' })
    expect(JSON.stringify(again.changes)).not.toMatch(/literal-key|other-key/)
    expect(await stateOf(person)).toEqual(['changed'])
  })

  test('restoring the trusted form restores trust', async () => {
    const person = createPerson({ '.mcp.json': { mcpServers: { a: entry } } }, { clock })
    await trustServer(await request(person), { platform: person.platform })
    declare(person, { ...entry, command: 'sh' })
    expect(await stateOf(person)).toEqual(['changed'])
    declare(person, entry)
    expect(await stateOf(person)).toEqual(['trusted'])
  })

  test('T48 trustServer with a hash refuses any other form and stores nothing', async () => {
    const person = createPerson({ '.mcp.json': { mcpServers: { a: entry } } }, { clock })
    const { platform } = person
    const seen = await request(person)
    declare(person, { ...entry, command: 'sh' })
    const now = await request(person)
    const error = await trustServer(now, { platform, hash: seen.hash }).catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(HostError)
    expect(error).toMatchObject({
      code: 'trust.refused',
      data: { server: 'a' },
      message: `"a" is now ${now.hash}, not ${seen.hash}. Different: its entry.`,
    })
    expect(await stateOf(person)).toEqual(['pending'])
    await trustServer(now, { platform, hash: now.hash })
    expect(await stateOf(person)).toEqual(['trusted'])
  })

  test('T48 the hash of earlier versions, which holds for one path on this machine, is accepted too', async () => {
    const person = createPerson({ '.mcp.json': { mcpServers: { a: entry } } }, { clock })
    const { platform } = person
    const seen = await request(person)
    expect(seen.key).not.toBe(seen.hash)
    await trustServer(seen, { platform, hash: seen.key })
    expect(await stateOf(person)).toEqual(['trusted'])
    expect(person.files.texts.get('/home/dana/.local/state/plugboard/trust.json')).toContain(seen.key)
  })

  test('requestTrust and untrustServer take a name or a server', async () => {
    const person = createPerson({ '.mcp.json': { mcpServers: { a: entry } } }, { clock })
    const { platform } = person
    const byName = await requestTrust('a', { platform })
    expect(byName.key).toBe((await request(person)).key)
    await expect(requestTrust('b', { platform })).rejects.toMatchObject({ code: 'server.unknown' })
    await trustServer(byName, { platform })
    expect(await untrustServer(byName.server, { platform })).toBe(1)
    expect(await untrustServer(byName.server, { platform })).toBe(0)
    expect(await stateOf(person)).toEqual(['pending'])
  })

  test('a user server needs no trust', async () => {
    const person = createPerson({ '~/.config/plugboard/mcp.json': { mcpServers: { a: entry } } })
    expect((await request(person)).state).toBe('trusted')
  })

  test('the same entry under another name or in another file is pending', async () => {
    const person = createPerson({ '.mcp.json': { mcpServers: { a: entry } } }, { clock })
    await trustServer(await request(person), { platform: person.platform })
    person.files.texts.set(pathOf('.mcp.json'), JSON.stringify({ mcpServers: { b: entry } }))
    expect(await stateOf(person)).toEqual(['pending'])
    person.files.texts.delete(pathOf('.mcp.json'))
    person.files.texts.set(pathOf('mcp.json'), JSON.stringify({ mcpServers: { a: entry } }))
    expect(await stateOf(person)).toEqual(['pending'])
  })
})

describe.skipIf(process.platform === 'win32')('T02 trust and real paths', () => {
  let root = ''
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'plugboard-swap-'))
    mkdirSync(join(root, 'shop/.git'), { recursive: true })
  })
  afterEach(() => rmSync(root, { recursive: true }))

  const at = (path: string) => join(root, path)
  const write = (path: string, value: object) =>
    writeFileSync(at(path), JSON.stringify({ mcpServers: { a: value } }))
  const platform = (cwd = 'shop') =>
    nodePlatform({ home: at('home'), cwd: at(cwd), env: {}, systemRoot: at('system') })
  const found = (cwd?: string) => discover({ platform: platform(cwd) })
  const states = async (cwd?: string) => [...(await found(cwd)).trust.values()]
  const trust = async () => {
    const [server] = (await found()).servers
    if (!server) throw new Error('nothing is declared')
    await trustServer(await requestTrust(server, { platform: platform() }), { platform: platform() })
  }

  test('moving the repository invalidates trust', async () => {
    write('shop/.mcp.json', entry)
    await trust()
    expect(await states()).toEqual(['trusted'])
    renameSync(at('shop'), at('moved'))
    expect(await states('moved')).toEqual(['pending'])
    renameSync(at('moved'), at('shop'))
    expect(await states()).toEqual(['trusted'])
  })

  test('a link that now points to another file with the same text is pending', async () => {
    write('shop/one.json', entry)
    write('shop/two.json', entry)
    symlinkSync('one.json', at('shop/.mcp.json'))
    await trust()
    expect(await states()).toEqual(['trusted'])
    unlinkSync(at('shop/.mcp.json'))
    symlinkSync('two.json', at('shop/.mcp.json'))
    expect(await states()).toEqual(['pending'])
  })

  test('a project reached through a linked folder keeps its trust', async () => {
    write('shop/.mcp.json', entry)
    await trust()
    symlinkSync('shop', at('alias'))
    expect(await states('alias')).toEqual(['trusted'])
  })
})
