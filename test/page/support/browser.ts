import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { chromium as launcher } from 'playwright-core'
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core'
import { inject } from 'vitest'

const chromium = inject('chromium')

/** Why no browser can be started here; `undefined` if one can. */
export const noBrowser = chromium.kind === 'none' ? chromium.reason : undefined

export interface View {
  readonly width: number
  readonly height?: number
  readonly theme?: 'light' | 'dark'
  readonly isTouch?: boolean
}

/** A page on a busy machine with a slow processor may take long; what never comes fails after this time. */
export const slow = { timeout: 90_000 }

/** The limit of a test with a browser: some have many steps. */
export const browserTest = { timeout: 240_000 }

export const desktop: View = { width: 1280, height: 800 }
export const phone: View = { width: 390, height: 844, isTouch: true }

/** What a file of tests opens in a browser, closed at its end. */
export interface TestBrowser extends AsyncDisposable {
  /** A new profile: pages of one share their storage, as the tabs of a person do. */
  profile(view?: View): Promise<BrowserContext>
  /** A page in a profile of its own. */
  page(view?: View): Promise<Page>
}

/** Frames of other origins have processes of their own. Pages are drawn without a GPU: emulating one took half of all processor time. */
const flags = [
  '--site-per-process',
  '--disable-gpu',
  '--disable-software-rasterizer',
  '--font-render-hinting=none',
]

/** How many times slower pages are than the machine: a number in this variable shows tests that race with the page. */
const slowness = Number(process.env['PLUGBOARD_SLOW_PAGES'] ?? 1)

async function slowDown(page: Page): Promise<void> {
  // The session stays open: what it emulates ends with it.
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowness })
}

/** A browser for a file of tests: the one of its worker, which is started for the first file and after a crash. */
export async function startBrowser(): Promise<TestBrowser> {
  await browserOfWorker()
  const contexts: BrowserContext[] = []
  const profile = async ({ width, height = 800, theme = 'light', isTouch = false }: View = desktop) => {
    const browser = await browserOfWorker()
    const context = await browser.newContext({
      viewport: { width, height },
      colorScheme: theme,
      hasTouch: isTouch,
      isMobile: isTouch,
      reducedMotion: 'reduce',
    })
    contexts.push(context)
    context.setDefaultTimeout(slow.timeout)
    if (slowness > 1) context.on('page', (page) => void slowDown(page).catch(() => undefined))
    return context
  }
  return {
    profile,
    page: async (view) => (await profile(view)).newPage(),
    async [Symbol.asyncDispose]() {
      await Promise.all(contexts.map((context) => context.close()))
    },
  }
}

let launched: Promise<Browser> | undefined

function browserOfWorker(): Promise<Browser> {
  launched ??= launch().catch((error: unknown) => {
    launched = undefined
    throw error
  })
  return launched
}

async function launch(): Promise<Browser> {
  if (chromium.kind === 'none') throw new Error(chromium.reason)
  const browser = await launcher.launch({
    ...slow,
    executablePath: chromium.file,
    args: flags,
    env: { ...process.env, HOME: chromium.home },
  })
  browser.once('disconnected', () => (launched = undefined))
  // The runner ends a worker by this signal and kills it half a second later. At the end of a process the driver kills the
  // browser and removes its profile at once.
  process.once('SIGTERM', () => process.exit())
  return browser
}

/** Gives an open page another size, and a finger in place of a mouse. */
export async function setView(page: Page, { width, height = 800, isTouch = false }: View): Promise<void> {
  await page.setViewportSize({ width, height })
  // What a session emulates ends with it, so it stays open as long as the page.
  const session = sessions.get(page) ?? (await page.context().newCDPSession(page))
  sessions.set(page, session)
  await session.send('Emulation.setTouchEmulationEnabled', { enabled: isTouch })
  await isPainted(page)
}

/** Waits for the second next frame: observers of sizes and what they draw anew have run then. */
export async function isPainted(page: Page): Promise<void> {
  await page.evaluate(
    () => new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
  )
}

/** Presses keys that belong together, such as `g t`, without waiting between them: the page gives them little time. */
export async function pressTogether(page: Page, ...keys: readonly string[]): Promise<void> {
  await Promise.all(keys.map((key) => page.keyboard.press(key)))
}

/** The path and query of the page, in a poll: the browser reports a change of the address a moment after it. */
export function pathOf(page: Page): string {
  const { pathname, search } = new URL(page.url())
  return `${pathname}${search}`
}

/** Whether an element has the focus: never the body, which is what is left when it was removed. */
export function hasFocus(page: Page): Promise<boolean> {
  return page.evaluate(() => document.activeElement !== document.body)
}

const sessions = new WeakMap<Page, CDPSession>()

