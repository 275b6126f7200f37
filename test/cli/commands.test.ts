import { describe, expect, test } from 'vitest'
import { createMachine } from '../support/programs/cli.ts'
import type { ListOutput } from '../support/programs/cli.ts'
import { parseChecked } from '../support/json-schema.ts'
import { everyJsonVerb, withFlags } from '../support/verbs.ts'

/**
 * Exit codes other than 0: "orders" is declared by the project and untrusted (4), nothing was trusted that could be
 * untrusted and no tool has the name (5), and the only trusted server, "docs", cannot be reached (7).
 */
const exitCodes: Readonly<Record<string, number>> = {
  'import cursor': 4,
  'export cursor': 4,
  'adopt cursor': 4,
  'release cursor': 5,
  'trust orders': 4,
  'trust --all': 4,
  'untrust orders': 5,
  'why orders/tool': 4,
  'why some__tool --tool': 5,
  'test orders': 4,
  tools: 7,
  'tools *': 7,
  'tool orders/tool': 4,
  'search words': 7,
  'call orders/tool key=value': 4,
  'tasks wait abc': 5,
  'tasks cancel abc': 5,
  resources: 7,
  'read file:///a --server orders': 4,
  'prompt orders/name': 4,
  'skills show orders/name': 4,
  'skills read orders/name a.md': 4,
  'generate orders': 4,
  'generate orders --cli --no-start': 5,
  'doctor --no-start': 4,
  scan: 4,
  'lock --no-start': 4,
  review: 7,
  'lock --check': 15,
  'lock --frozen': 15,
  'sandbox orders --observe': 4,
  'request orders tools/list': 4,
  'open abc': 7,
  'keys rotate ci': 5,
  'keys remove ci': 5,
  'why orders/tool --key ci': 4,
  'why orders/tool --claims claims.json': 4,
}
const rows = everyJsonVerb('orders', 'cursor').map(
  (words) => [words.join(' '), exitCodes[words.join(' ')] ?? 0, words] as const,
)

function shop() {
  return createMachine({
    '.mcp.json': { mcpServers: { orders: { command: 'orders-mcp', args: ['--port', '1'] } } },
    '~/.config/plugboard/mcp.json': {
      mcpServers: { docs: { type: 'http', url: 'http://127.0.0.1:9/mcp' } },
    },
    '~/.cursor/mcp.json': { mcpServers: { notes: { command: 'notes-mcp' } } },
    '~/.codex/config.toml': '[mcp_servers.tickets]\ncommand = "tickets-mcp"\n',
  })
}

const names = (listed: unknown) => (listed as ListOutput).servers.map(({ name }) => name)

describe.concurrent('every command', () => {
  test.each(rows)(
    '%s --json prints one JSON document on stdout and exits with %i',
    async (_title, expected, words) => {
      using machine = shop()
      const { code, stdout } = await machine.run(...withFlags(words, '--json'))
      expect({ code, stdout }).toEqual({
        code: expected,
        stdout: `${JSON.stringify(parseChecked(words, stdout), undefined, 2)}\n`,
      })
    },
  )

  test.each(rows)(
    '%s --quiet exits with %i and prints only warnings and errors on stderr',
    async (_title, expected, words) => {
      using machine = shop()
      const { code, stderr } = await machine.run(...withFlags(words, '--quiet'))
      expect(code).toBe(expected)
      const beyond = stderr.split('\n').filter((line) => !/^(warning: .*|error: .*|)$/.test(line))
      // A command that fails always prints the reason.
      const hasFailed = code === 5 || /^"orders" is not trusted\.$|^No "plugboard serve" runs/m.test(stderr)
      expect(hasFailed ? [] : beyond).toEqual([])
    },
  )

  test.each(rows)(
    '%s --cwd gives the same result from any folder, with paths relative to it',
    async (_title, _expected, words) => {
      using here = shop()
      const inside = await here.run(...words)
      using there = shop()
      const outside = await there.runWith({ cwd: there.home }, ...withFlags(words, '--cwd', 'shop'))
      const neutral = (text: string, root: string) =>
        text.replaceAll(root, '<home>').replace(/sha256:\w+/g, '<hash>')
      expect({
        code: outside.code,
        stdout: neutral(outside.stdout, there.home),
        stderr: neutral(outside.stderr, there.home),
      }).toEqual({
        code: inside.code,
        stdout: neutral(inside.stdout, here.home),
        stderr: neutral(inside.stderr, here.home),
      })
    },
  )
})

