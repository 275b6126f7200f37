import type { Page } from 'playwright-core'
import type { ServedMachine } from '../../support/served.ts'

/** A state of the page that a person meets: where it is, and what makes it appear. */
export interface PageState {
  readonly name: string
  /** A path, or where the running world says it is. */
  readonly at: string | ((shop: Shop) => string)
  readonly show: (page: Page, shop: Shop) => Promise<void>
  /** Puts back what would change the states after it. */
  readonly leave?: (page: Page) => Promise<void>
}

export interface Shop {
  readonly served: ServedMachine
  /** The conversation that waits for an approval. */
  readonly conversation: string
  readonly approval: string
  /** The question of a server with a form. */
  readonly form: string
}

const row = (page: Page, name: string) => page.locator(`[data-server="${name}"]`)
const seen = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()
const run = (page: Page) => page.keyboard.press('Control+Enter')
const result = (page: Page) => page.getByRole('region', { name: 'Result' })

export const states: readonly PageState[] = [
  {
    name: 'servers',
    at: '/servers',
    async show(page) {
      await row(page, 'orders').getByText('ORDERS_TOKEN is not set').waitFor()
      for (const name of ['tracker', 'files', 'weather']) await row(page, name).getByText('ready').waitFor()
    },
  },
  {
    name: 'failed-server',
    at: '/servers/orders?tab=now',
    show: (page) => seen(page, /exit code 3/),
  },
  {
    name: 'declared',
    at: '/servers/orders?tab=declared',
    show: (page) => page.locator('.code-line').first().waitFor(),
  },
  {
    name: 'trust',
    at: '/servers',
    async show(page) {
      await row(page, 'deploy').getByRole('link', { name: 'Review' }).click()
      await page.getByRole('button', { name: 'Trust…' }).click()
      await page.getByText('The code ends').waitFor()
    },
  },
  {
    name: 'tools',
    at: '/tools',
    show: (page) => page.getByRole('list', { name: 'Tools' }).getByRole('link').nth(10).waitFor(),
  },
  {
    name: 'tool-form',
    at: '/tools/tracker%2Fcreate_issue',
    async show(page) {
      await page.getByRole('textbox', { name: 'repo *', exact: true }).fill('acme/shop')
      await run(page)
      await seen(page, /but missing/)
    },
  },
  {
    name: 'running-call',
    at: '/tools/metrics%2Freindex',
    async show(page) {
      await page.getByText('Takes no arguments.').waitFor()
      await run(page)
      await result(page).getByText('week 9 of 24').waitFor()
    },
    leave: (page) => page.keyboard.press('Escape'),
  },
  {
    name: 'big-result',
    at: '/tools/metrics%2Fread_log',
    async show(page) {
      await page.getByText('Takes no arguments.').waitFor()
      await run(page)
      await result(page).getByText('id=40899').waitFor()
    },
  },
  {
    name: 'image-result',
    at: '/tools/metrics%2Fdraw_chart',
    async show(page) {
      await page.getByText('Takes no arguments.').waitFor()
      await run(page)
      await page.waitForFunction(
        () => (document.querySelector<HTMLImageElement>('figure img')?.naturalWidth ?? 0) > 1,
      )
    },
  },
  {
    name: 'approval',
    at: ({ approval }) => `/waiting/${approval}`,
    show: (page) => page.getByRole('button', { name: /^Allow once/ }).waitFor(),
  },
  {
    name: 'server-form',
    at: ({ form }) => `/waiting/${form}`,
    show: (page) => page.getByRole('button', { name: /^Send/ }).waitFor(),
  },
  {
    name: 'chat',
    at: ({ conversation }) => `/chat/${conversation}`,
    async show(page) {
      await page.getByRole('button', { name: /^Allow once/ }).waitFor()
      await seen(page, '3 of the last 20 runs')
    },
  },
  {
    name: 'timeline',
    at: '/timeline',
    show: (page) =>
      page
        .getByRole('link', { name: /create_issue/ })
        .first()
        .waitFor(),
  },
  {
    name: 'call',
    at: '/timeline',
    async show(page) {
      await page
        .getByRole('link', { name: /list_runs/ })
        .first()
        .click()
      await seen(page, 'Rule that decided')
    },
  },
  {
    name: 'clients',
    at: '/clients',
    async show(page) {
      await page
        .getByRole('link', { name: /editor/ })
        .getByText('waits for you')
        .waitFor()
      await page
        .getByRole('link', { name: /terminal-agent/ })
        .getByText('idle')
        .waitFor()
      await page.getByRole('link', { name: 'Answer', exact: true }).waitFor()
    },
  },
  {
    name: 'client',
    at: '/clients',
    async show(page) {
      await page.getByRole('link', { name: /editor/ }).click()
      await page.getByRole('heading', { name: /editor/ }).waitFor()
      await seen(page, 'plan_release')
    },
  },
  {
    name: 'config',
    at({ served: { machine } }) {
      const file = '~/.config/plugboard/mcp.json'
      const line =
        machine
          .read(file)
          .split('\n')
          .findIndex((text) => text.includes('"arg"')) + 1
      return `/config/${encodeURIComponent(machine.path(file))}?line=${line}`
    },
    show: (page) => page.locator('.code-note').first().waitFor(),
  },
  {
    name: 'audit',
    at: '/audit',
    async show(page) {
      await page
        .getByRole('link', { name: /tracker.list_issues/ })
        .first()
        .waitFor()
      await page.keyboard.press('v')
      await seen(page, 'nothing was changed or removed')
    },
  },
  {
    name: 'audit-row',
    at: '/audit',
    async show(page) {
      await page
        .getByRole('link', { name: /tracker.list_issues/ })
        .first()
        .click()
      await seen(page, 'argument types')
    },
  },
  {
    name: 'palette',
    at: '/servers',
    async show(page) {
      await row(page, 'tracker').getByText('ready').waitFor()
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Find or run' }).fill('issue')
      await page.getByRole('option', { name: 'tracker__create_issue' }).waitFor()
    },
  },
  // The last one: it ends what the others need.
  {
    name: 'ended',
    at: '/servers',
    async show(page, { served }) {
      await row(page, 'tracker').getByText('ready').waitFor()
      await served.served.close()
      await seen(page, 'Plugboard has ended.')
    },
  },
]
