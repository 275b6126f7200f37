import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { HostEvent, JsonObject } from '../../src/index.ts'
import { nodePlatform } from '../../src/index.ts'
import { faultyServer, startFaultyHttp } from '../../src/testing.ts'
import { serveMcp } from '../support/remote.ts'
import {
  loadTools,
  ompMachine,
  projectFile,
  run,
  textOf,
  toolOf,
  userFile,
  withServers,
} from './omp-support.ts'
import type { OmpMachine } from './omp-support.ts'

const program = (fields: JsonObject = {}): JsonObject => ({
  ...faultyServer({ tools: [{ name: 'environment', inputSchema: { type: 'object' } }] }),
  ...fields,
})

/** The environment in which the server `x` runs, and the warnings about it. */
async function environmentOf(machine: OmpMachine, options: Parameters<typeof loadTools>[1] = {}) {
  const warned: string[] = []
  const on = (event: HostEvent) => void (event.type === 'server.warned' && warned.push(event.message))
  const loaded = await loadTools(machine, { ...options, on })
  const { env } = JSON.parse(textOf(await run(toolOf(loaded, 'mcp_x_environment')))) as {
    env: Record<string, string>
  } // the answer of the test server
  return { env, warned }
}

const auth = { type: 'oauth', credentialId: 'github' }
const token = 'stored-access-token-1234567890'
const credentials = (id: string) => Promise.resolve(id === 'github' ? token : undefined)

describe('omp: token of a stored login', () => {
  test('O11 becomes the Authorization header of a remote server and replaces the declared one', async () => {
    for (const type of ['http', 'sse']) {
      const server = await serveMcp({ GET: ({ status }) => status(405) })
      const x = { type, url: server.url.href, headers: { authorization: 'Bearer old', 'X-Own': '1' }, auth }
      const warnings: string[] = []
      const on = (event: HostEvent) => void (event.type === 'server.warned' && warnings.push(event.message))
      const { errors } = await loadTools(withServers({ x }), { credentials, on })
      expect([errors, warnings]).toEqual([[], []])
      expect(new Set(server.requests.map(({ headers }) => headers['authorization']))).toEqual(
        new Set([`Bearer ${token}`]),
      )
      expect(server.requests[0]?.headers['x-own']).toBe('1')
    }
  })

  test('O11 a missing credential is a warning, once, and a remote server is tried without it', async () => {
    const server = await serveMcp({ GET: ({ status }) => status(405) })
    const x = { type: 'http', url: server.url.href, auth: { type: 'oauth', credentialId: 'gone' } }
    const warnings: string[] = []
    const on = (event: HostEvent) => void (event.type === 'server.warned' && warnings.push(event.message))
    const { errors } = await loadTools(withServers({ x }), { credentials, on })
    expect([errors, warnings]).toEqual([[], ['There is no credential "gone"; connecting without it.']])
    expect(server.requests.every(({ headers }) => headers['authorization'] === undefined)).toBe(true)
  })

  test('O11 becomes OAUTH_ACCESS_TOKEN of a program, and is redacted in results and events', async () => {
    const events: string[] = []
    const machine = withServers({ x: program({ auth }) })
    const loaded = await loadTools(machine, {
      credentials,
      on: (event) => events.push(JSON.stringify(event)),
    })
    const host = loaded.manager.host
    const result = await run(toolOf(loaded, 'mcp_x_environment'))
    expect(textOf(result)).toContain('"OAUTH_ACCESS_TOKEN":"•••"')
    expect(JSON.stringify(result)).not.toContain(token)
    expect(host?.redact(`it is ${token}`)).toBe('it is •••')
    expect(events.join()).not.toContain(token)
  })

  test.each([
    ['does not exist', credentials],
    ['cannot be read', () => Promise.reject(new Error('the keychain is locked'))],
    ['has no lookup function', undefined],
  ] as const)(
    'O11 a credential that %s is a warning, and a program is started without it',
    async (_title, find) => {
      const { env, warned } = await environmentOf(
        withServers({ x: program({ auth: { type: 'oauth', credentialId: 'gone' } }) }),
        find ? { credentials: find } : {},
      )
      expect(env).not.toHaveProperty('OAUTH_ACCESS_TOKEN')
      expect(warned).toEqual(['There is no credential "gone"; connecting without it.'])
    },
  )
})

describe('omp: values of headers and env', () => {
  test('O12 !command runs once in the shell and is trimmed; a name of a variable is replaced by its value', async () => {
    const machine = ompMachine({}, { MY_NAME: 'mine' })
    const counted = `!echo ran >> ${machine.path('~/runs')}; printf '  two %s \\n' "$((1 + 1))"`
    const values = { A: counted, B: counted, NAME: 'MY_NAME', PLAIN: 'NO_SUCH_NAME' }
    machine.write(userFile, { mcpServers: { x: program({ env: values }) } })
    const { env, warned } = await environmentOf(machine)
    expect(env).toMatchObject({ A: 'two 2', B: 'two 2', NAME: 'mine', PLAIN: 'NO_SUCH_NAME' })
    expect([readFileSync(machine.path('~/runs'), 'utf8'), warned]).toEqual(['ran\n', []])
  })

  test('O12 a header or variable whose command gives no value is left out with a warning', async () => {
    const nothing = { FAILS: '!exit 3', SILENT: '!true', GIVEN: 'given' }
    const { env, warned } = await environmentOf(withServers({ x: program({ env: nothing }) }))
    expect(env).not.toHaveProperty('FAILS')
    expect(env).not.toHaveProperty('SILENT')
    expect(env).toMatchObject({ GIVEN: 'given' })
    expect(warned).toEqual([
      'env.FAILS is left out: !exit 3 gave no value.',
      'env.SILENT is left out: !true gave no value.',
    ])
    const server = await serveMcp()
    const headers = { 'X-Gone': '!false', 'X-Name': 'MY_NAME', 'X-Plain': 'plain' }
    await loadTools(withServers({ r: { type: 'http', url: server.url.href, headers } }, { MY_NAME: 'value' }))
    expect(server.requests[0]?.headers).toMatchObject({ 'x-name': 'value', 'x-plain': 'plain' })
    expect(server.requests[0]?.headers).not.toHaveProperty('x-gone')
  })

  test('O12 C19 a command of the project runs only after the entry is trusted', async () => {
    const machine = ompMachine()
    const x = program({ env: { A: `!touch ${machine.path('~/canary')}; echo value` } })
    machine.write(projectFile, { mcpServers: { x } })
    const { errors } = await loadTools(machine)
    expect([errors.length, machine.has('~/canary')]).toEqual([1, false])
    await loadTools(machine, { trust: 'project' })
    expect(machine.has('~/canary')).toBe(true)
  })
})

describe('omp: type sse', () => {
  const spawn = nodePlatform().spawn

  test('O5 C6 uses HTTP+SSE if the server has it, else Streamable HTTP', async () => {
    for (const mode of ['sse', 'http'] as const) {
      await using server = await startFaultyHttp({ tools: 1, get: false }, { spawn, mode })
      const { connectedServers } = await loadTools(withServers({ x: { type: 'sse', url: server.url.href } }))
      expect([mode, connectedServers]).toEqual([mode, ['x']])
    }
  })
})
