import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/index.ts'
import { startServed } from '../support/served.ts'
import { ownFile } from '../support/servers.ts'
import { pdf, skillServer } from '../support/skill-plans.ts'
import { startTaskPeer } from '../support/programs/task-peer.ts'
import { browserTest, noBrowser, pathOf, slow } from './support/browser.ts'
import { pageFolder, usePageWorld } from './support/world.ts'

describe.skipIf(noBrowser)('Skills and tasks in the page', browserTest, () => {
  const world = usePageWorld(() => startServed({}, { pageFolder }))

  /** Declares a server in the person's own file, and waits until it is read. */
  const declare = async (name: string, entry: JsonObject) => {
    const { machine, served } = world.served()
    machine.write(ownFile, { mcpServers: { [name]: entry } })
    await expect.poll(() => served.host.servers().map((server) => server.name), slow).toEqual([name])
  }

  test('D21 a skill is listed with nothing read; opened it shows its text, and each file has an address', async () => {
    const { page } = await world.open('/servers')
    await declare('docs', skillServer({ skills: [pdf] }).entry)
    await page.keyboard.press('g')
    await page.keyboard.press('i')
    await page.getByRole('link', { name: 'pdf-processing' }).click()
    await page.getByText('Read references/FORMS.md first.').waitFor()
    await page.getByRole('link', { name: 'references/FORMS.md' }).click()
    await page.getByText('Fill one field at a time.').waitFor()
    const address = pathOf(page)
    expect(address).toBe('/skills/docs%2Fpdf-processing?file=references%2FFORMS.md')
    await page.reload()
    await page.getByText('Fill one field at a time.').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => pathOf(page), slow).toBe('/skills')
  })

  test('a task is above the calls while it runs; when it has ended its result can be read, and one is cancelled', async () => {
    const peer = await startTaskPeer('modern')
    const { page } = await world.open('/timeline')
    await declare('peer', { url: peer.url })
    const { client } = world.served()
    const brew = () => client.send('POST /api/calls', { body: { ref: 'peer/brew', args: { what: 'tea' } } })
    await brew()
    const task = page.locator('.task').first()
    await expect.poll(() => task.innerText(), slow).toMatch(/runs\s+peer\/brew/)
    await peer.tell('finish')
    await task.getByText('completed').waitFor()
    await task.getByRole('button', { name: 'Result' }).click()
    await page.locator('.tasks pre').waitFor()
    await brew()
    await task.getByRole('button', { name: 'Cancel' }).click()
    await task.getByText('cancelled', { exact: true }).waitFor()
    expect(await page.locator('.tasks summary').innerText()).toBe('2 tasks in the background, 0 running')
  })
})
