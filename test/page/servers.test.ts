import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { faultyServer } from '../../src/testing.ts'
import { startServed } from '../support/served.ts'
import {
  desktop,
  findLayoutFaults,
  findViolations,
  hasFocus,
  browserTest,
  noBrowser,
  pathOf,
  phone,
  slow,
} from './support/browser.ts'
import { pageFolder, tracker, usePageWorld } from './support/world.ts'

const own = {
  tracker: faultyServer(tracker),
  orders: { command: 'sh', args: ['-c', 'echo "boom: missing TOKEN" >&2; exit 3'] },
  region: { command: process.execPath, args: ['-e', 'process.exit(0)', '${input:region}'] },
  docs: { command: 'node', arg: ['docs.mjs'] },
}
const project = {
  mcpServers: { deploy: { command: 'node', args: ['-e', 'process.exit(0)', 'a  b', '\u202Etxt.exe'] } },
}

describe.skipIf(noBrowser)('servers and configuration in the page', browserTest, () => {
  const world = usePageWorld(() => startServed(own, { files: { '.mcp.json': project }, pageFolder }))
  const ownFile = () => join(world.served().machine.home, '.config/plugboard/mcp.json')
  const row = (page: Page, name: string) => page.locator(`[data-server="${name}"]`)
  const code = () => {
    const codes = world.served().printed.flatMap((text) => /Code for the page: (\w+)/.exec(text)?.[1] ?? [])
    return codes.at(-1) ?? ''
  }
  const typeCode = async (page: Page, text: string) => {
    await page.getByLabel('Code', { exact: true }).fill(text)
    await page.keyboard.press('Enter')
  }

  test('an entry that cannot be used has no row, and says so above the table, with its place, until it is mended', async () => {
    const { page, errors } = await world.open()
    const before = readFileSync(ownFile(), 'utf8')
    const { mcpServers } = JSON.parse(before) as { readonly mcpServers: object }
    writeFileSync(ownFile(), JSON.stringify({ mcpServers: { ...mcpServers, bad: { command: 3 } } }))
    const notice = page.getByRole('status').filter({ hasText: '“bad”: "command" must be a string, not 3.' })
    await notice.getByText('~/.config/plugboard/mcp.json:1').waitFor()
    expect(await row(page, 'bad').count()).toBe(0)
    // A warning about an entry that has a row is said there.
    expect(await page.locator('.notice').allInnerTexts()).toHaveLength(1)
    expect(await findLayoutFaults(page)).toEqual([])
    await notice.getByRole('link', { name: 'Show' }).click()
    await page.locator('.code-line').first().waitFor()
    writeFileSync(ownFile(), before)
    await page.goto(`${world.served().served.address}/servers`)
    await row(page, 'tracker').waitFor()
    await notice.waitFor({ state: 'detached' })
    expect(errors).toEqual([])
  })

  test('a server that fails says why in its row, with the cure and its command; another that starts does not hide it', async () => {
    const { page, errors } = await world.open()
    // Servers that are not known are connected when a page looks.
    await row(page, 'orders').getByText('exit code 3').waitFor()
    const cure = row(page, 'orders').getByRole('button', { name: 'Restart' })
    expect(await cure.getAttribute('title')).toBe('Same as: plugboard shell, then /mcp restart orders')
    expect(await cure.getAttribute('class')).toContain('is-primary')
    await row(page, 'tracker').getByText('ready').waitFor()
    await row(page, 'tracker').getByRole('button', { name: 'Restart' }).click()
    await row(page, 'tracker').getByText('ready').waitFor()
    expect(await row(page, 'orders').innerText()).toContain('exit code 3')
    await row(page, 'orders').getByRole('link', { name: 'Log' }).click()
    await page
      .getByRole('region', { name: 'Log of orders' })
      .getByText('boom: missing TOKEN')
      .first()
      .waitFor()
    expect(errors).toEqual([])
  })

  test('T37 trust shows each word that would run and needs the code of the terminal; a wrong one keeps the request', async () => {
    const { page } = await world.open()
    await row(page, 'deploy').getByRole('link', { name: 'Review' }).click()
    // Blanks stay, and a character that turns the direction of text is made visible.
    await page.getByText("'a  b'").waitFor()
    expect(await page.locator('.words').innerText()).not.toContain('\u202E')
    await page.getByRole('button', { name: 'Trust…' }).click()
    await page.getByText('The code ends').waitFor()
    await typeCode(page, 'WRONG1')
    await page.getByText('The code is wrong.').waitFor()
    expect(await row(page, 'deploy').innerText()).toContain('needs trust')
    await typeCode(page, code().toLowerCase())
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await row(page, 'deploy').getByText('needs trust').waitFor({ state: 'detached' })
    await expect.poll(() => hasFocus(page), slow).toBe(true)
  })

  test('x shows what switching off writes, and writes it; a change of the file by hand appears in the table', async () => {
    const { page } = await world.open()
    await row(page, 'tracker').getByRole('link', { name: 'tracker' }).focus()
    await page.keyboard.press('x')
    await page.locator('.code-line.is-added').first().waitFor()
    const before = readFileSync(ownFile(), 'utf8')
    await page.getByRole('button', { name: 'Switch off', exact: true }).click()
    await row(page, 'tracker').getByText('off', { exact: true }).waitFor()
    expect(readFileSync(ownFile(), 'utf8')).not.toBe(before)
    writeFileSync(ownFile(), before)
    await row(page, 'tracker').getByText('off', { exact: true }).waitFor({ state: 'detached' })
  })

  test('a problem stands under its line; the fix is shown as a change, and written', async () => {
    const { page } = await world.open()
    await row(page, 'docs')
      .getByRole('link', { name: /mcp\.json:\d+/ })
      .click()
    await page.locator('.code-note').getByText('Unknown key "arg"').waitFor()
    await page.getByRole('button', { name: 'Fix…' }).click()
    await page.locator('.code-line.is-added', { hasText: '"args"' }).waitFor()
    expect(readFileSync(ownFile(), 'utf8')).toContain('"arg"')
    await page.getByRole('button', { name: 'Write' }).click()
    await page.getByText('Unknown key "arg"').waitFor({ state: 'detached' })
    await expect.poll(() => readFileSync(ownFile(), 'utf8'), slow).toContain('"args"')
  })

  test('T37 a command is added after its change was seen, with the code; a reload loses nothing of the form', async () => {
    const { page } = await world.open('/servers?do=add')
    await page.getByLabel('Name').fill('mine')
    await page.getByLabel('Command', { exact: true }).fill('node "a b.mjs"')
    await page.reload()
    await expect
      .poll(() => page.getByLabel('Command', { exact: true }).inputValue(), slow)
      .toBe('node "a b.mjs"')
    await page.getByRole('button', { name: 'Show the change' }).click()
    await page.locator('.code-line.is-added', { hasText: '"a b.mjs"' }).waitFor()
    await page.getByRole('button', { name: 'Add…' }).click()
    await page.getByText('The code ends').waitFor()
    expect(readFileSync(ownFile(), 'utf8')).not.toContain('a b.mjs')
    await typeCode(page, code())
    await row(page, 'mine').waitFor()
    expect(JSON.parse(readFileSync(ownFile(), 'utf8')).mcpServers.mine).toMatchObject({
      command: 'node',
      args: ['a b.mjs'],
    })
  })

  test('an input of a declaration is set in the page, and is not shown again', async () => {
    const { page } = await world.open('/servers/region?do=inputs')
    await page.getByRole('textbox', { name: 'region' }).fill('eu-west')
    await page.getByRole('button', { name: 'Set', exact: true }).click()
    await page.getByText('is set').waitFor()
    await expect.poll(() => page.getByRole('textbox', { name: 'region' }).inputValue(), slow).toBe('')
  })

  test('on a phone a server is a page of its own, the way back goes to its row; j, Enter and Esc do the same', async () => {
    const { page } = await world.open('/servers', phone)
    await row(page, 'tracker').getByRole('link', { name: 'tracker' }).click()
    await page.getByRole('heading', { name: 'tracker', level: 1 }).waitFor()
    expect(await row(page, 'orders').isVisible()).toBe(false)
    await page.getByRole('link', { name: '‹ Servers' }).click()
    await row(page, 'orders').waitFor()
    await row(page, 'deploy').getByRole('link', { name: 'deploy' }).focus()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByRole('tab', { name: 'Declared' }).click()
    await expect.poll(() => pathOf(page), slow).toContain('?tab=declared')
    await page.keyboard.press('Escape')
    await row(page, 'orders').waitFor()
    await expect.poll(() => pathOf(page), slow).toBe('/servers')
  })

  test.each([
    ['light', desktop],
    ['dark', phone],
  ] as const)('axe and the layout find nothing wrong, %s', async (theme, view) => {
    const { page, errors, foreign } = await world.open('/servers', { ...view, theme })
    const places = ['/servers/orders', '/servers/deploy?do=trust', '/servers?do=add', '/config/page']
    const wrong: string[] = []
    for (const path of [...places, `/config/${encodeURIComponent(ownFile())}`]) {
      await page.goto(`${world.served().served.address}${path}`)
      await page.locator('h1').last().waitFor({ state: 'attached' })
      await page.waitForFunction(() => document.querySelector('.loading') === null)
      const found = [...(await findViolations(page)), ...(await findLayoutFaults(page, view))]
      wrong.push(...found.map((each) => `${path}: ${each}`))
    }
    expect(wrong).toEqual([])
    expect([...errors, ...foreign]).toEqual([])
  })
})
