import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { expect, test } from 'vitest'
import { createKeySecret } from '../../src/internal.ts'
import { createMachine } from '../support/programs/cli.ts'
import { freePorts } from '../support/programs/free-ports.ts'
import { noPostgres, startPostgres } from '../support/programs/postgres.ts'
import { startReplica } from '../support/programs/replicas.ts'

/** A way to a server on which, once it is frozen, nothing goes on and nothing ends. */
async function freezable(port: number) {
  const sockets = new Set<Socket>()
  let isFrozen = false
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('data', (bytes) => isFrozen || to.write(bytes))
      from.on('close', () => isFrozen || to.destroy())
      from.on('error', () => undefined)
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (server.address() as AddressInfo).port, // of a port
    freeze: () => (isFrozen = true),
    [Symbol.dispose]() {
      for (const each of sockets) each.destroy()
      server.close()
    },
  }
}

test.skipIf(noPostgres)(
  `a gateway ends although its database hangs, and says what became of its rows${noPostgres ? ` (${noPostgres})` : ''}`,
  async () => {
    await using postgres = await startPostgres()
    const database = new URL(await postgres.createDatabase())
    using way = await freezable(Number(database.port))
    database.port = String(way.port)
    const env = {
      PLUGBOARD_DATABASE_URL: database.href,
      PLUGBOARD_GATEWAY_SECRET: 'a secret of at least 32 characters',
    }
    using admin = createMachine({ 'team.json': { mcpServers: {} } })
    expect((await admin.runWith({ env }, 'gateway', 'publish', 'team.json')).code).toBe(0)
    const [port = 0] = await freePorts(1)
    const replica = await startReplica({ port, url: `http://127.0.0.1:${port}/mcp`, env })
    const statusOf = async (path: string, headers = {}) =>
      (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).status
    await expect.poll(() => statusOf('/readyz')).toBe(200)
    way.freeze()
    // A key that is not known: the gateway asks the database for it, and gets no answer.
    const authorization = `Bearer ${createKeySecret().secret}`
    expect(await statusOf('/mcp', { authorization })).toBe(503)
    const said = replica.said('The store does not answer')
    await replica.kill('SIGTERM')
    await said
    replica.machine[Symbol.dispose]()
  },
)
