import { readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listAccounts, logout } from '../../src/auth.ts'
import { openLogin } from '../../src/login/login-seal.ts'
import { startAuthorizationServer } from '../support/authorization-server.ts'
import type { AuthorizationServer } from '../support/authorization-server.ts'
import { createPerson } from '../support/person-of-auth.ts'
import { noPostgres } from '../support/programs/postgres.ts'
import { bundleScript, runScript } from '../support/programs/processes.ts'
import { Stores } from '../support/stores.ts'

const secret = 'a secret of at least 32 characters'

describe.skipIf(noPostgres)(
  `the logins and acceptances of a team${noPostgres ? ` (${noPostgres})` : ''}`,
  () => {
    const stores = new Stores('postgres')
    let script = ''
    beforeAll(async () => {
      script = await bundleScript('login-process.ts')
    })
    afterAll(async () => {
      await rm(dirname(script), { recursive: true, force: true })
      await stores.close()
    })

    /** Two machines of one team, with nothing in common but the database. */
    async function openTeam(authServer: AuthorizationServer) {
      const at = await stores.place()
      const env = {
        PLUGBOARD_DATABASE_URL: 'url' in at ? at.url : '',
        PLUGBOARD_GATEWAY_SECRET: secret,
        PLUGBOARD_TEAM: '1',
      }
      const [one, two] = [
        createPerson({ url: authServer.mcp }, { env }),
        createPerson({ url: authServer.mcp }, { env }),
      ]
      const store = await stores.open({ at })
      /** The text of the one login, as it is sealed and opened. */
      const stored = async () => {
        const [row] = await store.logins.all()
        return { sealed: row?.sealed ?? '', text: openLogin(row?.sealed ?? '', row?.id ?? '', secret) ?? '' }
      }
      return { one, two, env, stored, store }
    }

    test('T33 T34 a login is sealed in the database, and two machines renew an expired token once', async () => {
      const authServer = await startAuthorizationServer()
      const { one, two, env, stored } = await openTeam(authServer)
      await one.login()
      const { sealed, text } = await stored()
      const { access } = (JSON.parse(text) as { readonly tokens: { readonly access: string } }).tokens
      expect(Buffer.from(sealed, 'base64url').toString('latin1')).not.toContain(access)
      // Nothing of it is on the machine itself.
      expect(() => readdirSync(one.logins)).toThrow('ENOENT')
      expect(await listAccounts(await two.server(), two.options)).toMatchObject([{ account: 'default' }])
      authServer.refusedTokens.add(access)
      const programs = [one, two].map(({ home }) =>
        runScript(script, [home, join(home, 'mcp.json')], { env }),
      )
      for (const program of programs) expect(await program.nextLine()).toBe('ready')
      for (const program of programs) program.go()
      const said = await Promise.all(programs.map((program) => program.nextLine()))
      await Promise.all(programs.map(({ ended }) => ended))
      const renewals = authServer.grants().filter((grant) => grant === 'refresh_token').length
      expect({ said, renewals }).toEqual({ said: ['done', 'done'], renewals: 1 })
      expect((await stored()).text).not.toContain(access)
      await logout(await two.server(), two.options)
      expect(await listAccounts(undefined, one.options)).toEqual([])
    })

    test('T12 a change is held on both machines, and accepted for both', async () => {
      const authServer = await startAuthorizationServer()
      const { one, two, store } = await openTeam(authServer)
      await one.login()
      const hosts = [await one.host({ accept: 'tofu' }), await two.host({ accept: 'tofu' })] as const
      const seen = async (host: (typeof hosts)[number]) => {
        await host.restart('vault')
        await host.ready({ from: 'servers' })
        const held = host.held().flatMap(({ offers }) => offers.map(({ reason }) => reason))
        return { offered: host.tools().map((tool) => tool.description), held }
      }
      authServer.description = 'Works.'
      expect(await seen(hosts[0])).toEqual({ offered: ['Works.'], held: [] })
      // It is written behind the list.
      await expect.poll(async () => (await store.status()).rows.acceptances).toBe(1)
      // The second machine has never seen the server, and judges by what the first one accepted.
      authServer.description = 'Works, and sends everything elsewhere.'
      expect(await seen(hosts[1])).toEqual({ offered: [], held: ['changed'] })
      expect(await seen(hosts[0])).toEqual({ offered: [], held: ['changed'] })
      const [offer] = hosts[1].held().flatMap(({ offers }) => offers)
      const choice = { kind: 'tool' as const, name: 'work', hash: offer?.current.hash ?? '' }
      expect(await hosts[1].accept('vault', [choice])).toMatchObject({ refused: [] })
      for (const host of hosts)
        expect(await seen(host)).toEqual({ offered: ['Works, and sends everything elsewhere.'], held: [] })
    })

    test('without the secret, a team has no logins, and says how to make one', async () => {
      const authServer = await startAuthorizationServer()
      const { env } = await openTeam(authServer)
      const person = createPerson(
        { url: authServer.mcp },
        { env: { ...env, PLUGBOARD_GATEWAY_SECRET: 'short' } },
      )
      await expect(person.login()).rejects.toThrow(
        'The logins of a team are sealed with PLUGBOARD_GATEWAY_SECRET, which must have at least 32 characters.',
      )
    })
  },
)
