import { describe, expect, test } from 'vitest'
import { parseDocument } from '../support/programs/cli.ts'
import { everything, faultyAddress, faultyMachine, machineWith } from '../support/servers.ts'
import { openTerminal } from '../support/programs/terminal.ts'
import { faultyServer } from '../../src/testing/faulty-server.ts'

const echo = { 'tools/call': 'echo' } as const
const tools = [{ name: 'find', inputSchema: { type: 'object' } }] as const

/** The request of `call`, as the faulty server received it. */
function heard(stdout: string): unknown {
  const { params } = JSON.parse(stdout) as { params: { name: string; arguments: unknown; _meta?: unknown } }
  return [params.name, params.arguments]
}

describe.concurrent('plugboard call', () => {
  test('calls a tool of a real server', async () => {
    using machine = machineWith({ everything })
    expect(await machine.run('call', 'everything/echo', 'message=hello')).toEqual({
      code: 0,
      stdout: 'Echo: hello\n',
      stderr: '',
    })
    const sum = await machine.run('call', 'everything/get-sum', '{"a": 1, "b": 2}')
    expect(sum.stdout).toBe('The sum of 1 and 2 is 3.\n')
    expect(await machine.json('call', 'everything/echo', 'message=hello')).toEqual({
      content: [{ type: 'text', text: 'Echo: hello' }],
    })
  })

  test('an unknown tool: names the servers that could not be asked', async () => {
    using machine = machineWith({ broken: { command: '/nonexistent/program' } })
    expect(await machine.run('call', 'broke_find')).toEqual({
      code: 5,
      stdout: '',
      stderr: expect.stringMatching(
        /^warning: "broken" is missing here: .*does not exist.*\nThere is no tool "broke_find"\.\n/,
      ),
    })
  })

  test('a tool of an unavailable server: the reason and the next step, by name and by ref', async () => {
    await using remote = await faultyAddress({ on: { POST: { http: { status: 401 } } } })
    using machine = machineWith({
      off: { ...faultyServer({ tools: [...tools] }), enabled: false },
      vault: { url: remote.url.href },
      broken: { command: '/nonexistent/program' },
    })
    machine.write('.mcp.json', { mcpServers: { theirs: { command: 'x' } } })
    const off = {
      code: 7,
      stdout: '',
      stderr: '"off" is switched off.\nSwitch it on: plugboard enable off\n',
    }
    const told = (...words: readonly string[]) => machine.run(...words)
    expect([
      await told('call', 'off__find'),
      await told('call', 'off/find'),
      await told('tool', 'off__find'),
      await told('why', 'off__find'),
      await told('call', 'theirs__find'),
      await told('call', 'vault__find'),
      await told('call', 'broken__find'),
    ]).toEqual([
      off,
      off,
      off,
      off,
      {
        code: 4,
        stdout: '',
        stderr: '"theirs" is not trusted.\nLook at it and decide: plugboard trust theirs\n',
      },
      {
        code: 8,
        stdout: '',
        stderr: 'Server "vault" asked for a login.\nRun: plugboard login vault\n',
      },
      {
        code: 7,
        stdout: '',
        stderr: expect.stringMatching(
          /^Failed to connect to "broken": .*\n.*plugboard why broken\n$/,
        ) as string,
      },
    ])
  })

  test.each<[string, readonly string[], unknown]>([
    ['nothing', [], {}],
    ['an object', ['{"a": [1]}'], { a: [1] }],
    [
      'texts and JSON values',
      ['a=1', 'b=x y', 'c=true', 'd=', 'e=[1]'],
      { a: 1, b: 'x y', c: true, d: '', e: [1] },
    ],
    ['a string where the schema says string', ['text=1', 'number=1'], { text: '1', number: 1 }],
    [
      'texts that look like numbers',
      ['a=007', 'b=1.10', 'c=12345678901234567890'],
      { a: '007', b: '1.10', c: '12345678901234567890' },
    ],
    ['a value with equals signs', ['a=b=c'], { a: 'b=c' }],
  ])('arguments: %s', async (_title, words, args) => {
    using machine = faultyMachine({
      tools: [
        {
          name: 'tool-0',
          inputSchema: {
            type: 'object',
            properties: { text: { type: 'string' }, number: { type: 'number' } },
          },
        },
      ],
      on: echo,
    })
    const { code, stdout, stderr } = await machine.run('call', 'x/tool-0', ...words)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(heard(stdout)).toEqual(['tool-0', args])
  })

  test('refs: a slash in a server name is %2F; the tool follows the first slash', async () => {
    using machine = machineWith({
      'team/100%2F': faultyServer({ tools: [{ name: 'a/b', inputSchema: { type: 'object' } }], on: echo }),
    })
    expect(heard((await machine.run('call', 'team%2f100%252F/a/b')).stdout)).toEqual(['a/b', {}])
    expect((await machine.run('__complete', '--', 'call', 'te')).stdout).toBe(
      'team_100_2F_6a9f__a_b\nteam%2F100%252F/\n',
    )
  })

  test('a failed tool has its own exit code, and its output is the result', async () => {
    const result = { content: [{ type: 'text', text: 'no such order' }], isError: true }
    using machine = faultyMachine({ tools, on: { 'tools/call': { result } } })
    expect(await machine.run('call', 'x/find')).toEqual({
      code: 10,
      stdout: 'no such order\n',
      stderr: '"find" reported a failure.\n',
    })
    const { code, stdout } = await machine.run('call', 'x/find', '--json', '--quiet')
    expect({ code, result: parseDocument(stdout) }).toEqual({ code: 10, result })
  })

  test('an error response of the server', async () => {
    using machine = faultyMachine({
      tools,
      on: { 'tools/call': { error: { code: -32602, message: 'Unknown tool' } } },
    })
    expect(await machine.run('call', 'x/find')).toEqual({
      code: 10,
      stdout: '',
      stderr: '"x" answered: Unknown tool\n',
    })
    expect(await machine.json('call', 'x/find')).toEqual({
      error: {
        code: 'request.refused',
        message: '"x" answered: Unknown tool',
        data: { server: 'x', method: 'tools/call', error: { code: -32602, message: 'Unknown tool' } },
      },
    })
  })

  test('binary blocks are described', async () => {
    const content = [
      { type: 'text', text: 'two lines\nof text' },
      { type: 'image', mimeType: 'image/png', data: 'AAAA' },
      { type: 'resource_link', uri: 'file:///a.txt', name: 'a' },
      { type: 'resource', resource: { uri: 'file:///b.txt', text: 'its text' } },
      { type: 'resource', resource: { uri: 'file:///c.bin', mimeType: 'x/y', blob: 'AAAAAA==' } },
      { type: 'hologram' },
      7,
    ]
    using machine = faultyMachine({ tools, on: { 'tools/call': { result: { content } } } })
    expect((await machine.run('call', 'x/find')).stdout).toBe(
      [
        'two lines',
        'of text',
        '[image, image/png, 3 bytes]',
        '[resource_link, file:///a.txt]',
        'its text',
        '[resource, x/y, file:///c.bin, 4 bytes]',
        '[hologram]',
        '[unknown content]',
        '',
      ].join('\n'),
    )
  })

  test('structured content is printed if there is no text', async () => {
    using machine = faultyMachine({
      tools,
      on: { 'tools/call': { result: { content: [], structuredContent: { total: 3 } } } },
    })
    expect((await machine.run('call', 'x/find')).stdout).toBe('{\n  "total": 3\n}\n')
  })

  test('C17 structured content in the text is not repeated; --json has it', async () => {
    const content = [{ type: 'text', text: 'an apple' }]
    const result = { content, structuredContent: { content: 'an apple' } }
    using machine = faultyMachine({ tools, on: { 'tools/call': { result } } })
    expect((await machine.run('call', 'x/find')).stdout).toBe('an apple\n')
    expect((await machine.run('call', 'x/find', '--format', 'markdown')).stdout).toBe('an apple\n')
    expect((await machine.run('call', 'x/find', '--format', 'raw')).stdout).toBe('an apple')
    expect(await machine.json('call', 'x/find')).toEqual(result)
  })

  test('T18 T35 control characters in a result are escaped, and secrets of the server hidden', async () => {
    const { command, args } = faultyServer({
      tools,
      on: { 'tools/call': { text: 'key: open sesame now \u001B[2J' } },
    })
    using machine = machineWith({ x: { command, args, env: { KEY: '${KEY}' } } })
    const run = (...flags: readonly string[]) =>
      machine.runWith({ env: { KEY: 'open sesame now' } }, 'call', 'x/find', ...flags)
    expect((await run()).stdout).toBe('key: ••• \\x1b[2J\n')
    expect(parseDocument((await run('--json')).stdout)).toEqual({
      content: [{ type: 'text', text: 'key: ••• \u001B[2J' }],
      findings: [expect.objectContaining({ rule: 'UNI-005', evidence: 'key: ••• \\u{1b}[2J' })],
    })
  })

  test('progress is shown in a terminal during a call', async () => {
    using machine = faultyMachine({
      tools,
      on: { 'tools/call': [{ progress: { times: 3, total: 3 } }, 'hang'] },
    })
    const terminal = openTerminal(machine, ['call', 'x/find'])
    await terminal.see('x: find: [####################] 3 of 3')
    terminal.type('\u0003')
    expect(await terminal.ended).toBe(130)
  })

  test('--timeout ends a slow call', async () => {
    using machine = faultyMachine({ tools, on: { 'tools/call': 'hang' } })
    const { code, stdout } = await machine.run('call', 'x/find', '--timeout', '8s', '--json')
    expect({ code, ...(JSON.parse(stdout) as object) }).toMatchObject({
      code: 9,
      error: {
        code: 'call.timeout',
        hint: 'See its output (plugboard logs x), or allow more time: this call has its own limit (timeoutMs, --timeout).',
        data: { server: 'x', method: 'tools/call', sent: true },
      },
    })
  })

  test('a server that dies during a call: exit 11, the outcome is unknown', async () => {
    using machine = faultyMachine({ tools, on: { 'tools/call': [{ stderr: 'out of memory' }, { exit: 9 }] } })
    const { code, stderr } = await machine.run('call', 'x/find')
    expect(code).toBe(11)
    expect(stderr).toBe(
      '"x" may or may not have done it: The server ended with exit code 9.\n' +
        'It last said:\n  out of memory\nSee its output: plugboard logs x\n',
    )
  })

  test.each([
    ['too large', { answer: { bytes: 17 * 1024 * 1024 } }, 'call.too-large'],
    ['malformed', { answer: { as: 'neither' } }, 'call.protocol'],
  ] as const)('an answer that is %s: exit 11, the tool may have run', async (_what, answer, code) => {
    using machine = faultyMachine({ tools, on: { 'tools/call': answer } })
    const run = await machine.run('call', 'x/find', '--json')
    expect({ code: run.code, ...(JSON.parse(run.stdout) as object) }).toMatchObject({
      code: 11,
      error: { code, data: { server: 'x', method: 'tools/call', sent: true } },
    })
  })
})

describe.concurrent('plugboard request', () => {
  test('prints the result of any request unchanged', async () => {
    using machine = faultyMachine({ results: { 'made/up': { answer: 42 } } })
    expect(await machine.run('request', 'x', 'made/up', '{"a": 1}')).toEqual({
      code: 0,
      stdout: '{\n  "answer": 42\n}\n',
      stderr: '',
    })
    expect(await machine.json('request', 'x', 'made/up', '{"a": 1}')).toEqual({ result: { answer: 42 } })
  })

  test('an error response of the server', async () => {
    using machine = faultyMachine({})
    const { code, stdout } = await machine.run('request', 'x', 'no/such', '--json')
    expect({ code, ...(JSON.parse(stdout) as object) }).toMatchObject({
      code: 10,
      error: { code: 'request.refused', data: { server: 'x', method: 'no/such', error: { code: -32601 } } },
    })
  })

  test('parameters that are not JSON', async () => {
    using machine = faultyMachine({})
    const { code, stderr } = await machine.run('request', 'x', 'ping', '{oops')
    expect(code).toBe(2)
    expect(stderr).toMatch(/^The parameters are not valid JSON: .*\nFor example: '\{"key": "value"\}'\.\n$/)
  })
})
