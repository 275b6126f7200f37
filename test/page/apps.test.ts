import { fileURLToPath } from 'node:url'
import type { FrameLocator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { startServed } from '../support/served.ts'
import {
  browserTest,
  desktop,
  findLayoutFaults,
  findViolations,
  noBrowser,
  phone,
  slow,
} from './support/browser.ts'
import type { View } from './support/browser.ts'
import { pageFolder, usePageWorld } from './support/world.ts'

/** A server of the extension's own examples. */
const example = (name: string) => ({
  command: process.execPath,
  args: [
    fileURLToPath(
      new URL(`../../node_modules/@modelcontextprotocol/server-${name}/dist/index.js`, import.meta.url),
    ),
    '--stdio',
  ],
})
const names = [
  'basic-vanillajs',
  'basic-preact',
  'budget-allocator',
  'cohort-heatmap',
  'system-monitor',
  'debug',
]

describe.skipIf(noBrowser)('apps of the examples of the extension', browserTest, () => {
  const world = usePageWorld(() =>
    startServed(Object.fromEntries(names.map((name) => [name, example(name)])), { pageFolder }),
  )
  const callsOf = async (server: string) => {
    const { calls } = await world.served().client.send('GET /api/calls', { query: { server } })
    return calls.map(({ tool, state }) => `${tool} ${state}`)
  }

  /** Calls a tool and opens the call in the page, with its app. */
  const show = async (ref: string, view: View = desktop) => {
    const { client } = world.served()
    const { call } = await client.send('POST /api/calls', { body: { ref, args: {} } })
    const stateNow = async () =>
      (await client.send('GET /api/calls/:call', { params: { call: call.id } })).call.state
    await expect.poll(stateNow, slow).toBe('done')
    const opened = await world.open(`/calls/${call.id}`, view)
    await opened.page.locator('.app-box[data-state=ready]').waitFor()
    return { ...opened, app: appOf(opened.page), call: call.id }
  }
  const heightOf = (page: Page) => page.locator('.app-document').evaluate((frame) => frame.clientHeight)
  const takePicture = async (page: Page, name: string) => {
    const { PLUGBOARD_PICTURES: folder } = process.env
    if (folder) await page.locator('.app-view').screenshot({ path: `${folder}/app-${name}.png` })
  }

  test('a clock is drawn, asks its server for the time by a click, opens no page unasked, and is stopped', async () => {
    const { page, app, errors, foreign } = await show('basic-vanillajs/get-time')
    await app.getByRole('button', { name: 'Get Server Time' }).click()
    await expect.poll(() => callsOf('basic-vanillajs'), slow).toEqual(['get-time done', 'get-time done'])
    expect(await heightOf(page)).toBeGreaterThan(100)
    await app.getByRole('button', { name: 'Open Link' }).click()
    const question = page.getByRole('alertdialog', { name: 'Open a page' })
    await question.getByText('https://modelcontextprotocol.io/', { exact: true }).waitFor()
    await takePicture(page, 'link')
    await question.getByRole('button', { name: 'No' }).click()
    await question.waitFor({ state: 'detached' })
    expect(page.context().pages()).toHaveLength(1)
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('Stopped.').waitFor()
    await expect.poll(() => page.frames().length, slow).toBe(1)
    await page.getByRole('button', { name: 'Reload' }).click()
    await app.getByRole('button', { name: 'Get Server Time' }).waitFor()
    const own = /^http:\/\/app-[0-9a-f]+\.localhost:\d+\//
    expect({ errors, foreign: foreign.filter((url) => !own.test(url)) }).toEqual({ errors: [], foreign: [] })
  })

  test('a budget is drawn in both themes, on a desktop and on a phone, and fills the page', async () => {
    const { page, app } = await show('budget-allocator/get-budget-data', { ...desktop, theme: 'dark' })
    const background = () => app.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor)
    await app.getByText('Budget Allocator').first().waitFor()
    await takePicture(page, 'budget-dark')
    const dark = await background()
    await page.emulateMedia({ colorScheme: 'light' })
    await expect.poll(background, slow).not.toBe(dark)
    await takePicture(page, 'budget')
    await page.getByRole('button', { name: 'Full screen' }).click()
    await expect.poll(() => heightOf(page), slow).toBeGreaterThan(650)
    // Our bar stays above the app.
    expect(await isOnTop(page, 'Smaller')).toBe(true)
    await page.getByRole('button', { name: 'Smaller' }).click()
    await page.setViewportSize({ width: phone.width, height: 844 })
    expect(await findLayoutFaults(page)).toEqual([])
    expect(await findViolations(page)).toEqual([])
  })

  test('a heatmap, a monitor that polls a tool for apps only, and the debug server', async () => {
    const heatmap = await show('cohort-heatmap/get-cohort-data')
    await heatmap.app.getByText('Retention').first().waitFor()
    await takePicture(heatmap.page, 'cohort')
    const monitor = await show('system-monitor/get-system-info')
    await expect
      .poll(async () => (await callsOf('system-monitor')).includes('poll-system-stats done'), slow)
      .toBe(true)
    await takePicture(monitor.page, 'monitor')
    const debug = await show('debug/debug-tool')
    await debug.app.locator('#call-debug-refresh-btn').dispatchEvent('click')
    // It also logs its own events by a tool, as often as it likes.
    const called = async () => (await callsOf('debug')).filter((call) => call !== 'debug-log done')
    await expect.poll(called, slow).toEqual(['debug-refresh done', 'debug-tool done'])
    const { client } = world.served()
    const { tools } = await client.send('GET /api/tools')
    // No model sees what is for apps only.
    expect(tools.map(({ ref }) => ref).sort()).toEqual([
      'basic-preact/get-time',
      'basic-vanillajs/get-time',
      'budget-allocator/get-budget-data',
      'cohort-heatmap/get-cohort-data',
      'debug/debug-tool',
      'system-monitor/get-system-info',
    ])
  })
})

/** The document of the app that a page shows. */
function appOf(page: Page): FrameLocator {
  return page.frameLocator('.app-document').frameLocator('iframe')
}

/** Whether a click in the middle of a button of ours reaches it. */
function isOnTop(page: Page, name: string): Promise<boolean> {
  return page.getByRole('button', { name }).evaluate((button) => {
    const { left, top, width, height } = button.getBoundingClientRect()
    return document.elementFromPoint(left + width / 2, top + height / 2)?.closest('button') === button
  })
}
