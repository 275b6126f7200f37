import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { createHost } from './entry.mjs'

// How fast failures are detected. Each fault runs in its own process, beside a healthy server that is called continuously:
//   node bench/faults.mjs [--rounds N] [FI-01 FI-08 …]
// The tests check the behavior; this measures only the time, as the worst of all rounds.

const MiB = 1024 * 1024
// The limits of the table of faults, so that figures are comparable.
const cap = { maxBytes: 10 * MiB, hardMaxBytes: 256 * MiB }

/** The baseline: Node itself reads as much from a pipe and drops it. Its memory is subtracted. */
const plain = 'plain'

const faults = {
  [plain]: {
    fault: '100 MB read and dropped by Node alone',
    atMost: {},
    run: dropped,
  },
  'FI-01': {
    fault: 'exits in the middle of a call',
    atMost: { ms: 100 },
    run: (use) => use(faulty({ on: { 'tools/call': { exit: 1 } } }), rejected('tools/call')),
  },
  'FI-02': {
    fault: 'exits in the middle of a call, a grandchild holds its stdout',
    atMost: { ms: 600 },
    run: (use) =>
      use(
        faulty({ on: { 'tools/call': [{ grandchild: { holds: 'stdout' } }, { exit: 1 }] } }),
        rejected('tools/call'),
      ),
  },
  'FI-04 missing': {
    fault: 'the command does not exist',
    atMost: { ms: 200 },
    run: (use) => use({ command: 'no-such-command-anywhere' }, refused),
  },
  'FI-04 folder': {
    fault: 'the working directory does not exist',
    atMost: { ms: 200 },
    run: (use) => use({ command: 'sh', cwd: '/no/such/folder' }, refused),
  },
  'FI-04 rights': {
    fault: 'the file is not executable',
    atMost: { ms: 200 },
    run: (use) => use({ command: file('servers/quick.sh') }, refused),
  },
  'FI-08': {
    fault: 'a line of 9.5 MB',
    atMost: { ms: 500, loopMs: 100 },
    limits: cap,
    run: (use) =>
      use(faulty({ on: { 'tools/call': { answer: { bytes: 9_500_000 } } } }), answered('tools/call')),
  },
  'FI-09': {
    fault: 'a line of 100 MB, cap 10 MiB; the next call is answered',
    atMost: { ms: 1000, loopMs: 100, grownMb: 32 },
    isBeyondPlain: true,
    limits: cap,
    run: (use) =>
      use(faulty({ on: { 'tools/call': { answer: { bytes: 100_000_000 } } } }), async (host) => {
        const ms = await rejected('tools/call')(host)
        await host.request('server', 'ping')
        return ms
      }),
  },
  'FI-10': {
    fault: 'an endless line, until the connection is closed at 64 MiB',
    atMost: { loopMs: 100, grownMb: 32 },
    isBeyondPlain: true,
    limits: { maxBytes: cap.maxBytes },
    run: (use) => use(faulty({ on: { 'tools/call': 'endless' } }), rejected('tools/call')),
  },
  'FI-18': {
    fault: 'JSON that is 200,000 deep',
    atMost: { ms: 100 },
    run: (use) =>
      use(faulty({ on: { 'tools/call': { answer: { depth: 200_000 } } } }), rejected('tools/call')),
  },
  'FI-20': {
    fault: 'closes its stdin; the next call',
    atMost: { ms: 100 },
    run: (use) =>
      use(faulty({ on: { 'tools/call': ['closeStdin', 'answer'], ping: 'hang' } }), async (host) => {
        await host.request('server', 'tools/call', { name: 'tool-0' })
        return rejected('completion/complete', { isRepeatable: false })(host)
      }),
  },
  'FI-22': {
    fault: 'ignores the end of stdin and SIGTERM; close',
    atMost: { ms: 6000 },
    run: (use) => use(faulty({ on: { eof: [], sigterm: [] } }), closing),
  },
  'FI-23': {
    fault: 'grandchildren, one in a session of its own; close',
    atMost: { ms: 6000 },
    run: (use) =>
      use(
        faulty({
          on: {
            start: [{ grandchild: { holds: 'stdout' } }, { grandchild: { holds: 'nothing', setsid: true } }],
          },
        }),
        closing,
      ),
  },
  'FI-26': {
    fault: '200 MB on stderr before the answer',
    atMost: { loopMs: 100, neighborMs: 50 },
    run: (use) =>
      use(faulty({ on: { 'tools/call': [{ stderrFlood: 200_000_000 }, 'answer'] } }), answered('tools/call')),
  },
  'FI-30': {
    fault: '10,000 notifications before the answer',
    atMost: { loopMs: 100, neighborMs: 50 },
    run: (use) =>
      use(
        faulty({
          on: {
            'tools/call': [
              { notify: { method: 'notifications/tools/list_changed', times: 10_000 } },
              'answer',
            ],
          },
        }),
        answered('tools/call'),
      ),
  },
  'FI-31': {
    fault: 'a list of 100,000 tools',
    atMost: { ms: 15_000 },
    run: (use) =>
      use(faulty({ tools: 100_000, pages: 100 }), async (host) => {
        const begin = performance.now()
        await host.list('server', 'tools', { timeoutMs: 60_000 })
        return performance.now() - begin
      }),
  },
  'FI-51': {
    fault: 'a small body that unpacks to 1 GB',
    atMost: { grownMb: 32, loopMs: 100 },
    run: async (use) => {
      const remote = await listening({ on: { 'tools/call': { gzipBomb: 1_000_000_000 } } })
      const ms = await use({ type: 'http', url: remote.url }, rejected('tools/call'))
      remote.stop()
      return ms
    },
  },
  'FI-80 list': {
    fault: '1,000 configured servers, from nothing to all listed',
    atMost: { ms: 300 },
    run: async () => {
      const config = written(Object.fromEntries(many(1000).map((name) => [name, quick])))
      const begin = performance.now()
      const host = await createHost({ config, trust: 'project' })
      if (host.servers().length !== 1000) throw new Error('not all are listed')
      const ms = performance.now() - begin
      await host.close()
      return ms
    },
  },
  'FI-80 stop': {
    fault: '200 servers running; close',
    atMost: { ms: 10_000, filesEach: 4 },
    run: async () => {
      const names = many(200)
      const host = await createHost({
        config: written(Object.fromEntries(names.map((name) => [name, quick]))),
        trust: 'project',
      })
      const before = openFiles()
      await Promise.all(names.map((name) => host.connect(name)))
      const filesEach = (openFiles() - before) / names.length
      return { ms: await closing(host), filesEach }
    },
  },
}

