import { describe, expect, test } from 'vitest'
import { createMachine } from '../support/programs/cli.ts'
import { keys, openTerminal } from '../support/programs/terminal.ts'

const own = '~/.config/plugboard/mcp.json'
const { enter, down, ctrlC, escape } = keys
const ctrlD = '\u0004'

type Step = readonly [question: string, answer: string]
const program: readonly Step[] = [
  ['What is it called?', `docs${enter}`],
  ['How do you connect to it?', enter],
  ['Which command starts it?', `npx -y "docs mcp@1.0.0" .${enter}`],
  ['Environment variables', `REGION=eu NOTE="two words"${enter}`],
]
const address: readonly Step[] = [
  ['What is it called?', `docs${enter}`],
  ['How do you connect to it?', `${down}${enter}`],
  ['What is its URL?', `https://docs.example.com/mcp${enter}`],
  ['the variable that holds its token', `DOCS_TOKEN${enter}`],
]

describe.concurrent('add: wizard in a terminal', () => {
  test.each([
    [
      'a program',
      program,
      { command: 'npx', args: ['-y', 'docs mcp@1.0.0', '.'], env: { REGION: 'eu', NOTE: 'two words' } },
    ],
    [
      'a URL',
      address,
      {
        type: 'http',
        url: 'https://docs.example.com/mcp',
        headers: { Authorization: 'Bearer ${DOCS_TOKEN}' },
      },
    ],
  ])('asks for %s', async (_title, steps, entry) => {
    using machine = createMachine()
    const terminal = openTerminal(machine, ['add'])
    for (const [question, answer] of steps) {
      await terminal.see(question)
      terminal.type(answer)
    }
    expect(await terminal.ended).toBe(0)
    expect(JSON.parse(machine.read(own))).toEqual({ mcpServers: { docs: entry } })
    expect(terminal.shown()).toContain('docs: added in ~/.config/plugboard/mcp.json')
  })

  test('asks for a URL of the older kind, with the name given and no token', async () => {
    using machine = createMachine()
    const terminal = openTerminal(machine, ['add', 'docs'])
    await terminal.see('How do you connect to it?')
    terminal.type(`${down}${down}${enter}`)
    await terminal.see('What is its URL?')
    terminal.type(`https://docs.example.com/sse${enter}`)
    await terminal.see('the variable that holds its token')
    terminal.type(enter)
    expect(await terminal.ended).toBe(0)
    expect(JSON.parse(machine.read(own))).toEqual({
      mcpServers: { docs: { type: 'sse', url: 'https://docs.example.com/sse' } },
    })
  })

  test('rejects an invalid answer with the reason', async () => {
    using machine = createMachine()
    const terminal = openTerminal(machine, ['add'])
    await terminal.see('What is it called?')
    terminal.type(`__proto__${enter}`)
    await terminal.see('"__proto__" cannot be a name.')
    terminal.type(`${'\u007F'.repeat(9)}docs${enter}`)
    await terminal.see('How do you connect to it?')
    terminal.type(`${down}${enter}`)
    await terminal.see('What is its URL?')
    terminal.type(`nowhere${enter}`)
    await terminal.see('Enter a full URL.')
    terminal.type(ctrlC)
    expect(await terminal.ended).toBe(130)
    expect(machine.files()).toEqual({})
  })

  test('only the result is on stdout', async () => {
    using machine = createMachine()
    const terminal = openTerminal(machine, ['add', '--json'])
    for (const [question, answer] of program) {
      await terminal.see(question)
      terminal.type(answer)
    }
    expect(await terminal.ended).toBe(0)
    await terminal.see('"action": "added"')
  })
})

describe.concurrent('a cancelled question: exit 130, nothing is written', () => {
  const places = [program, address].flatMap((steps) => steps.map((_step, at) => [steps, at] as const))
  const titles = places.map(([steps, at]) => [steps[at]?.[0] ?? '', steps, at] as const)

  test.each(
    titles.flatMap((title) => [['Ctrl-C', ctrlC, ...title] as const, ['Ctrl-D', ctrlD, ...title] as const]),
  )('%s %j at "%s"', async (_name, key, _question, steps, at) => {
    using machine = createMachine()
    const terminal = openTerminal(machine, ['add'])
    for (const [question, answer] of steps.slice(0, at)) {
      await terminal.see(question)
      terminal.type(answer)
    }
    await terminal.see(steps[at]?.[0] ?? '')
    terminal.type(key)
    expect(await terminal.ended).toBe(130)
    expect(terminal.shown()).toContain('Nothing was added.')
    expect(machine.files()).toEqual({})
  })

  test('Ctrl-D at a confirmation', async () => {
    using machine = createMachine({ '.mcp.json': { mcpServers: { orders: { command: 'orders-mcp' } } } })
    const terminal = openTerminal(machine, ['trust', 'orders'])
    await terminal.see('Trust "orders"?')
    terminal.type(ctrlD)
    expect(await terminal.ended).toBe(130)
    expect(terminal.shown()).toContain('"orders" stays untrusted.')
  })

  test('Esc cancels too', async () => {
    using machine = createMachine()
    const terminal = openTerminal(machine, ['add'])
    await terminal.see('What is it called?')
    terminal.type(escape)
    expect(await terminal.ended).toBe(130)
    expect(machine.files()).toEqual({})
  })
})

describe.concurrent('add --from in a terminal', () => {
  test('asks which server to add and for its inputs', async () => {
    using machine = createMachine({
      'server.json': {
        name: 'io.github.dana/weather',
        description: 'Weather',
        version: '1.0.0',
        packages: [
          {
            registryType: 'npm',
            identifier: 'weather-mcp',
            version: '1.0.0',
            transport: { type: 'stdio' },
            environmentVariables: [{ name: 'CITY', isRequired: true }],
          },
        ],
        remotes: [{ type: 'streamable-http', url: 'https://weather.example.com/mcp' }],
      },
    })
    const terminal = openTerminal(machine, ['add', '--from', 'server.json'])
    await terminal.see('Which one?')
    await terminal.see('weather: npx weather-mcp@1.0.0')
    await terminal.see('weather: https://weather.example.com/mcp')
    terminal.type(enter)
    await terminal.see('◆  CITY')
    terminal.type(`Bern${enter}`)
    await terminal.see('Write this to')
    terminal.type('y\r')
    expect(await terminal.ended).toBe(0)
    expect(machine.read(own)).toContain('"CITY": "Bern"')
  })

  test('Ctrl-C at the choice writes nothing', async () => {
    using machine = createMachine({
      'two.json': { mcpServers: { a: { command: 'a' }, b: { command: 'b' } } },
    })
    const terminal = openTerminal(machine, ['add', '--from', 'two.json'])
    await terminal.see('Which one?')
    terminal.type(ctrlC)
    expect(await terminal.ended).toBe(130)
    expect(Object.keys(machine.files())).toEqual(['shop/two.json'])
  })
})
