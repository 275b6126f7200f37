import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { AppBridge } from '@modelcontextprotocol/ext-apps/app-bridge'
import { describe, expect, expectTypeOf, test } from 'vitest'
import type { AppBox, AppBridgeClass } from '../../src/apps.ts'
import { browserTest, noBrowser, slow, startBrowser } from './support/browser.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const clock = join(root, 'node_modules/@modelcontextprotocol/server-basic-vanillajs/dist/index.js')

describe.skipIf(noBrowser)('a web host of one’s own', browserTest, () => {
  test('examples/apps.mjs shows the app of a tool in a browser, which calls its server', async () => {
    const home = mkdtempSync(join(tmpdir(), 'plugboard-example-'))
    const child = spawn(process.execPath, ['examples/apps.mjs', process.execPath, clock, '--stdio'], {
      cwd: root,
      env: { PATH: process.env['PATH'] ?? '', HOME: home },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = once(child, 'exit')
    try {
      const [said] = (await once(child.stdout, 'data')) as [Buffer] // of the event
      const [address = ''] = /http:\S+/.exec(said.toString()) ?? []
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
      child.kill()
      await ended
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
