import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { everything, faultyMachine, machineWith, ownFile } from '../support/servers.ts'
import { createMachine, parseDocument } from '../support/programs/cli.ts'
import { openTerminal } from '../support/programs/terminal.ts'
import { faultyServer } from '../../src/testing/faulty-server.ts'

const echo = { 'tools/call': 'echo' } as const
const forecast = {
  name: 'forecast',
  description: 'Tells the weather. It may be wrong.\nOf places.',
  inputSchema: {
    type: 'object',
    properties: {
      city: { type: 'string', description: 'where' },
      days: { type: 'integer' },
      unit: { enum: ['C', 'F'] },
      tags: { type: 'array', items: { type: 'string' } },
    },
    required: ['city'],
  },
  annotations: { readOnlyHint: true },
}
const remove = { name: 'remove', description: 'Removes it', inputSchema: { type: 'object' } }

interface Shown {
  readonly tools: readonly { readonly name: string; readonly ref: string }[]
  readonly missing: readonly { readonly server: string; readonly state: string }[]
}
const namesIn = ({ tools }: Shown) => tools.map(({ name }) => name)

/** A server that records how often it was started. */
function counted(journal: string, more: object = {}) {
  return faultyServer({ tools: [forecast, remove], on: echo, journal, ...more })
}

