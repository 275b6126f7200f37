import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../model/json.ts'
import { Entry } from './raw-entry.ts'
import { parseJsonc } from '../formats/jsonc.ts'
import { ohMyPi } from '../clients/oh-my-pi/oh-my-pi.ts'
import { plugboard } from '../clients/plugboard/plugboard.ts'
import { Report } from '../source.ts'
import type { OpenFile, Source, World } from '../source.ts'

const world: World = {
  os: 'linux',
  home: '/home/dana',
  cwd: '/home/dana/shop',
  env: {},
  systemRoot: '/',
  dirs: ['/home/dana/shop'],
}

function open(value: unknown, role = 'servers'): OpenFile {
  return {
    path: '/home/dana/.config/plugboard/mcp.json',
    scope: 'user',
    authority: 'user',
    role,
    format: 'json',
    root: '/home/dana',
    doc: parseJsonc(JSON.stringify(value)),
  }
}

/** Reads entries as a file of a source. */
function read(entries: object, source: Source = plugboard, options: Partial<World> = {}) {
  const file = open({ mcpServers: entries }, source.id === 'oh-my-pi' ? 'native' : 'servers')
  const { servers, diagnostics } = source.read([file], { ...world, ...options })
  return {
    servers: Object.fromEntries(servers.map((server) => [server.name, server])),
    problems: diagnostics
      .map(({ code, severity, origin }) => `${severity} ${code} ${origin?.pointer ?? ''}`)
      .sort(),
    diagnostics,
  }
}

describe('Entry', () => {
  function entryOf(value: JsonObject) {
    const report = new Report()
    const entry = new Entry('a', ['mcpServers', 'a'], value, open({ mcpServers: { a: value } }), report)
    const problems = () =>
      report.diagnostics.map(({ code, severity, origin }) => [severity, code, origin?.pointer])
    return { entry, problems }
  }

  test('a value of the right type is returned, one of another type is reported with its pointer', () => {
    const { entry, problems } = entryOf({ s: 'x', n: 1, b: true, o: { k: 1 }, l: ['a'], z: null })
    expect([entry.string('s'), entry.number('n'), entry.boolean('b'), entry.strings('l')]).toEqual([
      'x',
      1,
      true,
      ['a'],
    ])
    expect(entry.object('o')).toMatchObject({ k: 1 })
    expect([entry.string('z'), entry.has('z'), entry.has('absent')]).toEqual([undefined, false, false])
    expect([entry.string('n'), entry.number('s'), entry.boolean('l'), entry.object('l')]).toEqual(
      Array(4).fill(undefined),
    )
    expect(problems()).toEqual([
      ['warn', 'wrong-type', '/mcpServers/a/n'],
      ['warn', 'wrong-type', '/mcpServers/a/s'],
      ['warn', 'wrong-type', '/mcpServers/a/l'],
      ['warn', 'wrong-type', '/mcpServers/a/l'],
    ])
    expect(entry.refused).toBe(false)
  })

  test('an error refuses the entry', () => {
    const { entry, problems } = entryOf({ command: 7 })
    expect(entry.string('command', 'error')).toBeUndefined()
    expect([entry.refused, problems()]).toEqual([true, [['error', 'wrong-type', '/mcpServers/a/command']]])
  })

  test('strings: numbers are converted with a warning, a list with objects is unusable', () => {
    const { entry, problems } = entryOf({ a: [1, true, 'x'], b: [{}], c: 'x' })
    expect([entry.strings('a'), entry.strings('b'), entry.strings('c')]).toEqual([
      ['1', 'true', 'x'],
      undefined,
      undefined,
    ])
    expect(problems().map(([severity, code]) => `${severity} ${code}`)).toEqual(
      Array(3).fill('warn wrong-type'),
    )
  })

  test('unreadKeys: lists the keys that were not read', () => {
    const { entry } = entryOf({ a: 1, b: 2, c: 3 })
    entry.get('a')
    entry.firstOf(['x', 'b'])
    expect(entry.unreadKeys()).toEqual(['c'])
  })

  test('T44 properties of Object.prototype are not keys of an entry', () => {
    const { entry } = entryOf({})
    expect(['constructor', 'toString', '__proto__', 'hasOwnProperty'].map((key) => entry.get(key))).toEqual(
      Array(4).fill(undefined),
    )
  })
})

describe('C3 enabled and disabled', () => {
  test.each([
    [{}, true, []],
    [{ enabled: true }, true, []],
    [{ enabled: false }, false, []],
    [{ disabled: true }, false, []],
    [{ disabled: false }, true, []],
    [{ enabled: true, disabled: false }, true, []],
    [{ enabled: false, disabled: true }, false, []],
    [{ enabled: true, disabled: true }, false, ['warn flag-conflict /mcpServers/a']],
    [{ enabled: false, disabled: false }, false, ['warn flag-conflict /mcpServers/a']],
    [{ enabled: 'no' }, undefined, ['error wrong-type /mcpServers/a/enabled']],
  ])('%o gives enabled: %s', (flags, enabled, problems) => {
    const found = read({ a: { command: 'a', ...flags } })
    expect([found.servers['a']?.enabled, found.problems]).toEqual([enabled, problems])
  })
})

