import { describe, expect, test } from 'vitest'
import { login } from '../../src/auth.ts'
import { createKeySecret } from '../../src/model/gateway/gateway-key.ts'
import { openOwnKeys } from '../../src/store.ts'
import { browse, startAuthorizationServer } from '../support/authorization-server.ts'
import { startGateway, textOf } from '../support/gateway.ts'
import { browserTest, findViolations, noBrowser, phone, startBrowser } from './support/browser.ts'

const work = { name: 'vault__work', arguments: {} }

describe.skipIf(noBrowser)(`logins of callers${noBrowser ? ` (${noBrowser})` : ''}`, browserTest, () => {
  test('T31 a person logs in for a caller in a browser: the page of the gateway, its button, the issuer, and back', async () => {
    const authServer = await startAuthorizationServer({ person: 'operator' })
    authServer.namesPerson = true
    const settings = { gateway: { servers: { vault: { credentials: 'caller' } } } }
    await using started = await startGateway({ vault: { type: 'http', url: authServer.mcp } }, { settings })
    const { machine, gateway } = started
    const options = { cwd: machine.project, platform: { home: machine.home, env: machine.env } }
    const server = gateway.host.discovery.servers.find(({ name }) => name === 'vault') ?? 'vault'
    await login(server, { ...options, open: async (url) => void (await browse(url)) })
    const keys = await openOwnKeys(options)
    const { secret, kept } = createKeySecret()
    await keys.add({ name: 'ada', ...kept, createdAt: '2026-01-01T00:00:00.000Z' })
    await keys.close()
    const ada = { headers: { authorization: `Bearer ${secret}` } }
    const told = textOf(await started.legacy('tools/call', work, ada)) ?? ''

    await using browser = await startBrowser()
    const page = await browser.page(phone)
    await page.goto(told.slice(told.indexOf(started.url)))
    await page.getByRole('heading', { name: 'Log in to “vault”' }).waitFor()
    await page.getByText('The caller “ada” of the gateway').waitFor()
    expect(await findViolations(page)).toEqual([])
    authServer.person = 'ada@corp'
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('heading', { name: 'Logged in' }).waitFor()
    await page.getByText('“ada” now uses “vault” with your account.').waitFor()
    expect(await findViolations(page)).toEqual([])
    expect(await page.context().cookies()).not.toContainEqual(
      expect.objectContaining({ name: expect.stringContaining('plugboard_login') as string }),
    )
    expect(textOf(await started.legacy('tools/call', work, ada))).toBe('done for ada@corp')
  })
})
