import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/index.ts'
import { startServed } from '../support/served.ts'
import {
  browserTest,
  desktop,
  findLayoutFaults,
  findViolations,
  noBrowser,
  phone,
  setView,
  slow,
} from './support/browser.ts'
import type { View } from './support/browser.ts'
import { drawnPicture } from './support/drawn-picture.ts'
import { showCall } from './support/show-call.ts'
import { pageFolder, usePageWorld } from './support/world.ts'

/** `scripts/screenshots.mjs` names the folder that gets pictures of some apps. */
const { PLUGBOARD_PICTURES: pictures } = process.env

/** A server of the extension's own examples. */
const example = (name: string, ...more: readonly string[]) => ({
  command: process.execPath,
  args: [
    fileURLToPath(
      new URL(`../../node_modules/@modelcontextprotocol/server-${name}/dist/index.js`, import.meta.url),
    ),
    '--stdio',
    ...more,
  ],
})

const folder = mkdtempSync(join(tmpdir(), 'plugboard-examples-'))
const paper = join(folder, 'paper.pdf')
writeFileSync(paper, pdfOf('Page one', 'Page two'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Every example with a tool that shows its app, what is to be seen there, and the calls that it makes by itself. */
const examples = [
  { name: 'basic-vanillajs', tool: 'get-time', seen: 'Get Server Time' },
  { name: 'basic-preact', tool: 'get-time', seen: 'Get Server Time' },
  { name: 'budget-allocator', tool: 'get-budget-data', seen: 'Budget Allocator' },
  { name: 'cohort-heatmap', tool: 'get-cohort-data', seen: 'Retention' },
  { name: 'system-monitor', tool: 'get-system-info', seen: 'CPU' },
  { name: 'debug', tool: 'debug-tool', seen: 'Debug' },
  { name: 'pdf', tool: 'display_pdf', seen: 'of 2', args: { url: paper }, more: [paper] },
]

describe.skipIf(noBrowser)('apps of the examples of the extension', browserTest, () => {
  const world = usePageWorld(() =>
    startServed(Object.fromEntries(examples.map(({ name, more = [] }) => [name, example(name, ...more)])), {
      pageFolder,
    }),
  )
  const callsOf = async (server: string) => {
    const { calls } = await world.served().client.send('GET /api/calls', { query: { server } })
    return calls.map(({ tool, state }) => `${tool} ${state}`)
  }

  /** Calls a tool and opens the call in the page, with its app. */
  const show = async (ref: string, view: View = desktop, args: JsonObject = {}) => {
    const opened = await showCall(world, ref, { args, view })
    await opened.page.locator('.app-box[data-state=ready]').waitFor()
    return opened
  }
  const widthOf = (page: Page) => page.locator('.app-document').evaluate((frame) => frame.clientWidth)
  const heightOf = (page: Page) => page.locator('.app-document').evaluate((frame) => frame.clientHeight)
  const takePicture = async (page: Page, name: string) => {
    if (pictures) writeFileSync(`${pictures}/app-${name}.png`, await drawnPicture(page.locator('.app-view')))
  }

  test('a clock is drawn, asks its server for the time by a click, opens no page unasked, and is stopped', async () => {
    const { page, app, errors, foreign } = await show('basic-vanillajs/get-time')
    await app.getByRole('button', { name: 'Get Server Time' }).click()
    await expect.poll(() => callsOf('basic-vanillajs'), slow).toEqual(['get-time done', 'get-time done'])
    expect(await heightOf(page)).toBeGreaterThan(100)
    await app.getByRole('button', { name: 'Open Link' }).click()
    const question = page.getByRole('alertdialog', { name: 'Open a page' })
    await question.getByText('https://modelcontextprotocol.io/', { exact: true }).waitFor()
    const yes = question.getByRole('button', { name: 'Open' })
    await expect.poll(() => yes.getAttribute('aria-disabled'), slow).toBe('false')
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

  test.each(examples)(
    '$name is drawn in both themes and on a phone, and takes the width that there is',
    async ({ name, tool, seen, args = {} }) => {
      const { page, app, errors } = await show(`${name}/${tool}`, { ...desktop, theme: 'dark' }, args)
      await app.getByText(seen).first().waitFor()
      const wide = await widthOf(page)
      expect(wide).toBeGreaterThan(500)
      await page.emulateMedia({ colorScheme: 'light' })
      await setView(page, phone)
      await app.getByText(seen).first().waitFor()
      await expect
        .poll(() => app.locator('html').evaluate((root) => root.clientWidth), slow)
        .toBeLessThan(400)
      expect(await heightOf(page)).toBeGreaterThan(60)
      expect(await findLayoutFaults(page, phone)).toEqual([])
      // What an app itself reports is its own affair; that of documents tells the model where there is none.
      const theirs = /\.localhost:|unpkg\.com|^ProtocolError: Method not found$/
      const own = errors.filter((each) => !theirs.test(each))
      expect(own).toEqual([])
    },
  )

  test('the clock of another library asks its server for the time by a click, and the timeline says that the app did', async () => {
    const { app } = await show('basic-preact/get-time')
    const before = (await callsOf('basic-preact')).length
    await app.getByRole('button', { name: 'Get Server Time' }).click()
    await expect.poll(async () => (await callsOf('basic-preact')).length, slow).toBe(before + 1)
    const { page } = await world.open('/timeline?by=app')
    const row = page.locator('.call-row', { hasText: 'basic-preact' }).first()
    await expect.poll(() => row.locator('.call-by').innerText(), slow).toBe('app of get-time')
    await row.click()
    await page.getByText('from the app of').getByRole('link', { name: 'basic-preact/get-time' }).waitFor()
  })

  test('a document is read in pieces by a tool for apps only, drawn, and leafed through', async () => {
    const { page, app } = await show('pdf/display_pdf', desktop, { url: paper })
    await app.getByText('of 2').first().waitFor()
    await expect.poll(() => callsOf('pdf'), slow).toContain('read_pdf_bytes done')
    const isDrawn = () => app.locator('canvas').first().evaluate(hasInk)
    await expect.poll(isDrawn, slow).toBe(true)
    await takePicture(page, 'pdf')
    // Fonts and a clipboard would be on other machines: it asks, and works without.
    await page.getByText('load code, images and fonts from https://unpkg.com').waitFor()
    await page.getByText('write to the clipboard').waitFor()
    await app.locator('#next-btn').click()
    await expect.poll(() => app.locator('#page-input').inputValue(), slow).toBe('2')
  })

  test('a heatmap, a monitor that polls a tool for apps only, and the debug server', async () => {
    const heatmap = await show('cohort-heatmap/get-cohort-data', { ...desktop, theme: 'dark' })
    await heatmap.app.getByText('Retention').first().waitFor()
    await takePicture(heatmap.page, 'cohort')
    const monitor = await show('system-monitor/get-system-info')
    const polls = async () =>
      (await callsOf('system-monitor')).filter((call) => call === 'poll-system-stats done').length
    await expect.poll(polls, slow).toBeGreaterThan(pictures ? 8 : 0)
    await takePicture(monitor.page, 'monitor')
    const debug = await show('debug/debug-tool')
    await debug.app.locator('#call-debug-refresh-btn').dispatchEvent('click')
    // It also logs its own events by a tool, as often as it likes.
    const called = async () => (await callsOf('debug')).filter((call) => call !== 'debug-log done')
    await expect.poll(async () => (await called()).at(0), slow).toBe('debug-refresh done')
    const { client } = world.served()
    const { tools } = await client.send('GET /api/tools')
    // No model sees what is for apps only.
    expect(tools.map(({ ref }) => ref).sort()).toEqual([
      'basic-preact/get-time',
      'basic-vanillajs/get-time',
      'budget-allocator/get-budget-data',
      'cohort-heatmap/get-cohort-data',
      'debug/debug-tool',
      'pdf/display_pdf',
      'pdf/interact',
      'pdf/list_pdfs',
      'system-monitor/get-system-info',
    ])
  })
})

/** Whether a click in the middle of a button of ours reaches it. */
function isOnTop(page: Page, name: string): Promise<boolean> {
  return page.getByRole('button', { name }).evaluate((button) => {
    const { left, top, width, height } = button.getBoundingClientRect()
    return document.elementFromPoint(left + width / 2, top + height / 2)?.closest('button') === button
  })
}

/** Whether something other than one color is drawn. */
function hasInk(canvas: Element): boolean {
  const drawn = canvas as HTMLCanvasElement
  const pixels = drawn.getContext('2d')?.getImageData(0, 0, drawn.width, drawn.height).data ?? []
  return pixels.some((value, at) => at >= 4 && value !== pixels[at - 4])
}

/** A PDF document of one line a page. */
function pdfOf(...lines: readonly string[]): string {
  const pages = lines.map((_, at) => `${4 + at * 2} 0 R`).join(' ')
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Count ${lines.length}/Kids[${pages}]>>`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
    ...lines.flatMap((line, at) => {
      const text = `0 0 300 4 re f BT /F 36 Tf 20 100 Td (${line}) Tj ET`
      return [
        `<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Resources<</Font<</F 3 0 R>>>>/Contents ${5 + at * 2} 0 R>>`,
        `<</Length ${text.length}>>stream\n${text}\nendstream`,
      ]
    }),
  ]
  let body = '%PDF-1.4\n'
  const starts = objects.map((object, at) => {
    const start = body.length
    body += `${at + 1} 0 obj\n${object}\nendobj\n`
    return `${String(start).padStart(10, '0')} 00000 n \n`
  })
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${starts.join('')}`
  return `${body}${table}trailer<</Size ${objects.length + 1}/Root 1 0 R>>\nstartxref\n${body.length}\n%%EOF\n`
}
