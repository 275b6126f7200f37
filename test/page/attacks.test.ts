import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { faultyServer } from '../../src/testing.ts'
import type { FaultyScript } from '../../src/testing.ts'
import { startModelServer } from '../support/model-server.ts'
import type { ModelServer } from '../support/model-server.ts'
import { startServed } from '../support/served.ts'
import { browserTest, noBrowser, slow, watchPage } from './support/browser.ts'
import { pageFolder, tracker, usePageWorld } from './support/world.ts'

const attack = [
  '<img src=x onerror="document.hit=1">',
  '<script>document.hit=1</script><style>*{display:none}</style>',
  '[link](javascript:document.hit=1) ![dot](http://127.0.0.1:9/dot.png) <http://127.0.0.1:9/auto>',
  '\u001B[2J\u001B]8;;http://127.0.0.1:9/\u0007red\u001B[0m \u202Egnp.exe\u2066 \u200B',
  '"><svg onload=document.hit=1> {{7*7}} ${7*7} `tick`',
].join(' ')
/** Not a text, but what stands in for one where a name is short. */
const mark = '<img src=x onerror='
const text = { type: 'string' }
const evil = {
  info: { name: attack, title: attack, version: attack },
  instructions: attack,
  capabilities: { tools: { listChanged: true }, prompts: {}, resources: {}, completions: {}, logging: {} },
  tools: [
    {
      name: 'evil',
      title: attack,
      description: attack,
      inputSchema: {
        type: 'object',
        title: attack,
        description: attack,
        properties: {
          [attack]: { ...text, title: attack, description: attack, default: attack, examples: [attack] },
          pick: { enum: [attack, 'b'], description: attack },
          mail: { ...text, format: attack, pattern: '(a+)+$' },
          either: {
            oneOf: [
              { title: attack, const: attack },
              { ...text, title: attack },
            ],
          },
        },
        required: ['pick'],
      },
      annotations: { title: attack, readOnlyHint: true },
    },
    {
      name: 'fails',
      description: attack,
      inputSchema: { type: 'object' },
      annotations: { readOnlyHint: true },
    },
    {
      name: 'asks',
      description: attack,
      inputSchema: { type: 'object' },
      annotations: { readOnlyHint: true },
    },
  ],
  prompts: [
    { name: 'evil', title: attack, description: attack, arguments: [{ name: 'a', description: attack }] },
  ],
  resources: [{ uri: 'evil://one', name: attack, title: attack, description: attack, mimeType: 'text/html' }],
  templates: [{ uriTemplate: 'evil://{a}', name: attack, description: attack }],
  results: {
    'resources/read': {
      contents: [
        { uri: 'evil://one', mimeType: 'text/html', text: attack },
        {
          uri: 'evil://two',
          mimeType: 'image/svg+xml',
          text: `<svg xmlns="http://www.w3.org/2000/svg">${attack}</svg>`,
        },
      ],
    },
    'prompts/get': {
      description: attack,
      messages: [{ role: 'user', content: { type: 'text', text: attack } }],
    },
    'completion/complete': { completion: { values: [attack], hasMore: false } },
  },
  on: {
    start: { stderr: attack },
    'tools/call:evil': [
      { progress: { times: 1, message: attack } },
      { stderr: attack },
      {
        result: {
          content: [
            { type: 'text', text: attack },
            { type: 'resource_link', uri: 'javascript:document.hit=1', name: attack, description: attack },
            { type: 'resource', resource: { uri: 'evil://x', mimeType: 'text/html', text: attack } },
            {
              type: 'image',
              mimeType: 'image/svg+xml',
              data: Buffer.from(`<svg onload="document.hit=1"/>`).toString('base64'),
            },
          ],
          structuredContent: { [attack]: attack },
        },
      },
    ],
    'tools/call:fails': { error: { code: -32000, message: attack, data: { [attack]: attack } } },
    'tools/call:asks': {
      ask: [
        {
          method: 'elicitation/create',
          params: {
            message: attack,
            requestedSchema: {
              type: 'object',
              properties: {
                city: { ...text, title: attack, description: attack },
                kind: { ...text, enum: ['a'], enumNames: [attack] },
              },
            },
          },
        },
      ],
    },
  },
} as FaultyScript

