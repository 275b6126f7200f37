import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { httpOf, serverOf, stdioOf } from '../../../test/support/server.ts'
import { Secret } from '../../model/secret.ts'
import type { Transport } from '../../model/server.ts'
import type { ValueRules } from '../../sources/entries/template.ts'
import { nameOf, resolveValues } from './resolve-values.ts'
import type { Lookup } from './resolve-values.ts'

const braces: ValueRules = { syntaxes: ['braces'], unset: 'keep' }
const omp: ValueRules = { syntaxes: ['braces', 'bang', 'env-name'], unset: 'keep', bang: 'shell' }

async function resolve(transport: Transport, rules: ValueRules = braces, lookup: Partial<Lookup> = {}) {
  const found = await resolveValues(serverOf('a', { transport }), rules, {
    env: {},
    home: '/home/dana',
    project: '/home/dana/shop',
    ...lookup,
  })
  return { ...found, names: found.missing.map(({ part }) => nameOf(part)) }
}

describe('T06 resolveValues: single pass', () => {
  test('${A} where A=`${B}` stays literal', async () => {
    const { values, names } = await resolve(stdioOf('a', { args: ['${A}'] }), braces, {
      env: { A: '${B}', B: 'secret' },
    })
    expect([values.args?.map(reveal), names]).toEqual([['${B}'], []])
  })

  test('any value of a variable is passed unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), async (value) => {
        const { values } = await resolve(stdioOf('a', { args: ['<${A}>'] }), braces, { env: { A: value } })
        expect(values.args?.map(reveal)).toEqual([`<${value}>`])
      }),
    )
  })

  test('the output of a command and the text of a file are not expanded', async () => {
    const rules: ValueRules = { syntaxes: ['braces', 'bang', 'opencode'], unset: 'keep' }
    const { values } = await resolve(stdioOf('a', { env: { X: '!cmd', Y: '{file:f}' } }), rules, {
      env: { B: 'b' },
      command: async () => '${B}',
      file: async () => '{file:other}',
    })
    expect([reveal(values.env?.['X']), reveal(values.env?.['Y'])]).toEqual(['${B}', '{file:other}'])
  })

  test('only granted variables are expanded, in every syntax that names one', async () => {
    const env = { A: 'a', B: 'b', C: 'c' }
    const transport = httpOf('https://a.example/${A}', {
      headers: { X: '${B}', Y: { env: 'B' }, Z: 'B', W: 'C' },
    })
    const { values, names } = await resolve(transport, omp, { env, granted: new Set(['C']) })
    expect(values).toEqual({ headers: { W: 'c' } })
    expect(names).toEqual(['A', 'B', 'B'])
  })

  test('only variables that the client can see are expanded', async () => {
    const rules: ValueRules = { ...braces, only: /^COPILOT_MCP_/ }
    const { values } = await resolve(stdioOf('a', { args: ['${HOME}', '${COPILOT_MCP_A}'] }), rules, {
      env: { HOME: '/h', COPILOT_MCP_A: 'x' },
    })
    expect(values.args).toEqual(['${HOME}', 'x'])
  })

  test('T44 inherited object properties do not count as variables', async () => {
    const { values, names } = await resolve(stdioOf('a', { args: ['${constructor}', '${toString}'] }), braces)
    expect([values, names]).toEqual([{}, ['constructor', 'toString']])
  })
})

describe('O9 resolveValues: unset variables', () => {
  const args = ['x${A}y', '${A:-d}', '${B:-d}']

  test.each([
    ['keep', ['x${A}y', 'd', 'd'], ['A']],
    ['empty', ['xy', 'd', 'd'], []],
    ['omit', ['xy', 'd', 'd'], ['A']],
  ] as const)('%s', async (unset, expected, names) => {
    const found = await resolve(stdioOf('a', { args }), { ...braces, unset }, { env: { B: '' } })
    expect([found.values.args, found.names]).toEqual([expected, names])
  })

  test('C19 an empty variable counts as set with emptyCounts', async () => {
    const { values } = await resolve(
      stdioOf('a', { args }),
      { ...braces, emptyCounts: true },
      { env: { B: '' } },
    )
    expect(values.args?.[2]).toBe('')
  })
})

