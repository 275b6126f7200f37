import { cpSync, rmSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createMachine } from '../support/programs/cli.ts'
import type { ListOutput } from '../support/programs/cli.ts'
import { everything } from '../support/servers.ts'
import { shop } from '../support/trusting.ts'

const ownFile = '~/.config/plugboard/mcp.json'

describe.concurrent('T01 a project’s entry that waits behind a person’s own server', () => {
  const both = () =>
    createMachine({
      '.mcp.json': { mcpServers: { orders: { command: 'theirs-mcp' } } },
      [ownFile]: { mcpServers: { orders: everything } },
    })

  test('the person’s server works, and every command shows what waits', async () => {
    using machine = both()
    const called = await machine.run('call', 'orders__echo', 'message=still mine')
    expect([called.code, called.stdout]).toEqual([0, expect.stringContaining('still mine')])
    const list = await machine.run('list')
    expect(list.stdout).toMatch(/^orders +on .*\(user\)$/m)
    expect(list.stdout).toMatch(/^orders +needs trust .*\(project\)$/m)
    expect(list.stderr).toContain(
      '1 server of this project waits for your trust. See: plugboard trust orders',
    )
    const why = (await machine.run('why', 'orders')).stdout
    expect(why).toContain('waits for your trust, then in force\n  declared in  .mcp.json:')
    expect(why).toContain('It is not trusted yet. Run: plugboard trust orders')
    expect((await machine.run('doctor', 'orders')).stdout).toMatch(
      /^orders {2}ok\n[^]*waits for your trust, then in force/,
    )
  })

  test('--json has its state and its hash; trusting it brings it into force', async () => {
    using machine = both()
    const { servers, shadowed, diagnostics } = await machine.json<ListOutput>('list')
    expect(servers.map((server) => [server.name, server['trust'], server['hash']])).toEqual([
      ['orders', 'trusted', undefined],
    ])
    expect(shadowed).toMatchObject([
      {
        name: 'orders',
        scope: 'project',
        trust: 'pending',
        hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        by: { scope: 'user' },
      },
    ])
    expect(diagnostics.map(({ code, severity }) => [code, severity])).toEqual([['waits-for-trust', 'info']])
    expect(JSON.stringify(await machine.json('why', 'orders'))).toContain('"trust":"pending","hash":"sha256:')
    const hash = String(shadowed[0]?.['hash'])
    expect((await machine.run('trust', 'orders', '--hash', hash)).code).toBe(0)
    const after = await machine.json<ListOutput>('list')
    expect(after.servers.map((server) => server['command'])).toEqual(['theirs-mcp'])
    expect((await machine.run('untrust', 'orders')).code).toBe(0)
    expect((await machine.json<ListOutput>('list')).servers.map((server) => server['command'])).toEqual([
      everything.command,
    ])
  })

  test('trust --all asks about it', async () => {
    using machine = both()
    const { code, stderr } = await machine.run('trust', '--all')
    expect([code, stderr]).toEqual([4, expect.stringContaining('orders is declared by this project')])
  })
})

describe.concurrent('T48 trust --hash for a teammate', () => {
  test('the hash of one clone trusts the same entry in another, and only there', async () => {
    using machine = shop()
    const { shadowed: _none, servers } = await machine.json<ListOutput>('list')
    const hash = String(servers[0]?.['hash'])
    const clone = machine.path('~/elsewhere/clone')
    cpSync(machine.project, clone, { recursive: true })
    const trusted = await machine.runWith({ cwd: clone }, 'trust', 'orders', '--hash', hash)
    expect([trusted.code, trusted.stdout]).toEqual([0, 'Trusted "orders".\n'])
    const record = machine.read('~/.local/state/plugboard/trust.json')
    expect([record.includes(clone), record.includes(hash)]).toEqual([true, false])
    expect((await machine.json<ListOutput>('list')).servers[0]?.['trust']).toBe('pending')
  })

  test('a refusal says which part differs', async () => {
    using machine = shop()
    const { servers } = await machine.json<ListOutput>('list')
    const hash = String(servers[0]?.['hash'])
    machine.write('mcp.json', machine.read('.mcp.json'))
    rmSync(machine.path('.mcp.json'))
    const { code, stderr } = await machine.run('trust', 'orders', '--hash', hash)
    expect([code, stderr]).toEqual([4, expect.stringContaining(`not ${hash}. Different: its file.`)])
  })
})
