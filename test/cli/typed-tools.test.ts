import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { faultyServer } from '../../src/testing/faulty-server.ts'
import type { Machine } from '../support/programs/cli.ts'
import { machineWith, ownFile } from '../support/servers.ts'

const search = {
  name: 'search',
  inputSchema: {
    type: 'object',
    properties: { query: { type: 'string' }, limit: { type: 'number' }, tags: { type: 'array' } },
    required: ['query'],
  },
}
const same = { name: 'ping', inputSchema: { type: 'object' } }
const dotted = { name: 'files.read', inputSchema: { type: 'object' } }
const github = faultyServer({ tools: [search, same] })
const docs = faultyServer({ tools: [same, dotted] })
const deaf = { 'server/discover': 'hang', initialize: 'hang' } as const

/** The arguments that the server received. */
const received = (args: object) => `"arguments":${JSON.stringify(args)}`

describe('the forms of a call', () => {
  let machine: Machine
  beforeAll(async () => {
    machine = machineWith({ github, docs, 'docs.local': docs, files: faultyServer({ tools: [same] }) })
    await machine.run('test', '--all')
  })
  afterAll(() => machine[Symbol.dispose]())

  test.each<readonly [words: readonly string[], args: object]>([
    [['github', 'search', 'query=a b', 'limit=3'], { query: 'a b', limit: 3 }],
    [['github', 'search', '{"query": "x"}'], { query: 'x' }],
    [['github', 'search', '--json', '{"query": "x"}'], { query: 'x' }],
    [['github.search', 'query=7'], { query: '7' }],
    [['search', 'query=x'], { query: 'x' }],
    [['github.search(query: "a, b", limit: 3)'], { limit: 3, query: 'a, b' }],
    [
      ["search(query: 'it', tags: ['a', {b: 1, c: [true, null]}])"],
      { query: 'it', tags: ['a', { b: 1, c: [true, null] }] },
    ],
    [['github__search({query: "x", limit: 2})'], { query: 'x', limit: 2 }],
    [['github/search("only one")'], { query: 'only one' }],
    [['github.search(query: 7)'], { query: '7' }],
    [['github.search(query:', 'two words,', 'limit=1)'], { query: 'two words', limit: 1 }],
    [['github.search(query: https://x.example.com/?a=1)'], { query: 'https://x.example.com/?a=1' }],
    [['github.search(query: "say \\"hi\\"\\n")'], { query: 'say "hi"\n' }],
    [['docs.ping()'], {}],
    [['docs.local.ping'], {}],
    [['docs', 'files.read'], {}],
  ])('call %j', async (words, args) => {
    const { code, stdout, stderr } = await machine.run('call', ...words)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain(received(args))
  })

  test.each<readonly [words: readonly string[], code: number, message: string]>([
    [
      ['call', 'ping'],
      2,
      'Several servers have a tool "ping".\nChoose one: docs/ping or docs.local/ping or files/ping or github/ping',
    ],
    [
      ['call', 'github'],
      2,
      '"github" is a server, not a tool.\nWrite SERVER/TOOL. See its tools: plugboard list github',
    ],
    [['call', 'github', 'serch'], 5, 'There is no tool "github/serch".\nDid you mean github/search?'],
    [['call', 'github.serch'], 5, 'There is no tool "github/serch".\nDid you mean github/search?'],
    [['call', 'githb', 'search'], 5, 'No server "githb" is in force here.\nDid you mean github?'],
    [['call', 'githb.search'], 5, 'There is no tool "githb.search".\nDid you mean github__search?'],
    [['call', 'serch', 'query=x'], 5, 'There is no tool "serch".\nDid you mean github__search?'],
    [
      ['call', 'github__search', 'a b'],
      2,
      `"a b" is not an argument.\nWrite arguments as key=value, or as one JSON object. For example: plugboard call github__search 'query=a b'`,
    ],
    [
      ['call', 'github.search(query: "x"'],
      2,
      `"github.search(query: "x"" is not a call.\nWrite: plugboard call 'server.tool(key: "value", other: 3)'`,
    ],
    [
      ['call', 'github.search(query: ["x")'],
      2,
      `The arguments in brackets end too early.\nWrite: plugboard call 'server.tool(key: "value", other: 3)'`,
    ],
    [['call', 'github.search("x", 3)'], 2, 'Each argument needs its key.\nWrite: github.search(query: …)'],
    [['call', 'github.search(query: "x")', 'limit=1'], 2, 'The arguments were given twice.'],
    [
      ['call', 'github.search', '--query', 'x'],
      2,
      'No flag registered for --query. Arguments of a tool are written as query=value\nSee: plugboard call --help',
    ],
  ])('%j is refused with the form that works', async (words, code, message) => {
    expect(await machine.run(...words)).toEqual({ code, stdout: '', stderr: `${message}\n` })
  })

  test('tool and why take the same names', async () => {
    for (const words of [
      ['tool', 'github.search'],
      ['tool', 'github', 'search'],
      ['tool', 'search'],
      ['why', 'search', '--tool'],
    ]) {
      const { code, stdout } = await machine.run(...words)
      expect({ words, code }).toEqual({ words, code: 0 })
      expect(stdout).toContain('github/search')
    }
  })

  test.each<readonly [typed: readonly string[], proposed: readonly string[]]>([
    [['call', 'github.s'], ['github.search']],
    [['call', 'sea'], ['search']],
    [['call', 'github', 's'], ['search']],
    [['call', 'github', 'search', 'q'], ['query=']],
    [['call', 'github.search', 'l'], ['limit=']],
    [['call', 'search', 'l'], ['limit=']],
    [['tool', 'github', 'p'], ['ping']],
  ])('completion of %j', async (typed, proposed) => {
    const { stdout } = await machine.run('__complete', '--', ...typed)
    expect(stdout.split('\n').filter(Boolean)).toEqual(proposed)
  })
})

