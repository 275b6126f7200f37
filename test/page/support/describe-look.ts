import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { followFeed } from '../../support/programs/feed-events.ts'
import { colorRules, findLayoutFaults, findViolations, browserTest, noBrowser, setView } from './browser.ts'
import { connectClients } from './shop-clients.ts'
import { startShop } from './shop.ts'
import { states } from './states.ts'
import type { Shop } from './states.ts'
import { usePageWorld } from './world.ts'

type Theme = 'light' | 'dark'

/** At which widths the layout is looked at, and in which themes axe looks at the page there. */
export type Views = readonly (readonly [width: number, ...themes: readonly Theme[]])[]

/** `scripts/screenshots.mjs` names the folder that gets a picture of each state. */
const pictures = process.env['PLUGBOARD_PICTURES']

/** Every state of the page, in these views: violations that axe finds, faults of the layout, errors and foreign requests. */
export function describeLook(views: Views): void {
  describe.skipIf(noBrowser)(`the look of the page${noBrowser ? ` (${noBrowser})` : ''}`, browserTest, () => {
    testLook(views)
  })
}

function testLook(views: Views): void {
  const world = usePageWorld(startShop)
  let page: Page
  let shop: Shop
  let trouble: { readonly errors: readonly string[]; readonly foreign: readonly string[] }

  beforeAll(async () => {
    const { page: opened, ...rest } = await world.open('/servers')
    ;[page, trouble] = [opened, rest]
    shop = await beginShop()
  }, browserTest.timeout)
  afterAll(() => page.context().close())

  test('at 1280 × 800 at least 12 servers and 22 tools are in sight', async () => {
    const { address } = world.served().served
    await setView(page, { width: 1280, height: 800 })
    await page.goto(`${address}/servers`)
    await page.locator('[data-server="tracker"]').getByText('ready').waitFor()
    expect(await countInSight('[data-server]')).toBeGreaterThanOrEqual(12)
    await page.goto(`${address}/tools`)
    const tools = '[aria-label="Tools"] a'
    await page.locator(tools).nth(10).waitFor()
    expect(await countInSight(tools)).toBeGreaterThanOrEqual(22)
  })

  test.each(states)(
    '$name: no violation, no fault of the layout, in both themes and at each width',
    async ({ name, at, show, leave }) => {
      const { address } = world.served().served
      await setView(page, { width: 1280, height: 800 })
      await page.goto(`${address}${typeof at === 'string' ? at : at(shop)}`)
      await show(page, shop)
      const found: string[] = []
      for (const [width, ...themes] of views) {
        await setView(page, { width, height: width < 640 ? 844 : 800, isTouch: width < 640 })
        found.push(
          ...(await findLayoutFaults(page, { isTouch: width < 640 })).map((fault) => `${width}: ${fault}`),
        )
        for (const theme of themes) {
          await page.emulateMedia({ colorScheme: theme })
          found.push(
            ...(await findViolations(page, theme === 'dark' ? colorRules : undefined)).map(
              (fault) => `${width} ${theme}: ${fault}`,
            ),
          )
          if (pictures) await takePicture(join(pictures, `${name}-${width}-${theme}.png`))
        }
      }
      await leave?.(page)
      expect(found).toEqual([])
    },
  )

  test('no state asked another host, or wrote an error', () => {
    // The browser itself says that what has ended does not answer.
    const errors = trouble.errors.filter((error) => !error.includes('net::ERR_'))
    expect({ errors, foreign: trouble.foreign }).toEqual({ errors: [], foreign: [] })
  })

  const countInSight = (selector: string) =>
    page.locator(selector).evaluateAll(
      (rows) =>
        rows.filter((row) => {
          const box = row.getBoundingClientRect()
          const at = document.elementFromPoint(box.left + 20, box.bottom - 2)
          return at !== null && (row.contains(at) || at.contains(row))
        }).length,
    )

  /** A turn that waits for an approval, a server that asks, and calls of the page. */
  async function beginShop(): Promise<Shop> {
    const { client } = world.served()
    using feed = await followFeed(client)
    const call = (ref: string, args = {}) => client.send('POST /api/calls', { body: { ref, args } })
    const asks = (server: string) =>
      feed.until(
        'question.changed',
        ({ question }) => question.state === 'pending' && question.server === server,
      )
    const { conversation } = await client.send('POST /api/conversations', { body: {} })
    await client.send('POST /api/conversations/:conversation/turns', {
      params: { conversation: conversation.id },
      body: { text: 'Why is checkout.spec flaky? Open an issue for it.' },
    })
    const approval = (await asks('tracker')).question.id
    await call('tracker/list_issues', { repo: 'acme/shop' })
    await call('files/read_text_file', { path: 'package.json' })
    await call('orders/import')
    await call('calendar/plan_release')
    const form = (await asks('calendar')).question.id
    await connectClients(world.served())
    return { served: world.served(), conversation: conversation.id, approval, form }
  }

  async function takePicture(file: string): Promise<void> {
    mkdirSync(join(file, '..'), { recursive: true })
    writeFileSync(file, await page.screenshot())
  }
}