const quick = { command: 'sh', args: [file('servers/quick.sh')] }
const titles = {
  ms: 'time',
  loopMs: 'loop delay p99',
  neighborMs: 'other server p99',
  grownMb: 'memory grown',
  filesEach: 'files per server',
}

if (process.argv[2] === '--one') await one(process.argv[3])
else await all()

async function all() {
  const [rounds, wanted] = readArguments()
  console.log(
    `| fault | | ${Object.values(titles).join(' | ')} |\n| --- | --- |${' --- |'.repeat(Object.keys(titles).length)}`,
  )
  let plainMb = 0
  for (const [id, { fault, atMost, isBeyondPlain }] of Object.entries(faults)) {
    if (wanted.length > 0 && id !== plain && !wanted.some((word) => id.startsWith(word))) continue
    const runs = []
    for (let round = 0; round < rounds; round++) runs.push(await runInProcess(id))
    if (id === plain) plainMb = Math.min(...runs.map((run) => run.grownMb))
    if (isBeyondPlain) for (const run of runs) run.grownMb -= plainMb
    const cells = Object.keys(titles).map((figure) => cell(figure, runs, atMost))
    console.log(`| ${id} | ${fault} | ${cells.join(' | ')} |`)
    const problems = runs.flatMap((run) => (run.problem ? [run.problem] : []))
    if (problems.length > 0)
      console.log(`| | problem: ${problems[0]} |${' |'.repeat(Object.keys(titles).length)}`)
  }
}

function readArguments() {
  const words = process.argv.slice(2)
  const at = words.indexOf('--rounds')
  const rounds = at < 0 ? 3 : Number(words.splice(at, 2)[1])
  return [rounds, words]
}

/** The worst of all rounds, and the bound it must keep. */
function cell(figure, runs, atMost) {
  const values = runs.map((run) => run[figure]).filter((value) => value !== undefined)
  if (values.length === 0) return ''
  const worst = Math.max(...values)
  const unit = { grownMb: ' MB', filesEach: '' }[figure] ?? ' ms'
  const most = atMost[figure]
  const text = `${worst.toFixed(worst < 10 ? 1 : 0)}${unit}`
  if (most === undefined) return text
  return `${text} (${worst <= most ? 'at most' : '**over**'} ${most}${unit})`
}

