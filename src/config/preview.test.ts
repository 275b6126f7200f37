import { describe, expect, test } from 'vitest'
import { createPerson, pathOf } from '../../test/support/person.ts'
import { httpOf, serverOf, stdioOf } from '../../test/support/server.ts'
import { Secret } from '../model/secret.ts'
import type { Server, Transport } from '../model/server.ts'
import { plugboard } from '../sources/plugboard.ts'
import { requestTrust, trustServer } from '../trust.ts'
import { previewValues, resolveEnvFile } from './preview.ts'
import { createWorld } from './world.ts'

const env = { PORT: '80', TOKEN: 'canary-secret', DIR: 'conf' }
const world = await createWorld(createPerson({}, { env }).platform)
const preview = (transport: Transport, fields: Partial<Server> = {}, granted?: readonly string[]) => {
  const { origin: _origin, transport: _transport, ...rest } = fields
  return previewValues(serverOf('a', { ...rest, transport }), plugboard, world, granted)
}

describe('T06 how values would come out', () => {
  test('what changes, with secrets as dots', async () => {
    const values = await preview(
      httpOf('http://localhost:${PORT}', { headers: { Authorization: 'Bearer ${TOKEN}' } }),
    )
    expect(values).toEqual({ url: 'http://localhost:80', headers: { Authorization: expect.any(Secret) } })
    expect(JSON.stringify(values)).not.toContain('canary-secret')
  })

  test('nothing, where nothing changes', async () => {
    expect(await preview(stdioOf('x', { args: ['y'] }))).toBeUndefined()
  })

  test.each([
    ['a variable that is unset', stdioOf('x', { args: ['${PORT}', '${NONE}'] })],
    ['a command', stdioOf('x', { args: ['${PORT}'], env: { A: '!date' } })],
    ['a file', stdioOf('x', { args: ['${PORT}', '{file:/etc/passwd}'] })],
    ['an input', stdioOf('x', { args: ['${PORT}', '${input:id}'] })],
    ['a keychain', stdioOf('x', { args: ['${PORT}', '${keychain:a/b}'] })],
  ])('%s is out of reach, so there is no preview', async (_what, transport) => {
    expect(await preview(transport)).toBeUndefined()
  })

  test('a server that is off has none', async () => {
    expect(await preview(stdioOf('x', { args: ['${PORT}'] }), { enabled: false })).toBeUndefined()
  })

  test('only what a person granted is expanded', async () => {
    const transport = stdioOf('x', { args: ['${PORT}'] })
    expect(await preview(transport, {}, ['PORT'])).toEqual({ args: ['80'] })
    expect(await preview(transport, {}, ['TOKEN'])).toBeUndefined()
    expect(await preview(transport, {}, [])).toBeUndefined()
  })

  test('a trusted project server is previewed with what its yes granted', async () => {
    const text = JSON.stringify({ mcpServers: { a: { command: 'x', args: ['${PORT}'] } } })
    const person = createPerson({ '.mcp.json': text }, { env })
    expect((await person.discover({ preview: true })).resolved).toEqual(new Map())
    const [server] = (await person.discover()).servers
    if (!server) throw new Error('no server')
    const { platform } = person
    await trustServer(await requestTrust(server, { platform }), { platform })
    const found = await person.discover({ preview: true })
    expect([...(found.resolved ?? [])].map(([each, values]) => [each.name, values])).toEqual([
      ['a', { args: ['80'] }],
    ])
  })
})

describe('where an envFile is', () => {
  const find = (envFile: string, args: readonly string[] = [], granted?: readonly string[]) =>
    resolveEnvFile(serverOf('a', { transport: stdioOf('x', { envFile, args }) }), plugboard, world, granted)

  test('in the project, unless it says otherwise', async () => {
    expect(await find('.env')).toBe(pathOf('.env'))
    expect(await find('${DIR}/.env')).toBe(pathOf('conf/.env'))
    expect(await find('/srv/.env')).toBe('/srv/.env')
  })

  test('unknown while another value is, or where it was not granted, or is a secret itself', async () => {
    expect(await find('.env', ['${NONE}'])).toBeUndefined()
    expect(await find('${DIR}/.env', [], [])).toBeUndefined()
    expect(await find('/srv/${TOKEN}')).toBeUndefined()
  })

  test('nowhere for a remote server', async () => {
    const server = serverOf('a', { transport: httpOf('https://a.example') })
    expect(await resolveEnvFile(server, plugboard, world)).toBeUndefined()
  })
})
