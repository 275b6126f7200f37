import type { Locator, Page } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { faultyServer } from '../../src/testing.ts'
import type { FaultyScript } from '../../src/testing.ts'
import { startAuthorizationServer } from '../support/authorization-server.ts'
import type { ListOutput } from '../support/programs/cli.ts'
import { startModelServer } from '../support/model-server.ts'
import type { ModelServer } from '../support/model-server.ts'
import { startServed } from '../support/served.ts'
import { ownFile } from '../support/servers.ts'
import { keys, openTerminal } from '../support/programs/terminal.ts'
import {
  browserTest,
  hasFocus,
  isPainted,
  noBrowser,
  pathOf,
  pressTogether,
  slow,
} from './support/browser.ts'
import { watchLinks } from './support/links.ts'
import { pageFolder, projectFile, tracker, usePageWorld } from './support/world.ts'

const text = { type: 'string' }
const object = (properties: object, required: readonly string[] = []) => ({
  type: 'object',
  properties,
  required,
})
const script = {
  ...tracker,
  capabilities: { tools: { listChanged: true }, prompts: {}, resources: {} },
  tools: [
    ...(tracker.tools as readonly object[]), // definitions
    { name: 'ask', inputSchema: object({}), annotations: { readOnlyHint: true } },
  ],
  prompts: [{ name: 'review', arguments: [{ name: 'file' }] }],
  resources: [{ uri: 'note://one', name: 'first note' }],
  results: { 'resources/read': { contents: [{ uri: 'note://one', text: 'milk' }] } },
  on: {
    ...tracker.on,
    'tools/call:create_issue': 'echo',
    'tools/call:ask': {
      ask: [
        {
          method: 'elicitation/create',
          params: {
            message: 'Where to?',
            requestedSchema: object({ city: text, street: text }, ['city', 'street']),
          },
        },
      ],
    },
  },
} as FaultyScript
const own = {
  tracker: faultyServer(script),
  files: faultyServer({ tools: 14, info: { name: 'files', version: '2.1.0' } }),
  docs: faultyServer({ tools: 3 }),
}
const create = (title: string) => ({
  calls: [{ name: 'tracker__create_issue', args: { repo: 'acme/shop', title } }],
})

