import { describe, expect, test } from 'vitest'
import { httpOf, serverOf, stdioOf } from '../../../test/support/server.ts'
import type { Server } from '../../model/server.ts'
import { parseJsonc } from '../../sources/formats/jsonc.ts'
import { boocode } from '../../sources/clients/boocode/boocode-source.ts'
import { ohMyPi } from '../../sources/clients/oh-my-pi/oh-my-pi.ts'
import { plugboard } from '../../sources/clients/plugboard/plugboard.ts'
import type { Source, World } from '../../sources/source.ts'
import type { ValueRules } from '../../sources/entries/template.ts'
import { checkValues } from './check-values.ts'

const braces: ValueRules = { syntaxes: ['braces'], unset: 'keep' }

const short = (server: Server, rules: ValueRules = braces, env = {}) =>
  checkValues(server, rules, env).map(({ code, severity, origin }) => [severity, code, origin?.pointer])

describe('checkValues: missing variables', () => {
  const env = { TOKEN: '${MISSING_TOKEN}', SET: '${SET}', DEFAULTED: '${X:-y}' }
  const server = serverOf('a', {
    transport: stdioOf('${BIN}', { args: ['--key', '${MISSING_TOKEN}'], env }),
    entry: { command: '${BIN}', args: ['--key', '${MISSING_TOKEN}'], env },
  })

  test('O9 an unset variable is reported at its place, one with a default is not', () => {
    expect(short(server, braces, { SET: '1' })).toEqual([
      ['warn', 'missing-env', '/mcpServers/a/command'],
      ['warn', 'missing-env', '/mcpServers/a/args/1'],
      ['warn', 'missing-env', '/mcpServers/a/env/TOKEN'],
    ])
  })

  test.each([
    ['keep', 'BIN is not set; the text stays as it is.'],
    ['empty', 'BIN is not set; it becomes empty.'],
    ['omit', 'BIN is not set; the value is left out.'],
  ] as const)('C19 the message says what happens to the value: %s', (unset, message) => {
    expect(checkValues(server, { ...braces, unset }, { SET: '1', MISSING_TOKEN: '' })[0]?.message).toBe(
      message,
    )
  })

  test('an entry disabled by its own flag is not checked, one disabled by another file is', () => {
    expect(short({ ...server, enabled: false })).toEqual([])
    expect(short({ ...server, enabled: false }, { ...braces, checkDisabled: true })).toHaveLength(4)
    expect(short({ ...server, enabled: false, disabledBy: '/other.json#/x' })).toHaveLength(4)
  })

  test('T44 inherited object properties do not count as variables', () => {
    const text = '${constructor}${toString}${__proto__}${hasOwnProperty}'
    const found = checkValues(serverOf('a', { transport: stdioOf(text) }), braces, {})
    expect(found.map(({ message }) => message)).toEqual([
      'constructor and toString and __proto__ and hasOwnProperty are not set; the text stays as it is.',
    ])
  })

  test('a value given as the name of a variable needs that variable', () => {
    const transport = httpOf('https://a.example', {
      headers: { 'X-Key': { env: 'KEY' } },
      auth: { type: 'bearer', tokenEnv: 'T' },
    })
    const entry = { env_http_headers: { 'X-Key': 'KEY' }, bearer_token_env_var: 'T' }
    expect(short(serverOf('a', { transport, entry }))).toEqual([
      ['warn', 'missing-env', '/mcpServers/a/env_http_headers/X-Key'],
      ['warn', 'missing-env', '/mcpServers/a/bearer_token_env_var'],
    ])
  })

  test('T43 an entry is indexed once for all of its texts', () => {
    const env = Object.fromEntries(
      Array.from({ length: 4000 }, (_none, index) => [`K${index}`, `\${X${index}}`]),
    )
    let walks = 0
    const ownKeys = (target: Record<string, string>) => {
      walks++
      return Reflect.ownKeys(target)
    }
    const entry = { command: 'a', env: new Proxy(env, { ownKeys }) }
    const found = short(serverOf('a', { transport: stdioOf('a', { env }), entry }))
    expect([found.length, found.at(-1), walks]).toEqual([
      4000,
      ['warn', 'missing-env', '/mcpServers/a/env/K3999'],
      1,
    ])
  })

  test('several missing parts of one login give one diagnostic', () => {
    const auth = { type: 'oauth', clientId: '${ID}', clientSecret: '${SECRET}' }
    const server = serverOf('a', {
      transport: httpOf('https://a.example', { auth }),
      entry: { oauth: { ...auth } },
    })
    expect(checkValues(server, braces, {})).toMatchObject([
      { code: 'missing-env', origin: { pointer: '/mcpServers/a/oauth' }, hint: 'Set ID, SECRET.' },
    ])
  })
})

