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
