import { describe, expect, test } from 'vitest'
import { createMachine } from '../support/programs/cli.ts'
import type { ListOutput, Machine } from '../support/programs/cli.ts'

const json = `// the servers of the shop
{
\t"theme": "dark", /* kept */
\t"mcpServers": {
\t\t// the orders
\t\t"orders": { "command": "orders-mcp", "args": ["--port", "1"] }, // port 1
\t\t"stock": {
\t\t\t"command": "stock-mcp", // trailing comma
\t\t},
\t},
}
`
const toml = `# codex
model = "o4"   # the model

[mcp_servers.orders]   # orders
command = "orders-mcp"
args = [
  "--port", # the port
  "1",
]

[mcp_servers.orders.env]
REGION = 'eu'

# the stock
[mcp_servers.stock]
command = "stock-mcp"

[profiles.fast]
model = "mini"
`
const yaml = `# goose
GOOSE_PROVIDER: openai   # who
extensions:
  # the orders
  orders:
    type: stdio
    enabled: true   # on
    name: orders
    cmd: orders-mcp
    args: ["--port", '1']
  stock:
    type: stdio
    enabled: true
    name: stock
    cmd: stock-mcp
    args: []
last: yes
`

interface Dialect {
  readonly source: string
  readonly file: string
  readonly text: string
  /** The text after removing "orders"; a comment above it may concern more than that entry, so it stays. */
  readonly removed: string
  /** The only difference after disabling "orders". */
  readonly off: readonly [before: string, after: string]
}