describe.concurrent('plugboard tools', () => {
  test('lists the tools in a fixed order, and the missing servers with the reason', async () => {
    using machine = machineWith({
      x: faultyServer({ tools: [remove, forecast] }),
      bad: { command: 'no-such' },
    })
    expect(await machine.run('tools')).toEqual({
      code: 0,
      stdout:
        'TOOL         SERVER  DOES\n' +
        'x__forecast  x       Tells the weather.\n' +
        'x__remove    x       Removes it\n',
      stderr:
        'warning: "bad" is missing here: "no-such" was not found in PATH. ' +
        'Install it, or put its full path into the entry: plugboard why bad\n',
    })
    const shown = await machine.json<Shown>('tools')
    expect(shown.tools[0]).toMatchObject({ name: 'x__forecast', ref: 'x/forecast', server: 'x' })
    expect(shown.missing).toMatchObject([{ server: 'bad', state: 'failed' }])
  })

  test('in a narrow terminal each tool has a block of lines, and list NAME is wrapped', async () => {
    const name = 'forecast_of_the_weather_in_all_places'
    const words = 'words that do not fit '.repeat(4).trim()
    using machine = machineWith({ x: faultyServer({ tools: [{ ...forecast, name, description: words }] }) })
    await machine.run('test', 'x')
    const show = async (...args: readonly string[]) => {
      const terminal = openTerminal(machine, args, { columns: 60 })
      expect(await terminal.ended).toBe(0)
      return terminal.shown().split(/\r?\n/)
    }
    expect((await show('tools')).slice(0, 2)).toEqual([
      `x__${name}`,
      '  x · words that do not fit words that do not fit words that',
    ])
    const listed = await show('list', 'x')
    expect(listed).toContain('  words that do not fit words that do not fit words that do')
  })

  test('--all shows tools that are not offered, with the reason; test does not count them', async () => {
    const appOnly = { ...remove, name: 'log', _meta: { ui: { visibility: ['app'] } } }
    using machine = machineWith({ x: faultyServer({ tools: [remove, forecast, appOnly] }) })
    machine.write('~/.config/plugboard/settings.json', { tools: ['*', '!x__remove'] })
    const offered = 'TOOL         SERVER  DOES\nx__forecast  x       Tells the weather.\n'
    expect(await machine.run('tools')).toEqual({ code: 0, stdout: offered, stderr: '' })
    expect(await machine.run('tools', '--all')).toEqual({
      code: 0,
      stdout:
        `${offered}\n` +
        'NOT OFFERED  SERVER  WHY\n' +
        'x__log       x       "x" keeps it for its own app: its visibility leaves out models.\n' +
        'x__remove    x       The pattern "!x__remove" of your settings denies it.\n',
      stderr: '',
    })
    const shown = await machine.json<Shown & { hidden: readonly { ref: string }[] }>('tools', '--all', 'x/*g')
    expect({ tools: shown.tools, hidden: shown.hidden.map(({ ref }) => ref) }).toEqual({
      tools: [],
      hidden: ['x/log'],
    })
    const tested = await machine.run('test', 'x')
    expect(tested.stdout).toMatch(/offers +2 tools\n +for its app +1 tool\n/)
  })

  test('a tool that the settings hide is said to be hidden, and why is named', async () => {
    using machine = machineWith({ x: faultyServer({ tools: [remove, forecast] }) })
    machine.write('~/.config/plugboard/settings.json', { tools: ['*', '!x__remove'] })
    expect(await machine.run('call', 'x__remove')).toEqual({
      code: 5,
      stdout: '',
      stderr:
        '"x__remove" is hidden. The pattern "!x__remove" of your settings denies it.\n' +
        'See what decides that: plugboard why x/remove\n',
    })
  })

  test('B18 tools hidden by BooCode’s read-only guard are noted below the list', async () => {
    const writer = { ...remove, annotations: { readOnlyHint: false } }
    using machine = createMachine({
      'data/mcp.json': { mcpServers: { x: faultyServer({ tools: [forecast, writer] }) } },
    })
    expect(await machine.run('tools', '--preset', 'boocode')).toEqual({
      code: 0,
      stdout: 'TOOL        SERVER  DOES\nx_forecast  x       Tells the weather.\n',
      stderr: 'The read-only guard hides tools of "x" that declare that they write: x_remove.\n',
    })
  })

  test('D-4 a server that was connected before is not started again for the list', async () => {
    using machine = createMachine()
    const journal = machine.path('~/journal')
    machine.write(ownFile, { mcpServers: { x: counted(journal) } })
    const first = await machine.run('tools')
    const asked = readFileSync(journal, 'utf8')
    for (const words of [['tools'], ['tools', '--json'], ['search', 'weather'], ['tool', 'x__remove']])
      expect((await machine.run(...words)).code).toBe(0)
    expect(await machine.run('tools')).toEqual(first)
    expect(readFileSync(journal, 'utf8')).toBe(asked)
  })

  test.each([
    ['x__*', ['x__forecast', 'x__remove']],
    ['x/f*', ['x__forecast']],
    ['FORE', ['x__forecast', 'y__forecast']],
    ['y', ['y__forecast', 'y__remove']],
    ['none', []],
  ])('tools %s filters by glob or by part of the name', async (pattern, names) => {
    using machine = machineWith({
      x: faultyServer({ tools: [forecast, remove] }),
      y: faultyServer({ tools: [forecast, remove] }),
    })
    expect(namesIn(await machine.json<Shown>('tools', pattern))).toEqual(names)
  })

  test('B12 B14 --agent shows what that agent sees', async () => {
    using machine = faultyMachine({ tools: [forecast, remove] })
    machine.write('AGENTS.md', '## reader\n\ntools: [*, !*remove]\n\n## writer\n\ntools: [x__remove]\n')
    expect(namesIn(await machine.json<Shown>('tools', '--agent', 'reader'))).toEqual(['x__forecast'])
    expect(namesIn(await machine.json<Shown>('tools', '--agent', 'writer'))).toEqual(['x__remove'])
    expect(namesIn(await machine.json<Shown>('search', 'weather', '--agent', 'writer'))).toEqual([])
    const { code, stderr } = await machine.run('tools', '--agent', 'reder')
    expect({ code, stderr }).toEqual({
      code: 5,
      stderr: 'There is no agent "reder".\nDid you mean reader?\n',
    })
    expect((await machine.run('call', 'x__remove', '--agent', 'reader')).stderr).toBe(
      'The agent "reader" sees no tool "x__remove". The pattern "!*remove" of the agent "reader" denies it.\n' +
        'See what decides that: plugboard why x/remove --agent reader\n',
    )
  })

  test('an empty list because of a failed server has its own exit code', async () => {
    using machine = machineWith({ bad: { command: 'no-such' } })
    expect((await machine.run('tools')).code).toBe(7)
    using empty = createMachine()
    expect(await empty.run('tools')).toEqual({ code: 0, stdout: '', stderr: 'There are no tools here.\n' })
  })

  test('T01 untrusted servers of a project are not started, but counted', async () => {
    using machine = createMachine()
    const journal = machine.path('~/journal')
    machine.write('.mcp.json', { mcpServers: { x: counted(journal) } })
    expect(await machine.run('tools')).toEqual({
      code: 0,
      stdout: '',
      stderr:
        'There are no tools here.\n1 server of this project waits for your trust: plugboard trust --all\n',
    })
    expect(existsSync(journal)).toBe(false)
    expect(namesIn(await machine.json<Shown>('tools', '--trust', '--scope', 'user'))).toEqual([])
    expect(namesIn(await machine.json<Shown>('tools', '--trust'))).toEqual(['x__forecast', 'x__remove'])
  })

  test('the table fits the terminal, and the server being connected is shown meanwhile', async () => {
    const long = { ...forecast, description: 'words '.repeat(40) }
    using machine = faultyMachine({ tools: [long] })
    const terminal = openTerminal(machine, ['tools'], { columns: 44 })
    expect(await terminal.ended).toBe(0)
    const lines = terminal
      .shown()
      .split('\n')
      .filter((line) => line.includes('x__forecast'))
    expect(lines.map((line) => line.trimEnd())).toEqual(['x__forecast  x       words words words word…'])
    expect(terminal.shown()).toContain('x: starting')
  })

  test('T18 control characters from a server do not reach the terminal', async () => {
    using machine = faultyMachine({ tools: [{ ...remove, description: 'a\u001B[2Jb\u202Ec' }] })
    // What is shown is the subject here, not what is held.
    machine.write('~/.config/plugboard/settings.json', { accept: 'off' })
    expect((await machine.run('tools')).stdout).toContain('x__remove  x       abc\n')
    expect((await machine.run('tool', 'x/remove')).stdout).toContain('\n\nabc\n\n')
  })

  test('--no-start lists what is known from disk, starts no server, and says so', async () => {
    using machine = machineWith({ everything })
    const before = await machine.run('tools', '--no-start')
    expect({ code: before.code, stdout: before.stdout }).toEqual({ code: 0, stdout: '' })
    expect(before.stderr).toContain('No server was started')
    await machine.run('tools')
    const after = await machine.json<{ readonly tools: readonly object[] }>('tools', '--no-start')
    expect(after.tools).toHaveLength(13)
  })

  test('--no-start mentions missing servers only if there are any', async () => {
    using machine = faultyMachine({ tools: [forecast] })
    await machine.run('tools')
    expect((await machine.run('tools', '--no-start')).stderr).toBe('')
    machine.write('~/.config/plugboard/mcp.json', {
      mcpServers: { x: faultyServer({ tools: [forecast] }), off: { command: 'y', disabled: true } },
    })
    expect((await machine.run('tools', '--no-start')).stderr).toBe('')
    machine.write('~/.config/plugboard/mcp.json', {
      mcpServers: { x: faultyServer({ tools: [forecast] }), new: { command: 'y' } },
    })
    const { stderr } = await machine.run('tools', '--no-start')
    expect(stderr).toBe('No server was started: servers that were never connected are not included.\n')
    expect((await machine.run('resources', 'x', '--no-start')).stderr).toBe(
      'No resources are offered here.\n',
    )
  })
})

