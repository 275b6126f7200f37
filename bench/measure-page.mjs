import { rmSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { countArrivals, countFrames, noteUsable } from './page-probes.mjs'
import {
  homeWithServers,
  rssMb,
  sleep,
  startBrowser,
  startInspector,
  startProcess,
  startServe,
} from './serving.mjs'

// Runs one measure of `plugboard serve` and its page: node measure-page.mjs '{"measure":"start","node":"…"}'
// The figures are the last line of stdout, as JSON.

const task = JSON.parse(process.argv[2])
const maxRequests = 16
/** V8 gives back what only the start or a load needed when nothing was allocated for about ten seconds. */
const idleSeconds = 15
const folder = mkdtempSync(join(tmpdir(), 'plugboard-bench-page-'))
const measures = { start, idle, load, frames, memory }
try {
  const figures = await measures[task.measure](task)
  process.stdout.write(`${JSON.stringify(figures)}\n`)
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

/** CPU of `serve` from its start to its first answers, and of bare node, in turns. */
async function start({ node, rounds }) {
  const home = homeWithServers(folder, 'start')
  const found = { bareMs: [], pageMs: [], snapshotMs: [] }
  // The first round stores compiled code where Node is not that of the build.
  for (let round = -1; round < rounds; round++) {
    const bare = await startProcess(node, ['-e', '0'], { home }).finalFigures()
    const serve = await startServe(node, { home })
    const page = await fetch(serve.address)
    if (!(await page.text()).includes('</html>')) throw new Error('not the page')
    const { cpuMs: pageMs } = await serve.figures()
    await serve.send('GET', '/api/snapshot')
    const { cpuMs: snapshotMs } = await serve.figures()
    await serve.end()
    if (round < 0) continue
    found.bareMs.push(bare.cpuMs)
    found.pageMs.push(pageMs)
    found.snapshotMs.push(snapshotMs)
  }
  return found
}

/** Memory of `serve` with ten servers: none of them started, and all of them. */
async function idle({ node }) {
  const serve = await startServe(node, { home: homeWithServers(folder, 'idle') })
  const { servers } = await serve.send('GET', '/api/snapshot')
  await sleep(2000)
  const noneMb = rssMb(serve.pid)
  await Promise.all(servers.map(({ name }) => serve.send('POST', `/api/servers/${name}/start`)))
  await untilReady(serve)
  await sleep(2000)
  const startedMb = rssMb(serve.pid)
  await sleep(idleSeconds * 1000)
  const allMb = rssMb(serve.pid)
  await serve.end()
  return { noneMb, startedMb, allMb }
}

/** The first page, with nothing cached: until the last of ten servers has a control that can be used. */
async function load({ node, rounds, withInspector }) {
  const pages = [
    {
      name: 'plugboard',
      program: await startServe(node, { home: homeWithServers(folder, 'load') }),
      usable: '[data-server="server9"] :is(button, a):not([disabled])',
    },
  ]
  if (withInspector)
    pages.push({
      name: 'inspector',
      program: await startInspector(node, { home: homeWithServers(folder, 'inspector') }),
      usable: 'input[role="switch"][aria-label*="server9"]:not([disabled])',
    })
  const browser = await startBrowser(folder)
  const found = {}
  // The first round warms both servers and the browser.
  for (let round = -1; round < rounds; round++) {
    for (const { name, program, usable } of pages) {
      const figures = await loadOnce(browser, program.url, usable)
      if (round >= 0) (found[name] ??= []).push(figures)
    }
  }
  await browser.close()
  for (const { name, program } of pages) {
    for (const figures of found[name]) figures.rssMb = rssMb(program.pid)
    await program.end()
  }
  return found
}

async function loadOnce(browser, url, usable) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  const bytes = new Map()
  const add = (id, count) => bytes.set(id, (bytes.get(id) ?? 0) + count)
  session.on('Network.requestWillBeSent', ({ requestId }) => add(requestId, 0))
  session.on('Network.responseReceived', ({ requestId, response }) =>
    add(requestId, response.encodedDataLength),
  )
  session.on('Network.dataReceived', ({ requestId, encodedDataLength, dataLength }) =>
    add(requestId, encodedDataLength || dataLength),
  )
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) =>
    bytes.set(requestId, encodedDataLength),
  )
  await session.send('Network.enable')
  await page.addInitScript(noteUsable, usable)
  await page.goto(url)
  const usableMs = await (await page.waitForFunction(() => globalThis.usableMs)).jsonValue()
  // What comes a little later belongs to the first page too.
  await sleep(700)
  await context.close()
  return { usableMs, requests: bytes.size, bytes: [...bytes.values()].reduce((sum, each) => sum + each, 0) }
}

