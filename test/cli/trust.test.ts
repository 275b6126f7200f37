import { cpSync, mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createMachine } from '../support/cli.ts'
import type { Listed, Machine } from '../support/cli.ts'
import { keys, openTerminal } from '../support/terminal.ts'

interface Request {
  readonly name: string
  readonly trust: string
  readonly hash: string
  readonly variables: readonly string[]
  readonly commands: readonly string[]
  readonly files: readonly string[]
  readonly changes: readonly {
    readonly pointer: string
    readonly before?: unknown
    readonly after?: unknown
  }[]
}

const entry = {
  command: 'orders-mcp',
  args: ['--port', '8080'],
  env: { REGION: 'eu', ORDERS_TOKEN: '${ORDERS_TOKEN}', STAMP: '!date +%s' },
  cwd: '.',
  envFile: '.env',
  timeout: 30_000,
  enabledTools: ['search'],
}

function shop(orders: object = entry): Machine {
  return createMachine({ '.mcp.json': { mcpServers: { orders } } })
}

async function stateOf(machine: Machine, name = 'orders'): Promise<unknown> {
  const { servers } = await machine.json<Listed>('list')
  return servers.find((server) => server.name === name)?.['trust']
}

async function trust(machine: Machine, name = 'orders'): Promise<void> {
  const { hash } = await machine.json<Request>('trust', name)
  expect((await machine.run('trust', name, '--hash', hash)).code).toBe(0)
  expect(await stateOf(machine, name)).toBe('trusted')
}

describe('T48 without a terminal', () => {
  test('trust is refused with 4, says what would run, and gives the hash a script may name', async () => {
    using machine = shop()
    const before = machine.files()
    const { code, stdout, stderr } = await machine.run('trust', 'orders')
    const { hash } = await machine.json<Request>('trust', 'orders')
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' })
    expect(stderr).toBe(
      [
        'orders is declared by this project in .mcp.json:3.',
        '',
        'It would run:',
        'orders-mcp --port 8080',
        'in .',
        'with the environment: REGION, ORDERS_TOKEN, STAMP',
        'It gets these variables of yours: ORDERS_TOKEN',
        'It runs for its values: date +%s',
        'It reads for its values: .env',
        '',
        `hash ${hash}`,
        `error: Nobody is here to ask. A script names the exact entry: plugboard trust orders --hash ${hash}`,
        '',
      ].join('\n'),
    )
    expect(machine.files()).toEqual(before)
  })

  test('the right hash is a yes, and the store is for its owner alone', async () => {
    using machine = shop()
    const { hash } = await machine.json<Request>('trust', 'orders')
    expect(await machine.run('trust', 'orders', '--hash', hash)).toEqual({
      code: 0,
      stdout: 'Trusted "orders".\n',
      stderr: '',
    })
    expect(await stateOf(machine)).toBe('trusted')
    expect(machine.mode('~/.local/state/plugboard/trust.json')).toBe(0o600)
    expect(machine.mode('~/.local/state/plugboard')).toBe(0o700)
    expect((await machine.run('trust', 'orders')).stdout).toBe('"orders" is already trusted.\n')
  })

  test('a wrong hash is none', async () => {
    using machine = shop()
    const { hash } = await machine.json<Request>('trust', 'orders')
    const wrong = `sha256:${'0'.repeat(64)}`
    expect(await machine.run('trust', 'orders', '--hash', wrong)).toEqual({
      code: 4,
      stdout: '',
      stderr: `"orders" is now ${hash}, not ${wrong}.\nLook at it first: plugboard why orders\n`,
    })
    expect(await stateOf(machine)).toBe('pending')
    expect(machine.has('~/.local/state/plugboard/trust.json')).toBe(false)
  })

  test('--yes is no flag of trust', async () => {
    using machine = shop()
    expect((await machine.run('trust', 'orders', '--yes')).code).toBe(2)
  })

  test('an environment that says it is a terminal changes nothing', async () => {
    using machine = shop()
    const env = { FORCE_COLOR: '1', TERM: 'xterm', FORCE_TTY: '1' }
    expect((await machine.runWith({ env, stdin: 'y\n' }, 'trust', 'orders')).code).toBe(4)
    expect(await stateOf(machine)).toBe('pending')
  })
})