const dialects: readonly Dialect[] = [
  {
    source: 'plugboard',
    file: '~/.config/plugboard/mcp.json',
    text: json,
    removed: json.replace(
      '\t\t"orders": { "command": "orders-mcp", "args": ["--port", "1"] }, // port 1\n',
      '',
    ),
    off: ['"args": ["--port", "1"] }', '"args": ["--port", "1"], "enabled": false }'],
  },
  {
    source: 'codex',
    file: '~/.codex/config.toml',
    text: toml,
    removed: toml.replace(/\[mcp_servers\.orders\][^]*?(?=# the stock)/, ''),
    off: ['  "1",\n]\n', '  "1",\n]\nenabled = false\n'],
  },
  {
    source: 'goose',
    file: '~/.config/goose/config.yaml',
    text: yaml,
    removed: yaml.replace(/ {2}orders:[^]*?(?= {2}stock:)/, ''),
    off: ['    enabled: true   # on', '    enabled: false   # on'],
  },
]

const enabled = async (machine: Machine, source: string) => {
  const { servers } = await machine.json<ListOutput>('list', '--source', source)
  return Object.fromEntries(servers.map((server) => [server.name, server['enabled']]))
}

describe.concurrent.each(dialects)('in $file', ({ source, file, text, removed, off }) => {
  test.each(['remove', 'rm'])('%s removes the entry and keeps every other byte', async (verb) => {
    using machine = createMachine({ [file]: text })
    const { code, stdout } = await machine.run(verb, 'orders', '--source', source)
    expect({ code, stdout }).toEqual({ code: 0, stdout: `orders: removed in ${file}\n` })
    expect(machine.read(file)).toBe(removed)
    expect(await enabled(machine, source)).toEqual({ stock: true })
  })

  test('disable changes only the switch, and enable restores it', async () => {
    using machine = createMachine({ [file]: text })
    expect((await machine.run('disable', 'orders', '--source', source)).stdout).toBe(
      `orders: disabled in ${file}\n`,
    )
    expect(machine.read(file)).toBe(text.replace(...off))
    expect(await enabled(machine, source)).toEqual({ orders: false, stock: true })
    expect((await machine.run('disable', 'orders', '--source', source)).stdout).toBe(
      `orders: already disabled in ${file}\n`,
    )
    expect((await machine.run('enable', 'orders', '--source', source)).code).toBe(0)
    expect(await enabled(machine, source)).toEqual({ orders: true, stock: true })
    expect((await machine.run('enable', 'orders', '--source', source)).stdout).toBe(
      `orders: already enabled in ${file}\n`,
    )
  })

  test('remove keeps CRLF and a byte order mark', async () => {
    const windows = `\uFEFF${text.replaceAll('\n', '\r\n')}`
    using machine = createMachine({ [file]: windows })
    expect((await machine.run('remove', 'orders', '--source', source)).code).toBe(0)
    expect(machine.read(file)).toBe(`\uFEFF${removed.replaceAll('\n', '\r\n')}`)
  })

  test('--dry-run shows the changed lines and writes nothing', async () => {
    using machine = createMachine({ [file]: text })
    const { code, stdout } = await machine.run('remove', 'orders', '--source', source, '--dry-run')
    expect(code).toBe(0)
    expect(stdout.split('\n')[0]).toBe(file)
    expect(stdout).toMatch(/^- .*orders-mcp/m)
    expect(stdout).not.toMatch(/^\+ .*orders-mcp/m)
    expect(machine.read(file)).toBe(text)
  })

  test('the file mode and other files stay unchanged', async () => {
    using machine = createMachine()
    machine.write(file, text, 0o640)
    machine.write('.mcp.json', { mcpServers: { orders: { command: 'theirs' } } })
    const before = machine.files()
    await machine.run('disable', 'stock', '--source', source)
    expect(machine.mode(file)).toBe(0o640)
    const record = '.local/state/plugboard/added-keys.json'
    const { [file.slice(2)]: _edited, [record]: _record, ...others } = machine.files()
    const { [file.slice(2)]: _was, ...unchanged } = before
    expect(others).toEqual(unchanged)
  })
})

describe.concurrent('which declaration is edited', () => {
  test('the one in force is edited, --scope selects another, and the new one in force is named', async () => {
    using machine = createMachine({
      '.mcp.json': { mcpServers: { orders: { command: 'project' } } },
      '~/.config/plugboard/mcp.json': { mcpServers: { orders: { command: 'mine' } } },
    })
    await machine.run('disable', 'orders', '--scope', 'user')
    expect(machine.read('~/.config/plugboard/mcp.json')).toContain('"enabled": false')
    expect(machine.read('.mcp.json')).not.toContain('enabled')
    expect(await machine.run('remove', 'orders', '--trust')).toEqual({
      code: 0,
      stdout: 'orders: removed in .mcp.json\n',
      stderr: '"orders" is now the one declared in ~/.config/plugboard/mcp.json:3.\n',
    })
  })

  test('an unusable entry can still be removed', async () => {
    using machine = createMachine({
      '.mcp.json': { mcpServers: { bad: { command: 5 }, good: { command: 'x' } } },
    })
    expect((await machine.run('remove', 'bad')).code).toBe(0)
    expect(JSON.parse(machine.read('.mcp.json'))).toEqual({ mcpServers: { good: { command: 'x' } } })
  })

  test('a server of a client without a switch is disabled in our settings', async () => {
    using machine = createMachine({
      '~/.config/Claude/claude_desktop_config.json': { mcpServers: { notes: { command: 'notes-mcp' } } },
    })
    const before = machine.read('~/.config/Claude/claude_desktop_config.json')
    await machine.run('sources', 'enable', 'claude-desktop')
    expect((await machine.run('disable', 'notes')).stdout).toBe(
      'notes: disabled in ~/.config/plugboard/settings.json\n',
    )
    const { servers } = await machine.json<ListOutput>('list')
    expect(servers[0]).toMatchObject({ name: 'notes', enabled: false })
    expect(machine.read('~/.config/Claude/claude_desktop_config.json')).toBe(before)
    expect((await machine.run('enable', 'notes')).code).toBe(0)
    expect(await enabled(machine, 'claude-desktop')).toEqual({ notes: true })
  })
})