/** Events that the page draws while calls run: how many frames after its arrival each is drawn. */
async function frames({ node, seconds, callsPerSecond }) {
  const serve = await startServe(node, { home: homeWithServers(folder, 'frames') })
  const browser = await startBrowser(folder)
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  await page.addInitScript(countArrivals)
  await page.goto(serve.url.replace('/servers#', '/timeline#'))
  await serve.send('POST', '/api/servers/server0/start')
  // Code is compiled, and the list is as long as it gets in sight.
  await callFor(serve, 3, callsPerSecond)
  await sleep(500)
  await page.evaluate(() => globalThis.forgetArrivals())
  await callFor(serve, seconds, callsPerSecond)
  await sleep(1000)
  const found = await page.evaluate(countFrames)
  await browser.close()
  await serve.end()
  return { ...found, eventsPerSecond: found.received / seconds }
}

/**
 * Memory of `serve` and of its page while calls run: after each third of the time, the heap after a collection. What is found
 * each minute goes to stderr. At the end nothing runs for a while, as V8 returns what only calls needed.
 */
async function memory({ node, seconds, callsPerSecond }) {
  const serve = await startServe(node, { home: homeWithServers(folder, 'memory'), flags: ['--expose-gc'] })
  const browser = await startBrowser(folder)
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  await page.goto(serve.url.replace('/servers#', '/timeline#'))
  await serve.send('POST', '/api/servers/server0/start')
  const found = { serveMb: [], rssMb: [], pageMb: [], calls: 0 }
  const pieces = Math.max(1, Math.round(seconds / 180))
  for (let piece = 1; piece <= pieces * 3; piece++) {
    found.calls += await callFor(serve, seconds / pieces / 3, callsPerSecond)
    await sleep(1000)
    const { heapMb } = await serve.figures()
    await session.send('HeapProfiler.collectGarbage')
    const { metrics } = await session.send('Performance.getMetrics')
    const pageMb = metrics.find(({ name }) => name === 'JSHeapUsedSize').value / 1e6
    const sample = { serveMb: heapMb, rssMb: rssMb(serve.pid), pageMb }
    process.stderr.write(`${JSON.stringify({ ...sample, calls: found.calls })}\n`)
    if (piece % pieces === 0) for (const [name, value] of Object.entries(sample)) found[name].push(value)
  }
  await sleep(idleSeconds * 1000)
  const idleMb = rssMb(serve.pid)
  await browser.close()
  await serve.end()
  return { ...found, idleMb }
}

/** Calls at an even rate, or as fast as the machine answers; how many were made. While 100 run, `serve` refuses more. */
async function callFor(serve, seconds, perSecond) {
  const begin = performance.now()
  const running = new Set()
  let made = 0
  for (let count = 0; performance.now() - begin < seconds * 1000; count++) {
    const early = begin + (count * 1000) / perSecond - performance.now()
    if (early > 1) await sleep(early)
    if (running.size >= maxRequests) await Promise.race(running)
    const call = serve.send('POST', '/api/calls', { ref: 'server0__echo', args: { text: 'x' } }).then(
      () => made++,
      (error) => {
        if (!String(error).includes('call.busy')) throw error
      },
    )
    running.add(call)
    void call.finally(() => running.delete(call)).catch(() => undefined)
  }
  await Promise.all(running)
  return made
}

async function untilReady(serve) {
  for (;;) {
    const { servers } = await serve.send('GET', '/api/snapshot')
    if (servers.every(({ state }) => state.word === 'ready')) return
    await sleep(50)
  }
}