describe('T02 a yes is bound to the text of the entry and its place', () => {
  const changes: readonly (readonly [string, object, string])[] = [
    ['command', { command: 'other-mcp' }, '/command'],
    ['an argument', { args: ['--port', '9090'] }, '/args/1'],
    ['one argument more', { args: ['--port', '8080', '--insecure'] }, '/args/2'],
    ['a value', { env: { ...entry.env, REGION: 'us' } }, '/env/REGION'],
    ['a variable more', { env: { ...entry.env, AWS_SECRET: '${AWS_SECRET}' } }, '/env/AWS_SECRET'],
    ['the command of a value', { env: { ...entry.env, STAMP: '!date +%N' } }, '/env/STAMP'],
    ['cwd', { cwd: '..' }, '/cwd'],
    ['envFile', { envFile: '.env.local' }, '/envFile'],
    ['timeout', { timeout: 60_000 }, '/timeout'],
    ['tools', { enabledTools: ['search', 'delete'] }, '/enabledTools/1'],
    ['a key that nobody knows', { somethingNew: true }, '/somethingNew'],
  ]

  test.each(changes)(
    'a change of %s makes it wait again, and trust shows the difference',
    async (_what, change, pointer) => {
      using machine = shop()
      await trust(machine)
      machine.write('.mcp.json', { mcpServers: { orders: { ...entry, ...change } } })
      expect(await stateOf(machine)).toBe('changed')
      const request = await machine.json<Request>('trust', 'orders')
      expect(request.trust).toBe('changed')
      expect(request.changes.map((each) => each.pointer)).toEqual([pointer])
      const { stderr } = await machine.run('trust', 'orders')
      expect(stderr).toMatch(/^You trusted another form of it on \d{4}-.*\. What changed:$/m)
      expect(stderr).toContain(`  ${pointer}: `)
      expect((await machine.run('list')).stdout).toMatch(/orders +changed/)
      expect((await machine.run('why', 'orders')).stdout).toContain(
        'It changed since you trusted it. Run: plugboard trust orders',
      )
      machine.write('.mcp.json', { mcpServers: { orders: entry } })
      expect(await stateOf(machine)).toBe('trusted')
    },
  )

  test('layout, comments and other entries are no change', async () => {
    using machine = shop()
    await trust(machine)
    machine.write(
      '.mcp.json',
      `// ours\n${JSON.stringify({ mcpServers: { orders: entry, more: { command: 'x' } } })}`,
    )
    expect(await stateOf(machine)).toBe('trusted')
    expect(await stateOf(machine, 'more')).toBe('pending')
  })

  test('another name for the same text waits', async () => {
    using machine = shop()
    await trust(machine)
    machine.write('.mcp.json', { mcpServers: { renamed: entry } })
    expect(await stateOf(machine, 'renamed')).toBe('pending')
  })

  test('the same text in another file waits', async () => {
    using machine = shop()
    await trust(machine)
    renameSync(machine.path('.mcp.json'), machine.path('mcp.json'))
    expect(await stateOf(machine)).toBe('pending')
  })

  test('a repository that moved waits', async () => {
    using machine = shop()
    await trust(machine)
    cpSync(machine.project, machine.path('~/elsewhere'), { recursive: true })
    const { stdout } = await machine.runWith({ cwd: machine.path('~/elsewhere') }, 'list', '--json')
    expect((JSON.parse(stdout) as Listed).servers.map((server) => server['trust'])).toEqual(['pending'])
  })

  test('a link that points elsewhere waits', async () => {
    using machine = createMachine()
    for (const folder of ['~/first', '~/second'])
      machine.write(`${folder}/mcp.json`, { mcpServers: { orders: entry } })
    symlinkSync(machine.path('~/first/mcp.json'), machine.path('.mcp.json'))
    await trust(machine)
    unlinkSync(machine.path('.mcp.json'))
    symlinkSync(machine.path('~/second/mcp.json'), machine.path('.mcp.json'))
    expect(await stateOf(machine)).toBe('pending')
  })

  test('a project folder that became a link waits', async () => {
    using machine = shop()
    await trust(machine)
    renameSync(machine.project, machine.path('~/real'))
    mkdirSync(machine.path('~/fake'))
    machine.write('~/fake/.mcp.json', { mcpServers: { orders: entry } })
    symlinkSync(machine.path('~/fake'), machine.project)
    expect(await stateOf(machine)).toBe('pending')
    rmSync(machine.project)
  })

  test('untrust takes it back', async () => {
    using machine = shop()
    await trust(machine)
    expect((await machine.run('untrust', 'orders')).stdout).toBe('"orders" is no longer trusted.\n')
    expect(await stateOf(machine)).toBe('pending')
    expect((await machine.run('untrust', 'orders')).code).toBe(5)
  })
})

describe('in a terminal', () => {
  const two = { mcpServers: { orders: { command: 'orders-mcp' }, stock: { command: 'stock-mcp' } } }

  test('trust shows what would run, asks, and remembers a yes', async () => {
    using machine = shop()
    const terminal = openTerminal(machine, ['trust', 'orders'])
    await terminal.see('orders-mcp --port 8080')
    await terminal.see('Trust "orders"?')
    terminal.type('y')
    expect(await terminal.ended).toBe(0)
    expect(terminal.shown()).toContain('Trusted "orders".')
    expect(await stateOf(machine)).toBe('trusted')
  })

  test.each([
    ['no', 'n', 4],
    ['Enter', keys.enter, 4],
    ['Ctrl-C', keys.ctrlC, 130],
    ['Esc', keys.escape, 130],
  ])('%s leaves it untrusted', async (_name, key, code) => {
    using machine = shop()
    const terminal = openTerminal(machine, ['trust', 'orders'])
    await terminal.see('Trust "orders"?')
    terminal.type(key)
    expect(await terminal.ended).toBe(code)
    expect(machine.has('~/.local/state/plugboard/trust.json')).toBe(false)
  })

  test('several names and --all are asked for one by one', async () => {
    using machine = createMachine({ '.mcp.json': two })
    const terminal = openTerminal(machine, ['trust', '--all'])
    await terminal.see('Trust "orders"?')
    terminal.type('n')
    await terminal.see('Trust "stock"?')
    terminal.type('y')
    expect(await terminal.ended).toBe(4)
    expect([await stateOf(machine, 'orders'), await stateOf(machine, 'stock')]).toEqual([
      'pending',
      'trusted',
    ])
  })

  test('Ctrl-C ends the round; what was said before counts', async () => {
    using machine = createMachine({ '.mcp.json': two })
    const terminal = openTerminal(machine, ['trust', 'orders', 'stock'])
    await terminal.see('Trust "orders"?')
    terminal.type('y')
    await terminal.see('Trust "stock"?')
    terminal.type(keys.ctrlC)
    expect(await terminal.ended).toBe(130)
    expect([await stateOf(machine, 'orders'), await stateOf(machine, 'stock')]).toEqual([
      'trusted',
      'pending',
    ])
  })

  test('--all with nothing to ask says so', async () => {
    using machine = createMachine()
    expect(await machine.run('trust', '--all')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'No server here waits for your trust.\n',
    })
  })
})
