import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { echoServer, startGateway } from '../support/gateway.ts'
import type { GatewayMachine } from '../support/gateway.ts'
import { ownFile } from '../support/servers.ts'

const minute = 60_000
const reason = 'This gateway is behind itself. Remove the entry that leads back to it.'

function entryOf({ url, token }: GatewayMachine): object {
  return { type: 'http', url, headers: { authorization: `Bearer ${token}` } }
}

async function namesOf(gateway: GatewayMachine): Promise<readonly string[]> {
  const { body } = await gateway.modern('tools/list')
  const { tools } = body.result as unknown as { readonly tools: readonly { readonly name: string }[] }
  return tools.map(({ name }) => name)
}

/** Declares servers, and waits until the gateway has read that. */
async function declare(
  { machine, gateway }: GatewayMachine,
  servers: Readonly<Record<string, object>>,
): Promise<void> {
  machine.write(ownFile, { mcpServers: servers })
  await gateway.host.reload()
}

function whyFailed({ gateway }: GatewayMachine, server: string): string {
  const status = gateway.host.servers().find(({ name }) => name === server)?.status
  return JSON.stringify(status)
}

test(
  'a gateway that is its own server over HTTP is shown as failed with the reason, and its list does not grow',
  async () => {
    await using started = await startGateway({ echo: echoServer() })
    const own = await namesOf(started)
    await declare(started, { echo: echoServer(), self: entryOf(started) })
    expect(await namesOf(started)).toEqual(own)
    expect(whyFailed(started, 'self')).toContain(reason)
    expect(await namesOf(started)).toEqual(own)
  },
  minute,
)

test(
  'two gateways that are servers of each other: the ring is broken, and their own servers stay',
  async () => {
    await using one = await startGateway({ echo: echoServer() })
    await using two = await startGateway({ echo: echoServer() })
    const own = await namesOf(one)
    await declare(one, { echo: echoServer(), two: entryOf(two) })
    expect(await namesOf(one)).toEqual([...own, ...own.map((name) => `two__${name}`)].sort())
    await declare(two, { echo: echoServer(), one: entryOf(one) })
    expect(await namesOf(two)).toEqual(own)
    expect(whyFailed(two, 'one')).toContain(reason)
    expect((await namesOf(one)).filter((name) => name.includes('two__one__'))).toEqual([])
  },
  minute,
)

test('a server over HTTP gets a random id of the gateway and nothing else that is new', async () => {
  const seen = new Set<string>()
  const server = createServer((request, response) => {
    for (const [name, value] of Object.entries(request.headers))
      if (name.startsWith('plugboard')) seen.add(`${name}: ${String(value)}`)
    response.writeHead(500).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  try {
    await using started = await startGateway({ x: { type: 'http', url: `http://127.0.0.1:${port}/mcp` } })
    await namesOf(started)
    expect([...seen]).toEqual([expect.stringMatching(/^plugboard-gateways: [\w-]{16}$/)])
  } finally {
    server.close()
  }
})
