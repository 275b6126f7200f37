import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import type { Page } from 'playwright-core'
import { faultyServer } from '../../../src/testing.ts'
import type { FaultyScript } from '../../../src/testing.ts'
import { startServed } from '../../support/served.ts'
import type { ServedMachine } from '../../support/served.ts'
import { browserTest, startBrowser, watchPage } from './browser.ts'
import type { PageTrouble, TestBrowser, View } from './browser.ts'

const text = { type: 'string' }

/** Tools of a tracker: some only read, one writes. */
export const tracker: FaultyScript = {
  info: { name: 'tracker', version: '1.0.0' },
  instructions: 'Repositories are written owner/name.',
  tools: [
    {
      name: 'list_issues',
      description: 'Lists the issues of a repository, the newest first.',
      inputSchema: {
        type: 'object',
        properties: { repo: text, limit: { type: 'integer', default: 30 } },
        required: ['repo'],
      },
      annotations: { readOnlyHint: true, openWorldHint: true },
    },
    {
      name: 'create_issue',
      description: 'Creates an issue in a repository.',
      inputSchema: {
        type: 'object',
        properties: { repo: text, title: text, body: text, labels: { type: 'array', items: text } },
        required: ['repo', 'title'],
      },
      annotations: { readOnlyHint: false, openWorldHint: true },
    },
    {
      name: 'search',
      description: 'Finds issues by words.',
      inputSchema: { type: 'object', properties: { words: text } },
      annotations: { readOnlyHint: true },
    },
  ],
  on: {
    'tools/call:list_issues': { text: { issues: [{ number: 4711, title: 'checkout.spec times out' }] } },
    'tools/call:create_issue': { text: 'Created issue 4712.' },
  },
}

/** What `npm run build` made. */
export const pageFolder = fileURLToPath(new URL('../../../dist/page', import.meta.url))

/** Servers in every state that a person meets, in a home of their own. */
export const mixedServers = {
  tracker: faultyServer(tracker),
  files: faultyServer({ tools: 14, info: { name: 'files', version: '2.1.0' } }),
  orders: { command: 'sh', args: ['-c', 'echo "boom: missing TOKEN" >&2; exit 3'] },
  slow: faultyServer({ on: { initialize: 'hang', 'server/discover': 'hang' } }),
  docs: { ...faultyServer({ tools: 6 }), disabled: true },
}

/** Declared by the project, so it waits for trust. */
export const projectFile = {
  '.mcp.json': {
    mcpServers: { deploy: { command: 'node', args: ['-e', 'process.exit(0)', '--', '--target', 'live'] } },
  },
}

export interface PageWorld {
  readonly served: () => ServedMachine
  readonly browser: () => TestBrowser
  /** Opens an address of the page with the token, and waits until it is live. */
  open(path?: string, view?: View): Promise<OpenedPage>
}

export interface OpenedPage extends PageTrouble {
  readonly page: Page
}

/** One `serve` for a file of tests, and the browser of its worker. */
export function usePageWorld(
  start: () => Promise<ServedMachine> = () => startServed(mixedServers, { files: projectFile, pageFolder }),
): PageWorld {
  let served: ServedMachine | undefined
  let browser: TestBrowser | undefined
  beforeAll(async () => {
    ;[served, browser] = await Promise.all([start(), startBrowser()])
  }, browserTest.timeout)
  const opened: Page[] = []
  // Those of `beforeAll` belong to all tests of the file.
  beforeEach(() => void opened.splice(0))
  // A page that is left open draws every event of the tests after it.
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((page) => page.context().close()))
  }, browserTest.timeout)
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await served?.[Symbol.asyncDispose]()
  }, browserTest.timeout)
  const need = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error('not started')
    return value
  }
  return {
    served: () => need(served),
    browser: () => need(browser),
    async open(path = '/servers', view) {
      const { address, token } = need(served).served
      const page = await need(browser).page(view)
      opened.push(page)
      const trouble = watchPage(page, address)
      await page.goto(`${address}${path}#k=${token}`)
      await page.getByText('live', { exact: true }).first().waitFor({ state: 'attached' })
      return { page, ...trouble }
    },
  }
}