describe('O12 resolveValues: env and headers under omp', () => {
  const env = { HOME_KEY: 'from-env', EMPTY: '' }

  test('a bare name becomes the variable if it is set, otherwise it stays text', async () => {
    const { values, names } = await resolve(stdioOf('a', { env: { A: 'HOME_KEY', B: 'production' } }), omp, {
      env,
    })
    expect([Object.keys(values.env ?? {}), reveal(values.env?.['A']), names]).toEqual([['A'], 'from-env', []])
  })

  test('a bare name in another field stays text', async () => {
    const { values } = await resolve(stdioOf('HOME_KEY', { args: ['HOME_KEY'], cwd: 'HOME_KEY' }), omp, {
      env,
    })
    expect(values).toEqual({})
  })

  test('a leading "!" runs what follows', async () => {
    const ran: string[] = []
    const command = async (line: string) => {
      ran.push(line)
      return 'out'
    }
    const { values } = await resolve(stdioOf('!no', { env: { A: '!op read x' } }), omp, { command })
    expect([ran, reveal(values.env?.['A'])]).toEqual([['op read x'], 'out'])
    expect(values.env?.['A']).toBeInstanceOf(Secret)
    expect(values.command).toBeUndefined()
  })

  test('every part that cannot be resolved is listed as missing', async () => {
    const { values, names } = await resolve(stdioOf('a', { env: { A: '!false', B: '${NONE}' } }), omp)
    expect([values, names]).toEqual([{}, ['!false', 'NONE']])
  })
})

describe('D26 C19 resolveValues: literal dialect', () => {
  test('nothing is expanded, whatever it looks like', async () => {
    const transport = stdioOf('$A', { args: ['${A}'], env: { A: '!date', B: '${A}', C: 'A' }, cwd: '~' })
    const literal: ValueRules = { syntaxes: [], unset: 'keep' }
    expect(await resolve(transport, literal, { env: { A: 'a' } })).toEqual({
      values: {},
      missing: [],
      names: [],
    })
  })
})

describe('T35 resolveValues: secrets are wrapped', () => {
  test.each([
    ['by the name of the header', { Authorization: 'Bearer ${X}' }, { X: 'v' }, 'Bearer v'],
    ['by the name of the variable', { Custom: '${MY_TOKEN}' }, { MY_TOKEN: 'v' }, 'v'],
    [
      'whatever the value looks like',
      { Custom: '${MY_SECRET}' },
      { MY_SECRET: '{"key":"$x"}' },
      '{"key":"$x"}',
    ],
    ['by a password in an address', { Custom: '${DB}' }, { DB: 'pg://u:p@h' }, 'pg://u:p@h'],
  ])('%s', async (_how, headers, env, value) => {
    const { values } = await resolve(httpOf('https://a.example', { headers }), braces, { env })
    const [found] = Object.values(values.headers ?? {})
    expect(found).toBeInstanceOf(Secret)
    expect(reveal(found)).toBe(value)
    expect(JSON.stringify(values)).not.toContain(value)
  })

  test('a value given by variable name is secret by the name of the variable or of the key', async () => {
    const transport = httpOf('https://a.example', {
      headers: { X: { env: 'API_KEY' }, Y: { env: 'PLAIN' } },
      auth: { type: 'bearer', tokenEnv: 'PLAIN' },
    })
    const { values } = await resolve(transport, braces, { env: { API_KEY: 'k', PLAIN: 'p' } })
    expect([values.headers?.['X'], values.auth?.['tokenEnv']]).toEqual([
      expect.any(Secret),
      expect.any(Secret),
    ])
    expect(values.headers?.['Y']).toBe('p')
  })

  test.each(['MYSQL_PWD', 'DB_PASS', 'PGPASS', 'GH_PAT', 'STRIPE_KEY', 'SESSION_ID', 'COMPANY', 'X'])(
    'the value of any variable that does not look harmless: %s',
    async (name) => {
      const transport = stdioOf('${X_}', { args: [`--a=\${${name}}`], env: { A: `\${${name}}` } })
      const { values } = await resolve(transport, braces, { env: { [name]: 'Canary-1 x' } })
      expect(values).toEqual({ args: [expect.any(Secret)], env: { A: expect.any(Secret) } })
      expect(JSON.stringify(values)).not.toContain('Canary')
    },
  )

  test.each(['Cookie', 'X-Auth', 'DB_PASS', 'sessionId'])(
    'a plain word under the secret key %s',
    async (key) => {
      const { values } = await resolve(stdioOf('a', { env: { [key]: '${X}' } }), braces, {
        env: { X: 'hush' },
      })
      expect(values).toEqual({ env: { [key]: expect.any(Secret) } })
    },
  )

  test('everything from a file, a command, a keychain or an input', async () => {
    const syntaxes = ['opencode', 'bang', 'keychain', 'input'] as const
    const env = { A: '{file:f}', B: '!c', C: '${keychain:s/a}', D: '${input:i}' }
    const give = async () => 'dev'
    const lookup = { file: give, command: give, keychain: give, input: give }
    const { values } = await resolve(stdioOf('a', { env }), { syntaxes, unset: 'keep' }, lookup)
    const secret = expect.any(Secret)
    expect(values).toEqual({ env: { A: secret, B: secret, C: secret, D: secret } })
  })

  test('harmless values (ports, paths, locales) are not wrapped', async () => {
    const env = {
      PORT: '80',
      MODE: 'dev',
      HOME: '/home/Dana',
      LC_ALL: 'C.UTF-8',
      PWD: '/p',
      TOOLS_DIR: '/opt/T',
    }
    const args = Object.keys(env).map((name) => `\${${name}}`)
    const { values } = await resolve(stdioOf('a', { args }), braces, { env })
    expect(values).toEqual({ args: Object.values(env) })
  })
})

