import { describe, expect, test } from 'vitest'
import { createPerson, pathOf } from '../../../test/support/person.ts'
import type { Person } from '../../../test/support/person.ts'
import type { DiscoverOptions } from '../discover-options.ts'
import { Secret } from '../../model/secret.ts'
import { resolveServer } from './server-resolver.ts'
import { requestTrust, trustServer } from '../trust/request-trust.ts'

const entry = { command: 'orders-mcp', args: ['${REGION}'] }
const declaring = (mcpServers: object, path = '.mcp.json') =>
  createPerson({ [path]: { mcpServers } }, { env: { REGION: 'eu', PATH: '/bin' } })

async function only(person: Person, options: DiscoverOptions = {}) {
  const [server] = (await person.discover(options)).servers
  if (!server) throw new Error('nothing is declared')
  return server
}

/** The resolved arguments with secrets revealed. */
async function argsOf(...[server, options]: Parameters<typeof resolveServer>) {
  const { transport } = await resolveServer(server, options)
  const args: readonly unknown[] = transport.kind === 'stdio' ? transport.args : []
  return args.map((arg) => (arg instanceof Secret ? arg.reveal() : arg))
}

describe('T01 T06 resolveServer: trust', () => {
  test('a user server gets the variables it names', async () => {
    const person = declaring({ a: entry }, '~/.config/plugboard/mcp.json')
    expect(await argsOf(await only(person), person)).toEqual(['eu'])
  })

  test('a project server is refused until it is trusted, even if discovered with trust: "project"', async () => {
    const person = declaring({ a: entry })
    const found = await only(person, { trust: 'project' })
    await expect(resolveServer(found, person)).rejects.toMatchObject({ code: 'trust.refused' })
    await trustServer(await requestTrust(found, person), person)
    expect(await argsOf(found, person)).toEqual(['eu'])
  })

  test('an entry that changed since it was trusted is refused', async () => {
    const person = declaring({ a: entry })
    await trustServer(await requestTrust(await only(person), person), person)
    person.files.texts.set(
      pathOf('.mcp.json'),
      JSON.stringify({ mcpServers: { a: { ...entry, command: 'other' } } }),
    )
    await expect(resolveServer(await only(person), person)).rejects.toMatchObject({
      code: 'trust.refused',
      message: '"a" has changed since it was trusted.',
    })
  })

  test('FI-74 a damaged trust store is an error, unless the server needs no stored trust', async () => {
    const store = '/home/dana/.local/state/plugboard/trust.json'
    const person = declaring({ a: entry })
    person.files.texts.set(store, '{ "version": 1, ')
    await expect(resolveServer(await only(person), person)).rejects.toMatchObject({
      code: 'store.damaged',
      data: { file: store },
      message: expect.stringContaining('it is not valid JSON'),
      hint: `Repair ${store} or remove it, then trust the servers again.`,
    })
    expect(await argsOf(await only(person), { ...person, trust: 'project' })).toEqual(['eu'])
    const own = declaring({ a: entry }, '~/.config/plugboard/mcp.json')
    own.files.texts.set(store, '')
    expect(await argsOf(await only(own), own)).toEqual(['eu'])
  })

  test('trust: "project" grants what the entry asks for and stores nothing', async () => {
    const person = declaring({ a: entry })
    const before = new Map(person.files.texts)
    expect(await argsOf(await only(person), { ...person, trust: 'project' })).toEqual(['eu'])
    expect(person.files.texts).toEqual(before)
  })

  test('T01 no input is requested before the server is trusted', async () => {
    const asks = { command: 'orders-mcp', args: ['${input:region}'] }
    const person = declaring({ a: asks })
    const asked: string[] = []
    const answers = async (_server: unknown, { id }: { readonly id: string }) => {
      asked.push(id)
      return 'eu'
    }
    const found = await only(person)
    await expect(resolveServer(found, { ...person, answers })).rejects.toMatchObject({
      code: 'trust.refused',
    })
    expect(asked).toEqual([])
    expect(await argsOf(found, { ...person, answers, trust: 'project' })).toEqual(['eu'])
    expect(asked).toEqual(['region'])
  })

  test('T02 an answer overrides the trusted default of an input, and a changed default is refused', async () => {
    const file = (preset: string) =>
      JSON.stringify({
        inputs: [{ id: 'pkg', type: 'promptString', default: preset }],
        servers: { a: { command: 'npx', args: ['-y', '${input:pkg}'] } },
      })
    const person = createPerson({ '.vscode/mcp.json': file('good@1.0.0') })
    const found = () => only(person, { sources: ['vscode'] })
    const last = async (answers = {}) => (await argsOf(await found(), { ...person, answers })).at(-1)
    await trustServer(await requestTrust(await found(), person), person)
    expect([await last(), await last({ pkg: 'mine@2.0.0' })]).toEqual(['good@1.0.0', 'mine@2.0.0'])
    person.files.texts.set(pathOf('.vscode/mcp.json'), file('evil@6.6.6'))
    await expect(last()).rejects.toMatchObject({ code: 'trust.refused' })
  })
})
