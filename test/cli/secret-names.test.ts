import { describe, expect, test } from 'vitest'
import { shiftyServerFile } from '../../src/testing/shifty-server.ts'
import { createMachine } from '../support/programs/cli.ts'
import type { Machine } from '../support/programs/cli.ts'
import { ownFile } from '../support/servers.ts'

const secret = 'k9ZqTt7w0042Xy'

const offers = {
  tools: [
    {
      name: `price_${secret}`,
      description: 'Shows the price.',
      inputSchema: {
        type: 'object',
        properties: { [`item_${secret}`]: { type: 'string' }, kind: { enum: [secret, 'tea'] } },
      },
    },
  ],
  prompts: [{ name: `sum_${secret}`, arguments: [{ name: secret }] }],
  resources: [{ uri: `shop://${secret}/menu`, name: 'menu' }],
  templates: [{ uriTemplate: `shop://${secret}/{item}`, name: 'item' }],
}

/** A server that puts the secret of its own entry into names and addresses, which calls need as they are. */
function leakyMachine(settings: object): Machine {
  const machine = createMachine({ '~/.config/plugboard/settings.json': settings })
  machine.write('~/plan.json', { by: 'call', steps: [offers] })
  const args = [shiftyServerFile, '--plan', machine.path('~/plan.json')]
  machine.write(ownFile, {
    mcpServers: { shop: { command: process.execPath, args, env: { SHOP_API_KEY: secret } } },
  })
  return machine
}

const keptFiles = (machine: Machine) =>
  Object.entries(machine.files())
    .filter(([name]) => !/plan\.json|mcp\.json/.test(name))
    .filter(([name, text]) => name.includes(secret) || text.includes(secret))
    .map(([name]) => name)

describe.concurrent('secrets in names, properties, choices and addresses', () => {
  test.each([[[]], [['--cli']]])('T154 generate %j: writes no code with them', async (flags) => {
    using machine = leakyMachine({ accept: 'tofu' })
    const { code, stdout, stderr } = await machine.run('generate', 'shop', ...flags)
    expect([code === 0, stdout, `${stdout}${stderr}`.includes(secret)]).toEqual([false, '', false])
    expect(stderr).toContain('No code is generated: the definition of "shop/price_')
  })

  test.each([['tofu'], ['strict']])('T35 accept %s: nothing shows or keeps them', async (accept) => {
    using machine = leakyMachine({ accept })
    const commands = [
      ['tools'],
      ['tools', '--json'],
      ['tools', '--all', '--json'],
      ['resources'],
      ['resources', '--json'],
      ['prompts', '--json'],
      ['review'],
      ['review', '--json'],
    ]
    for (const command of commands) {
      const { stdout, stderr } = await machine.run(...command)
      expect([command, `${stdout}${stderr}`.includes(secret)]).toEqual([command, false])
    }
    expect(keptFiles(machine)).toEqual([])
  })

  test('T12 T35 what was accepted under such a name is still known in the next run, and a change of it is held', async () => {
    using machine = leakyMachine({})
    expect(await machine.run('call', `shop/price_${secret}`)).toMatchObject({ code: 0 })
    expect((await machine.run('review')).stdout).toContain('Nothing is held')
    const [tool] = offers.tools
    const changed = { ...offers, tools: [{ ...tool, description: 'Shows the price in euros.' }] }
    machine.write('~/plan.json', { by: 'call', steps: [changed] })
    const { held, removed } = await machine.json<{
      readonly held: readonly { readonly kind: string; readonly reason: string }[]
      readonly removed: readonly unknown[]
    }>('review')
    expect([held.map(({ kind, reason }) => [kind, reason]), removed]).toEqual([[['tool', 'changed']], []])
  })
})