/** Everything that a page did wrong, or asked of another host. */
export interface PageTrouble {
  readonly errors: readonly string[]
  readonly foreign: readonly string[]
}

/** Collects errors, refusals of the content security policy, and requests to other hosts. */
export function watchPage(page: Page, address: string): PageTrouble {
  const errors: string[] = []
  const foreign: string[] = []
  page.on('pageerror', (error) => errors.push(String(error)))
  page.on('console', (message) => {
    // A directive of the policy for apps that the browser does not know yet.
    if (message.type() === 'error' && !message.text().includes("directive 'webrtc'"))
      errors.push(message.text())
  })
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(`${address}/`) && !url.startsWith('blob:')) foreign.push(url)
  })
  return { errors, foreign }
}

const axeFile = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
let axeSource: string | undefined

/** Another theme changes nothing that the other rules look at. */
export const colorRules = ['color-contrast', 'link-in-text-block']

/** The violations that axe-core finds, as `rule: element`; of all rules, unless some are named. */
export async function findViolations(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  // Runs in the page's own world, past its content security policy.
  const session = await page.context().newCDPSession(page)
  const { result: found } = await session.send('Runtime.evaluate', { expression: `'axe' in globalThis` })
  if (found.value === false) {
    axeSource ??= readFileSync(axeFile, 'utf8')
    await session.send('Runtime.evaluate', { expression: axeSource })
  }
  const { result } = await session.send('Runtime.evaluate', {
    expression: `axe.run(${rules ? JSON.stringify({ runOnly: rules }) : ''}).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ': ' + target.join(' '))))`,
    awaitPromise: true,
    returnByValue: true,
  })
  await session.detach()
  return result.value as readonly string[] // what the expression returns
}

/** What is wrong with the layout: sideways scrolling, cut text, small targets. */
export async function findLayoutFaults(
  page: Page,
  { isTouch = false }: Partial<View> = {},
): Promise<readonly string[]> {
  return page.evaluate((touch) => {
    const faults: string[] = []
    const nameOf = (element: Element) =>
      `${element.tagName.toLowerCase()}.${[...element.classList].join('.')} ${(element.textContent ?? '').slice(0, 40)}`
    const root = document.documentElement
    if (root.scrollWidth > root.clientWidth) faults.push(`the page is ${root.scrollWidth} wide`)
    for (const element of document.querySelectorAll('body *')) {
      const box = element.getBoundingClientRect()
      // Not drawn, or for screen readers only.
      const isHidden = box.width <= 1 || box.height <= 1 || box.bottom <= 0
      if (isHidden || element.closest('.hidden-text')) continue
      const { overflowX, textOverflow } = getComputedStyle(element)
      const isCode = element.closest('pre, code, textarea, input, .code') !== null
      if (
        !isCode &&
        overflowX === 'hidden' &&
        textOverflow !== 'ellipsis' &&
        element.scrollWidth > element.clientWidth + 1
      )
        faults.push(`cut: ${nameOf(element)}`)
      const isControl = element.matches('button, a[href], input, select, [role=tab], [role=switch]')
      const isInline = getComputedStyle(element).display === 'inline'
      if (touch && isControl && !isInline && box.height < 36)
        faults.push(`${Math.round(box.height)} high: ${nameOf(element)}`)
      if (element.matches('select, textarea, input:not([type=checkbox], [type=radio])') && box.width < 36)
        faults.push(`${Math.round(box.width)} wide: ${nameOf(element)}`)
    }
    // A filter beside a title stands on its line.
    for (const head of document.querySelectorAll('main .list-head')) {
      const [title, filter] = ['.list-title', '.filter input'].map((each) =>
        head.querySelector(each)?.getBoundingClientRect(),
      )
      if (!title || !filter || title.width <= 1 || filter.top >= title.bottom) continue
      const apart = title.top + title.height / 2 - (filter.top + filter.height / 2)
      if (Math.abs(apart) > 1) faults.push(`${apart} from the line of its filter: ${nameOf(head)}`)
    }
    // Where there is room beside the rail, the titles of all places and details stand on one line.
    const top = document.querySelector('main')?.getBoundingClientRect().top ?? 0
    for (const title of document.querySelectorAll('main h1, main .list-title')) {
      const box = title.getBoundingClientRect()
      let isScrolled = false
      for (let up = title.parentElement; up; up = up.parentElement) isScrolled ||= up.scrollTop > 0
      if (innerWidth < 1100 || box.width <= 1 || isScrolled || title.closest('dialog')) continue
      const lineHeight = Number.parseFloat(getComputedStyle(title).lineHeight)
      const middle = box.top - top + Math.min(lineHeight, box.height) / 2
      if (Math.abs(middle - 20) > 1) faults.push(`${middle} from the top: ${nameOf(title)}`)
    }
    return faults
  }, isTouch)
}
