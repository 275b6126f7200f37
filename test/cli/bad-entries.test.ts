import { describe, expect, test } from 'vitest'
import { good, listProblems } from '../support/bad-input.ts'
import { createMachine } from '../support/programs/cli.ts'
import type { ListOutput } from '../support/programs/cli.ts'

describe.concurrent('an unusable entry does not affect the others', () => {
  const values = [null, true, 5, 'text', [], {}, [1], { a: 1 }]
  const keys = [
    'command',
    'args',
    'env',
    'cwd',
    'url',
    'headers',
    'type',
    'enabled',
    'disabled',
    'timeout',
    'envFile',
    'headersCommand',
    'auth',
    'oauth',
    'enabledTools',
    'disabledTools',
    'tools',
    'title',
    'description',
    'inputs',
    'tls',
    'lifecycle',
    'restart',
    'protocol',
    'framing',
    'sandbox',
    'passEnv',
    'unsetEnv',
    'runner',
  ]

  test('equal problems of one file are one line with a count; the JSON has each of them', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
    const mcpServers = Object.fromEntries(names.map((name) => [name, { command: 'x', timeout: 'soon' }]))
    using machine = createMachine({ '.mcp.json': { mcpServers } })
    const { stderr } = await machine.run('list')
    expect(stderr.split('\n').filter((line) => line.includes('timeout'))).toEqual([
      'warning: .mcp.json:5: "timeout" must be a number, not "soon". It is ignored. (7 times: a, b, c, d, e and 2 more) [wrong-type]',
    ])
    const { diagnostics } = await machine.json<ListOutput>('list')
    expect(diagnostics.map(({ server }) => server)).toEqual(names)
  })

  test.each(keys)('wrong types at "%s"', async (key) => {
    const entries = Object.fromEntries(
      values.flatMap((value, index) => [
        [`local-${index}`, { command: 'x', [key]: value }],
        [`remote-${index}`, { type: 'http', url: 'https://a.example.com', [key]: value }],
      ]),
    )
    using machine = createMachine({ '.mcp.json': { mcpServers: { ...entries, ...good } } })
    const { code, names, problems } = await listProblems(machine)
    expect(code).toBe(0)
    expect(names).toContain('good')
    for (const problem of problems) expect(problem).toMatch(/^(error|warn|info) \S+ \.mcp\.json:\d+$/)
  })

  test.each([
    [
      'both command and url',
      '"bad": { "command": "x", "url": "https://a.example.com" }',
      'error command-and-url',
    ],
    ['neither command nor url', '"bad": {}', 'error missing-endpoint'],
    [
      'an unknown type',
      '"bad": { "type": "pigeon", "url": "https://a.example.com" }',
      'error unknown-transport',
    ],
    ['not an object', '"bad": 5', 'error wrong-type'],
    ['a name with a control character', '"b\\u0007d": { "command": "x" }', 'error invalid-name'],
  ])('%s', async (_what, entry, problem) => {
    using machine = createMachine({
      '.mcp.json': `{\n"mcpServers": {\n${entry},\n"good": { "command": "good-mcp" }\n}\n}`,
    })
    const { code, names, problems } = await listProblems(machine)
    expect({ code, names }).toEqual({ code: 0, names: ['good'] })
    expect(problems).toEqual([
      expect.stringMatching(new RegExp(`^(error|warn) ${problem.split(' ')[1]} \\.mcp\\.json:3$`)),
    ])
  })

  test('the same name twice in one file: the last is in force, and both places are reported', async () => {
    using machine = createMachine({
      '.mcp.json':
        '{"mcpServers": {\n"a": { "command": "first" },\n"a": { "command": "second" },\n"good": { "command": "good-mcp" }\n}}',
    })
    const { names, problems } = await listProblems(machine)
    expect(names).toEqual(['a', 'good'])
    expect(problems).toEqual(['warn duplicate-key .mcp.json:3'])
  })

  test('__proto__ as a name is rejected with its place', async () => {
    using machine = createMachine({
      '.mcp.json':
        '{\n"mcpServers": {\n"__proto__": { "command": "x" },\n"good": { "command": "good-mcp" }\n}\n}',
    })
    expect(await listProblems(machine)).toEqual({
      code: 0,
      names: ['good'],
      problems: ['error forbidden-key .mcp.json:3'],
    })
  })

  test('__proto__ and constructor as keys do not change Object.prototype', async () => {
    using machine = createMachine({
      '.mcp.json':
        '{"__proto__": {"polluted": true}, "mcpServers": {"a": {"command": "x", "env": {"__proto__": {"B": "1"}, "constructor": "2"}, "__proto__": {"url": "https://evil.example"}}, "constructor": {"command": "c"}, "good": {"command": "good-mcp"}}}',
    })
    const { code, names } = await listProblems(machine)
    expect(code).toBe(0)
    expect(names).toContain('good')
    const { servers } = await machine.json<ListOutput>('list')
    expect(servers.find(({ name }) => name === 'a')?.['url']).toBe(null)
  })
})
