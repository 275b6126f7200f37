import { describe, expect, test } from 'vitest'
import { httpOf, serverOf, stdioOf } from '../../../test/support/server.ts'
import { Redactor } from '../../model/secrets/redactor.ts'
import { Secret } from '../../model/secret.ts'
import type { Transport } from '../../model/server.ts'
import { memoryFiles } from '../../testing/memory-files.ts'
import { plugboard } from '../../sources/clients/plugboard/plugboard.ts'
import { createResolveContext } from './resolve-context.ts'
import { resolveValues } from './resolve-values.ts'
import { toTransport } from './to-transport.ts'

async function transportOf(
  transport: Transport,
  env: Readonly<Record<string, string>>,
  redactor = new Redactor(),
) {
  const world = { os: 'linux', home: '/h', cwd: '/p', env, systemRoot: '/', dirs: ['/p'] } as const
  const server = serverOf('a', { transport })
  const run = () => Promise.reject(new Error('nothing runs here'))
  const platform = { files: memoryFiles({}), run }
  const context = createResolveContext(server, {
    source: plugboard,
    world,
    platform,
    trust: 'trusted',
    redactor,
  })
  const lookup = { env, home: '/h', project: '/p' }
  const { values } = await resolveValues(server, plugboard.valuesOf(server, world), lookup)
  return toTransport(server, { values, isOmitted: () => false, fromFile: {} }, context)
}

describe('T44 toTransport: inherited object properties are ordinary names', () => {
  const own = { toString: 'a', valueOf: 'b', hasOwnProperty: '${MODE}', other: '${MODE}' }
  const expected = { toString: 'a', valueOf: 'b', hasOwnProperty: 'dev', other: 'dev' }

  test('in the environment of a child', async () => {
    const { env } = await transportOf(stdioOf('x', { env: own }), { MODE: 'dev' })
    expect(Object.entries(env ?? {})).toEqual(Object.entries(expected))
  })

  test('in headers', async () => {
    const found = await transportOf(httpOf('https://a.example', { headers: own }), { MODE: 'dev' })
    expect(found.kind === 'stdio' ? [] : Object.entries(found.headers)).toEqual(Object.entries(expected))
  })

  test('in the variables that a child inherits', async () => {
    const inherited = Object.fromEntries([
      ['__proto__', 'x'],
      ['toString', 'y'],
    ])
    const { env } = await transportOf(
      stdioOf('x', { passEnv: ['__proto__', 'toString', 'valueOf'] }),
      inherited,
    )
    expect(Object.entries(env ?? {})).toEqual([
      ['__proto__', 'x'],
      ['toString', 'y'],
    ])
  })
})

test('T35 toTransport: inherited variables are wrapped and registered unless plainly harmless', async () => {
  const redactor = new Redactor()
  const env = { HOME: '/home/Dana', COMPANY: 'Canary-12', MODE: 'dev' }
  const found = await transportOf(stdioOf('x', { passEnv: ['COMPANY', 'MODE'] }), env, redactor)
  expect(found.env).toEqual({ HOME: '/home/Dana', COMPANY: expect.any(Secret), MODE: 'dev' })
  expect(redactor.redact('it says Canary-12')).toBe('it says •••')
})

test('toTransport: a socket address becomes a socket path and a request URL', async () => {
  const addressOf = async (url: string) => {
    const found = await transportOf(httpOf(url), { RUN: '/run/user/1000' })
    return found.kind === 'stdio' ? undefined : [found.socketPath, found.url]
  }
  expect(await addressOf('unix:///tmp/mcp.sock#/mcp?x=1')).toEqual([
    '/tmp/mcp.sock',
    'http://localhost/mcp?x=1',
  ])
  expect(await addressOf('unix:///tmp/mcp.sock')).toEqual(['/tmp/mcp.sock', 'http://localhost/'])
  expect(await addressOf('pipe:///pipe/mcp#a')).toEqual(['/pipe/mcp', 'http://localhost/a'])
  expect(await addressOf('unix://${RUN}/s#/mcp')).toEqual(['/run/user/1000/s', expect.any(Secret)])
  expect(await addressOf('https://a.example/mcp')).toEqual([undefined, 'https://a.example/mcp'])
})
