import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

// Runs one measure of one subject in its own process: node measure.mjs '{"subject":"raw","measure":"pipe", …}'
// The figures are the last line of stdout, as JSON.

const task = JSON.parse(process.argv[2])
const hundred = 'x'.repeat(100)
const started = performance.now()
const subject = await import(`./subjects/${task.subject}.mjs`)
const importMs = performance.now() - started

const measures = { pipe, sequential, http, large, start, neighbors, cycles }
const figures = await measures[task.measure](task)
// Exit explicitly: a peer may leave handles open that keep the process alive.
process.stdout.write(`${JSON.stringify({ ...figures, importMs })}\n`, () => process.exit(0))

/** CPU of this process per call, with a constant number of calls in flight. */
async function pipe({ calls, inFlight }) {
  return withServer(node('stdio'), ({ call }) => loaded(call, calls, inFlight))
}

async function http({ calls, inFlight }) {
  const child = spawn(process.execPath, [file('servers/http.mjs')], { stdio: ['pipe', 'pipe', 'inherit'] })
  const [line] = await new Promise((resolve) =>
    child.stdout.once('data', (data) => resolve(String(data).split('\n'))),
  )
  const figures = await withServer({ name: 'server', url: line }, ({ call }) => loaded(call, calls, inFlight))
  child.kill()
  return figures
}

/** Calls one after the other. */
async function sequential({ calls }) {
  return withServer(node('stdio'), async ({ call }) => {
    for (let index = 0; index < calls / 2; index++) await call('echo', { text: hundred })
    const times = new Float64Array(calls)
    const cpu = process.cpuUsage()
    for (let index = 0; index < calls; index++) {
      const begin = performance.now()
      await call('echo', { text: hundred })
      times[index] = performance.now() - begin
    }
    const cpuUs = toUs(process.cpuUsage(cpu)) / calls
    times.sort()
    return { p50Us: times[calls >> 1] * 1000, p99Us: times[Math.floor(calls * 0.99)] * 1000, cpuUs }
  })
}

/** Large results, one after the other. */
async function large({ calls, bytes }) {
  return withServer(node('stdio'), async ({ call }) => {
    check(await call('produce', { bytes: 1000 }), 1000)
    const begin = performance.now()
    const cpu = process.cpuUsage()
    for (let index = 0; index < calls; index++) check(await call('produce', { bytes }), bytes)
    const cpuMs = toUs(process.cpuUsage(cpu)) / 1000 / calls
    return { cpuMs, wallMs: (performance.now() - begin) / calls, peakMb: peakMb() }
  })
}

/**
 * From loaded code to all servers listed, and the memory held while idle. Most subjects load all their code on import; code
 * that a subject loads on demand is loaded before the measurement as well, unless `late` is set.
 */
async function start({ servers, idleMs, warm, late }) {
  const list = Array.from({ length: servers }, (_, index) => quick(`server${index}`))
  const prepared = prepare(list)
  if (!late) await subject.load?.()
  if (warm) await connectOnce(quick('warm'))
  const cpu = process.cpuUsage()
  const begin = performance.now()
  const hub = await subject.open(prepared)
  const counts = await Promise.all(list.map(async ({ name }) => (await (await hub.use(name)).list()).length))
  const cpuMs = toUs(process.cpuUsage(cpu)) / 1000
  const wholeMs = toUs(process.cpuUsage()) / 1000
  const wallMs = performance.now() - begin
  if (counts.some((count) => count !== 2)) throw new Error(`tools: ${counts}`)
  if (idleMs) await sleep(idleMs)
  const idleMb = process.memoryUsage.rss() / 1e6
  await hub.close()
  return { cpuMs, wholeMs, wallMs, idleMb }
}

/** Loads the code that connecting loads on demand. */
async function connectOnce(server) {
  const hub = await subject.open(prepare([server]))
  await (await hub.use(server.name)).list()
  await hub.close()
}

/** The first call of each of eight good servers; with `bad` another one hangs and one does not exist, and both are requested first. */
async function neighbors({ bad, limitMs }) {
  const good = Array.from({ length: 8 }, (_, index) => quick(`good${index}`))
  const others = bad
    ? [
        { name: 'hangs', command: 'sh', args: [file('servers/hang.sh')] },
        { name: 'missing', command: 'no-such-command-anywhere', args: [] },
      ]
    : []
  const prepared = prepare([...others, ...good])
  const begin = performance.now()
  const hub = await subject.open(prepared)
  for (const { name } of others) hub.use(name).catch(() => undefined)
  const callFirst = hub.call ?? (async (name, ...call) => (await hub.use(name)).call(...call))
  const called = Promise.all(good.map(({ name }) => callFirst(name, 'echo', { text: hundred })))
  const answers = await Promise.race([called, sleep(limitMs)])
  const wallMs = answers ? performance.now() - begin : limitMs
  for (const answer of answers ?? []) check(answer, 'called'.length)
  return { wallMs, isLate: !answers }
}

/** Memory a closed connection leaves behind: growth of the heap after garbage collection between two counts of connections. */
async function cycles({ from, to }) {
  const server = quick('server')
  const prepared = prepare([server])
  const heap = {}
  const begin = performance.now()
  for (let cycle = 1; cycle <= to; cycle++) {
    const hub = await subject.open(prepared)
    await (await hub.use('server')).list()
    await hub.close()
    if (cycle === from || cycle === to) heap[cycle] = await heapAfterCollection()
  }
  return {
    kbPerCycle: (heap[to] - heap[from]) / 1000 / (to - from),
    msPerCycle: (performance.now() - begin) / to,
  }
}

async function withServer(server, use) {
  const hub = await subject.open(prepare([server]))
  try {
    const connection = await hub.use(server.name)
    check(await connection.call('echo', { text: hundred }), hundred.length)
    return await use(connection)
  } finally {
    await hub.close()
  }
}

async function loaded(call, calls, inFlight) {
  await together(call, calls / 4, inFlight)
  const begin = performance.now()
  const cpu = process.cpuUsage()
  await together(call, calls, inFlight)
  const used = toUs(process.cpuUsage(cpu))
  return { cpuUs: used / calls, callsPerSecond: (calls / (performance.now() - begin)) * 1000 }
}

async function together(call, calls, inFlight) {
  let left = calls
  const worker = async () => {
    while (left-- > 0) await call('echo', { text: hundred })
  }
  await Promise.all(Array.from({ length: inFlight }, worker))
}

/** Checks that the answer is complete, in any of the formats the subjects return. */
function check(result, length) {
  const content = result?.content?.[0]?.text ?? result?.[0]?.text ?? result
  if (content?.length !== length)
    throw new Error(`Expected ${length} characters: ${JSON.stringify(result).slice(0, 200)}`)
}

function prepare(servers) {
  return subject.prepare ? subject.prepare(servers) : servers
}

function node(name) {
  return { name: 'server', command: process.execPath, args: [file(`servers/${name}.mjs`)] }
}

function quick(name) {
  return { name, command: 'sh', args: [file('servers/quick.sh')] }
}

async function heapAfterCollection() {
  for (let index = 0; index < 3; index++) {
    globalThis.gc()
    await sleep(20)
  }
  return process.memoryUsage().heapUsed
}

/** Peak memory of this program only: `maxRSS` also counts the process that started it. */
function peakMb() {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS / 1000
  return (Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) * 1024) / 1e6
}

function toUs({ user, system }) {
  return user + system
}

function file(path) {
  return fileURLToPath(new URL(path, import.meta.url))
}

function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
