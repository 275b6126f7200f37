import { expect, test } from 'vitest'
import { createMachine } from '../support/programs/cli.ts'

test('FI-71 add: 50 concurrent processes write 50 entries', async () => {
  using machine = createMachine({ '~/.config/plugboard/mcp.json': '// mine\n{\n  "mcpServers": {}\n}\n' })
  const names = Array.from({ length: 50 }, (_, index) => `server-${String(index).padStart(2, '0')}`)
  const results = await Promise.all(names.map((name) => machine.run('add', name, '--', `run-${name}`)))
  expect(results.filter(({ code }) => code !== 0)).toEqual([])
  const text = machine.read('~/.config/plugboard/mcp.json')
  expect(text.startsWith('// mine\n')).toBe(true)
  const { mcpServers } = JSON.parse(text.replace('// mine\n', '')) as { mcpServers: Record<string, unknown> }
  expect(Object.keys(mcpServers).sort()).toEqual(names)
  expect(Object.keys(machine.files())).toEqual(['.config/plugboard/mcp.json'])
})

test('T09 concurrent add, remove and disable lose no change', async () => {
  const start = Object.fromEntries(
    Array.from({ length: 10 }, (_, index) => [`old-${index}`, { command: 'x' }]),
  )
  using machine = createMachine({
    '~/.config/plugboard/mcp.json': { mcpServers: { ...start, stays: { command: 'y' } } },
  })
  const results = await Promise.all([
    ...Object.keys(start).map((name) => machine.run('remove', name)),
    ...Object.keys(start).map((name) => machine.run('add', `new-${name}`, '--', 'z')),
    machine.run('disable', 'stays'),
  ])
  expect(results.filter(({ code }) => code !== 0)).toEqual([])
  const { mcpServers } = JSON.parse(machine.read('~/.config/plugboard/mcp.json')) as {
    mcpServers: Record<string, unknown>
  }
  expect(Object.keys(mcpServers).sort()).toEqual([
    ...Object.keys(start).map((name) => `new-${name}`),
    'stays',
  ])
  expect(mcpServers['stays']).toEqual({ command: 'y', enabled: false })
})

test('T02 trust: concurrent processes keep every decision', async () => {
  const names = Array.from({ length: 10 }, (_, index) => `server-${index}`)
  using machine = createMachine({
    '.mcp.json': { mcpServers: Object.fromEntries(names.map((name) => [name, { command: name }])) },
  })
  const { servers: requests } = await machine.json<{
    readonly servers: readonly { readonly name: string; readonly hash: string }[]
  }>('trust', ...names)
  const results = await Promise.all(
    requests.map(({ name, hash }) => machine.run('trust', name, '--hash', hash)),
  )
  expect(results.filter(({ code }) => code !== 0)).toEqual([])
  expect((await machine.run('trust', '--all')).stderr).toBe('No server here waits for your trust.\n')
})