describe.skipIf(noBrowser)('stories of the page', browserTest, () => {
  let model: ModelServer | undefined
  const world = usePageWorld(async () => {
    model = await startModelServer({ wire: 'openai-chat' })
    const settings = {
      model: 'fake/scripted',
      endpoints: { fake: { kind: 'openai-compatible', url: model.url } },
      rules: [{ effect: 'ask', tools: ['tracker__create_issue'] }],
    }
    const served = await startServed(own, {
      files: { ...projectFile, '~/.config/plugboard/settings.json': settings },
      pageFolder,
    })
    await Promise.all(
      Object.keys(own).map((server) =>
        served.client.send('POST /api/servers/:server/start', { params: { server } }),
      ),
    )
    return served
  })
  afterAll(() => model?.stop())

  const address = () => world.served().served.address
  const row = (page: Page, name: string) => page.locator(`[data-server="${name}"]`)
  const place = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true })
  const question = (page: Page) => page.locator('.question.is-asking')
  /** Sends when it is possible: while a turn ends, the text stays in its box. */
  const say = async (page: Page, words: string) => {
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
  /** Presses the key until it counts: what just appeared answers nothing. */
  const answer = async (page: Page, key: string, seen: Locator) => {
    await question(page).waitFor()
    await expect
      .poll(async () => {
        const asked = question(page).first()
        if ((await seen.count()) === 0 && (await asked.count()) > 0)
          // It may be gone by now, because the key before this one counted.
          await asked.press(key, { timeout: 2000 }).catch(() => undefined)
        return seen.count()
      }, slow)
      .toBeGreaterThan(0)
  }
  const isOn = (page: Page, server: string) => page.getByRole('switch', { name: server }).isChecked()

  test('chat: a call waits for a yes; a key counts only with the focus on the question, and not as it appears', async () => {
    model?.play([create('one'), create('two'), { text: 'Both are there.' }])
    const { page, errors } = await world.open('/chat')
    // A hand that is typing `r` when the question appears.
    await page.evaluate(() => {
      new MutationObserver((_, observer) => {
        const asked = document.querySelector<HTMLElement>('.question.is-asking')
        if (!asked) return
        observer.disconnect()
        asked.focus()
        asked.dispatchEvent(new KeyboardEvent('keydown', { key: 'r', bubbles: true }))
        document.querySelector<HTMLElement>('textarea')?.focus()
      }).observe(document.body, { childList: true, subtree: true })
    })
    await say(page, 'Open two issues')
    await question(page).getByText('acme/shop').waitFor()
    expect(await question(page).innerText()).toContain('tracker__create_issue')
    await page.keyboard.press('r')
    expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('r')
    await page.getByRole('log').focus()
    await page.keyboard.press('r')
    await expect.poll(() => page.title(), slow).toContain('(1)')
    // In this conversation: the second call is not asked about.
    await answer(page, 'c', page.getByText('Both are there.'))
    await expect.poll(() => page.locator('.chat-call').count(), slow).toBe(2)
    await expect.poll(() => hasFocus(page), slow).toBe(true)
    expect(model?.requests.at(-1)?.bodyText).toContain('two')
    await page.reload()
    await page.getByText('Both are there.').waitFor()
    expect(errors).toEqual([])
  })

  test('chat: E changes what is sent, R refuses, and the model learns both', async () => {
    model?.play([create('first'), { text: 'Done so.' }, create('second'), { text: 'Not done.' }])
    const { page } = await world.open('/chat')
    await say(page, 'Open an issue')
    await answer(page, 'e', page.getByRole('button', { name: 'Allow these once' }))
    await page.getByRole('textbox', { name: 'title *' }).fill('mended')
    await expect
      .poll(async () => {
        const allow = page.getByRole('button', { name: 'Allow these once' })
        if ((await allow.count()) > 0) await allow.click()
        return page.getByText('Done so.').count()
      }, slow)
      .toBe(1)
    expect(model?.requests.at(-1)?.bodyText).toContain('mended')
    await say(page, 'And another')
    await answer(page, 'r', page.getByText('Not done.'))
    await page.locator('.chat-call').last().getByText('refused').waitFor()
  })

  test('a switch of a conversation changes its cost at once, in the other tab and in a terminal, and back', async () => {
    const { page } = await world.open('/chat')
    model?.play([{ text: 'Yes.' }])
    await say(page, 'Are you there?')
    await page.getByText('Yes.', { exact: true }).first().waitFor()
    await expect.poll(() => pathOf(page), slow).toMatch(/^\/chat\/(?!new).+/)
    const conversation = pathOf(page).slice('/chat/'.length)
    const other = await page.context().newPage()
    await other.goto(`${page.url()}#k=${world.served().served.token}`)
    const cost = (tab: Page) => tab.locator('.chat-switches h2').innerText()
    await other.getByRole('switch', { name: 'files' }).waitFor()
    await expect.poll(async () => (await cost(page)) === (await cost(other)), slow).toBe(true)
    const before = await cost(page)
    await page.getByRole('switch', { name: 'files' }).click()
    await expect.poll(() => isOn(other, 'files'), slow).toBe(false)
    await expect.poll(() => cost(other), slow).not.toBe(before)
    await expect.poll(async () => (await cost(page)) === (await cost(other)), slow).toBe(true)
    await other.locator('.chat-switch', { hasText: 'files' }).getByText(/^\+/).waitFor()
    const { machine } = world.served()
    await machine.run('switch', 'files', 'on', '--conversation', conversation)
    await expect
      .poll(() => Promise.all([isOn(page, 'files'), isOn(other, 'files')]), slow)
      .toEqual([true, true])
    await expect.poll(() => cost(page), slow).toBe(before)
  })

  test('two browsers that switch at once end equal, and as the server says', async () => {
    const { conversation } = await world.served().client.send('POST /api/conversations', { body: {} })
    const [one, two] = await Promise.all([
      world.open(`/chat/${conversation.id}`),
      world.open(`/chat/${conversation.id}`),
    ])
    const clickAll = async (page: Page, times: number) => {
      for (let at = 0; at < times; at++)
        for (const name of ['files', 'docs']) await page.getByRole('switch', { name }).click()
    }
    await Promise.all([clickAll(one.page, 4), clickAll(two.page, 5)])
    const truth = async () => {
      const { servers } = await world.served().client.send('GET /api/conversations/:conversation/servers', {
        params: { conversation: conversation.id },
      })
      return ['files', 'docs'].map((name) => servers.find(({ server }) => server === name)?.isOn)
    }
    const shown = (page: Page) => Promise.all([isOn(page, 'files'), isOn(page, 'docs')])
    await expect
      .poll(async () => {
        const real = JSON.stringify(await truth())
        return [await shown(one.page), await shown(two.page)].every((each) => JSON.stringify(each) === real)
      }, slow)
      .toBe(true)
    expect([...one.errors, ...two.errors]).toEqual([])
  })

  test('T20 the form of a server waits, survives a reload half filled, and its answer reaches the call', async () => {
    const { page } = await world.open('/tools/tracker%2Fask')
    await page.getByText('Takes no arguments.').waitFor()
    await page.keyboard.press('Control+Enter')
    await page.getByRole('link', { name: '1 waiting' }).click()
    await page.getByRole('list', { name: 'Questions' }).getByRole('link').first().click()
    await page.getByText('Where to?').waitFor()
    await page.getByRole('textbox', { name: 'street *' }).fill('Main St')
    await page.reload()
    const street = page.getByRole('textbox', { name: 'street *' })
    await expect.poll(() => street.inputValue(), slow).toBe('Main St')
    await page.getByRole('textbox', { name: 'city *' }).fill('Rome')
    await expect
      .poll(async () => {
        if (await question(page).count()) await page.keyboard.press('Control+Enter')
        return question(page).count()
      }, slow)
      .toBe(0)
    await page.goto(`${address()}/tools/tracker%2Fask`)
    await page.getByRole('region', { name: 'Result' }).getByText('Rome').first().waitFor()
  })

  test('a login: the declaration appears from the file, the row asks, the browser logs in, the row is ready', async () => {
    const authServer = await startAuthorizationServer()
    const { machine } = world.served()
    const { page, errors } = await world.open()
    const servers = { ...own, vault: { type: 'http', url: authServer.mcp } }
    machine.write(ownFile, { mcpServers: servers })
    await row(page, 'vault').getByText('needs login').waitFor()
    await row(page, 'vault').getByRole('link', { name: 'Log in' }).click()
    const open = page.getByRole('link', { name: 'Open the page' })
    // The step of the row has begun the login.
    await open.waitFor()
    const [window] = await Promise.all([page.context().waitForEvent('page'), open.click()])
    await page.getByText('Logged in').waitFor()
    // The last page of the login may still be on its way.
    await expect
      .poll(() => window.evaluate(() => window.opener === null).catch(() => undefined), slow)
      .toBe(true)
    await row(page, 'vault').getByText('ready').waitFor()
    expect(errors).toEqual([])
    machine.write(ownFile, { mcpServers: own })
    await row(page, 'vault').waitFor({ state: 'detached' })
  })

  test('what a terminal does appears at once: disable, trust, a call, an answer', async () => {
    const { machine } = world.served()
    const { page } = await world.open()
    await machine.run('disable', 'docs')
    await row(page, 'docs').getByText('off', { exact: true }).waitFor()
    await machine.run('enable', 'docs')
    await row(page, 'docs').getByText('off', { exact: true }).waitFor({ state: 'detached' })
    const listed = await machine.json<ListOutput>('list')
    const hash = String(listed.servers.find(({ name }) => name === 'deploy')?.['hash'])
    await machine.run('trust', 'deploy', '--hash', hash)
    await row(page, 'deploy').getByText('needs trust').waitFor({ state: 'detached' })
    await page.goto(`${address()}/timeline?by=terminal`)
    await place(page, 'Timeline').waitFor()
    await machine.run('call', 'tracker__search', 'words=flaky')
    await page.getByRole('link', { name: /search/ }).waitFor()

    await page.goto(
      `${address()}/tools/tracker%2Fcreate_issue?args=${encodeURIComponent('{"repo":"a/b","title":"c"}')}`,
    )
    await page.getByRole('textbox', { name: 'title *' }).waitFor()
    await page.keyboard.press('Control+Enter')
    await page.getByRole('link', { name: '1 waiting' }).waitFor()
    const { pending } = await world.served().client.send('GET /api/questions')
    const terminal = openTerminal(machine, ['answer', pending[0]?.id ?? ''])
    await terminal.see('yes, always')
    terminal.type(`${keys.down}${keys.enter}`)
    expect(await terminal.ended).toBe(0)
    await page.getByRole('region', { name: 'Result' }).getByText('a/b').first().waitFor()
    await page.getByRole('link', { name: '1 waiting' }).waitFor({ state: 'detached' })
  })

  test('what the page does counts in a terminal', async () => {
    const { machine } = world.served()
    const { page } = await world.open()
    await row(page, 'docs').getByRole('link', { name: 'docs' }).focus()
    await page.keyboard.press('x')
    await page.getByRole('button', { name: 'Switch off', exact: true }).click()
    await row(page, 'docs').getByText('off', { exact: true }).waitFor()
    const { servers } = await machine.json<ListOutput>('list')
    expect(servers.find(({ name }) => name === 'docs')).toMatchObject({ enabled: false })
    machine.write(ownFile, { mcpServers: own })
    await row(page, 'docs').getByText('off', { exact: true }).waitFor({ state: 'detached' })
  })

  test('a server that is killed keeps the half-filled form and says how it ended; the call starts it again', async () => {
    const { page } = await world.open('/tools/tracker%2Flist_issues')
    await page.getByRole('textbox', { name: 'repo *' }).fill('acme/shop')
    const { server } = await world
      .served()
      .client.send('POST /api/servers/:server/start', { params: { server: 'tracker' } })
    const { pid } = server
    // 0 would be this process with all that it started.
    if (pid === undefined) throw new Error('the server has no process')
    const other = await page.context().newPage()
    await other.goto(`${address()}/servers/tracker#k=${world.served().served.token}`)
    await other.getByText(String(pid)).first().waitFor()
    process.kill(pid, 'SIGKILL')
    await other.getByText('SIGKILL').first().waitFor()
    expect(await page.getByRole('textbox', { name: 'repo *' }).inputValue()).toBe('acme/shop')
    await page.keyboard.press('Control+Enter')
    await page.getByRole('region', { name: 'Result' }).getByText('4711').first().waitFor()
  })

  test('a stream that is cut says so, keeps what is there, and catches up when it is back', async () => {
    using links = watchLinks(() => world.served().port)
    const { host } = world.served().served
    await host.connect('files')
    const { page } = await world.open()
    await row(page, 'files').getByText('ready').waitFor()
    links.cut()
    await page.locator('.live-bar').getByText('not live since').waitFor()
    await host.stop('files')
    expect(await row(page, 'files').innerText()).toContain('ready')
    links.mend()
    await page.locator('.live-bar').waitFor({ state: 'detached' })
    await row(page, 'files').getByText('ready').waitFor({ state: 'detached' })
  })

  test('keyboard only: find a tool, run it, approve, talk, switch; the focus is never lost', async () => {
    model?.play([{ text: 'I am here.' }])
    const { page, errors } = await world.open('/servers')
    const lost: string[] = []
    const checkFocus = async (after: string) => {
      await isPainted(page)
      if (!(await hasFocus(page))) lost.push(`${after} at ${page.url()}`)
    }
    const press = async (...pressed: readonly string[]) => {
      for (const key of pressed) {
        await page.keyboard.press(key)
        await checkFocus(key)
      }
    }
    const tabTo = async (target: Locator) => {
      await target.waitFor()
      for (let presses = 0; presses < 80; presses++) {
        if (await target.evaluate((element) => element === document.activeElement)) return
        await press('Tab')
      }
      throw new Error(`Tab does not lead to ${String(target)}`)
    }
    const find = async (words: string) => {
      const field = page.getByRole('combobox', { name: 'Find or run' })
      await press('Control+k')
      await expect.poll(() => field.evaluate((each) => each === document.activeElement), slow).toBe(true)
      await page.keyboard.type(words)
    }
    await find('create iss')
    const option = page.getByRole('option', { name: 'tracker__create_issue' })
    await option.waitFor()
    while ((await option.getAttribute('aria-selected')) !== 'true') await press('ArrowDown')
    await press('Enter')
    await place(page, 'tracker__create_issue').waitFor()
    await tabTo(page.getByRole('textbox', { name: 'repo *' }))
    await page.keyboard.type('acme/shop')
    await tabTo(page.getByRole('textbox', { name: 'title *' }))
    await page.keyboard.type('by keys')
    await press('Control+Enter')
    await page.getByRole('link', { name: '1 waiting' }).waitFor()
    await find('waiting')
    await page.getByRole('option', { name: /^Waiting/, selected: true }).waitFor()
    await press('Enter')
    await place(page, 'Waiting').waitFor()
    await tabTo(page.getByRole('list', { name: 'Questions' }).getByRole('link').first())
    await press('Enter')
    await question(page).waitFor()
    await expect
      .poll(async () => {
        if (await question(page).count()) await page.keyboard.press('a')
        return question(page).count()
      }, slow)
      .toBe(0)
    await page.getByText('allowed once').first().waitFor()
    await checkFocus('the answer')
    await pressTogether(page, 'g', 'c')
    await place(page, 'New conversation').waitFor()
    await checkFocus('g c')
    await tabTo(page.getByRole('textbox', { name: 'Message' }))
    await page.keyboard.type('Are you there?')
    await press('Control+Enter')
    await page.getByText('I am here.').first().waitFor()
    await checkFocus('the answer of the model')
    await tabTo(page.getByRole('switch', { name: 'files' }))
    await press('Space')
    await expect.poll(() => isOn(page, 'files'), slow).toBe(false)
    await checkFocus('the switch')
    expect([lost, errors]).toEqual([[], []])
  })

  test('every address survives a reload, with its title and without an error', async () => {
    const { client, machine } = world.served()
    const { conversations } = await client.send('GET /api/conversations')
    const { calls } = await client.send('GET /api/calls')
    const { settled } = await client.send('GET /api/questions')
    const { page, errors } = await world.open()
    const found: string[] = []
    for (const [path, title] of [
      ['/servers/tracker?tab=tools', 'tracker · Servers'],
      ['/servers?do=add', 'Servers'],
      [`/chat/${conversations[0]?.id}`, `${conversations[0]?.title} · Chat`],
      ['/chat/new', 'New conversation'],
      ['/tools/tracker%2Fcreate_issue?args=%7B%22repo%22%3A%22a%2Fb%22%7D', 'tracker__create_issue'],
      [`/waiting/${settled[0]?.id}`, 'Waiting'],
      ['/resources/tracker?uri=note%3A%2F%2Fone', 'note://one'],
      ['/prompts/tracker%2Freview', 'review'],
      ['/timeline?server=tracker', 'Timeline'],
      [`/calls/${calls[0]?.id}`, calls[0]?.tool ?? ''],
      [`/config/${encodeURIComponent(machine.path(ownFile))}`, 'Config'],
      ['/config', 'Config'],
    ] as const) {
      const look = async () => {
        await page.locator('h1').first().waitFor({ state: 'attached' })
        await expect.poll(() => page.locator('.loading').count(), slow).toBe(0)
        await expect.poll(() => page.title(), slow).toContain(title)
        await expect.poll(() => pathOf(page), slow).toBe(path)
        if (await page.locator('main .problem').count()) found.push(`${path} shows an error`)
      }
      await page.goto(`${address()}${path}`)
      await look()
      await page.reload()
      await look()
    }
    expect([found, errors]).toEqual([[], []])
  })
})
