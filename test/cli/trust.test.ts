import { describe, expect, test } from 'vitest'
import { createMachine } from '../support/programs/cli.ts'
import type { ListOutput } from '../support/programs/cli.ts'
import { keys, openTerminal } from '../support/programs/terminal.ts'
import { shop, stateOf, trustRequest } from '../support/trusting.ts'
import type { TrustOutput } from '../support/trusting.ts'

describe.concurrent('T48 trust without a terminal', () => {
  test('exits with 4, shows what would run, and gives the hash for a script', async () => {
    using machine = shop()
    const before = machine.files()
    const { code, stdout, stderr } = await machine.run('trust', 'orders')
    const { hash } = await trustRequest(machine)
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' })
    expect(stderr).toBe(
      [
        'orders is declared by this project in .mcp.json:3.',
        '',
        'It would run:',
        'orders-mcp --port 8080',
        'in .',
        'with the environment:',
        '  REGION=eu',
        '  ORDERS_TOKEN=${ORDERS_TOKEN}',
        '  STAMP=!date +%s',
        'It gets these of your environment variables: ORDERS_TOKEN',
        'To resolve its values, it runs: date +%s',
        'To resolve its values, it reads: .env',
        '',
        'The whole entry:',
        '  command: "orders-mcp"',
        '  args: ["--port","8080"]',
        '  env: {"REGION":"eu","ORDERS_TOKEN":"${ORDERS_TOKEN}","STAMP":"!date +%s"}',
        '  cwd: "."',
        '  envFile: ".env"',
        '  timeout: 30000',
        '  enabledTools: ["search"]',
        '',
        `hash ${hash}`,
        `error: There is no terminal to ask in. In a script, name the exact entry: plugboard trust --hash ${hash} orders`,
        '',
      ].join('\n'),
    )
    expect(machine.files()).toEqual(before)
  })

  test('--hash accepts the hash of list --json and why --json', async () => {
    using machine = shop()
    machine.write('~/.config/plugboard/mcp.json', { mcpServers: { own: { command: 'own-mcp' } } })
    const hashes = async () => {
      const [{ hash }, { servers }, why] = await Promise.all([
        trustRequest(machine),
        machine.json<ListOutput>('list'),
        machine.json<{ readonly servers: readonly [{ readonly server: Partial<TrustOutput> }] }>(
          'why',
          'orders',
        ),
      ])
      return {
        hash,
        list: servers.map((server) => [server.name, server['hash']]),
        why: why.servers[0].server.hash,
      }
    }
    const { hash, ...shown } = await hashes()
    expect({ hash, ...shown }).toEqual({
      hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      list: [
        ['orders', hash],
        ['own', undefined],
      ],
      why: hash,
    })
    expect((await machine.run('trust', 'orders', '--hash', String(shown.why))).code).toBe(0)
    expect(await hashes()).toEqual({ hash, ...shown })
  })

  test('the right hash trusts the server; the store is private', async () => {
    using machine = shop()
    const { hash } = await trustRequest(machine)
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

  test('a wrong hash is rejected', async () => {
    using machine = shop()
    const { hash } = await trustRequest(machine)
    const wrong = `sha256:${'0'.repeat(64)}`
    expect(await machine.run('trust', 'orders', '--hash', wrong)).toEqual({
      code: 4,
      stdout: '',
      stderr: `"orders" is now ${hash}, not ${wrong}. No part of it is the same: it is the hash of another server, or one that holds only for a path on another machine.\nLook at it first: plugboard why orders\n`,
    })
    expect(await stateOf(machine)).toBe('pending')
    expect(machine.has('~/.local/state/plugboard/trust.json')).toBe(false)
  })

  test('--yes is not a flag of trust', async () => {
    using machine = shop()
    expect((await machine.run('trust', 'orders', '--yes')).code).toBe(2)
  })

  test('environment variables cannot fake a terminal', async () => {
    using machine = shop()
    const env = { FORCE_COLOR: '1', TERM: 'xterm', FORCE_TTY: '1' }
    expect((await machine.runWith({ env, stdin: 'y\n' }, 'trust', 'orders')).code).toBe(4)
    expect(await stateOf(machine)).toBe('pending')
  })
})

describe.concurrent('trust in a terminal', () => {
  const two = { mcpServers: { orders: { command: 'orders-mcp' }, stock: { command: 'stock-mcp' } } }

  test('shows what would run, asks, and remembers a yes', async () => {
    using machine = shop()
    const terminal = openTerminal(machine, ['trust', 'orders'])
    await terminal.see('orders-mcp --port 8080')
    await terminal.see('Trust "orders"?')
    terminal.type('y\r')
    expect(await terminal.ended).toBe(0)
    expect(terminal.shown()).toContain('Trusted "orders".')
    expect(await stateOf(machine)).toBe('trusted')
  })

  test.each([
    ['no', 'n\r', 4],
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

  test('several names and --all are asked one by one', async () => {
    using machine = createMachine({ '.mcp.json': two })
    const terminal = openTerminal(machine, ['trust', '--all'])
    await terminal.see('Trust "orders"?')
    terminal.type('n\r')
    await terminal.see('Trust "stock"?')
    terminal.type('y\r')
    expect(await terminal.ended).toBe(4)
    expect([await stateOf(machine, 'orders'), await stateOf(machine, 'stock')]).toEqual([
      'pending',
      'trusted',
    ])
  })

  test('Ctrl-C ends the questions; earlier answers are kept', async () => {
    using machine = createMachine({ '.mcp.json': two })
    const terminal = openTerminal(machine, ['trust', 'orders', 'stock'])
    await terminal.see('Trust "orders"?')
    terminal.type('y\r')
    await terminal.see('Trust "stock"?')
    terminal.type(keys.ctrlC)
    expect(await terminal.ended).toBe(130)
    expect([await stateOf(machine, 'orders'), await stateOf(machine, 'stock')]).toEqual([
      'trusted',
      'pending',
    ])
  })

  test('--all with nothing to ask prints a note', async () => {
    using machine = createMachine()
    expect(await machine.run('trust', '--all')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'No server here waits for your trust.\n',
    })
  })
})
