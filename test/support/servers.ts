import { fileURLToPath } from 'node:url'
import { nodePlatform } from '../../src/platform/node/node-platform.ts'
import { startFaultyHttp } from '../../src/testing/faulty-http.ts'
import type { FaultyHttp } from '../../src/testing/faulty-http.ts'
import { faultyServer } from '../../src/testing/faulty-server.ts'
import type { FaultyScript } from '../../src/testing/faulty-server.ts'
import { createMachine } from './programs/cli.ts'
import type { Machine } from './programs/cli.ts'

export const ownFile = '~/.config/plugboard/mcp.json'

export const everything = {
  command: fileURLToPath(new URL('../../node_modules/.bin/mcp-server-everything', import.meta.url)),
  args: ['stdio'],
}

/** A machine with these servers in the user's own file. */
export function machineWith(servers: Readonly<Record<string, unknown>>): Machine {
  return createMachine({ [ownFile]: { mcpServers: servers } })
}

/** A machine with one server `x` that follows a script. */
export function faultyMachine(script: FaultyScript, more: Readonly<Record<string, unknown>> = {}): Machine {
  return machineWith({ x: faultyServer(script), ...more })
}

/** A faulty server on a local port. */
export function faultyAddress(script: FaultyScript): Promise<FaultyHttp> {
  return startFaultyHttp(script, { spawn: nodePlatform().spawn })
}