describe.concurrent('plugboard tool', () => {
  test('shows the signature, the description and an example call', async () => {
    using machine = faultyMachine({ tools: [forecast] })
    expect(await machine.run('tool', 'x__forecast')).toEqual({
      code: 0,
      stdout: `x__forecast({
  city: string  // where
  days?: number
  unit?: "C" | "F"
  tags?: string[]
})

Tells the weather. It may be wrong.
Of places.

ref      x/forecast  (read-only, according to its server)

call it  plugboard call x__forecast 'city=<city>'
`,
      stderr: '',
    })
    expect(await machine.json('tool', 'x/forecast')).toMatchObject({
      ref: 'x/forecast',
      inputSchema: forecast.inputSchema,
      example: { city: '<city>' },
    })
  })

  test('an unknown tool: suggests the nearest; for a ref, only its server is asked', async () => {
    using machine = createMachine()
    const journal = machine.path('~/journal')
    machine.write(ownFile, {
      mcpServers: { x: faultyServer({ tools: [forecast] }), other: counted(journal) },
    })
    const { code, stderr } = await machine.run('tool', 'x/forcast')
    expect({ code, stderr }).toEqual({
      code: 5,
      stderr: 'There is no tool "x/forcast".\nDid you mean x/forecast?\n',
    })
    expect(existsSync(journal)).toBe(false)
    expect((await machine.run('tool', 'nobody/forecast')).stderr).toContain('nobody')
  })

  test('finds a tool that a known server has added since', async () => {
    using machine = faultyMachine({ tools: [forecast] })
    // What is shown is the subject here, not what is held.
    machine.write('~/.config/plugboard/settings.json', { accept: 'off' })
    await machine.run('tools')
    const cache = Object.keys(machine.files()).find((file) => /cache.*\.json$/.test(file)) ?? ''
    // What the server listed then: another tool, and so another text.
    const earlier = machine
      .read(`~/${cache}`)
      .replaceAll('forecast', 'elsewhere')
      .replaceAll(/"mark":"[^"]*"/g, '"mark":"another"')
    const rest = earlier.slice(earlier.indexOf(',') + 1)
    const sum = createHash('sha256').update(rest).digest('hex')
    machine.write(`~/${cache}`, `{"sum":"${sum}",${rest}`, 0o600)
    expect((await machine.run('tool', 'x/elsewhere')).code).toBe(0)
    expect((await machine.run('tool', 'x/forecast')).code).toBe(0)
    expect((await machine.run('tool', 'x/elsewhere')).code).toBe(5)
  })
})

