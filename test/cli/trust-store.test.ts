import { chmodSync, chownSync, rmSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createMachine } from '../support/programs/cli.ts'
import type { ListOutput, Machine } from '../support/programs/cli.ts'
import { trustRequest } from '../support/trusting.ts'

const store = '~/.local/state/plugboard/trust.json'
const isRoot = process.getuid?.() === 0

/** A machine on which "orders" is trusted. */
async function trusting(): Promise<Machine> {
  const machine = createMachine({ '.mcp.json': { mcpServers: { orders: { command: 'orders-mcp' } } } })
  const { hash } = await trustRequest(machine)
  await machine.run('trust', 'orders', '--hash', hash)
  return machine
}

const damages: readonly (readonly [string, (machine: Machine) => unknown, RegExp])[] = [
  ['broken JSON', (machine) => machine.write(store, '{ "version": 1, ', 0o600), /it is not valid JSON/],
  ['an empty file', (machine) => machine.write(store, '', 0o600), /it is not valid JSON/],
  ['another shape', (machine) => machine.write(store, [], 0o600), /does not contain trust entries/],
  [
    'an incomplete entry',
    (machine) => machine.write(store, { version: 1, entries: { x: {} } }, 0o600),
    /entry x is incomplete/,
  ],
  [
    'a future version',
    (machine) => machine.write(store, machine.read(store).replace('"version": 1', '"version": 2'), 0o600),
    /version 2/,
  ],
  ['mode 0666', (machine) => chmodSync(machine.path(store), 0o666), /can be written by others \(mode 666\)/],
  ['mode 0620', (machine) => chmodSync(machine.path(store), 0o620), /can be written by others \(mode 620\)/],
  [
    'a folder of mode 0777',
    (machine) => chmodSync(machine.path('~/.local/state/plugboard'), 0o777),
    /can be written by others \(mode 777\)/,
  ],
]

describe.concurrent('FI-74 a damaged trust store trusts nothing and is not overwritten', () => {
  test.each(damages)('%s', async (_what, damage, reason) => {
    using machine = await trusting()
    damage(machine)
    const before = machine.files()

    const listed = await machine.run('list', '--json')
    expect(listed.stderr).toMatch(reason)
    const { servers, diagnostics } = JSON.parse(listed.stdout) as ListOutput
    expect(listed.code).toBe(3)
    expect(servers.map(({ name, trust }) => ({ name, trust }))).toEqual([
      { name: 'orders', trust: 'pending' },
    ])
    expect(diagnostics.map(({ code, severity, file }) => ({ code, severity, file }))).toEqual([
      { code: 'store-damaged', severity: 'error', file: machine.path(store) },
    ])
    expect(diagnostics[0]?.message).toMatch(reason)

    for (const words of [
      ['list'],
      ['why', 'orders'],
      ['untrust', 'orders'],
      ['trust', 'orders'],
      ['trust', '--all'],
    ]) {
      const { code } = await machine.run(...words)
      expect({ words, code }).toEqual({ words, code: 3 })
    }
    const { hash } = await trustRequest(machine)
    const named = await machine.run('trust', 'orders', '--hash', hash)
    expect(named.code).toBe(3)
    expect(named.stderr).toMatch(reason)
    expect(machine.files()).toEqual(before)
  })

  test.runIf(isRoot)('a store that belongs to another user', async () => {
    using machine = await trusting()
    chownSync(machine.path(store), 12345, 12345)
    const { code, stdout } = await machine.run('list', '--json')
    const { servers, diagnostics } = JSON.parse(stdout) as ListOutput
    expect(code).toBe(3)
    expect(servers[0]?.['trust']).toBe('pending')
    expect(diagnostics[0]?.message).toContain('belongs to another user')
  })

  test('a damaged store does not stop servers that need no trust', async () => {
    using machine = await trusting()
    machine.write('~/.config/plugboard/mcp.json', { mcpServers: { mine: { command: 'mine-mcp' } } })
    machine.write(store, 'garbage', 0o600)
    const { servers } = await machine.json<ListOutput>('list')
    expect(servers.map(({ name, trust }) => `${name} ${String(trust)}`)).toEqual([
      'orders pending',
      'mine trusted',
    ])
  })

  test('after removing the store, servers can be trusted again', async () => {
    using machine = await trusting()
    machine.write(store, 'garbage', 0o600)
    rmSync(machine.path(store))
    const { hash } = await trustRequest(machine)
    expect((await machine.run('trust', 'orders', '--hash', hash)).code).toBe(0)
  })
})
