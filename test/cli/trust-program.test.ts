import { chmodSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createHost } from '../../src/index.ts'
import { createMachine } from '../support/programs/cli.ts'
import type { Machine } from '../support/programs/cli.ts'
import { editableServer, toolNamed } from '../support/editable-server.ts'
import { stateOf, trust, trustRequest } from '../support/trusting.ts'

/** A project whose server is a script of its own. */
function shop(settings: object): Machine {
  return createMachine({
    '.mcp.json': { mcpServers: { orders: { command: 'node', args: ['tools/server.mjs'] } } },
    'tools/server.mjs': editableServer,
    'tools/offers.json': { tools: [toolNamed('price')] },
    '~/.config/plugboard/settings.json': { accept: 'off', ...settings },
  })
}

const folderText = "import('./server.mjs')"

/** The same, but its command line names a folder. */
function folderShop(): Machine {
  return createMachine({
    '.mcp.json': {
      mcpServers: { orders: { command: 'node', args: ['tools'], env: { NODE_OPTIONS: '--no-warnings' } } },
    },
    'tools/index.js': folderText,
    'tools/server.mjs': editableServer,
    'tools/offers.json': { tools: [toolNamed('price')] },
    '~/.config/plugboard/settings.json': { accept: 'off', pinFiles: true },
  })
}

const edit = (machine: Machine) => machine.write('tools/server.mjs', `${editableServer}\n// edited\n`)

describe.concurrent('T03 what a trusted server of a project runs', () => {
  test('T03 with pinFiles, a changed script asks again, names the file, and is not started', async () => {
    using machine = shop({ pinFiles: true })
    await trust(machine)
    expect((await machine.run('call', 'orders/price')).code).toBe(0)
    edit(machine)
    expect(await stateOf(machine)).toBe('changed')
    expect(await machine.run('call', 'orders/price')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('plugboard trust orders') as string,
    })
    const { trust: state, changes } = await trustRequest(machine)
    expect([state, changes.map(({ pointer }) => pointer)]).toEqual([
      'changed',
      ['/scripts/tools~1server.mjs'],
    ])
    await trust(machine)
    expect((await machine.run('call', 'orders/price')).code).toBe(0)
    machine.write('tools/server.mjs', editableServer)
    expect(await stateOf(machine)).toBe('changed')
  })

  test('T133 a folder is pinned as the runtime resolves it; variables that load code are named', async () => {
    using machine = folderShop()
    expect((await machine.run('trust', 'orders')).stderr).toContain('Not pinned: what NODE_OPTIONS loads')
    await trust(machine)
    expect((await machine.run('call', 'orders/price')).code).toBe(0)
    machine.write('tools/index.js', `${folderText}\n// edited\n`)
    expect(await stateOf(machine)).toBe('changed')
    await trust(machine)
    machine.write('tools/package.json', { main: 'other.js' })
    machine.write('tools/other.js', folderText)
    expect(await stateOf(machine)).toBe('changed')
  })

  test('T133 a trust of an earlier version stays valid, and says what it does not pin', async () => {
    using machine = folderShop()
    await trust(machine)
    const store = '~/.local/state/plugboard/trust.json'
    const text = JSON.parse(machine.read(store)) as { entries: Record<string, object> }
    const entries = Object.entries(text.entries).map(([key, record]) => {
      const { isResolved: _, ...rest } = record as { isResolved?: true }
      return [key, { ...rest, scripts: {} }]
    })
    machine.write(store, { ...text, entries: Object.fromEntries(entries) })
    chmodSync(machine.path(store), 0o600)
    expect(await stateOf(machine)).toBe('trusted')
    const { code, stderr } = await machine.run('call', 'orders/price')
    expect(code).toBe(0)
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain('tools/index.js is run and not pinned')
    await machine.run('untrust', 'orders')
    await trust(machine)
    expect((await machine.run('call', 'orders/price')).stderr).toBe('')
  })

  test('T03 without pinFiles a script may change: a person edits their own servers', async () => {
    using machine = shop({})
    await trust(machine)
    edit(machine)
    expect(await stateOf(machine)).toBe('trusted')
    expect((await machine.run('call', 'orders/price')).code).toBe(0)
  })

  test('T03 a host that runs does not start a script that has changed since the configuration was read', async () => {
    using machine = shop({ pinFiles: true })
    await trust(machine)
    const platform = { home: machine.home, env: machine.env }
    const host = await createHost({ cwd: machine.project, platform, lifecycle: 'on-demand' })
    try {
      await host.connect('orders')
      edit(machine)
      await expect(host.restart('orders')).rejects.toMatchObject({
        code: 'trust.refused',
        message: 'tools/server.mjs has changed since "orders" was trusted.',
      })
    } finally {
      await host.close()
    }
  })

  test('T03 a program earlier in PATH than the trusted one is told with both paths; trust again takes it', async () => {
    using machine = shop({})
    await trust(machine)
    const shadow = machine.write('~/bin/node', `#!/bin/sh\nexec "${process.execPath}" "$@"\n`)
    chmodSync(shadow, 0o755)
    const env = { PATH: `${machine.path('~/bin')}:${machine.env['PATH']}` }
    expect((await machine.run('call', 'orders/price')).stderr).toBe('')
    const { code, stderr } = await machine.runWith({ env }, 'call', 'orders/price')
    expect(code).toBe(0)
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
      `It runs ${shadow}; when it was trusted, its program was `,
    )
    await machine.run('untrust', 'orders')
    const { hash } = await trustRequest(machine)
    await machine.runWith({ env }, 'trust', 'orders', '--hash', hash)
    expect((await machine.runWith({ env }, 'call', 'orders/price')).stderr).toBe('')
  })
})
