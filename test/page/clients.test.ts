import { afterAll, describe, expect, test } from 'vitest'
import { startClient } from '../support/programs/desk.ts'
import type { DeskClientProcess } from '../support/programs/desk.ts'
import { askingServer, echoServer } from '../support/gateway.ts'
import { startHttpGateway } from '../support/programs/http-gateway.ts'
import { startServed } from '../support/served.ts'
import {
  browserTest,
  findLayoutFaults,
  findViolations,
  noBrowser,
  pathOf,
  pressTogether,
} from './support/browser.ts'
import { pageFolder, usePageWorld } from './support/world.ts'

const settings = { '~/.config/plugboard/settings.json': { desk: { idleSeconds: 0 }, accept: 'off' } }

describe.skipIf(noBrowser)(`clients${noBrowser ? ` (${noBrowser})` : ''}`, browserTest, () => {
  const servers = { echo: echoServer(), old: askingServer('legacy') }
  const world = usePageWorld(() => startServed(servers, { files: settings, pageFolder }))
  const opened: DeskClientProcess[] = []
  const connect = (...args: readonly string[]) => {
    const client = startClient(world.served().machine, { args })
    opened.push(client)
    return client
  }
  afterAll(async () => {
    for (const client of opened) await client.leave()
  })

  test('two clients of both eras appear with their calls, a question of one is answered here, and both leave', async () => {
    const { page, errors, foreign } = await world.open('/servers')
    await pressTogether(page, 'g', 'n')
    await page.getByText('No client is connected.').waitFor()
    await page.getByText('plugboard adopt').waitFor()
    expect(await findViolations(page)).toEqual([])
    expect(await findLayoutFaults(page)).toEqual([])

    const editor = connect()
    await editor.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'editor', version: '1.2' },
    })
    const agent = connect('--search')
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'agent', version: '2' },
    }
    await agent.request('server/discover', { _meta })
    const row = (name: string) => page.getByRole('link', { name: new RegExp(name) })
    await row('editor').getByText('2025-11-25').waitFor()
    await row('agent').getByText('2026-07-28').waitFor()
    await page.getByText('2 connected').waitFor()

    await editor.request('tools/call', { name: 'echo__echo', arguments: {} })
    const calls = page.getByRole('list', { name: 'Calls, the newest first' })
    await calls.getByRole('listitem').filter({ hasText: 'editor' }).getByText('ok', { exact: true }).waitFor()

    const asked = editor.request('tools/call', {
      name: 'old__test_input_required_result_elicitation',
      arguments: {},
    })
    await row('editor').getByText('waits for you').waitFor()
    await calls.getByRole('link', { name: 'Answer' }).click()
    await page.getByText('for editor 1.2').first().waitFor()
    await page.getByRole('textbox', { name: /name/ }).fill('Dana')
    // Nothing answers a question in the first half second.
    await expect
      .poll(async () => {
        const send = page.getByRole('button', { name: /^Send/ })
        if (await send.isVisible()) await send.click()
        return page.getByText('answered', { exact: false }).first().isVisible()
      })
      .toBe(true)
    expect(JSON.stringify(await asked)).toContain('Hello, Dana!')

    await pressTogether(page, 'g', 'n')
    await row('editor').click()
    await page.getByRole('heading', { name: 'editor 1.2' }).waitFor()
    const at = pathOf(page)
    await page.getByText('all tools of its folder').waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'editor 1.2' }).waitFor()
    expect(pathOf(page)).toBe(at)
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Find or run' }).fill('agent')
    await page.getByRole('option', { name: /agent/ }).first().waitFor()
    await page.keyboard.press('Escape')

    await editor.leave()
    await page.getByText('This client has left.').waitFor()
    await page.keyboard.press('Escape')
    await row('agent').waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('No client is connected.').waitFor()
    expect({ errors, foreign }).toEqual({ errors: [], foreign: [] })
  })

  test('a caller of a gateway over HTTP appears beside them with its call, and leaves with its gateway', async () => {
    const { page, errors, foreign } = await world.open('/clients')
    await page.getByText('No client is connected.').waitFor()
    const http = await startHttpGateway(world.served().machine)
    await page.getByText(http.url).waitFor()
    await http.call('bot', 'tools/call', { name: 'echo__echo', arguments: {} })
    const row = page.getByRole('link', { name: /bot/ })
    await row.getByText('caller owner').waitFor()
    const calls = page.getByRole('list', { name: 'Calls, the newest first' })
    await calls.getByRole('listitem').filter({ hasText: 'bot' }).getByText('ok', { exact: true }).waitFor()
    expect(await page.getByRole('button', { name: 'Stop' }).count()).toBe(0)
    expect(await findViolations(page)).toEqual([])
    expect(await findLayoutFaults(page)).toEqual([])
    await row.click()
    await page.getByText('owner, over HTTP').waitFor()
    await http.kill('SIGTERM')
    await page.getByText('This client has left.').waitFor()
    expect({ errors, foreign }).toEqual({ errors: [], foreign: [] })
  })
})