describe('C4 spellings of a transport in our own dialect', () => {
  const spelled = [
    ['stdio', 'stdio'],
    ['local', 'stdio'],
    ['http', 'http'],
    ['streamable-http', 'http'],
    ['streamableHttp', 'http'],
    ['streamable_http', 'http'],
    ['remote', 'http'],
    ['sse', 'sse'],
  ] as const

  test.each(spelled)('"%s" means %s, under "type" and under "transport"', (word, kind) => {
    const address = kind === 'stdio' ? { command: 'a' } : { url: 'https://a.example/mcp' }
    const { servers, problems } = read({ a: { type: word, ...address }, b: { transport: word, ...address } })
    expect([servers['a']?.transport.kind, servers['b']?.transport.kind]).toEqual([kind, kind])
    expect(problems.filter((problem) => !problem.startsWith('info'))).toEqual([])
  })

  test.each(['ws', 'websocket'])('"%s" is refused as an unsupported transport', (type) => {
    const { servers, problems } = read({ a: { type, url: 'wss://a.example' } })
    expect([servers, problems]).toEqual([{}, ['error unsupported-transport /mcpServers/a/type']])
  })

  test.each(['carrier-pigeon', 'HTTP', '', 'constructor', 'toString', '__proto__', 'hasOwnProperty'])(
    'T44 "%s" is refused as an unknown transport',
    (type) => {
      const { servers, problems } = read({ a: { type, url: 'https://a.example' } })
      expect([servers, problems]).toEqual([{}, ['error unknown-transport /mcpServers/a/type']])
    },
  )
})

describe('C5 an entry without a type', () => {
  test('the transport follows from command or url', () => {
    const { servers, problems } = read({ a: { command: 'a' }, b: { url: 'https://b.example' } })
    expect([servers['a']?.transport.kind, servers['b']?.transport]).toMatchObject([
      'stdio',
      { kind: 'http', fallback: 'sse' },
    ])
    expect(problems).toEqual([])
  })

  test('without command and url, or with both, the entry is refused with a hint', () => {
    const { servers, problems, diagnostics } = read({ a: {}, b: { command: 'b', url: 'https://b.example' } })
    expect(servers).toEqual({})
    expect(problems).toEqual(['error command-and-url /mcpServers/b', 'error missing-endpoint /mcpServers/a'])
    expect(diagnostics.find(({ code }) => code === 'missing-endpoint')?.hint).toContain('"type"')
  })

  test('under oh-my-pi a url alone is http; with strictType it is an incomplete stdio entry', () => {
    const entries = {
      a: { url: 'https://a.example' },
      b: { type: 'http', url: 'https://b.example' },
      c: { command: 'c' },
    }
    expect(Object.keys(read(entries, ohMyPi).servers)).toEqual(['a', 'b', 'c'])
    const strict = read(entries, ohMyPi, { strictType: true })
    expect(Object.keys(strict.servers)).toEqual(['b', 'c'])
    expect(strict.problems).toEqual(['error missing-endpoint /mcpServers/a'])
    expect(strict.diagnostics[0]?.message).toContain('"type": "http"')
  })
})

test('a bad entry is reported and the others load', () => {
  const { servers, problems } = read({
    good: { command: 'g' },
    bad: 7,
    worse: { command: [] },
    '': { command: 'x' },
  })
  expect(Object.keys(servers)).toEqual(['good'])
  expect(problems).toEqual([
    'error invalid-name /mcpServers/',
    'error missing-endpoint /mcpServers/worse/command',
    'error wrong-type /mcpServers/bad',
  ])
})

test('T08 no entry makes the reader throw, and each is a server or has an error', () => {
  const key = fc.constantFrom(
    'type',
    'command',
    'args',
    'env',
    'url',
    'headers',
    'enabled',
    'timeout',
    'auth',
    'cwd',
  )
  const entry = fc.dictionary(key, fc.jsonValue(), { maxKeys: 6 })
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.oneof(entry, fc.jsonValue()), { maxKeys: 5 }), (entries) => {
      const file = open({ mcpServers: entries })
      const { servers, diagnostics } = plugboard.read([file], world)
      const refused = new Set(
        diagnostics.filter(({ severity }) => severity === 'error').map(({ server }) => server),
      )
      const forbidden = new Set(['__proto__', 'constructor', 'prototype'])
      for (const name of Object.keys(entries).filter((each) => !forbidden.has(each))) {
        expect(servers.some((server) => server.name === name)).toBe(!refused.has(name))
      }
    }),
    { numRuns: 500 },
  )
})
