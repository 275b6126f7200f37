import { describe, expect, test } from 'vitest'
import { createMachine } from '../support/programs/cli.ts'
import type { Machine } from '../support/programs/cli.ts'
import { editableServer, toolNamed } from '../support/editable-server.ts'

const offers = {
  instructions: 'Prices are in euros.',
  tools: [toolNamed('price'), toolNamed('stock')],
  prompts: [{ name: 'summary', description: 'Sums up.' }],
}

/** A project whose server is trusted and locked, beside a server of the person. */
async function createLockedShop(): Promise<Machine> {
  const machine = createMachine({
    '.mcp.json': { mcpServers: { shop: { command: 'node', args: ['tools/server.mjs'] } } },
    'tools/server.mjs': editableServer,
    'tools/offers.json': offers,
    '~/own/server.mjs': editableServer,
    '~/own/offers.json': { tools: [toolNamed('weather')] },
  })
  machine.write('~/.config/plugboard/mcp.json', {
    mcpServers: { mine: { command: 'node', args: [machine.path('~/own/server.mjs')] } },
  })
  const { servers } = await machine.json<{ servers: readonly { name: string; hash?: string }[] }>('list')
  for (const { name, hash } of servers)
    if (name === 'shop') await machine.run('trust', name, '--hash', hash ?? '')
  expect(await machine.run('lock')).toMatchObject({ code: 0 })
  return machine
}

async function toolsOf(machine: Machine, ...flags: readonly string[]): Promise<readonly string[]> {
  const { tools } = await machine.json<{ tools: readonly { ref: string }[] }>('tools', ...flags)
  return tools.map(({ ref }) => ref)
}

const everything = ['mine/weather', 'shop/price', 'shop/stock']

describe.concurrent('T12 what differs from the lock file is held, and nothing else', () => {
  test('everything that is as locked is offered', async () => {
    using machine = await createLockedShop()
    expect(await toolsOf(machine)).toEqual(everything)
  })

  test('T12 L14 a tool that the lock file does not have, by its name and by its definition', async () => {
    using machine = await createLockedShop()
    const lock = machine.read('mcp.lock.json')
    // A teammate agreed on another definition; this person has accepted the one that is offered.
    machine.write('mcp.lock.json', lock.replace(/("price": "sha256:)[0-9a-f]{4}/, '$1abcd'))
    expect(await toolsOf(machine)).toEqual(['mine/weather', 'shop/stock'])
    const called = await machine.run('call', 'shop/price')
    expect(called.code).not.toBe(0)
    expect(called.stderr).toContain('It is not the one in the lock file of the project.')
    machine.write('mcp.lock.json', lock.replace(/ *"price": "sha256:[0-9a-f]+",\n/, ''))
    expect(await toolsOf(machine)).toEqual(['mine/weather', 'shop/stock'])
    machine.write('mcp.lock.json', lock)
    expect(await toolsOf(machine)).toEqual(everything)
  })

  test('T12 also where nothing is asked of a person: a known tool that has changed since is not called', async () => {
    using machine = await createLockedShop()
    machine.write('~/.config/plugboard/settings.json', { accept: 'off' })
    expect(await toolsOf(machine)).toEqual(everything)
    const changed = { ...toolNamed('price'), description: 'Shows another price.' }
    machine.write('tools/offers.json', { ...offers, tools: [changed, toolNamed('stock')] })
    const called = await machine.run('call', 'shop/price')
    expect(called.code).toBe(12)
    expect(called.stderr).toContain('It is not the one in the lock file of the project.')
  })

  test('T03 the whole server, if its script is another one; after a new lock it is offered again', async () => {
    using machine = await createLockedShop()
    machine.write('tools/server.mjs', `${editableServer}// more`)
    expect(await toolsOf(machine)).toEqual(['mine/weather'])
    const called = await machine.run('call', 'shop/price')
    expect(called.stderr).toContain('A script of its server is not the one in the lock file of the project.')
    expect(await machine.run('lock')).toMatchObject({ code: 0 })
    expect(await toolsOf(machine)).toEqual(everything)
  })

  test('T03 the whole server, if its declaration is another one, although it is trusted', async () => {
    using machine = await createLockedShop()
    machine.write('.mcp.json', {
      mcpServers: { shop: { command: 'node', args: ['tools/server.mjs'], env: { A: '1' } } },
    })
    expect(await toolsOf(machine, '--trust')).toEqual(['mine/weather'])
  })

  test('a broken file holds the servers of its project, says where, and others go on', async () => {
    using machine = await createLockedShop()
    machine.write('mcp.lock.json', '{\n  "version": 1,\n')
    expect(await toolsOf(machine)).toEqual(['mine/weather'])
    const { stderr } = await machine.run('tools')
    expect(stderr).toContain('mcp.lock.json:3')
    expect(stderr).toContain('plugboard lock')
    expect((await machine.run('call', 'mine/weather')).code).toBe(0)
  })

  test('T12 the lock file accepts nothing: what this person has not accepted stays held', async () => {
    using machine = await createLockedShop()
    machine.write('tools/offers.json', {
      ...offers,
      tools: [toolNamed('price', 'Another text.'), toolNamed('stock')],
    })
    await machine.run('cache', 'clear')
    // The lock of a teammate has the new definition already.
    using other = createMachine({
      '.mcp.json': { mcpServers: { shop: { command: 'node', args: ['tools/server.mjs'] } } },
      'tools/server.mjs': editableServer,
      'tools/offers.json': machine.read('tools/offers.json'),
    })
    expect(await other.run('lock', '--trust')).toMatchObject({ code: 0 })
    machine.write('mcp.lock.json', other.read('mcp.lock.json'))
    expect(await toolsOf(machine)).toEqual(['mine/weather', 'shop/stock'])
    // A lock of a held definition is refused; the earlier agreement stays.
    const before = machine.read('mcp.lock.json')
    const { code, stderr } = await machine.run('lock')
    expect(code).toBe(12)
    expect(stderr).toContain('plugboard review shop')
    expect(machine.read('mcp.lock.json')).toBe(before)
  })
})

test('commands that only show write nothing in a project', async () => {
  using machine = await createLockedShop()
  const inProject = () =>
    Object.entries(machine.files()).filter(
      ([file]) => file.includes('shop/') || file.startsWith(machine.project),
    )
  const before = inProject()
  expect(before.length).toBeGreaterThan(3)
  for (const words of [
    ['list'],
    ['tools'],
    ['doctor'],
    ['scan'],
    ['why', 'shop'],
    ['review'],
    ['call', 'shop/price'],
    ['lock', '--check'],
    ['lock', '--frozen'],
    ['lock', '--dry-run'],
  ])
    await machine.run(...words)
  expect(inProject()).toEqual(before)
})
