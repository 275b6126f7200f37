import type { BrowserContext, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { faultyServer } from '../../src/testing.ts'
import { startServed } from '../support/served.ts'
import {
  desktop,
  findLayoutFaults,
  findViolations,
  browserTest,
  noBrowser,
  pathOf,
  phone,
  pressTogether,
  slow,
} from './support/browser.ts'
import { pageFolder, tracker, usePageWorld } from './support/world.ts'

describe.skipIf(noBrowser)('the frame of the page', browserTest, () => {
  const world = usePageWorld(() => startServed({ tracker: faultyServer(tracker) }, { pageFolder }))
  const place = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true })
  const focused = (page: Page) => page.evaluate(() => document.activeElement?.tagName)
  const isLive = (page: Page) => page.locator('.bottom').getByText('events live').waitFor()
  const streamsOf = (profile: BrowserContext) => {
    const streams: string[] = []
    profile.on('request', (request) => {
      if (request.url().includes('/api/events')) streams.push(request.url())
    })
    return streams
  }

  test('T36 the token leaves the address bar and the history, and a link opens in a new tab without it', async () => {
    const { page } = await world.open('/tools')
    const { address, token } = world.served().served
    await expect.poll(() => page.url(), slow).toBe(`${address}/tools`)
    const [other] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('link', { name: /^Config/ }).click({ modifiers: ['Control'] }),
    ])
    // Locators wait for a navigation of the new tab that the driver sometimes takes for unfinished.
    const shown = () => other.evaluate(() => document.body.innerText).catch(() => '')
    await expect.poll(shown, slow).toContain('events live')
    await expect.poll(shown, slow).toContain('mcp.json')
    await expect.poll(() => other.url(), slow).toBe(`${address}/config`)
    expect(await page.getByRole('link', { name: /^Config/ }).getAttribute('href')).toBe('/config')
    await page.reload()
    await isLive(page)
    const storage = await page.evaluate(() => JSON.stringify(Object.entries(localStorage)) + document.cookie)
    expect(storage).not.toContain(token)
  })

  test('T36 a tab of the same origin that does not have the token is not told it', async () => {
    const { page } = await world.open('/tools')
    const { address, token } = world.served().served
    const other = await page.context().newPage()
    // A page of this origin that another program might have left.
    await other.goto(`${address}/api/openapi.json`)
    await other.evaluate(`
      heard = []
      channel = new BroadcastChannel('plugboard')
      channel.addEventListener('message', ({ data }) => heard.push(data))
      channel.postMessage({ kind: 'no-token' })
    `)
    await page.reload()
    await isLive(page)
    const heard = await other.evaluate('JSON.stringify(heard)')
    expect(heard).not.toContain(token)
    await other.goto(`${address}/tools`)
    await place(other, 'This address has ended').waitFor()
  })

  test('T36 a token of another start is refused with what to do, and the address of the terminal is taken', async () => {
    const { address, token } = world.served().served
    const page = await world.browser().page()
    await page.goto(`${address}/tools#k=stolen`)
    await place(page, 'This address has ended').waitFor()
    expect(await findViolations(page)).toEqual([])
    await page.getByLabel('Address that the terminal shows').fill(`https://elsewhere.example/#k=${token}`)
    await page.keyboard.press('Enter')
    await page.getByText('The address begins with http://127.0.0.1.').waitFor()
    await page.getByLabel('Address that the terminal shows').fill(`${address}/#k=${token}`)
    await page.keyboard.press('Enter')
    await isLive(page)
    await place(page, 'Tools').waitFor()
  })

  test('the first page needs at most 5 requests, and asks for nothing twice', async () => {
    const { address, token } = world.served().served
    const page = await world.browser().page()
    const requests: string[] = []
    page.on('request', (request) => requests.push(`${request.method()} ${request.url()}`))
    await page.goto(`${address}/servers#k=${token}`)
    await page.locator('[data-server="tracker"]').waitFor()
    await page.waitForLoadState('load')
    // Only some browsers ask for the icon, after the page is there.
    expect(requests.filter((each) => !each.includes('/icon-')).length).toBeLessThanOrEqual(5)
    expect(new Set(requests).size).toBe(requests.length)
    await page.goto(`${address}/config`)
    await place(page, 'Config').waitFor()
    await page.getByText('mcp.json').first().waitFor()
    expect(requests.filter((each) => each.endsWith('/api/config'))).toHaveLength(1)
  })

  test('of eight tabs one reads the events; when it closes, another goes on', async () => {
    const { address, token } = world.served().served
    const profile = await world.browser().profile()
    const streams = streamsOf(profile)
    const first = await profile.newPage()
    await first.goto(`${address}/servers#k=${token}`)
    await isLive(first)
    const others = await Promise.all(Array.from({ length: 7 }, () => profile.newPage()))
    await Promise.all(others.map((page) => page.goto(`${address}/servers#k=${token}`)))
    await Promise.all(others.map(isLive))
    expect(streams).toHaveLength(1)
    await Promise.all([
      profile.waitForEvent('request', (each) => each.url().includes('/api/events?')),
      first.close(),
    ])
    const change = (change: 'start' | 'stop') =>
      world.served().client.send(`POST /api/servers/:server/${change}`, { params: { server: 'tracker' } })
    const isReady = (state: 'attached' | 'detached') =>
      Promise.all(
        others.map((page) => page.locator('[data-server="tracker"]').getByText('ready').waitFor({ state })),
      )
    await change('start')
    await isReady('attached')
    await change('stop')
    await isReady('detached')
    expect(streams).toHaveLength(2)
    await profile.close()
  })

  test('keys: places, the palette and the list of keys, without a mouse; the focus is never lost', async () => {
    const { page, errors } = await world.open('/servers')
    await pressTogether(page, 'g', 't')
    await place(page, 'Tools').waitFor()
    await expect.poll(() => focused(page), slow).toBe('MAIN')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Find or run' }).fill('create iss')
    await page.getByRole('option', { name: 'tracker__create_issue' }).waitFor()
    expect(await findViolations(page)).toEqual([])
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'tracker__create_issue' }).waitFor()
    await expect.poll(() => pathOf(page), slow).toBe('/tools/tracker%2Fcreate_issue')
    await page.keyboard.press('?')
    const keys = page.getByRole('dialog', { name: 'Keys' })
    await keys.getByText('Copy the link to this view').waitFor()
    const rows = await keys
      .getByRole('listitem')
      .evaluateAll((all) => all.map((each) => each.firstChild?.textContent?.trim()))
    expect(rows).toEqual([...new Set(rows)])
    expect(rows).toContain('Move in a list')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expect.poll(() => focused(page), slow).toBe('MAIN')
    expect(errors).toEqual([])
  })

  test('Config: rows that come while the pointer is on the list are drawn, as they move nothing', async () => {
    const { page } = await world.open('/servers')
    let answer: (() => void) | undefined
    const isPointed = new Promise<void>((resolve) => (answer = resolve))
    await page.route('**/api/config', async (route) => {
      await isPointed
      await route.continue()
    })
    await page.getByRole('link', { name: /^Config/ }).click()
    const list = page.getByRole('list', { name: 'Configuration' })
    await list.getByText('Sources').click()
    await list.locator('[aria-current]', { hasText: 'Sources' }).waitFor()
    answer?.()
    await list.getByText('mcp.json').first().waitFor()
    expect(await list.getByText('Files', { exact: true }).count()).toBe(1)
    expect(await page.locator('.list-fresh').count()).toBe(0)
  })

  test('an address that does not exist says so; reloading keeps every address', async () => {
    const { page } = await world.open('/nothing/here')
    await place(page, 'Nothing is at this address').waitFor()
    for (const [path, name] of [
      ['/waiting', 'Waiting'],
      ['/timeline', 'Timeline'],
      ['/prompts', 'Prompts'],
    ] as const) {
      await page.goto(`${world.served().served.address}${path}`)
      await place(page, name).waitFor()
      await expect.poll(() => page.title(), slow).toBe(`${name} · Plugboard`)
    }
    const faults: string[] = []
    for (const path of ['servers', 'chat', 'tools', 'waiting', 'prompts', 'calls']) {
      await page.goto(`${world.served().served.address}/${path}/nope%2Fnope`)
      const title = page.locator(`${path === 'servers' ? '.split-side + .split-side ' : ''}h1`)
      await title.waitFor()
      faults.push(...(await findLayoutFaults(page)).map((fault) => `${path}: ${fault}`))
    }
    expect(faults).toEqual([])
  })

  test('axe and the layout: the palette, the keys and the menu of a phone, light and dark', async () => {
    const found: string[] = []
    for (const view of [desktop, phone]) {
      const { page } = await world.open('/resources', { ...view, theme: view === phone ? 'dark' : 'light' })
      await place(page, 'Resources').waitFor()
      const look = async (what: string): Promise<void> => {
        const faults = [...(await findViolations(page)), ...(await findLayoutFaults(page, view))]
        found.push(...faults.map((fault) => `${view.width} ${what}: ${fault}`))
      }
      await look('place')
      if (view !== desktop) {
        await page.getByRole('button', { name: 'Plugboard' }).click()
        await page.getByRole('link', { name: /^Config/ }).waitFor()
        await look('menu')
        await page.keyboard.press('Escape')
      }
      await page.getByRole('button', { name: 'Find or run' }).click()
      await page.getByRole('option').first().waitFor()
      await look('palette')
      await page.keyboard.press('Escape')
      // Its keys hide all others.
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await page.keyboard.press('?')
      await page.getByRole('dialog', { name: 'Keys' }).waitFor()
      await look('keys')
    }
    expect(found).toEqual([])
  })
})
