import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cli, sleep, startBrowser, startProcess } from './serving.mjs'

// Apps of tools in the page of `plugboard serve`: `node bench/apps.mjs` after a build, on linux-x64. Prints a table for docs/guide/apps.md.
// The time is that of the browser: from the answer that has the result of the call to the first frame that the app draws after it got that
// result. Memory is what the processes of the browser that draw have more than before. Each figure is the middle of five.

const root = fileURLToPath(new URL('..', import.meta.url))
const assets = join(root, 'dist/page/assets')
const rounds = 5
const examples = {
  'basic-vanillajs': 'get-time',
  'budget-allocator': 'get-budget-data',
  'cohort-heatmap': 'get-cohort-data',
  'system-monitor': 'get-system-info',
}

const folder = mkdtempSync(join(tmpdir(), 'plugboard-bench-apps-'))
try {
  const bytes = sizeOf(/^app-.*\.js\.gz$/)
  console.log(`What shows apps: ${(bytes / 1000).toFixed(1)} kB (gzip).`)
  const rows = await measure()
  console.log(
    '| app | document | first app of a page | later ones | memory |\n| --- | --- | --- | --- | --- |',
  )
  for (const { name, kb, first, later, mb } of rows)
    console.log(
      `| ${name} | ${kb} kB | ${first.toFixed(0)} ms | ${later.toFixed(0)} ms | ${mb.toFixed(0)} MB |`,
    )
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

function sizeOf(pattern) {
  return readdirSync(assets)
    .filter((name) => pattern.test(name))
    .reduce((sum, name) => sum + readFileSync(join(assets, name)).length, 0)
}

async function measure() {
  const home = join(folder, 'home')
  const mcpServers = Object.fromEntries(
    Object.keys(examples).map((name) => [
      name,
      { command: process.execPath, args: [programOf(name), '--stdio'] },
    ]),
  )
  mkdirSync(join(home, 'project/.git'), { recursive: true })
  mkdirSync(join(home, '.config/plugboard'), { recursive: true })
  writeFileSync(join(home, '.config/plugboard/mcp.json'), JSON.stringify({ mcpServers }))
  const serve = startProcess(process.execPath, [cli, 'serve', '--port', '0'], { home })
  const [, address, token] = await serve.line(/(http:\/\/127\.0\.0\.1:\d+)\/#k=(\S+)/)
  const browser = await startBrowser(folder, { isIsolated: true })
  try {
    const rows = []
    for (const [name, tool] of Object.entries(examples)) {
      const call = await callOf({ address, token }, `${name}/${tool}`)
      const kb = await documentSize({ address, token }, call)
      rows.push({ name, kb, ...(await measureApp(browser, { address, token, call })) })
    }
    return rows
  } finally {
    await browser.close()
    await serve.end()
  }
}

function programOf(name) {
  return join(root, `node_modules/@modelcontextprotocol/server-${name}/dist/index.js`)
}

async function send({ address, token }, method, path, body) {
  const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) }
  const answer = await fetch(address + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`)
  return answer.json()
}

async function callOf(at, ref) {
  const { call } = await send(at, 'POST', '/api/calls', { ref, args: {} })
  for (;;) {
    const { call: now } = await send(at, 'GET', `/api/calls/${call.id}`)
    if (now.state === 'done') return call.id
    await sleep(50)
  }
}

async function documentSize(at, call) {
  const { app } = await send(at, 'POST', '/api/apps', { call })
  const { port, host, pathname } = new URL(app.address)
  const { request } = await import('node:http')
  const body = await new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path: `${pathname}/app`, headers: { host } }
    request(options, (answer) => {
      let length = 0
      answer.on('data', (chunk) => (length += chunk.length))
      answer.on('end', () => resolve(length))
    })
      .on('error', reject)
      .end()
  })
  return Math.round(body / 1000)
}

/** The time of the first app of a page, the median of later ones, and the memory of one. */
async function measureApp(browser, { address, token, call }) {
  const firsts = []
  const laters = []
  const memory = []
  for (let round = 0; round < rounds; round++) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    const page = await context.newPage()
    await page.addInitScript(noteTimes)
    await page.goto(`${address}/servers#k=${token}`)
    await page.getByText('live', { exact: true }).first().waitFor({ state: 'attached' })
    // The browser keeps an empty process ready, before and after.
    await sleep(2000)
    const before = renderersMb()
    await page.evaluate((path) => {
      history.pushState({}, '', path)
      dispatchEvent(new PopStateEvent('popstate'))
    }, `/calls/${call}`)
    firsts.push(await drawnAfter(page))
    await sleep(2000)
    memory.push(renderersMb() - before)
    await page.evaluate(() => (globalThis.openedAt = undefined))
    await page.getByRole('button', { name: 'Reload' }).click()
    laters.push(await drawnAfter(page))
    await context.close()
  }
  return { first: middle(firsts), later: middle(laters), mb: middle(memory) }
}

/** From the answer to `POST /api/apps`, which has the result, to the frame after the app has it: both by the clock of the machine. */
async function drawnAfter(page) {
  await page.waitForFunction(() => globalThis.openedAt !== undefined)
  await page.locator('.app-box[data-state=ready]').waitFor()
  for (;;) {
    for (const frame of page.frames()) {
      const drawn = await frame.evaluate(() => globalThis.drawnAt).catch(() => undefined)
      const opened = await page.evaluate(() => globalThis.openedAt)
      if (drawn !== undefined && drawn > opened) return drawn - opened
    }
    await sleep(10)
  }
}

/** Runs in the page and in the app. */
function noteTimes() {
  const now = () => performance.timeOrigin + performance.now()
  if (window === top) {
    const original = fetch
    globalThis.fetch = async (input, init) => {
      const answer = await original(input, init)
      if (new URL(answer.url).pathname === '/api/apps') globalThis.openedAt = now()
      return answer
    }
    return
  }
  addEventListener('message', ({ data }) => {
    if (data?.method !== 'ui/notifications/tool-result') return
    requestAnimationFrame(() => requestAnimationFrame(() => (globalThis.drawnAt ??= now())))
  })
}

/** What the processes that draw pages have, of this browser; shared pages by their share. */
function renderersMb() {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const [, parent] = /PPid:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
        return [{ pid, parent, line: readFileSync(`/proc/${pid}/cmdline`, 'utf8') }]
      } catch {
        return []
      }
    })
  const own = new Set([String(process.pid)])
  for (let found = 0; found !== own.size;) {
    found = own.size
    for (const { pid, parent } of all) if (own.has(parent)) own.add(pid)
  }
  return all
    .filter(({ pid, line }) => own.has(pid) && line.includes('--type=renderer'))
    .reduce((sum, { pid }) => sum + pssMb(pid), 0)
}

function pssMb(pid) {
  return (
    (Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0) * 1024) / 1e6
  )
}

function middle(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1]
}
