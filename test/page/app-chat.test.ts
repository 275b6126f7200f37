import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { startModelServer } from '../support/model-server.ts'
import type { ModelServer } from '../support/model-server.ts'
import { startServed } from '../support/served.ts'
import { appOf, appServer, appTool, documentOf, readBody } from './support/apps.ts'
import {
  browserTest,
  findLayoutFaults,
  findViolations,
  noBrowser,
  phone,
  setView,
  slow,
} from './support/browser.ts'
import { drawnPicture } from './support/drawn-picture.ts'
import { pageFolder, usePageWorld } from './support/world.ts'

const folder = mkdtempSync(join(tmpdir(), 'plugboard-app-chat-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Buttons that ask the page for something, and show its answer. */
const cart = documentOf(`
  const add = (name, act) => {
    const button = document.createElement('button')
    button.textContent = name
    button.onclick = async () => done(await act())
    document.body.append(button)
  }
  add('Say', () => request('ui/message', { role: 'user', content: [{ type: 'text', text: 'Order two more.' }] }))
  add('Tell', () => request('ui/update-model-context', { content: [{ type: 'text', text: 'Two are in the cart.' }], structuredContent: { cart: 2 } }))
  add('Take back', () => request('ui/update-model-context', { content: [] }))
  add('Call', () => request('tools/call', { name: 'refresh', arguments: {} }))
  await begin()`)
const shown = {
  content: [{ type: 'text', text: 'A cart.' }],
  structuredContent: { items: 2 },
  _meta: { page: 7 },
}

/** A server of the extension's own examples. */
const budget = {
  command: process.execPath,
  args: [
    fileURLToPath(
      new URL(
        '../../node_modules/@modelcontextprotocol/server-budget-allocator/dist/index.js',
        import.meta.url,
      ),
    ),
    '--stdio',
  ],
}

describe.skipIf(noBrowser)('apps in a conversation', browserTest, () => {
  let model: ModelServer | undefined
  const world = usePageWorld(async () => {
    model = await startModelServer({ wire: 'openai-chat' })
    const settings = {
      model: 'fake/scripted',
      endpoints: { fake: { kind: 'openai-compatible', url: model.url } },
      rules: [{ effect: 'allow', tools: ['budget-allocator__get-budget-data'] }],
    }
    const plan = {
      tools: [
        appTool('show', { resourceUri: 'ui://shop/cart' }),
        appTool('refresh', { visibility: ['app'] }),
      ],
      documents: { 'ui://shop/cart': { html: cart } },
      results: { show: shown },
    }
    return startServed(
      { shop: appServer(join(folder, 'plan.json'), plan), 'budget-allocator': budget },
      { files: { '~/.config/plugboard/settings.json': settings }, pageFolder },
    )
  })
  afterAll(() => model?.stop())

  /** A conversation in which the model shows the cart. */
  const begin = async () => {
    let goOn = () => {}
    const isShown = new Promise<void>((resolve) => (goOn = resolve))
    model?.play([
      { calls: [{ name: 'shop__show', args: { of: 'today' } }] },
      () => isShown.then(() => ({ text: 'Here it is.' })),
    ])
    const opened = await world.open('/chat')
    await say(opened.page, 'Show the cart')
    await opened.page.locator('.app-box[data-state=ready]').waitFor()
    const app = appOf(opened.page)
    await app.locator('body').evaluate((body) => body.setAttribute('data-mark', 'first'))
    goOn()
    await opened.page.getByText('Here it is.').waitFor()
    return { ...opened, app }
  }
  const press = (page: Page, name: string) => appOf(page).getByRole('button', { name }).click()
  const ended = (page: Page) => page.locator('.chat-sum').last().waitFor()

  test('the app of a call is shown in place, with its input and result as the server sent it, and stays when the turn ends', async () => {
    const { page, app, errors } = await begin()
    await expect
      .poll(() => readBody(app, 'heard'), slow)
      .toEqual([
        ['tool-input', { arguments: { of: 'today' } }],
        ['tool-result', shown],
      ])
    await ended(page)
    await press(page, 'Call')
    expect(await readBody(app, 'found')).toEqual({ content: [{ type: 'text', text: 'refresh {}' }] })
    // The turn was read again from its messages meanwhile, and the frame is the same one.
    expect(await app.locator('body').getAttribute('data-mark')).toBe('first')
    expect(await findViolations(page)).toEqual([])
    await setView(page, phone)
    expect(await findLayoutFaults(page, phone)).toEqual([])
    expect(errors).toEqual([])
  })

  test('the end of a conversation stays in sight while an app grows, unless the person has scrolled away', async () => {
    const { page, app } = await begin()
    await ended(page)
    const log = page.locator('.chat-log')
    const grow = (height: number) =>
      app
        .locator('body')
        .evaluate(
          (_, to) =>
            parent.postMessage(
              { jsonrpc: '2.0', method: 'ui/notifications/size-changed', params: { height: to } },
              '*',
            ),
          height,
        )
    const heightOf = () => page.locator('.app-document').evaluate((frame) => frame.clientHeight)
    const toEnd = () =>
      log.evaluate(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight)
    await grow(1500)
    await expect.poll(heightOf, slow).toBe(1500)
    await expect.poll(toEnd, slow).toBeLessThan(2)
    await log.evaluate((element) => element.scrollTo(0, 0))
    await page.getByRole('button', { name: 'To the end' }).waitFor()
    await grow(2500)
    await expect.poll(heightOf, slow).toBe(2500)
    expect(await log.evaluate(({ scrollTop }) => scrollTop)).toBe(0)
  })

  test('an app is shown while the model writes its arguments, then gets them whole, then the result', async () => {
    const note = 'every item with its price, and the sum of all of them below in a line of its own'
    const args = { note, of: 'today', more: note }
    let goOn = () => {}
    const half = new Promise<void>((resolve) => (goOn = resolve))
    model?.play([{ calls: [{ name: 'shop__show', args }], half }, { text: 'Here it is.' }])
    const { page } = await world.open('/chat')
    await say(page, 'Show the cart')
    const heard = () => readBody(appOf(page), 'heard') as Promise<readonly (readonly [string, unknown])[]>
    await expect.poll(async () => (await heard()).length, slow).toBeGreaterThan(0)
    await appOf(page)
      .locator('body')
      .evaluate((body) => body.setAttribute('data-mark', 'first'))
    goOn()
    await expect.poll(async () => (await heard()).at(-1), slow).toEqual(['tool-result', shown])
    const told = await heard()
    expect(told.at(-2)).toEqual(['tool-input', { arguments: args }])
    const kinds = new Set(told.slice(0, -2).map(([kind]) => kind))
    expect([...kinds]).toEqual(['tool-input-partial'])
    await ended(page)
    expect(await page.locator('.chat-call').count()).toBe(1)
    expect(await appOf(page).locator('body').getAttribute('data-mark')).toBe('first')
  })

  test('the budget of an example is shown in a conversation', async () => {
    model?.play([
      { text: 'I ask for the budget.', calls: [{ name: 'budget-allocator__get-budget-data' }] },
      { text: 'Move the sliders to try other shares: marketing has a quarter now.' },
    ])
    const { page, errors } = await world.open('/chat', { width: 1280, height: 1000 })
    await say(page, 'How is the budget split?')
    const app = appOf(page)
    await app.getByText('Allocated: $100,000 / $100,000').waitFor()
    await page.getByText('Move the sliders').waitFor()
    await ended(page)
    const { PLUGBOARD_PICTURES: pictures } = process.env
    if (pictures) writeFileSync(`${pictures}/app-chat.png`, await drawnPicture(page.locator('body')))
    expect(errors).toEqual([])
  })

  test('an app learns that a call which is still written was given up', async () => {
    const note = 'every item with its price, and the sum of all of them below in a line of its own'
    model?.play([{ calls: [{ name: 'shop__show', rawArgs: `{"of":"today","note":"${note}` }], silent: true }])
    const { page } = await world.open('/chat')
    await say(page, 'Show the cart')
    await page.getByText('is written').waitFor()
    const app = appOf(page)
    const heard = () => readBody(app, 'heard') as Promise<readonly (readonly [string, unknown])[]>
    await expect.poll(async () => (await heard()).at(-1)?.[0], slow).toBe('tool-input-partial')
    const [, partial] = (await heard()).at(-1) ?? []
    expect(partial).toMatchObject({ arguments: { of: 'today', note: expect.stringContaining('every item') } })
    await page.keyboard.press('Control+.')
    await expect
      .poll(async () => (await heard()).at(-1), slow)
      .toEqual(['tool-cancelled', { reason: 'The call was not made.' }])
  })

  test('a conversation that is opened again has its apps folded, and a click shows them', async () => {
    const { page } = await begin()
    await ended(page)
    await page.reload()
    await page.getByRole('button', { name: 'Show the app of shop' }).waitFor()
    expect(page.frames()).toHaveLength(1)
    await page.getByRole('button', { name: 'Show the app of shop' }).click()
    await expect
      .poll(() => readBody(appOf(page), 'heard'), slow)
      .toEqual([
        ['tool-input', { arguments: { of: 'today' } }],
        ['tool-result', shown],
      ])
  })

  test('T15 a message of an app is a question to the person: no sends nothing, yes sends it as the words of the app', async () => {
    const { page, app } = await begin()
    await ended(page)
    const asked = page.getByRole('alertdialog', { name: 'Send a message' })
    const before = model?.requests.length
    await press(page, 'Say')
    await asked.getByText('Order two more.').waitFor()
    await asked.getByRole('button', { name: 'No' }).click()
    expect(await readBody(app, 'found')).toEqual({ isError: true })
    expect(model?.requests.length).toBe(before)
    model?.play([{ text: 'Ordered.' }])
    await press(page, 'Say')
    // It counts when the person had time to read it.
    const send = asked.getByRole('button', { name: 'Send' })
    await expect.poll(() => send.getAttribute('aria-disabled'), slow).toBe('false')
    await send.click()
    await page.getByText('Ordered.').waitFor()
    await expect.poll(() => readBody(app, 'found'), slow).toEqual({})
    expect(model?.requests.at(-1)?.messages.at(-1)).toMatchObject({
      role: 'user',
      text: 'From the app of shop:\n\nOrder two more.',
    })
  })

  test('T16 what an app tells the model goes with the next message, marked as its words, unless the person leaves it out', async () => {
    const { page } = await begin()
    await ended(page)
    const told = page.locator('.app-context')
    await press(page, 'Tell')
    await told.getByText('of the app of').click()
    expect(await told.locator('.app-told').innerText()).toBe('Two are in the cart.\n{"cart":2}')
    await told.getByRole('button', { name: 'Leave out' }).click()
    await told.waitFor({ state: 'detached' })
    await press(page, 'Tell')
    await told.waitFor()
    await press(page, 'Take back')
    await told.waitFor({ state: 'detached' })
    await press(page, 'Tell')
    await told.waitFor()
    model?.play([{ text: 'Two.' }, { text: 'Still two.' }])
    await say(page, 'How many?')
    await page.getByText('Two.', { exact: true }).waitFor()
    await told.waitFor({ state: 'detached' })
    const [first] = lastPrompts(model)
    expect(first).toContain('How many?')
    expect(first).toContain(
      'From the app of shop, not from the person:\n```\nTwo are in the cart.\n{"cart":2}\n```',
    )
    await ended(page)
    await say(page, 'And now?')
    await page.getByText('Still two.').waitFor()
    expect(lastPrompts(model)[0]).toBe('And now?')
    expect(await appOf(page).locator('body').getAttribute('data-mark')).toBe('first')
  })
})

async function say(page: Page, words: string): Promise<void> {
  const box = page.getByRole('textbox', { name: 'Message' })
  await page.getByRole('button', { name: 'Send' }).waitFor()
  await box.fill(words)
  await expect
    .poll(async () => {
      if ((await box.inputValue()) !== '') await box.press('Control+Enter')
      return box.inputValue()
    }, slow)
    .toBe('')
}

/** The prompts of the last request, the last one first. */
function lastPrompts(model: ModelServer | undefined): readonly string[] {
  const messages = model?.requests.at(-1)?.messages ?? []
  return messages.flatMap((message) => (message.role === 'user' ? [message.text] : [])).toReversed()
}