describe.concurrent('plugboard search', () => {
  test('best match first, up to --limit', async () => {
    using machine = faultyMachine({ tools: [remove, forecast, { ...remove, name: 'weather' }] })
    const found = await machine.json<Shown>('search', 'weather')
    expect(namesIn(found)).toEqual(['x__weather', 'x__forecast'])
    expect(namesIn(await machine.json<Shown>('search', 'weather', '--limit', '1'))).toEqual(['x__weather'])
    expect((await machine.run('search', 'zebra')).stderr).toBe('No tools here match "zebra".\n')
  })
})

describe.concurrent('plugboard why TOOL', () => {
  const rules = '## reader\n\ntools: [*, !*remove]\n'

  test('says who sees the tool and which rule decided', async () => {
    using machine = faultyMachine({ tools: [forecast, remove] })
    machine.write('AGENTS.md', rules)
    await machine.run('tools')
    const { stdout } = await machine.run('why', 'x__remove')
    expect(stdout).toContain('seen    yes  Nothing hides it.')
    expect(stdout).toMatch(/^ {2}runs    yes  No rule forbids it\.\n  chat    after approval  /m)
    expect(stdout).toContain(
      'To allow it, add the rule { "effect": "allow", "tools": ["x/remove"] } to "rules" in ~/.config/plugboard/settings.json',
    )
    const hidden = await machine.run('why', 'x__remove', '--agent', 'reader')
    expect(hidden.stdout).toContain(
      'seen by reader  no  The pattern "!*remove" of the agent "reader" denies it. (AGENTS.md:1)',
    )
    expect(await machine.json('why', 'x/remove', '--agent', 'reader')).toMatchObject({
      tools: [
        {
          ref: 'x/remove',
          server: 'x',
          agent: 'reader',
          visibility: { visible: false, pattern: '!*remove' },
        },
      ],
    })
  })

  test('a server takes precedence; --tool and --server select explicitly', async () => {
    using machine = machineWith({ x: faultyServer({ tools: [forecast] }), x__forecast: { command: 'y' } })
    await machine.run('tools')
    expect((await machine.run('why', 'x__forecast')).stdout).toContain('declared in')
    expect((await machine.run('why', 'x__forecast', '--tool')).stdout).toContain('x/forecast')
    const { code, stderr } = await machine.run('why', 'x/forecast', '--server')
    expect({ code, stderr }).toMatchObject({
      code: 5,
      stderr: expect.stringMatching(/^No server "x\/forecast"/),
    })
  })

  test('without --tool no server is asked about an unknown name', async () => {
    using machine = createMachine()
    const journal = machine.path('~/journal')
    machine.write(ownFile, { mcpServers: { x: counted(journal) } })
    expect((await machine.run('why', 'x__forecast')).code).toBe(5)
    expect(existsSync(journal)).toBe(false)
    expect((await machine.run('why', 'x__forecast', '--tool')).code).toBe(0)
  })
})

describe.concurrent('plugboard agents', () => {
  test('lists the agents defined here and what each sees', async () => {
    using machine = createMachine()
    machine.write('AGENTS.md', '# Rules\n\nBe kind.\n\n## reader\n\ntools: [*, !web_*]\n')
    const { code, stdout } = await machine.run('agents')
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'AGENT   SEES       DEFINED IN   PURPOSE\nreader  *, !web_*  AGENTS.md:5\n',
    })
    expect(await machine.json('agents')).toMatchObject({
      agents: [{ name: 'reader', tools: ['*', '!web_*'] }],
      diagnostics: [],
    })
  })

  test('shows the model and the first line of the prompt; --json has its size, not its text', async () => {
    using machine = createMachine()
    machine.write('AGENTS.md', '## reader\nmodel: ollama/small\ntools: [*]\n\nRead é.\nThen stop.\n')
    const { stdout } = await machine.run('agents')
    expect(stdout).toBe(
      'AGENT   SEES  MODEL         DEFINED IN   PURPOSE  PROMPT\n' +
        'reader  *     ollama/small  AGENTS.md:1           Read é.\n',
    )
    expect(await machine.json('agents')).toMatchObject({
      agents: [{ name: 'reader', model: 'ollama/small', promptBytes: 19 }],
    })
    expect(JSON.stringify(await machine.json('agents'))).not.toContain('Then stop')
  })
})

