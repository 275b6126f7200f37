import { createServer, request as forward } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { login } from '../../src/auth.ts'
import { createKeySecret } from '../../src/model/gateway/gateway-key.ts'
import { openOwnKeys } from '../../src/store.ts'
import { browse, logInAtPage, startAuthorizationServer } from '../support/authorization-server.ts'
import { startGateway, textOf } from '../support/gateway.ts'
import type { Reply } from '../support/gateway.ts'
import { noPostgres } from '../support/programs/postgres.ts'
import { Stores } from '../support/stores.ts'

const secret = 'a secret of at least 32 characters'
const work = { name: 'vault__work', arguments: {} }
const can = { capabilities: { elicitation: { url: {} } } }

/** A load balancer that sends each request to the next of its gateways, and says for which host it is. */
async function startBalancer() {
  const ports: number[] = []
  const served: number[] = []
  const server = createServer((request, response) => {
    const port = ports[served.length % ports.length] ?? 0
    served.push(port)
    const { url = '/', method = 'GET', headers } = request
    const more = { host: `127.0.0.1:${port}`, 'x-forwarded-host': headers.host }
    const passed = forward({ host: '127.0.0.1', port, path: url, method, headers: { ...headers, ...more } })
    passed.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    request.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  })
  return { ports, served, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` } // it listens on a port
}

describe.skipIf(noPostgres)(`logins of callers in a team${noPostgres ? ` (${noPostgres})` : ''}`, () => {
  const stores = new Stores('postgres')
  afterAll(() => stores.close())

  test('T31 T33 a login is begun, finished and used at different gateways behind one address, and renewed once', async () => {
    const authServer = await startAuthorizationServer({ person: 'operator' })
    authServer.namesPerson = true
    const at = await stores.place()
    const env = {
      PLUGBOARD_DATABASE_URL: 'url' in at ? at.url : '',
      PLUGBOARD_GATEWAY_SECRET: secret,
      PLUGBOARD_TEAM: '1',
    }
    const balancer = await startBalancer()
    const start = () =>
      startGateway(
        { vault: { type: 'http', url: authServer.mcp } },
        {
          settings: { gateway: { servers: { vault: { credentials: 'caller' } } } },
          gateway: { url: balancer.url, proxies: ['127.0.0.1'] },
          secret,
          env,
        },
      )
    await using one = await start()
    await using two = await start()
    balancer.ports.push(one.port, two.port)
    const options = {
      cwd: one.machine.project,
      platform: { home: one.machine.home, env: { ...one.machine.env, ...env } },
    }
    const server = one.gateway.host.discovery.servers.find(({ name }) => name === 'vault') ?? 'vault'
    await login(server, { ...options, open: async (url) => void (await browse(url)) })
    const keys = await openOwnKeys(options)
    const { secret: key, kept } = createKeySecret()
    await keys.add({ name: 'ada', ...kept, createdAt: '2026-01-01T00:00:00.000Z' })
    await keys.close()
    const ada = { headers: { authorization: `Bearer ${key}` } }

    const asked: Reply = await one.modern('tools/call', work, { ...can, ...ada })
    const questions = asked.body.result?.['inputRequests'] as
      | { readonly plugboard_login: { readonly params: { readonly url: string } } }
      | undefined
    const link = questions?.plugboard_login.params.url ?? ''
    expect(link.startsWith(`${balancer.url}/login/`)).toBe(true)
    const accepted = { ...work, inputResponses: { plugboard_login: { action: 'accept' } } }
    const before = balancer.served.length
    // It waits at a gateway that serves the callback only by chance: the database says that there is a login.
    const next = two.modern('tools/call', accepted, { ...can, ...ada })
    authServer.person = 'ada@corp'
    await logInAtPage(link)
    expect(textOf(await next)).toBe('done for ada@corp')
    expect(new Set(balancer.served.slice(before))).toEqual(new Set([one.port, two.port]))
    expect(textOf(await one.modern('tools/call', work, ada))).toBe('done for ada@corp')
    for (const { machine } of [one, two])
      expect(() => readdirSync(join(machine.home, '.local/state/plugboard/logins'))).toThrow('ENOENT')

    authServer.refusedTokens.add(authServer.tokens.at(-1) ?? '')
    const again = await Promise.all([one, two].map((gateway) => gateway.modern('tools/call', work, ada)))
    expect(again.map(textOf)).toEqual(['done for ada@corp', 'done for ada@corp'])
    expect(authServer.grants().filter((grant) => grant === 'refresh_token')).toHaveLength(1)
  })
})
