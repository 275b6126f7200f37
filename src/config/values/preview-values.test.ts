import { describe, expect, test } from 'vitest'
import { createPerson, pathOf } from '../../../test/support/person.ts'
import { httpOf, serverOf, stdioOf } from '../../../test/support/server.ts'
import { Secret } from '../../model/secret.ts'
import type { Server, Transport } from '../../model/server.ts'
import { codex } from '../../sources/clients/codex/codex.ts'
import { plugboard } from '../../sources/clients/plugboard/plugboard.ts'
import { requestTrust, trustServer } from '../trust/request-trust.ts'
import { previewValues, resolveEnvFile } from './preview-values.ts'
import { createWorld } from '../world.ts'

const env = { PORT: '80', TOKEN: 'canary-secret', DIR: 'conf' }
const world = await createWorld(createPerson({}, { env }).platform)
const preview = (transport: Transport, fields: Partial<Server> = {}, granted?: readonly string[]) => {
  const { origin: _origin, transport: _transport, ...rest } = fields
  return previewValues(serverOf('a', { ...rest, transport }), plugboard, world, granted)
}

describe('T06 previewValues', () => {
  test('returns the values that change, with secrets wrapped', async () => {
    const values = await preview(
      httpOf('http://localhost:${PORT}', { headers: { Authorization: 'Bearer ${TOKEN}' } }),
    )
    expect(values).toEqual({ url: 'http://localhost:80', headers: { Authorization: expect.any(Secret) } })
    expect(JSON.stringify(values)).not.toContain('canary-secret')
  })

  test('returns undefined if no value changes', async () => {
    expect(await preview(stdioOf('x', { args: ['y'] }))).toBeUndefined()
  })

  test.each([
    ['an unset variable', 'a-${PORT}-${NONE}', '${NONE} is not set'],
    ['two unset variables', '${NO} ${NONE}', '${NO} is not set, ${NONE} is not set'],
    ['a command', '!date', '!date is run only at start'],
    ['a command with a secret', '!get --token hush', '!get --token ••• is run only at start'],
    ['a file', '{file:/etc/passwd}', '{file:/etc/passwd} is looked up only at start'],
    ['an input', '${input:id}', '${input:id} needs an answer from a person'],
    ['a keychain', '${keychain:a/b}', '${keychain:a/b} is looked up only at start'],
  ])('lists %s as unresolved and still returns the other values', async (_what, value, reason) => {
    const transport = stdioOf('x', { args: ['${PORT}', '${NONE}'], env: { A: value, B: '${DIR}' } })
    expect(await preview(transport)).toEqual({
      args: ['80', '${NONE}'],
      env: { B: 'conf' },
      unresolved: { 'args.1': '${NONE} is not set', 'env.A': reason },
    })
  })

  test('shows tokenEnv as the bearer header that is sent, or names the unset variable', async () => {
    const of = (tokenEnv: string) =>
      previewValues(
        serverOf('a', { transport: httpOf('https://a', { auth: { type: 'bearer', tokenEnv } }) }),
        codex,
        world,
      )
    expect(await of('TOKEN')).toEqual({ login: { Authorization: 'Bearer ••• (from ${TOKEN})' } })
    expect(await of('NONE')).toEqual({ unresolved: { Authorization: '${NONE} is not set' } })
  })

  test('wraps a header read from a variable, or names the unset variable', async () => {
    const transport = httpOf('https://a', { headers: { 'X-Key': { env: 'TOKEN' }, 'X-B': { env: 'NONE' } } })
    expect(await previewValues(serverOf('a', { transport }), codex, world)).toEqual({
      headers: { 'X-Key': expect.any(Secret) },
      unresolved: { 'headers.X-B': '${NONE} is not set' },
    })
  })

  test('returns undefined for a disabled server', async () => {
    expect(await preview(stdioOf('x', { args: ['${PORT}'] }), { enabled: false })).toBeUndefined()
  })

  test('expands only variables that a person granted', async () => {
    const transport = stdioOf('x', { args: ['${PORT}'] })
    expect(await preview(transport, {}, ['PORT'])).toEqual({ args: ['80'] })
    const refused = { unresolved: { 'args.0': '${PORT} is not granted' } }
    expect(await preview(transport, {}, ['TOKEN'])).toEqual(refused)
    expect(await preview(transport, {}, [])).toEqual(refused)
  })

  test('uses the variables granted to a trusted project server', async () => {
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

describe('resolveEnvFile', () => {
  const find = (envFile: string, args: readonly string[] = [], granted?: readonly string[]) =>
    resolveEnvFile(serverOf('a', { transport: stdioOf('x', { envFile, args }) }), plugboard, world, granted)

  test('resolves relative paths against the project', async () => {
    expect(await find('.env')).toBe(pathOf('.env'))
    expect(await find('${DIR}/.env')).toBe(pathOf('conf/.env'))
    expect(await find('/srv/.env')).toBe('/srv/.env')
    expect(await find('~/.env')).toBe(pathOf('~/.env'))
  })

  test('returns undefined if a value is missing or not granted, or the path is a secret', async () => {
    expect(await find('.env', ['${NONE}'])).toBeUndefined()
    expect(await find('${DIR}/.env', [], [])).toBeUndefined()
    expect(await find('/srv/${TOKEN}')).toBeUndefined()
  })

  test('returns undefined for a remote server', async () => {
    const server = serverOf('a', { transport: httpOf('https://a.example') })
    expect(await resolveEnvFile(server, plugboard, world)).toBeUndefined()
  })
})