/** Runs one fault in a new process with an empty home, so that the user's own files have no effect. */
async function runInProcess(id) {
  const home = mkdtempSync(join(tmpdir(), 'plugboard-faults-'))
  const entry = process.env.BENCH_ENTRY
  const child = spawn(process.execPath, ['--expose-gc', file('faults.mjs'), '--one', id], {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, TMPDIR: home, ...(entry && { BENCH_ENTRY: entry }) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let out = ''
  let complaints = ''
  child.stdout.on('data', (data) => (out += data))
  child.stderr.on('data', (data) => (complaints += data))
  await new Promise((resolve) => child.once('close', resolve))
  rmSync(home, { recursive: true, force: true })
  const line = out.split('\n').findLast((text) => text.startsWith('{'))
  return line ? JSON.parse(line) : { problem: complaints.trim().split('\n')[0] || 'no figures' }
}

async function one(id) {
  const { run, limits } = faults[id]
  let problem
  process.on('unhandledRejection', (error) => (problem = `unhandled: ${error}`))
  const figures = await run((server, measure) => beside(server, measure, limits)).catch((error) => ({
    problem: String(error).split('\n')[0],
  }))
  const result = typeof figures === 'number' ? { ms: figures } : figures
  process.stdout.write(`${JSON.stringify({ ...result, ...(problem && { problem }) })}\n`, () =>
    process.exit(0),
  )
}

/** Measures a fault of one server while another server of the same host is called every few milliseconds. */
async function beside(server, measure, limits) {
  const good = { command: process.execPath, args: [file('servers/stdio.mjs')] }
  const host = await createHost({
    config: written({ server, good }),
    trust: 'project',
    ...(limits && { limits }),
  })
  await host.connect('good')
  if (server.command !== undefined && measure !== refused) await host.connect('server')
  for (let index = 0; index < 200; index++) await call(host)
  globalThis.gc()
  const before = process.memoryUsage.rss()
  let most = before
  const delay = monitorEventLoopDelay({ resolution: 10 })
  const times = []
  let isOver = false
  const calls = (async () => {
    while (!isOver) {
      times.push(await call(host))
      most = Math.max(most, process.memoryUsage.rss())
      await sleep(5)
    }
  })().catch(() => undefined)
  delay.enable()
  const ms = await measure(host)
  isOver = true
  delay.disable()
  await calls
  await host.close()
  times.sort((a, b) => a - b)
  return {
    ms,
    // The monitor's figure includes its own interval.
    loopMs: Math.max(0, delay.percentile(99) / 1e6 - 10),
    neighborMs: times[Math.floor(times.length * 0.99)],
    grownMb: (most - before) / 1e6,
  }
}

async function dropped() {
  const child = spawn('head', ['-c', '100000000', '/dev/zero'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const before = process.memoryUsage.rss()
  let most = before
  child.stdout.on('data', () => (most = Math.max(most, process.memoryUsage.rss())))
  await new Promise((resolve) => child.once('close', resolve))
  return { grownMb: (most - before) / 1e6 }
}

async function call(host) {
  const begin = performance.now()
  await host.request('good', 'tools/call', { name: 'echo', arguments: { text: 'x' } })
  return performance.now() - begin
}

function rejected(method, options) {
  return async (host) => {
    const begin = performance.now()
    try {
      await host.request('server', method, { name: 'tool-0' }, options)
    } catch {
      return performance.now() - begin
    }
    throw new Error(`${method} was answered`)
  }
}

function answered(method) {
  return async (host) => {
    const begin = performance.now()
    await host.request('server', method, { name: 'tool-0' })
    return performance.now() - begin
  }
}

async function refused(host) {
  const begin = performance.now()
  try {
    await host.connect('server')
  } catch {
    return performance.now() - begin
  }
  throw new Error('it was connected')
}

async function closing(host) {
  const begin = performance.now()
  await host.close()
  return performance.now() - begin
}

async function listening(script) {
  const { command, args } = faulty(script)
  const child = spawn(command, [...args, '--http'], { stdio: ['pipe', 'pipe', 'inherit'] })
  const url = await new Promise((resolve) =>
    child.stdout.once('data', (data) => resolve(String(data).trim())),
  )
  return { url, stop: () => child.kill() }
}

function faulty(script) {
  const main = fileURLToPath(new URL('../src/testing/faulty-server/main.mjs', import.meta.url))
  return { command: process.execPath, args: [main, '--script', JSON.stringify(script)] }
}

function written(mcpServers) {
  const path = join(mkdtempSync(join(tmpdir(), 'plugboard-faults-')), 'mcp.json')
  writeFileSync(path, JSON.stringify({ mcpServers }))
  return path
}

function many(count) {
  return Array.from({ length: count }, (_, index) => `server${index}`)
}

function openFiles() {
  return process.platform === 'linux' ? readdirSync('/proc/self/fd').length : NaN
}

function file(path) {
  return fileURLToPath(new URL(path, import.meta.url))
}

function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
