import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createMachine } from '../support/programs/cli.ts'
import { parseChecked } from '../support/json-schema.ts'
import { echoServer } from '../support/gateway.ts'
import { ownFile } from '../support/servers.ts'

const files = {
  [ownFile]: { mcpServers: { echo: echoServer() } },
  '~/.config/plugboard/settings.json': {
    views: { work: { tools: ['*', '!*hang'], rename: { 'echo/echo': 'say' } }, quiet: { tools: ['*log'] } },
    gateway: {
      issuers: [
        {
          issuer: 'https://login.example.com',
          name: 'email',
          rules: [
            { claims: { groups: 'eng-*' }, views: ['work'] },
            { claims: { groups: 'all' }, views: 'all' },
          ],
        },
      ],
    },
  },
  'dana.json': { sub: 'u1', email: 'dana@example.com', groups: ['eng-tools'] },
  'sam.json': { iss: 'https://login.example.com', sub: 'u2', email: 'sam@example.com', groups: ['sales'] },
  'all.json': { sub: 'u4', groups: ['all'] },
  'other.json': { iss: 'https://other.example.com', sub: 'u3' },
}

describe('keys', () => {
  test('a key is shown once, kept as a hash in a private file, rotated and removed', async () => {
    using machine = createMachine(files)
    const added = await machine.run('keys', 'add', 'ci', '--view', 'work', '--expires', '90d', '--json')
    const { secret, key } = parseChecked(['keys', 'add'], added.stdout) as {
      secret: string
      key: Record<string, unknown>
    }
    expect(secret).toMatch(/^pbk_[0-9a-f]{12}_[\w-]{43}$/)
    expect(key).toMatchObject({ name: 'ci', views: ['work'], expired: false })
    const file = join(machine.home, '.local/state/plugboard/gateway-keys.json')
    expect(readFileSync(file, 'utf8')).not.toContain(secret.slice(-43))
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const listed = await machine.run('keys')
    expect(listed.stdout).toMatch(/ci\s+work/)
    expect(listed.stdout).not.toContain(secret)

    const rotated = await machine.run('keys', 'rotate', 'ci', '--overlap', '1h', '--json')
    const after = parseChecked(['keys', 'rotate'], rotated.stdout) as {
      secret: string
      key: Record<string, unknown>
    }
    expect(after.secret).not.toBe(secret)
    expect(after.key).toMatchObject({ name: 'ci', id: key['id'], views: ['work'] })
    const { previousUntil } = after.key as { readonly previousUntil: string }
    const shown = (await machine.run('keys')).stdout
    expect([listed.stdout, shown]).toEqual([
      expect.not.stringContaining('old key'),
      expect.stringMatching(/^name .*old key until\s*\nci /),
    ])
    expect(shown).toContain(`${previousUntil.slice(0, 10)} ${previousUntil.slice(11, 16)} UTC`)
    await machine.run('keys', 'rotate', 'ci')
    expect((await machine.run('keys')).stdout).not.toContain('old key')

    const removed = await machine.run('keys', 'remove', 'ci', '--json')
    expect(parseChecked(['keys', 'remove'], removed.stdout)).toEqual({ version: 1, removed: 'ci' })
    expect(parseChecked(['keys', 'list'], (await machine.run('keys', '--json')).stdout)).toEqual({
      version: 1,
      keys: [],
    })
  })

  test('what cannot be done is said with the next step', async () => {
    using machine = createMachine(files)
    await machine.run('keys', 'add', 'ci')
    const again = await machine.run('keys', 'add', 'ci')
    expect([again.code, again.stderr]).toEqual([6, expect.stringContaining('plugboard keys rotate ci')])
    const near = await machine.run('keys', 'remove', 'cj')
    expect([near.code, near.stderr]).toEqual([5, expect.stringContaining('Did you mean ci?')])
    const past = await machine.run('keys', 'add', 'x', '--expires', '2020-01-01')
    expect([past.code, past.stderr]).toEqual([2, expect.stringContaining('a date in the future')])
    expect((await machine.run('keys', 'add', 'a b')).code).toBe(2)
    const view = await machine.run('keys', 'add', 'other', '--view', 'none')
    expect([view.code, view.stderr]).toEqual([0, expect.stringContaining('no view "none"')])
  })

  test('why TOOL --key says at which address a caller finds a tool, under which name, and why not', async () => {
    using machine = createMachine(files)
    await machine.run('keys', 'add', 'ci', '--view', 'work')
    await machine.run('tools')
    const { stdout, stderr } = await machine.run('why', 'echo/echo', '--key', 'ci', '--json')
    expect(stderr).toBe('')
    const { tools } = parseChecked(['why'], stdout) as { tools: readonly { key: unknown }[] }
    expect(tools[0]?.key).toEqual({
      name: 'ci',
      expired: false,
      addresses: [
        { address: '/mcp', offered: true, name: 'say', reason: expect.any(String) },
        { address: '/mcp/quiet', offered: false, reason: 'It is not for the view "quiet".' },
        { address: '/mcp/work', offered: true, name: 'say', reason: expect.any(String) },
      ],
    })
    const byShownName = await machine.run('why', 'say', '--key', 'ci', '--json')
    expect([byShownName.code, byShownName.stdout]).toEqual([0, stdout])
    const hidden = await machine.run('why', 'echo/hang', '--key', 'ci')
    expect(hidden.stdout).toMatch(/\/mcp\/work\s+no {2}The pattern "!\*hang" of the view "work" denies it\./)
    const quiet = await machine.run('why', 'echo/echo', '--claims', 'all.json')
    expect(quiet.stdout).toMatch(/\/mcp\/quiet\s+no {2}No pattern of the view "quiet" admits it\./)
    const unknown = await machine.run('why', 'echo/echo', '--key', 'cj')
    expect([unknown.code, unknown.stderr]).toEqual([5, expect.stringContaining('There is no key "cj"')])
  })

  describe('with a published configuration', () => {
    const team = {
      mcpServers: { spoken: { ...echoServer(), stateful: true } },
      views: { talk: { rename: { 'spoken/echo': 'speak' } } },
    }
    const whyTool = ['why', 'spoken/echo', '--tool', '--key', 'ci', '--from'] as const
    const addresses = [
      { address: '/mcp', offered: true, name: 'speak', reason: expect.any(String) },
      { address: '/mcp/talk', offered: true, name: 'speak', reason: expect.any(String) },
    ]

    test('keys add takes its views, and warns about others', async () => {
      using machine = createMachine({ ...files, 'team.json': team })
      expect((await machine.run('gateway', 'publish', 'team.json')).code).toBe(0)
      const known = await machine.run('keys', 'add', 'a', '--view', 'talk', '--view', 'work')
      expect([known.code, known.stderr]).toEqual([0, expect.not.stringContaining('view "')])
      const other = await machine.run('keys', 'add', 'b', '--view', 'none')
      expect(other.stderr).toContain(
        'Neither your settings nor the published configuration have a view "none"',
      )
    })

    test('why TOOL --key --from store explains it, and none of the servers of this folder', async () => {
      using machine = createMachine({ ...files, 'team.json': team })
      await machine.run('keys', 'add', 'ci', '--view', 'talk')
      const nothing = await machine.run('why', 'spoken/echo', '--key', 'ci', '--from', 'store')
      expect([nothing.code, nothing.stderr]).toEqual([
        5,
        expect.stringContaining('plugboard gateway publish FILE'),
      ])
      await machine.run('gateway', 'publish', 'team.json')
      const { stdout } = await machine.run(...whyTool, 'store', '--json')
      const { tools } = parseChecked(['why'], stdout) as { tools: readonly object[] }
      expect(tools).toEqual([
        expect.objectContaining({
          server: 'spoken',
          key: { name: 'ci', expired: false, addresses },
          from: { kind: 'store', version: 1, publishedAt: expect.any(String) },
        }),
      ])
      const drawn = await machine.run('why', 'speak', '--key', 'ci', '--from', 'store')
      expect(drawn.stdout).toMatch(/server\s+spoken \(version 1 in the store, line \d+\)/)
      const local = await machine.run('why', 'echo/echo', '--key', 'ci', '--from', 'store')
      expect(local.code).toBe(5)
    })

    test('why TOOL --key --from FILE explains a file in the same way', async () => {
      using machine = createMachine({
        ...files,
        'team.json': team,
        'wrong.json': { mcpServers: {}, views: 1 },
      })
      await machine.run('keys', 'add', 'ci', '--view', 'talk')
      const { stdout } = await machine.run(...whyTool, 'team.json', '--json')
      const { tools } = parseChecked(['why'], stdout) as { tools: readonly object[] }
      expect(tools).toEqual([
        expect.objectContaining({
          key: { name: 'ci', expired: false, addresses },
          from: { kind: 'file', file: machine.path('team.json') },
        }),
      ])
      const wrong = await machine.run('why', 'spoken/echo', '--key', 'ci', '--from', 'wrong.json')
      expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('"views"')])
      const missing = await machine.run('why', 'spoken/echo', '--key', 'ci', '--from', 'absent.json')
      expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('absent.json')])
      const alone = await machine.run('why', 'spoken/echo', '--from', 'team.json')
      expect([alone.code, alone.stderr]).toEqual([2, expect.stringContaining('--key NAME or --claims FILE')])
    })
  })

  test('why TOOL --claims says the same for the caller of a token, by the rules for claims', async () => {
    using machine = createMachine(files)
    await machine.run('tools')
    const { stdout } = await machine.run('why', 'echo/echo', '--claims', 'dana.json', '--json')
    const { tools } = parseChecked(['why'], stdout) as { tools: readonly { claims: unknown }[] }
    expect(tools[0]?.claims).toEqual({
      issuer: 'https://login.example.com',
      name: 'dana@example.com',
      expired: false,
      addresses: [
        { address: '/mcp', offered: true, name: 'say', reason: expect.any(String) },
        { address: '/mcp/quiet', offered: false, reason: 'It is not for the view "quiet".' },
        { address: '/mcp/work', offered: true, name: 'say', reason: expect.any(String) },
      ],
    })
    const none = await machine.run('why', 'echo/echo', '--claims', 'sam.json')
    expect(none.stdout).toMatch(
      /claims sam@example\.com [^]*\/mcp\s+no {2}No rule of this gateway is for these claims\./,
    )
    const other = await machine.run('why', 'echo/echo', '--claims', 'other.json')
    expect([other.code, other.stderr]).toEqual([
      2,
      expect.stringContaining('no issuer "https://other.example.com"'),
    ])
    const missing = await machine.run('why', 'echo/echo', '--claims', 'none.json')
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('cannot be read (ENOENT)')])
  })
})