describe('a server with a slash in its name', () => {
  let machine: Machine
  beforeAll(async () => {
    machine = machineWith({ 'my srv/x.y': github, my: docs })
    await machine.run('test', '--all')
  })
  afterAll(() => machine[Symbol.dispose]())

  test.each<readonly [words: readonly string[]]>([
    [['call', 'my srv/x.y/search', 'query=q']],
    [['call', 'my srv/x.y.search', 'query=q']],
    [['call', 'my srv/x.y.search(query: "q")']],
    [['call', 'my srv%2Fx.y/search', 'query=q']],
  ])('%j calls its tool', async (words) => {
    const { code, stdout, stderr } = await machine.run(...words)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain(received({ query: 'q' }))
  })

  test('tool and why take the same names', async () => {
    for (const command of ['tool', 'why']) {
      const { code, stdout, stderr } = await machine.run(command, 'my srv/x.y/search')
      expect({ command, code, stderr }).toEqual({ command, code: 0, stderr: '' })
      expect(stdout).toContain('my srv%2Fx.y/search')
    }
  })
})

test('FI-93 a hidden tool is called hidden by its own name too, with the reason', async () => {
  using machine = machineWith({ github })
  machine.write('~/.config/plugboard/settings.json', { tools: ['github/ping'] })
  await machine.run('test', 'github')
  const [own, ref] = [
    await machine.run('call', 'search', 'query=x'),
    await machine.run('call', 'github/search', 'query=x'),
  ]
  expect(own).toEqual(ref)
  expect(own.stderr).toContain('"github/search" is hidden.')
})

describe.concurrent('FI-93 a tool by its own name', () => {
  test('FI-93 is known: it answers at once, though another server is not known', async () => {
    using machine = machineWith({ github })
    await machine.run('test', 'github')
    const hangs = faultyServer({ on: deaf, journal: machine.path('~/journal') })
    machine.write(ownFile, { mcpServers: { github, hangs } })
    const { code, stderr } = await machine.run('call', 'search', 'query=x')
    expect({ code, stderr, started: machine.has('~/journal') }).toEqual({
      code: 0,
      stderr: '',
      started: false,
    })
  })

  test('FI-93 is not known: all servers are asked before it counts as the only one', async () => {
    using machine = machineWith({ github, docs, gone: { command: 'no-such-command-anywhere' } })
    expect(await machine.run('call', 'ping')).toMatchObject({
      code: 2,
      stderr: 'Several servers have a tool "ping".\nChoose one: docs/ping or github/ping\n',
    })
  })

  test('FI-93 is not known, and a server does not get ready: it runs when that one has failed', async () => {
    using machine = machineWith({ github, hangs: { ...faultyServer({ on: deaf }), startupTimeout: 1 } })
    const { code, stdout } = await machine.run('call', 'search', 'query=x')
    expect(code).toBe(0)
    expect(stdout).toContain(received({ query: 'x' }))
  })
})
