import { expect, test } from 'vitest'
import { createMachine } from '../support/programs/cli.ts'

const good = {
  mcpServers: {
    github: { url: 'https://mcp.example.com/mcp', headers: { Authorization: 'Bearer ${env:GITHUB_TOKEN}' } },
    notes: { command: '/opt/notes/serve', stateful: true },
  },
  views: { review: { servers: ['github'] } },
  limits: [{ perDay: 1000 }],
}

interface Listed {
  readonly versions: readonly {
    readonly number: number
    readonly message?: string
    readonly copyOf?: number
  }[]
}

test('gateway publish, versions and rollback: each makes a version, and the newest is in force', async () => {
  using machine = createMachine({ 'a.json': good, 'b.json': { ...good, views: {} } })
  expect((await machine.run('gateway', 'versions')).stderr).toContain('plugboard gateway publish FILE')
  expect(await machine.json('gateway', 'publish', 'a.json', '--message', 'first')).toMatchObject({
    published: { number: 1, message: 'first' },
    isNew: true,
    servers: ['github', 'notes'],
  })
  const again = await machine.run('gateway', 'publish', 'a.json')
  expect([again.code, again.stdout]).toEqual([0, 'Nothing has changed: version 1 has the same text.\n'])
  const second = await machine.run('gateway', 'publish', 'b.json')
  expect(second.stdout).toBe('Published version 2: 2 servers. Gateways serve it within 5 seconds.\n')
  const back = await machine.run('gateway', 'rollback', '1')
  expect(back.stdout).toBe('Published version 3, with the text of version 1.\n')
  const { versions } = await machine.json<Listed>('gateway', 'versions')
  expect(versions.map(({ number, message, copyOf }) => [number, message, copyOf])).toEqual([
    [3, undefined, 1],
    [2, undefined, undefined],
    [1, 'first', undefined],
  ])
  const table = await machine.run('gateway', 'versions', '--limit', '1')
  expect(table.stdout).toMatch(/^version .*\n3 .*as version 1\s*$/)
  const unknown = await machine.run('gateway', 'rollback', '9')
  expect([unknown.code, unknown.stderr]).toEqual([5, expect.stringContaining('There is no version 9.')])
})

test('gateway publish says "1 server" of one', async () => {
  using machine = createMachine({ 'one.json': { mcpServers: { notes: { command: '/opt/notes/serve' } } } })
  const { stdout } = await machine.run('gateway', 'publish', 'one.json')
  expect(stdout).toBe('Published version 1: 1 server. Gateways serve it within 5 seconds.\n')
})

test('gateway publish refuses a file with mistakes, all of them with their lines, and publishes nothing', async () => {
  using machine = createMachine({
    'bad.json': `{
  "mcpServers": {
    "empty": {},
    "notes": { "command": "/opt/notes/serve", "stateful": true }
  },
  "views": { "notes": {}, "work": { "tool": ["*"] } },
  "limits": [{ "perHour": 5 }],
  "views2": {}
}
`,
    'cut.json': '{ "mcpServers": {',
  })
  const bad = await machine.run('gateway', 'publish', 'bad.json')
  const file = machine.path('bad.json')
  expect(bad.code).not.toBe(0)
  expect(bad.stdout).toBe('')
  const lines = bad.stderr.split('\n').filter((line) => line.includes(file))
  expect(lines.map((line) => line.slice(line.indexOf(file) + file.length))).toEqual([
    ':3:5 The entry is incomplete: neither command nor url.',
    ':6:37 "views.work.tool" is not a setting of a view.',
    ':6:14 The view "notes" has the name of a stateful server, whose address /mcp/notes is. The view is not offered.',
    ':7:3 "limits" must be a list of rules: "callers" and "tools" (patterns), "perMinute", "perDay", "concurrent".',
    ':8:3 "views2" is no part of a configuration: mcpServers, views, limits.',
  ])
  const cut = await machine.run('gateway', 'publish', 'cut.json')
  expect(cut.stderr).toContain(`${machine.path('cut.json')}:1:`)
  expect(await machine.json('gateway', 'versions')).toEqual({ versions: [] })
})

test('gateway publish warns about what it does not know, with the place', async () => {
  using machine = createMachine({
    'odd.json': `{
  "mcpServers": {
    "notes": { "command": "/opt/notes/serve", "comand": "/opt/notes" }
  }
}
`,
  })
  const { code, stderr } = await machine.run('gateway', 'publish', 'odd.json')
  expect([code, stderr]).toEqual([
    0,
    expect.stringContaining(`warning: ${machine.path('odd.json')}:3:47 Unknown key "comand"`),
  ])
})

test('T35 gateway publish refuses a literal secret, and says neither it nor stores it', async () => {
  const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ012345'
  const env = { GITHUB_TOKEN: secret }
  using machine = createMachine({ 'a.json': { mcpServers: { a: { command: 'run', env } } } })
  const refused = await machine.run('gateway', 'publish', 'a.json')
  expect(refused.code).not.toBe(0)
  expect(refused.stderr).toContain('${env:NAME}')
  expect(refused.stdout + refused.stderr).not.toContain(secret)
  expect(await machine.json('gateway', 'versions')).toEqual({ versions: [] })
})