describe.concurrent('common flags', () => {
  test('--source uses only these sources, in this order, for this command', async () => {
    using machine = shop()
    expect(names(await machine.json('list', '--source', 'codex', '--source', 'cursor'))).toEqual([
      'tickets',
      'notes',
    ])
    expect(names(await machine.json('list', '--source', 'cursor'))).toEqual(['notes'])
    expect(names(await machine.json('list'))).toEqual(['orders', 'docs'])
  })

  test('--source with an unknown id exits with 5 and suggests the nearest', async () => {
    using machine = shop()
    expect(await machine.run('list', '--source', 'cursr')).toEqual({
      code: 5,
      stdout: '',
      stderr: 'There is no source "cursr".\nDid you mean cursor?\n',
    })
  })

  test('--config ranks highest and needs no trust', async () => {
    using machine = shop()
    machine.write('special.json', { mcpServers: { orders: { command: 'other-orders' } } })
    const { servers, shadowed } = await machine.json<ListOutput>('list', '--config', 'special.json')
    expect(servers.map(({ name, command, trust }) => ({ name, command, trust }))).toEqual([
      { name: 'orders', command: 'other-orders', trust: 'trusted' },
      { name: 'docs', command: null, trust: 'trusted' },
    ])
    expect(shadowed.map(({ name, file }) => ({ name, file }))).toEqual([
      { name: 'orders', file: machine.path('.mcp.json') },
    ])
  })

  test('--config with --source reads the file in that client’s dialect', async () => {
    using machine = shop()
    machine.write('pasted.toml', '[mcp_servers.pasted]\ncommand = "pasted-mcp"\n')
    expect(names(await machine.json('list', '--config', 'pasted.toml', '--source', 'codex'))).toEqual([
      'pasted',
      'tickets',
    ])
  })

  test('--config that does not exist is an error with its place, and the rest loads', async () => {
    using machine = shop()
    const { servers, diagnostics } = await machine.json<ListOutput>('list', '--config', 'missing.json')
    expect(servers.map(({ name }) => name)).toEqual(['orders', 'docs'])
    expect(diagnostics.map(({ code, severity, file }) => ({ code, severity, file }))).toEqual([
      { code: 'unreadable-file', severity: 'error', file: machine.path('missing.json') },
    ])
  })

  test('--config is read by our rules alone, whatever other clients are on', async () => {
    using machine = shop()
    machine.write('~/.config/plugboard/settings.json', { sources: ['codex', 'cursor'] })
    machine.write('special.json', { servers: { special: { command: 'special-mcp' } } })
    const { servers, diagnostics } = await machine.json<ListOutput>('list', '--config', 'special.json')
    expect(servers.map(({ name }) => name)).toEqual(['special', 'orders', 'docs', 'tickets', 'notes'])
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
  })

  test('--trust applies to this command and writes nothing', async () => {
    using machine = shop()
    const before = machine.files()
    const { servers } = await machine.json<ListOutput>('list', '--trust')
    expect(servers.map(({ trust }) => trust)).toEqual(['trusted', 'trusted'])
    const again = await machine.json<ListOutput>('list')
    expect(again.servers.map(({ trust }) => trust)).toEqual(['pending', 'trusted'])
    expect(machine.files()).toEqual(before)
  })

  test('--scope shows the servers in force of one scope', async () => {
    using machine = shop()
    expect(names(await machine.json('list', '--scope', 'project'))).toEqual(['orders'])
    expect(names(await machine.json('list', '--scope', 'user'))).toEqual(['docs'])
    expect((await machine.run('why', 'docs', '--scope', 'project')).code).toBe(5)
    expect((await machine.run('why', 'docs', '--scope', 'user')).code).toBe(0)
    expect((await machine.run('sources', 'enable', 'cursor', '--scope', 'project')).code).toBe(2)
  })

  test('--preset selects the rules', async () => {
    using machine = shop()
    machine.write('.dispatch/mcp.json', { servers: { queue: { command: 'queue-mcp' } } })
    expect(names(await machine.json('list', '--preset', 'dispatch'))).toEqual(['queue'])
    expect(names(await machine.json('list', '--preset', 'boocode'))).toEqual([])
    expect(names(await machine.json('list', '--preset', 'default'))).toEqual(['orders', 'docs'])
    machine.write('~/.config/plugboard/settings.json', { preset: 'dispatch' })
    expect(names(await machine.json('list'))).toEqual(['queue'])
  })

  test('ls and rm are short for list and remove', async () => {
    using machine = shop()
    expect((await machine.run('ls')).stdout).toBe((await machine.run('list')).stdout)
    expect((await machine.run('rm', 'docs')).stdout).toBe('docs: removed in ~/.config/plugboard/mcp.json\n')
  })
})
