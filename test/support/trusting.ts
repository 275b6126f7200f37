import { expect } from 'vitest'
import { createMachine } from './programs/cli.ts'
import type { ListOutput, Machine } from './programs/cli.ts'

/** A server in the output of `trust NAME --json`. */
export interface TrustOutput {
  readonly name: string
  readonly trust: string
  readonly hash: string
  readonly variables: readonly string[]
  readonly commands: readonly string[]
  readonly files: readonly string[]
  readonly changes: readonly {
    readonly pointer: string
    readonly before?: unknown
    readonly after?: unknown
  }[]
}

export const entry = {
  command: 'orders-mcp',
  args: ['--port', '8080'],
  env: { REGION: 'eu', ORDERS_TOKEN: '${ORDERS_TOKEN}', STAMP: '!date +%s' },
  cwd: '.',
  envFile: '.env',
  timeout: 30_000,
  enabledTools: ['search'],
}

/** A project with one server that is not trusted yet. */
export function shop(orders: object = entry): Machine {
  return createMachine({ '.mcp.json': { mcpServers: { orders } } })
}

export async function stateOf(machine: Machine, name = 'orders'): Promise<unknown> {
  const { servers } = await machine.json<ListOutput>('list')
  return servers.find((server) => server.name === name)?.['trust']
}

/** What `trust NAME --json` says about the server. */
export async function trustRequest(machine: Machine, name = 'orders'): Promise<TrustOutput> {
  const { servers } = await machine.json<{ readonly servers: readonly [TrustOutput] }>('trust', name)
  return servers[0]
}

export async function trust(machine: Machine, name = 'orders'): Promise<void> {
  const { hash } = await trustRequest(machine, name)
  expect((await machine.run('trust', name, '--hash', hash)).code).toBe(0)
  expect(await stateOf(machine, name)).toBe('trusted')
}
