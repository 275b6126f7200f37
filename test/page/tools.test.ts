import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { faultyServer } from '../../src/testing.ts'
import type { FaultyScript } from '../../src/testing.ts'
import type { JsonObject } from '../../src/model/json.ts'
import { startServed } from '../support/served.ts'
import {
  findLayoutFaults,
  findViolations,
  browserTest,
  noBrowser,
  pathOf,
  phone,
  slow,
} from './support/browser.ts'
import { pageFolder, usePageWorld } from './support/world.ts'

const text = { type: 'string' }
const whole = { type: 'integer', minimum: 1, maximum: 100, default: 30 }
const object = (properties: JsonObject, required: readonly string[] = []) => ({
  type: 'object',
  properties,
  required,
})
const reads = { readOnlyHint: true }
const report = Array.from({ length: 5000 }, (_, index) => `Line ${index + 1}.`).join('\n')
const dot =
  'iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNk+M9Qz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC'

const script = {
  capabilities: {
    tools: { listChanged: true },
    resources: { subscribe: true },
    prompts: {},
    completions: {},
  },
  tools: [
    {
      name: 'create_issue',
      description: 'Opens an issue.',
      inputSchema: object(
        {
          repo: { ...text, description: 'owner/name' },
          title: { ...text, minLength: 3 },
          limit: whole,
          labels: { type: 'array', items: text },
          where: object({ file: text, line: { type: 'integer' } }, ['file']),
          notify: {
            oneOf: [
              object({ by: { const: 'mail' }, address: text }, ['by', 'address']),
              object({ by: { const: 'page' }, sound: { type: 'boolean' } }, ['by']),
            ],
          },
        },
        ['repo', 'title'],
      ),
    },
    { name: 'crash', description: 'Ends the server.', inputSchema: object({ note: text, more: text }) },
    { name: 'wait', description: 'Never answers.', inputSchema: object({}), annotations: reads },
    { name: 'report', description: 'A long text.', inputSchema: object({}), annotations: reads },
    { name: 'show', description: 'A picture, and a text.', inputSchema: object({}), annotations: reads },
  ],
  resources: [{ uri: 'note://one', name: 'first note', mimeType: 'application/json' }],
  templates: [{ uriTemplate: 'note://{owner}/{name}', name: 'notes' }],
  prompts: [{ name: 'review', description: 'Asks.', arguments: [{ name: 'file', required: true }] }],
  results: {
    'resources/read': { contents: [{ uri: 'note://one', mimeType: 'application/json', text: '{"a":[1]}' }] },
    'prompts/get': { messages: [{ role: 'user', content: { type: 'text', text: 'Please review it.' } }] },
    'completion/complete': { completion: { values: ['src/a.ts'], hasMore: false } },
  },
  on: {
    'tools/call:create_issue': { text: '{"number":4711}' },
    'tools/call:crash': [{ stderr: 'boom: out of memory' }, { exit: 3 }],
    'tools/call:wait': [{ progress: { times: 1, total: 4, message: 'one of four' } }, 'hang'],
    'tools/call:report': { text: report },
    'tools/call:show': {
      result: {
        content: [
          { type: 'text', text: '<img src=x onerror="document.title=1"> \u001B[31mred' },
          { type: 'image', data: dot, mimeType: 'image/png' },
        ],
      },
    },
  },
} satisfies FaultyScript