describe.concurrent('plugboard call NAME', () => {
  const heard = (stdout: string) =>
    (JSON.parse(stdout) as { params: { arguments: unknown } }).params.arguments

  test.each<[string, readonly string[], string, unknown]>([
    [
      'key=value, typed by the schema',
      ['city=7', 'days=3', 'tags=a'],
      '',
      { city: '7', days: 3, tags: ['a'] },
    ],
    ['--json {…}', ['--json', '{"city":"Oslo"}'], '', { city: 'Oslo' }],
    ['--args {…}', ['--args', '{"city":"Oslo"}'], '', { city: 'Oslo' }],
    ['an object', ['{"city":"Oslo"}'], '', { city: 'Oslo' }],
    ['stdin', ['-'], '{"city":"Oslo"}', { city: 'Oslo' }],
    ['a file', ['city=@city.txt'], '', { city: 'Bergen' }],
  ])('arguments: %s', async (_title, words, stdin, args) => {
    using machine = faultyMachine({ tools: [forecast], on: echo })
    machine.write('city.txt', 'Bergen')
    const { code, stdout, stderr } = await machine.runWith({ stdin }, 'call', 'x__forecast', ...words)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(heard(stdout)).toEqual(args)
  })

  test('invalid arguments are reported before anything is sent', async () => {
    using machine = faultyMachine({ tools: [forecast], on: echo })
    expect(await machine.run('call', 'x__forecast', 'days=many')).toEqual({
      code: 2,
      stdout: '',
      stderr:
        '"x__forecast" was not called, because its arguments are invalid:\n' +
        '- city: is required (string) but missing\n- days: expected integer, got "many"\n' +
        'See its arguments: plugboard tool x/forecast\n',
    })
    expect(await machine.json('call', 'x__forecast')).toMatchObject({
      error: { code: 'call.invalid-args', data: { ref: 'x/forecast' } },
    })
  })

  test('a tool that needs approval does not run without a terminal', async () => {
    using machine = faultyMachine({ tools: [remove], on: echo })
    machine.write('.opencode/agent/careful.md', '---\npermission:\n  "*": ask\n---\nBe careful.\n')
    const { agents } = await machine.json<{ agents: readonly { asks?: unknown }[] }>('agents')
    expect(agents).toMatchObject([{ name: 'careful', asks: ['*'] }])
    const { code, stderr } = await machine.run('call', 'x__remove', '--agent', 'careful')
    expect(code).toBe(12)
    expect(stderr).toMatch(/^"x__remove" was not called\. It needs a person's approval/)
  })

  test('--output saves binary blocks without overwriting', async () => {
    using machine = machineWith({ everything })
    const run = () => machine.run('call', 'everything__get-tiny-image', '--output', 'pictures')
    expect((await run()).stdout).toContain('saved as pictures/get-tiny-image-1.png]')
    expect((await run()).stdout).toContain('saved as pictures/get-tiny-image-2.png]')
    const [first, second] = [1, 2].map((n) => readFileSync(machine.path(`pictures/get-tiny-image-${n}.png`)))
    expect(first?.subarray(1, 4).toString()).toBe('PNG')
    expect(first).toEqual(second)
  })

  test('--format: raw is the content, markdown a page, json the whole result', async () => {
    const content = [
      { type: 'text', text: 'a\u0007\n' },
      { type: 'resource_link', uri: 'file:///x', name: 'x' },
    ]
    using machine = faultyMachine({ tools: [remove], on: { 'tools/call': { result: { content } } } })
    const run = async (format: string) => (await machine.run('call', 'x/remove', '--format', format)).stdout
    expect(await run('raw')).toBe('a\u0007\n')
    expect(await run('text')).toBe('a\\x07\n\n[resource_link, file:///x]\n')
    expect(await run('markdown')).toBe('a\\x07\n\n\n[x](file:///x)\n')
    expect(parseDocument(await run('json'))).toEqual({
      content,
      findings: [expect.objectContaining({ rule: 'UNI-005' })],
    })
    expect((await machine.run('call', 'x/remove', '--json', '--format', 'raw')).code).toBe(2)
  })
})

describe.concurrent('resources and prompts of a real server', () => {
  test('resources lists them; read prints one, saves it, or prints JSON', async () => {
    using machine = machineWith({ everything, bad: { command: 'no-such' } })
    const uri = 'demo://resource/static/document/features.md'
    const { resources } = await machine.json<{ resources: readonly { uri?: string; server: string }[] }>(
      'resources',
      'everything',
    )
    expect(resources.find((each) => each.uri === uri)).toMatchObject({ server: 'everything' })
    const { stdout } = await machine.run('read', uri)
    expect(stdout).toMatch(/^# Everything Server/)
    expect(await machine.run('read', uri, '--output', 'features.md')).toMatchObject({ code: 0, stderr: '' })
    expect(`${machine.read('features.md')}\n`).toBe(stdout)
    expect(await machine.json('read', uri, '--server', 'everything')).toMatchObject({ contents: [{ uri }] })
    const template = await machine.run('read', 'demo://resource/dynamic/text/1')
    expect(template.stdout).toContain('Resource 1')
    expect((await machine.run('read', 'demo://resource/nothing/1')).code).toBe(5)
  })

  test('prompts lists them; prompt fills one in', async () => {
    using machine = machineWith({ everything })
    expect((await machine.run('prompts')).stdout).toContain('everything/args-prompt')
    expect((await machine.run('prompt', 'everything/args-prompt', 'city=Oslo')).stdout).toBe(
      "What's weather in Oslo?\n",
    )
    expect(await machine.json('prompt', 'args-prompt', 'city=Oslo')).toMatchObject({
      messages: [{ role: 'user', content: { type: 'text' } }],
    })
    const { code, stderr } = await machine.run('prompt', 'everything/args-prompt')
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        'The prompt "everything/args-prompt" was not requested: city is required but missing.\n' +
        'See its arguments: plugboard prompts everything\n',
    })
    expect((await machine.run('prompt', 'args-promt')).stderr).toContain('Did you mean args-prompt?')
  })
})