describe('checkValues: commands, files, inputs and schemes', () => {
  const all: ValueRules = { syntaxes: ['bang', 'opencode', 'input', 'shell', 'alternatives'], unset: 'keep' }
  const withHeader = (value: string, field: 'headers' | 'url' = 'headers') =>
    serverOf('a', {
      transport: field === 'url' ? httpOf(value) : httpOf('https://a.example', { headers: { H: value } }),
      entry: { [field === 'url' ? 'url' : 'headers']: field === 'url' ? value : { H: value } },
    })

  test.each([
    ['!op read x', 'warn runs-command'],
    ['$(op read x)', 'error runs-command'],
    ['{file:~/.token}', 'warn reads-file'],
    ['${input:token}', 'warn needs-input'],
    ['${op://vault/item}', 'warn unresolvable-scheme'],
  ])('%s is reported as %s', (value, expected) => {
    const [severity, code] = expected.split(' ')
    expect(short(withHeader(value), all)).toEqual([[severity, code, '/mcpServers/a/headers/H']])
  })

  test('O12 a "!" is a command only in env and headers', () => {
    expect(short(withHeader('!important', 'url'), all)).toEqual([])
  })

  test('an input that the file declares is not reported', () => {
    const server = { ...withHeader('${input:token}'), inputs: [{ id: 'token' }] }
    expect(short(server, { syntaxes: ['input'], unset: 'keep' })).toEqual([])
  })

  test('a placeholder that the client does not expand is reported if its rules say so', () => {
    const rules: ValueRules = { syntaxes: [], unset: 'keep', literalPlaceholders: 'report' }
    expect(short(withHeader('${A}'), rules)).toEqual([
      ['info', 'no-expansion-in-client', '/mcpServers/a/headers/H'],
    ])
    expect(short(withHeader('costs 5$'), rules)).toEqual([])
  })
})

describe('C19 checkValues by client', () => {
  const world: World = { os: 'linux', home: '/h', cwd: '/p', env: {}, systemRoot: '/', dirs: ['/p'] }
  const codes = (source: Source, role: string) => {
    const entry = { type: 'stdio', command: 'a', env: { A: '${X}', B: '!date', C: 'HOME' } }
    const doc = parseJsonc(JSON.stringify({ mcpServers: { a: entry } }))
    const file = {
      path: '/f',
      scope: 'user',
      authority: 'user',
      role,
      format: 'json',
      root: '/',
      doc,
    } as const
    const { servers } = source.read([file], world)
    return servers
      .flatMap((server) => checkValues(server, source.valuesOf(server, world), {}))
      .map(({ code }) => code)
  }

  test('boocode (literal values): nothing is reported', () => expect(codes(boocode, 'servers')).toEqual([]))
  test('plugboard (templates): variables and commands are reported', () =>
    expect(codes(plugboard, 'servers')).toEqual(['runs-command', 'missing-env']))
  test('omp: variables and commands are reported, a bare name may be a literal', () =>
    expect(codes(ohMyPi, 'native')).toEqual(['runs-command', 'missing-env']))
})