describe.skipIf(noBrowser)('bad input and attacks on the page', browserTest, () => {
  let model: ModelServer | undefined
  const world = usePageWorld(async () => {
    model = await startModelServer({ wire: 'openai-chat' })
    const served = await startServed(
      {
        evil: faultyServer(evil),
        [mark]: faultyServer({ tools: 1 }),
        tracker: faultyServer({
          ...tracker,
          on: {
            'tools/call:list_issues': { answer: { bytes: 16 * 1024 * 1024 } },
            'tools/call:search': { answer: { bytes: 16 * 1024 * 1024 + 1 } },
          },
        }),
        broken: { command: `${mark}1>`, args: [attack], env: { KEY: attack } },
      },
      {
        files: {
          '~/.config/plugboard/settings.json': {
            model: 'fake/scripted',
            // What the page draws is the subject here, not what is held.
            accept: 'off',
            endpoints: { fake: { kind: 'openai-compatible', url: model.url } },
          },
        },
        pageFolder,
      },
    )
    await served.client.send('POST /api/servers/:server/start', { params: { server: 'evil' } })
    return served
  })
  afterAll(() => model?.stop())
  const address = () => world.served().served.address
  const result = (page: Page) => page.getByRole('region', { name: 'Result' })

  /** What of a text became more than text. */
  const findActs = (page: Page) =>
    page.evaluate(() => {
      const found = [...document.querySelectorAll('main *, footer *, header *')].flatMap((element) => {
        const { localName } = element
        const href = element.getAttribute('href') ?? ''
        const src = element.getAttribute('src') ?? ''
        const isOwnSvg = localName === 'svg' && element.hasAttribute('onload')
        if (['script', 'style', 'iframe', 'object', 'embed', 'base'].includes(localName) || isOwnSvg)
          return [localName]
        if (src !== '' && !src.startsWith('blob:')) return [`${localName} ${src}`]
        if (/^(?!\/|#|https?:|mailto:|blob:|vscode:\/\/file\/)./i.test(href)) return [`${localName} ${href}`]
        return [...element.attributes].filter(({ name }) => name.startsWith('on')).map(({ name }) => name)
      })
      return [...found, ...('hit' in document ? ['a script ran'] : [])]
    })
  const showsDirections = (page: Page) =>
    page.evaluate(() => /[\u202A-\u202E\u2066-\u2069]/.test(document.body.innerText))

  test('T19 HTML, markdown, terminal codes and directions act in no text of a server, in no place', async () => {
    const { client, machine } = world.served()
    const run = async (tool: string) => {
      const { call } = await client.send('POST /api/calls', {
        body: { ref: `evil/${tool}`, args: { pick: 'b' } },
      })
      return call.id
    }
    const [done, failed] = [await run('evil'), await run('fails')]
    await run('asks')
    const acts: string[] = []
    const { page, errors, foreign } = await world.open('/servers')
    page.on('dialog', (dialog) => acts.push(`dialog ${dialog.message()}`))
    for (const [path, seen = mark] of [
      ['/servers', 'broken'],
      ['/servers/evil'],
      ['/servers/evil?tab=tools', 'evil'],
      ['/servers/evil?tab=log'],
      ['/servers/evil?tab=declared'],
      ['/servers/broken'],
      [`/servers/${encodeURIComponent(mark)}`],
      ['/tools', 'evil'],
      ['/tools/evil%2Fevil'],
      [`/calls/${done}`],
      [`/calls/${failed}`],
      ['/timeline', 'evil'],
      ['/waiting', 'evil'],
      ['/resources/evil?uri=evil%3A%2F%2Fone'],
      ['/resources/evil?uri=evil%3A%2F%2F%7Ba%7D'],
      ['/prompts/evil%2Fevil'],
      [`/config/${encodeURIComponent(machine.path('~/.config/plugboard/mcp.json'))}`],
    ] as const) {
      await page.goto(`${address()}${path}`)
      const shown = await page
        .locator('main', { hasText: seen })
        .waitFor()
        .then(
          () => [],
          () => ['the text is not there'],
        )
      if (path.startsWith('/prompts/')) {
        await page.getByRole('button', { name: 'Preview' }).click()
        await page.getByText('{{7*7}}').last().waitFor()
      }
      if (path === '/waiting') {
        await page.getByRole('list', { name: 'Questions' }).getByRole('link').first().click()
        await page.locator('.question', { hasText: mark }).waitFor()
        if (await showsDirections(page)) acts.push(`${path}: a direction`)
      }
      acts.push(...[...shown, ...(await findActs(page))].map((each) => `${path}: ${each}`))
    }
    expect({ acts, errors, foreign }).toEqual({ acts: [], errors: [], foreign: [] })
  })

  test('T19 what a model writes is drawn as text, lists and safe links; the title of a conversation is text', async () => {
    model?.play([
      {
        text: `# Head\n\n${attack}\n\n- [go](https://example.org/a)\n\n<b onclick="document.hit=1">bold</b>\n\n![p](http://127.0.0.1:9/p.png)`,
      },
    ])
    const { page, errors, foreign } = await world.open('/chat')
    await page.getByRole('textbox', { name: 'Message' }).fill(`Say ${attack}`)
    await page.keyboard.press('Control+Enter')
    const link = page.locator('a[href="https://example.org/a"]')
    await link.waitFor()
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer')
    await expect.poll(() => page.getByRole('log').innerText(), slow).toContain('<b onclick="document.hit=1">')
    expect({ acts: await findActs(page), errors, foreign }).toEqual({ acts: [], errors: [], foreign: [] })
  })

  test('1,000 events of one moment are drawn in few steps, and the last one counts', async () => {
    const { page, errors } = await world.open('/servers')
    const { client, served } = world.served()
    const { servers } = await client.send('GET /api/servers')
    const row = servers.find(({ name }) => name === 'tracker')
    if (!row) throw new Error('no row')
    await page.evaluate(() => {
      const cell = document.querySelector('[data-server="tracker"] .column-tools')
      if (!cell) throw new Error('no cell')
      const seen: string[] = []
      new MutationObserver(() => seen.push(cell.textContent ?? '')).observe(cell, {
        childList: true,
        subtree: true,
        characterData: true,
      })
      Object.assign(document, { seen })
    })
    for (let count = 1; count <= 1000; count++)
      served.feed.publish({
        type: 'server.changed',
        server: { ...row, tools: { count: 5000 + count, hidden: 0, tokens: 1 } },
      })
    await page.locator('[data-server="tracker"] .column-tools', { hasText: '6000' }).waitFor()
    const seen = await page.evaluate(
      () => (document as unknown as { readonly seen: readonly string[] }).seen.length,
    ) // set above
    expect(seen).toBeLessThan(100)
    served.feed.publish({ type: 'server.changed', server: row })
    expect(errors).toEqual([])
  })

  test('programs that never read the events hold back no page', async () => {
    const { page } = await world.open('/servers')
    const { served, port } = world.served()
    const deaf = Array.from({ length: 10 }, () => {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined)
      socket.pause()
      socket.write(
        `GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${served.token}\r\n\r\n`,
      )
      return socket
    })
    onTestFinished(() => deaf.forEach((socket) => socket.destroy()))
    await expect.poll(() => served.feed.readers, slow).toBeGreaterThanOrEqual(11)
    for (let at = 0; at < 200; at++)
      served.feed.publish({ type: 'server.said', server: 'evil', stream: 'stderr', line: 'x'.repeat(50_000) })
    await served.host.stop('evil')
    await page.locator('[data-server="evil"]').getByText('ready').waitFor({ state: 'detached' })
    await served.host.connect('evil')
    await page.locator('[data-server="evil"]').getByText('ready').waitFor()
  })

  test('T36 T37 a page of another port gets nothing, changes nothing and frames nothing, also with the token', async () => {
    const { served, client } = world.served()
    const foreignPage = createServer((_, response) => {
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end('<!doctype html><title>other</title><body>')
    })
    await new Promise<void>((resolve) => foreignPage.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void foreignPage.close())
    const before = await client.send('GET /api/servers')
    const page = await world.browser().page()
    const { port } = foreignPage.address() as AddressInfo // it listens
    await page.goto(`http://127.0.0.1:${port}/`)
    const script = await client.send('GET /api/servers').then(async () => {
      const html = await fetch(`${served.address}/`).then((answer) => answer.text())
      return `${served.address}${/\/assets\/[^"]+\.js/.exec(html)?.[0]}`
    })
    const got = await page.evaluate(
      async ({ to, token, file }) => {
        const authorization = `Bearer ${token}`
        const attempt = async (path: string, options: RequestInit = {}) =>
          fetch(`${to}${path}`, options).then(
            async (answer) => `${answer.status} ${(await answer.text()).length}`,
            () => 'refused',
          )
        const load = (element: HTMLElement) =>
          new Promise<string>((resolve) => {
            element.addEventListener('load', () => resolve('loaded'))
            element.addEventListener('error', () => resolve('refused'))
            document.body.append(element)
          })
        const stop = '/api/servers/evil/stop'
        const answers = [
          await attempt('/api/servers'),
          await attempt('/api/servers', { headers: { authorization } }),
          await attempt('/'),
          await attempt(stop, { method: 'POST', headers: { authorization } }),
          await attempt(stop, { method: 'POST', body: '{}', headers: { 'content-type': 'text/plain' } }),
          await attempt(stop, { method: 'POST', mode: 'no-cors', body: '{}' }),
          await attempt('/api/events', { headers: { authorization } }),
          await load(Object.assign(document.createElement('script'), { src: file })),
        ]
        const frame = document.createElement('iframe')
        frame.name = 'frame'
        frame.src = `${to}/#k=${token}`
        await load(frame)
        const form = document.createElement('form')
        Object.assign(form, {
          method: 'post',
          action: `${to}${stop}`,
          target: 'frame',
          enctype: 'text/plain',
        })
        const done = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }))
        document.body.append(form)
        form.submit()
        await done
        return answers
      },
      { to: served.address, token: served.token, file: script },
    )
    expect(got).toEqual(got.map(() => 'refused'))
    for (const frame of page.frames().slice(1))
      expect(
        await frame.evaluate(() => document.querySelector('.rail, main') === null).catch(() => true),
      ).toBe(true)
    const after = await client.send('GET /api/servers')
    const stateOf = ({ servers }: typeof before) =>
      servers.map(({ name, state }) => [name, state.word, state.since])
    expect(stateOf(after)).toEqual(stateOf(before))
  })

  test('T24 a result of 16 MB: its head and tail are drawn, the page answers; one byte more is an error with its limit', async () => {
    const { page, errors } = await world.open('/tools/tracker%2Flist_issues')
    await page.getByRole('textbox', { name: 'repo *' }).fill('a/b')
    await page.keyboard.press('Control+Enter')
    await result(page).getByText('more characters').waitFor()
    expect((await result(page).innerText()).length).toBeLessThan(100_000)
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Find or run' }).fill('search')
    await page.getByRole('option', { name: 'tracker__search' }).click()
    // The key belongs to the form that is drawn, and the click only asks for another.
    await page.getByRole('heading', { level: 1, name: 'tracker__search' }).waitFor()
    await page.getByRole('button', { name: /^Run/ }).waitFor()
    await page.keyboard.press('Control+Enter')
    await result(page)
      .getByText(/16 MiB|16777216|16,777,216|too large|larger/)
      .first()
      .waitFor()
    expect(errors).toEqual([])
  })

  test('T36 after a restart the token of before is refused everywhere, and the page goes on with the new address', async () => {
    const first = await startServed({ tracker: faultyServer(tracker) }, { pageFolder })
    const { token, address: where } = first.served
    const page = await world.browser().page()
    const { foreign } = watchPage(page, where)
    await page.goto(`${where}/tools/tracker%2Fcreate_issue#k=${token}`)
    await page.getByRole('textbox', { name: 'title *' }).fill('half filled')
    await first[Symbol.asyncDispose]()
    await page.locator('.live-bar').getByText('Plugboard has ended.').waitFor()
    await using second = await startServed(
      { tracker: faultyServer(tracker) },
      { pageFolder, port: first.port },
    )
    expect(second.served.token).not.toBe(token)
    for (const path of ['/api/servers', '/api/events', '/api/snapshot', '/api/openapi.json']) {
      const stolen = await fetch(`${where}${path}`, { headers: { authorization: `Bearer ${token}` } })
      expect([path, stolen.status]).toEqual([path, 401])
      await stolen.body?.cancel()
    }
    await page.locator('.live-bar').getByText('This address has ended.').waitFor()
    await page.getByLabel('Address that the terminal shows').fill(`${where}/#k=${second.served.token}`)
    await page.keyboard.press('Enter')
    await page.locator('.bottom').getByText('events live').waitFor()
    await expect
      .poll(() => page.getByRole('textbox', { name: 'title *' }).inputValue(), slow)
      .toBe('half filled')
    expect(foreign).toEqual([])
    await page.close()
  })
})
