import { describe, expect, test } from 'vitest'
import { createPerson, pathOf, problems, shortOf } from '../../test/support/person.ts'
import type { Person } from '../../test/support/person.ts'
import type { DiscoverOptions } from './discover-options.ts'
import { requestTrust, trustServer, untrustServer } from './trust/request-trust.ts'

const user = '~/.config/plugboard/mcp.json'
const one = (command: string, more: object = {}) => ({ mcpServers: { a: { command, ...more } } })

async function trustWaiting(person: Person, name = 'a', options: DiscoverOptions = {}): Promise<void> {
  const { platform } = person
  await trustServer(await requestTrust(name, { ...options, platform }), { platform })
}

async function waiting(person: Person, options: DiscoverOptions = {}): Promise<readonly string[]> {
  const { shadowed } = await person.discover(options)
  return shadowed.map(
    ({ server, by, trust = 'hidden' }) =>
      `${trust} ${server.name} ${shortOf(server.origin.file)} by ${shortOf(by.file)}`,
  )
}

describe('T01 an entry that waits for trust does not switch off a person’s own server', () => {
  test('the person’s server stays in force, and the project’s comes into force once it is trusted', async () => {
    const person = createPerson({ '.mcp.json': one('theirs'), [user]: one('mine') })
    expect(await person.inForce()).toEqual([`a ${user}`])
    expect(await waiting(person)).toEqual([`pending a .mcp.json by ${user}`])
    expect(problems(await person.discover())).toEqual(['info waits-for-trust .mcp.json/mcpServers/a'])
    await trustWaiting(person)
    expect(await person.inForce()).toEqual(['a .mcp.json'])
    expect(await waiting(person)).toEqual([`hidden a ${user} by .mcp.json`])
    person.files.texts.set(pathOf('.mcp.json'), JSON.stringify(one('changed')))
    expect(await person.inForce()).toEqual([`a ${user}`])
    expect(await waiting(person)).toEqual([`changed a .mcp.json by ${user}`])
    expect(await untrustServer('a', { platform: person.platform })).toBe(1)
    expect(await waiting(person)).toEqual([`pending a .mcp.json by ${user}`])
  })

  test('neither does one that is switched off', async () => {
    const person = createPerson({ '.mcp.json': one('theirs', { enabled: false }), [user]: one('mine') })
    const { servers } = await person.discover()
    expect(servers.map(({ enabled, transport }) => [enabled, transport])).toMatchObject([
      [true, { command: 'mine' }],
    ])
  })

  test('a person’s server that is switched off stays off', async () => {
    const person = createPerson({ '.mcp.json': one('theirs'), [user]: one('mine', { enabled: false }) })
    expect((await person.discover()).servers.map(({ enabled }) => enabled)).toEqual([false])
  })

  test('with trust for all, the project’s entry is in force', async () => {
    const person = createPerson({ '.mcp.json': one('theirs'), [user]: one('mine') })
    expect(await person.inForce({ trust: 'project' })).toEqual(['a .mcp.json'])
  })

  test('an entry without another of its name stays in force and waits', async () => {
    const person = createPerson({ '.mcp.json': one('one'), 'mcp.json': one('two') })
    expect(await person.inForce()).toEqual(['a .mcp.json'])
    expect(await waiting(person)).toEqual(['hidden a mcp.json by .mcp.json'])
  })

  test('a trusted entry further up is not switched off by a nearer one either', async () => {
    const root = createPerson({ 'mcp.json': one('root') })
    await trustWaiting(root)
    root.files.texts.set(pathOf('.mcp.json'), JSON.stringify(one('near')))
    root.files.texts.set(pathOf(user), JSON.stringify(one('mine')))
    expect(await root.inForce()).toEqual(['a mcp.json'])
    expect(await waiting(root)).toEqual(['pending a .mcp.json by mcp.json', `hidden a ${user} by mcp.json`])
  })

  test('a server of another client stays in force too', async () => {
    const person = createPerson({
      '.mcp.json': one('theirs'),
      '~/.cursor/mcp.json': one('mine'),
      '~/.config/plugboard/settings.json': { sources: ['cursor'] },
    })
    expect(await person.inForce()).toEqual(['a ~/.cursor/mcp.json'])
  })

  test('a layer of the project that waits is left out of a client’s merged server', async () => {
    const person = createPerson({
      '.codex/config.toml': '[mcp_servers.a]\nargs = ["--theirs"]\n',
      '~/.codex/config.toml': '[mcp_servers.a]\ncommand = "mine"\n',
    })
    const options = { sources: ['codex'] } as const
    const transports = async () => (await person.discover(options)).servers.map(({ transport }) => transport)
    expect(await transports()).toMatchObject([{ command: 'mine', args: [] }])
    expect(await waiting(person, options)).toHaveLength(1)
    await trustWaiting(person, 'a', options)
    expect(await transports()).toMatchObject([{ command: 'mine', args: ['--theirs'] }])
  })

  test('O1 D10 omp and Dispatch keep their documented order', async () => {
    const omp = createPerson({ '.omp/mcp.json': one('theirs'), '~/.omp/agent/mcp.json': one('mine') })
    expect(await omp.inForce({ preset: 'omp' })).toEqual(['a .omp/mcp.json'])
    const dispatch = createPerson({
      '.dispatch/mcp.json': { servers: { a: { command: 'theirs' } } },
      'opencode.json': { mcp: { a: { command: 'other' } } },
    })
    expect(await dispatch.inForce({ preset: 'dispatch' })).toEqual(['a .dispatch/mcp.json'])
  })
})
