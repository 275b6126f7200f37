import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { AppBridge } from '@modelcontextprotocol/ext-apps/app-bridge'
import { describe, expect, expectTypeOf, test } from 'vitest'
import type { AppBox, AppBridgeClass } from '../../src/apps.ts'
import { startProgram } from '../support/programs/program.ts'
import { browserTest, noBrowser, slow, startBrowser } from './support/browser.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const clock = join(root, 'node_modules/@modelcontextprotocol/server-basic-vanillajs/dist/index.js')

describe.skipIf(noBrowser)('a web host of one’s own', browserTest, () => {
  test('examples/apps.mjs shows the app of a tool in a browser, which calls its server', async () => {
    const home = mkdtempSync(join(tmpdir(), 'plugboard-example-'))
    const program = startProgram(
      process.execPath,
      ['examples/apps.mjs', process.execPath, clock, '--stdio'],
      { cwd: root, env: { PATH: process.env['PATH'] ?? '', HOME: home }, stderr: 'inherit' },
    )
    try {
      const [address] = await program.printed(/http:\S+(?=\s)/)
      await using browser = await startBrowser()
      const page = await browser.page()
      await page.goto(address)
      const app = page.frameLocator('iframe').frameLocator('iframe')
      const time = () => app.locator('#server-time').innerText()
      await expect.poll(time, slow).toMatch(/\d{4}-\d\d-\d\dT/)
      const before = await time()
      await app.getByRole('button', { name: 'Get Server Time' }).click()
      await expect.poll(time, slow).not.toBe(before)
      expect(await page.locator('iframe').evaluate((frame) => frame.clientHeight)).toBeGreaterThan(100)
    } finally {
      await program.kill('SIGTERM')
      rmSync(home, { recursive: true, force: true, maxRetries: 5 })
    }
  })

  test('an element of a page and the official bridge are what showApp takes', () => {
    expectTypeOf<HTMLElement>().toExtend<AppBox>()
    expectTypeOf<typeof AppBridge>().toExtend<AppBridgeClass>()
  })

  test('what runs in a page needs nothing of Node', () => {
    expect(readFileSync(join(root, 'dist/apps-page.js'), 'utf8')).not.toMatch(
      /^import|node:|\bBuffer\b|\bprocess\b/m,
    )
  })
})