describe.concurrent('completion of offers known from disk', () => {
  async function proposals(machine: ReturnType<typeof createMachine>, ...words: readonly string[]) {
    const { code, stdout, stderr } = await machine.run('__complete', '--', ...words)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return stdout.split('\n').filter((line) => line !== '')
  }

  test('completes tools, arguments, values, prompts, resources and agents without starting a server', async () => {
    using machine = createMachine()
    const journal = machine.path('~/journal')
    machine.write(ownFile, {
      mcpServers: {
        x: counted(journal, {
          capabilities: { tools: {}, resources: {}, prompts: {} },
          resources: [{ uri: 'file:///notes', name: 'notes' }],
          prompts: [{ name: 'greet', arguments: [{ name: 'who' }] }],
        }),
      },
    })
    machine.write('AGENTS.md', '## reader\n\ntools: [*]\n')
    expect(await proposals(machine, 'call', '')).toEqual(['x/'])
    expect(existsSync(journal)).toBe(false)
    await machine.run('tools')
    const asked = readFileSync(journal, 'utf8')
    expect(await proposals(machine, 'call', 'x')).toEqual(['x__forecast', 'x__remove', 'x/'])
    expect(await proposals(machine, 'call', 'x/f')).toEqual(['x/forecast'])
    expect(await proposals(machine, 'tool', 'x__r')).toEqual(['x__remove'])
    expect(await proposals(machine, 'why', 'x')).toEqual(['x', 'x__forecast', 'x__remove'])
    expect(await proposals(machine, 'call', 'x__forecast', '')).toEqual(['city=', 'days=', 'unit=', 'tags='])
    expect(await proposals(machine, 'call', '--agent', 'reader', 'x/forecast', 'city=Oslo', 'd')).toEqual([
      'days=',
    ])
    expect(await proposals(machine, 'call', 'x__forecast', 'unit=')).toEqual(['unit=C', 'unit=F'])
    expect(await proposals(machine, 'read', '')).toEqual(['file:///notes'])
    expect(await proposals(machine, 'prompt', '')).toEqual(['x/greet'])
    expect(await proposals(machine, 'prompt', 'x/greet', '')).toEqual(['who='])
    expect(await proposals(machine, 'tools', '--agent', 'r')).toEqual(['reader'])
    expect(readFileSync(journal, 'utf8')).toBe(asked)
  })
})