describe.skipIf(noBrowser)('tools, resources, prompts and calls in the page', browserTest, () => {
  const world = usePageWorld(() =>
    startServed(
      { rich: faultyServer(script), many: faultyServer({ tools: 10_000 }) },
      { env: { PLUGBOARD_STORE: 'off' }, pageFolder },
    ),
  )
  const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true })
  const run = (page: Page) => page.keyboard.press('Control+Enter')
  const result = (page: Page) => page.getByRole('region', { name: 'Result' })

  test('problems stand at their fields in the words of the command line; the result stands beside the arguments', async () => {
    const { page, errors } = await world.open('/tools/rich%2Fcreate_issue')
    await field(page, 'repo *').fill('acme/shop')
    await run(page)
    await page.getByText('is required (string) but missing').waitFor()
    await page.waitForFunction(() => document.activeElement?.id === 'tool-rich/create_issue/title')
    await page.keyboard.type('Checkout')
    await run(page)
    await result(page).getByText('number:').waitFor()
    // The default of `limit` was shown, and not sent.
    expect(await field(page, 'repo *').inputValue()).toBe('acme/shop')
    await result(page).getByRole('link', { name: 'Details' }).click()
    await page.getByText('"title": "Checkout"').waitFor()
    expect(await page.locator('.call-part').first().innerText()).not.toContain('limit')
    expect(errors).toEqual([])
  })

  test('form and JSON are the same arguments at every level; a text that is no JSON yet is kept', async () => {
    const args = { repo: 'a/b', title: 'abc', where: { file: 'x' }, notify: { by: 'mail', address: 'm' } }
    const query = new URLSearchParams({ args: JSON.stringify(args) })
    const { page } = await world.open(`/tools/rich%2Fcreate_issue?${query}`)
    await expect.poll(() => field(page, 'address *').inputValue(), slow).toBe('m')
    await page.getByRole('button', { name: 'JSON of where' }).click()
    await page.getByRole('textbox', { name: 'where' }).fill('{ "file": "y", ')
    await page.getByText('is not JSON').waitFor()
    await page.reload()
    await expect
      .poll(() => page.getByRole('textbox', { name: 'where' }).inputValue(), slow)
      .toBe('{ "file": "y", ')
    await page.getByRole('textbox', { name: 'where' }).fill('{ "file": "y", "line": 4 }')
    await page.getByRole('button', { name: 'JSON of where' }).click()
    await expect.poll(() => field(page, 'file *').inputValue(), slow).toBe('y')
    await page.getByLabel('notify').getByRole('combobox').selectOption('page')
    await page.getByRole('button', { name: 'JSON', exact: true }).first().click()
    const whole = await page.getByRole('textbox', { name: 'Arguments' }).inputValue()
    expect(JSON.parse(whole)).toEqual({ ...args, where: { file: 'y', line: 4 }, notify: { by: 'page' } })
  })

  test('a half-filled form survives the end of its server, another place and a reload', async () => {
    const { page } = await world.open('/tools/rich%2Fcrash')
    await field(page, 'note').fill('half filled')
    await run(page)
    await result(page).getByText('exit code 3').first().waitFor()
    expect(await field(page, 'note').inputValue()).toBe('half filled')
    await field(page, 'more').fill('typed later')
    await page.getByRole('link', { name: 'Timeline' }).first().click()
    await page.getByRole('link', { name: /crash/ }).first().waitFor()
    await page.goBack()
    await expect.poll(() => field(page, 'more').inputValue(), slow).toBe('typed later')
    await page.reload()
    await expect.poll(() => field(page, 'note').inputValue(), slow).toBe('half filled')
    expect(await field(page, 'more').inputValue()).toBe('typed later')
    await result(page).getByText('exit code 3').first().waitFor()
  })

  test('a call that runs shows its progress, and Esc stops it', async () => {
    const { page } = await world.open('/tools/rich%2Fwait')
    await page.getByText('Takes no arguments.').waitFor()
    await run(page)
    await result(page).getByText('one of four').waitFor()
    await page.keyboard.press('Escape')
    await result(page).getByText('stopped').waitFor()
    expect(pathOf(page)).toBe('/tools/rich%2Fwait')
  })

  test('a long result has its first 40 and last 10 lines, and opens whole', async () => {
    const { page } = await world.open('/tools/rich%2Freport')
    await page.getByText('Takes no arguments.').waitFor()
    await run(page)
    await result(page).getByText('Line 5000.').waitFor()
    expect(await result(page).innerText()).not.toContain('Line 41.')
    await result(page).getByRole('link', { name: 'Open' }).click()
    await page.getByText('5,000 lines').waitFor()
    await page.getByRole('searchbox', { name: 'Lines with' }).fill('Line 2500')
    await page.getByText('Line 2500.').waitFor()
  })

  test('text of a result is text, and a picture is drawn from its bytes', async () => {
    const { page, errors, foreign } = await world.open('/tools/rich%2Fshow')
    await page.getByText('Takes no arguments.').waitFor()
    await run(page)
    await result(page).getByText('<img src=x onerror="document.title=1"> red').waitFor()
    await page.waitForFunction(
      () => document.querySelector<HTMLImageElement>('figure img')?.naturalWidth === 10,
    )
    expect([errors, foreign]).toEqual([[], []])
  })

  test('of 10,000 tools only those in sight are drawn; words find one, a misspelled one says what is meant', async () => {
    const { page } = await world.open('/tools')
    const tools = page.getByRole('list', { name: 'Tools' })
    await page.getByRole('searchbox', { name: 'Search 10005 tools' }).waitFor()
    expect(await tools.getByRole('link').count()).toBeLessThan(80)
    await page.keyboard.press('/')
    await page.keyboard.type('isue')
    await page.getByRole('button', { name: 'Did you mean issue?' }).click()
    const found = tools.getByRole('link', { name: /create_issue/ })
    await found.waitFor()
    await page.getByRole('searchbox').press('ArrowDown')
    await expect.poll(() => found.evaluate((link) => link === document.activeElement), slow).toBe(true)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'rich__create_issue', level: 1 }).waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => pathOf(page), slow).toBe('/tools')
  })

  test('the name that models use leads to the one address of a tool', async () => {
    const { page } = await world.open('/tools/rich__create_issue?args=%7B%22repo%22%3A%22a%2Fb%22%7D')
    await page.waitForFunction(() => location.pathname === '/tools/rich%2Fcreate_issue')
    await page.locator('a[aria-current]', { hasText: 'create_issue' }).waitFor()
    expect(await field(page, 'repo *').inputValue()).toBe('a/b')
  })

  test('a resource is read as text and tree, a template is completed, a prompt becomes a message', async () => {
    const { page, errors } = await world.open('/resources/rich?uri=note%3A%2F%2Fone')
    await page.getByRole('button', { name: 'Tree' }).click()
    await page.getByRole('treeitem', { name: 'a: [ 1 ]' }).waitFor()
    await page.getByRole('link', { name: /^notes/ }).click()
    await page.getByLabel('owner').fill('ada')
    await page.getByText('note://ada/').waitFor()
    await page.getByRole('button', { name: 'Read', exact: false }).click()
    // Its row stays marked, and the way back has what was typed.
    await page.getByRole('link', { name: 'Other values' }).waitFor()
    expect(await page.locator('a[aria-current]', { hasText: 'notes' }).count()).toBe(1)
    await page.getByRole('link', { name: 'Other values' }).click()
    await page.waitForFunction(() => document.querySelector('input[id="template-owner"]') !== null)
    expect(await page.getByLabel('owner').inputValue()).toBe('ada')
    await page.getByRole('link', { name: 'Prompts' }).first().click()
    await page.getByRole('link', { name: /^review/ }).click()
    await page.getByLabel('file').fill('s')
    await page.locator('datalist option[value="src/a.ts"]').waitFor({ state: 'attached' })
    await page.getByRole('button', { name: 'Use in chat' }).click()
    await page.waitForFunction(() => location.pathname === '/chat')
    await page.waitForFunction(() => document.querySelector('textarea')?.value === 'Please review it.')
    expect(errors).toEqual([])
  })

  test.each([
    ['at a desk', { width: 1280, height: 800 }],
    ['on a dark phone', { ...phone, theme: 'dark' as const }],
  ])('axe and the layout find no fault %s', async (_, view) => {
    const { page } = await world.open('/tools/rich%2Fcreate_issue', view)
    const faults: string[] = []
    const look = async (state: string) => {
      const found = [...(await findViolations(page)), ...(await findLayoutFaults(page, view))]
      faults.push(...found.map((fault) => `${state}: ${fault}`))
    }
    const { address } = world.served().served
    await page.getByRole('button', { name: 'Example' }).click()
    await run(page)
    await result(page).getByText('number:').waitFor()
    await look('form and tree')
    await page.goto(`${address}/timeline`)
    await page
      .getByRole('link', { name: /create_issue/ })
      .first()
      .waitFor()
    await look('timeline')
    await page
      .getByRole('link', { name: /create_issue/ })
      .first()
      .click()
    await page.getByText('Rule that decided').waitFor()
    await look('call')
    await page.goto(`${address}/prompts/rich%2Freview`)
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByText('is required but missing').waitFor()
    await look('prompt')
    expect(faults).toEqual([])
  })
})
