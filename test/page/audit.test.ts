import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { faultyServer } from '../../src/testing.ts'
import { startServed } from '../support/served.ts'
import { browserTest, noBrowser, pathOf, slow } from './support/browser.ts'
import { pageFolder, tracker, usePageWorld } from './support/world.ts'

describe.skipIf(noBrowser)('Audit in the page', browserTest, () => {
  const world = usePageWorld(() => startServed({ tracker: faultyServer(tracker) }, { pageFolder }))
  const rows = (page: Page) => page.getByRole('list', { name: /the newest first/ }).getByRole('link')
  const call = (ref: string, args: Readonly<Record<string, string | number>>) =>
    world.served().client.send('POST /api/calls', { body: { ref, args } })

  test('without a call it says so; a call appears at once, by keys it opens, Esc goes back, a reload keeps it', async () => {
    const { page } = await world.open('/servers')
    await page.keyboard.press('g')
    await page.keyboard.press('a')
    await page.getByText('No call was recorded yet.').waitFor()
    await call('tracker/list_issues', { repo: 'acme/shop' })
    await rows(page).first().waitFor()
    expect(await rows(page).first().innerText()).toMatch(/page.*tracker\/list_issues.*allow.*done/s)
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'tracker/list_issues' }).waitFor()
    await page.getByText('{"repo":"string(9)"}').waitFor()
    const address = pathOf(page)
    expect(address).toMatch(/^\/audit\/[0-9a-f]{16}%3A\d+$/)
    await page.reload()
    await page.getByRole('heading', { level: 1, name: 'tracker/list_issues' }).waitFor()
    await page.getByText('previous hash').or(page.getByText('argument types')).first().waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => pathOf(page), slow).toBe('/audit')
  })

  test('filters are in the address, and a filter that nothing fits offers all rows again', async () => {
    await call('tracker/list_issues', { repo: 'acme/shop' })
    const { page } = await world.open('/audit?outcome=done&server=tracker')
    await expect.poll(() => rows(page).count(), slow).toBeGreaterThan(0)
    for (const text of await rows(page).allInnerTexts()) expect(text).toContain('done')
    await page.getByLabel('Outcome').selectOption('cancelled')
    await page.getByText('No row fits this filter.').waitFor()
    expect(page.url()).toMatch(/\/audit\?server=tracker&outcome=cancelled$/)
    await page.getByRole('link', { name: 'Show all' }).click()
    await expect.poll(() => rows(page).count(), slow).toBeGreaterThan(0)
  })

  test('Verify says that the trail is whole, with the hash to keep; a kept hash that is gone is told', async () => {
    await call('tracker/list_issues', { repo: 'acme/shop' })
    const { page } = await world.open('/audit')
    await page.keyboard.press('v')
    const check = page.locator('.audit-check')
    await check.getByText('nothing was changed or removed').waitFor()
    expect(await check.innerText()).toMatch(/sha256:[0-9a-f]{64}/)
    const gone = `sha256:${'0'.repeat(64)}`
    await page.getByLabel('A hash that you kept').fill(gone)
    await page.keyboard.press('Enter')
    await check.getByText(`There is no row with the hash ${gone}.`).waitFor()
    expect(await check.innerText()).toContain('not whole')
  })
})
