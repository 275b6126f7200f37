import { cpSync, mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createMachine } from '../support/programs/cli.ts'
import type { ListOutput } from '../support/programs/cli.ts'
import { entry, shop, stateOf, trust, trustRequest } from '../support/trusting.ts'

describe.concurrent('T02 trust is bound to the text of the entry and its file', () => {
  const changes: readonly (readonly [string, object, string])[] = [
    ['command', { command: 'other-mcp' }, '/command'],
    ['an argument', { args: ['--port', '9090'] }, '/args/1'],
    ['an added argument', { args: ['--port', '8080', '--insecure'] }, '/args/2'],
    ['a value', { env: { ...entry.env, REGION: 'us' } }, '/env/REGION'],
    ['an added variable', { env: { ...entry.env, AWS_SECRET: '${AWS_SECRET}' } }, '/env/AWS_SECRET'],
    ['a command in a value', { env: { ...entry.env, STAMP: '!date +%N' } }, '/env/STAMP'],
    ['cwd', { cwd: '..' }, '/cwd'],
    ['envFile', { envFile: '.env.local' }, '/envFile'],
    ['timeout', { timeout: 60_000 }, '/timeout'],
    ['tools', { enabledTools: ['search', 'delete'] }, '/enabledTools/1'],
    ['an unknown key', { somethingNew: true }, '/somethingNew'],
  ]

  test.each(changes)(
    'a change of %s revokes trust, and trust shows the difference',
    async (_what, change, pointer) => {
      using machine = shop()
      await trust(machine)
      machine.write('.mcp.json', { mcpServers: { orders: { ...entry, ...change } } })
      expect(await stateOf(machine)).toBe('changed')
      const request = await trustRequest(machine)
      expect(request.trust).toBe('changed')
      expect(request.changes.map((each) => each.pointer)).toEqual([pointer])
      const { stderr } = await machine.run('trust', 'orders')
      expect(stderr).toMatch(/^You trusted an earlier version on \d{4}-.*\. What changed:$/m)
      expect(stderr).toContain(`  ${pointer}: `)
      expect((await machine.run('list')).stdout).toMatch(/orders +changed/)
      expect((await machine.run('why', 'orders')).stdout).toContain(
        'It changed since you trusted it. Run: plugboard trust orders',
      )
      machine.write('.mcp.json', { mcpServers: { orders: entry } })
      expect(await stateOf(machine)).toBe('trusted')
    },
  )

  test('layout, comments and other entries do not affect trust', async () => {
    using machine = shop()
    await trust(machine)
    machine.write(
      '.mcp.json',
      `// ours\n${JSON.stringify({ mcpServers: { orders: entry, more: { command: 'x' } } })}`,
    )
    expect(await stateOf(machine)).toBe('trusted')
    expect(await stateOf(machine, 'more')).toBe('pending')
  })

  test('the same text under another name is not trusted', async () => {
    using machine = shop()
    await trust(machine)
    machine.write('.mcp.json', { mcpServers: { renamed: entry } })
    expect(await stateOf(machine, 'renamed')).toBe('pending')
  })

  test('the same text in another file is not trusted', async () => {
    using machine = shop()
    await trust(machine)
    renameSync(machine.path('.mcp.json'), machine.path('mcp.json'))
    expect(await stateOf(machine)).toBe('pending')
  })

  test('a moved repository is not trusted', async () => {
    using machine = shop()
    await trust(machine)
    cpSync(machine.project, machine.path('~/elsewhere'), { recursive: true })
    const { stdout } = await machine.runWith({ cwd: machine.path('~/elsewhere') }, 'list', '--json')
    expect((JSON.parse(stdout) as ListOutput).servers.map((server) => server['trust'])).toEqual(['pending'])
  })

  test('a link with a new target is not trusted', async () => {
    using machine = createMachine()
    for (const folder of ['~/first', '~/second'])
      machine.write(`${folder}/mcp.json`, { mcpServers: { orders: entry } })
    symlinkSync(machine.path('~/first/mcp.json'), machine.path('.mcp.json'))
    await trust(machine)
    unlinkSync(machine.path('.mcp.json'))
    symlinkSync(machine.path('~/second/mcp.json'), machine.path('.mcp.json'))
    expect(await stateOf(machine)).toBe('pending')
  })

  test('a project folder replaced by a link is not trusted', async () => {
    using machine = shop()
    await trust(machine)
    renameSync(machine.project, machine.path('~/real'))
    mkdirSync(machine.path('~/fake'))
    machine.write('~/fake/.mcp.json', { mcpServers: { orders: entry } })
    symlinkSync(machine.path('~/fake'), machine.project)
    expect(await stateOf(machine)).toBe('pending')
    rmSync(machine.project)
  })

  test('untrust revokes trust', async () => {
    using machine = shop()
    await trust(machine)
    expect((await machine.run('untrust', 'orders')).stdout).toBe('"orders" is no longer trusted.\n')
    expect(await stateOf(machine)).toBe('pending')
    expect((await machine.run('untrust', 'orders')).code).toBe(5)
  })
})