describe('resolveValues: names of the client and paths', () => {
  test('names of the project, the home and the separator are expanded', async () => {
    const rules: ValueRules = {
      syntaxes: ['editor', 'plugin'],
      unset: 'keep',
      names: { ROOT: '/plug', GONE: undefined },
    }
    const args = [
      '${workspaceFolder}',
      '${workspaceFolderBasename}',
      '${userHome}',
      '${/}',
      '${ROOT}',
      '${GONE}',
    ]
    const { values, names } = await resolve(stdioOf('a', { args }), rules)
    expect(values.args).toEqual(['/home/dana/shop', 'shop', '/home/dana', '/', '/plug', '${GONE}'])
    expect(names).toEqual(['GONE'])
  })

  test('~ and relative folders follow the rules of the client', async () => {
    const rules: ValueRules = { syntaxes: [], unset: 'keep', tilde: true, relativeTo: '/base' }
    expect((await resolve(stdioOf('~/bin/a', { cwd: 'sub' }), rules)).values).toEqual({
      command: '/home/dana/bin/a',
      cwd: '/base/sub',
    })
    expect((await resolve(stdioOf('a', { cwd: '/abs' }), rules)).values).toEqual({})
    expect((await resolve(stdioOf('a', { args: ['~/x'] }), rules)).values).toEqual({})
    expect((await resolve(stdioOf('a', { cwd: '~', envFile: '~/.env' }), rules)).values).toEqual({
      cwd: '/home/dana',
      envFile: '/home/dana/.env',
    })
    const some: ValueRules = { ...rules, tilde: ['args', 'cwd'] }
    const transport = stdioOf('~/a', { args: ['~/x', '~dana'], cwd: '~/c', envFile: '~/.env' })
    expect((await resolve(transport, some)).values).toEqual({
      args: ['/home/dana/x', '~dana'],
      cwd: '/home/dana/c',
    })
  })

  test('only the fields that the client expands are expanded', async () => {
    const rules: ValueRules = { ...braces, fields: ['args'] }
    const { values } = await resolve(stdioOf('${A}', { args: ['${A}'], env: { X: '${A}' } }), rules, {
      env: { A: 'a' },
    })
    expect(values).toEqual({ args: ['a'] })
  })
})

function reveal(value: unknown): unknown {
  return value instanceof Secret ? value.reveal() : value
}
