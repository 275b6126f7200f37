import {
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from './run.mjs'

// FI-84 in minutes: servers crash, hang and flood at random while many callers use them through the built package.
// `npm run soak [-- --seed N --minutes M --servers S --actions A]`. A seed repeats the random choices, but not their timing.
// It ends after the minutes, or after that many actions.
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    minutes: { type: 'string', default: '3' },
    servers: { type: 'string', default: '20' },
    actions: { type: 'string', default: 'Infinity' },
  },
})
const [seed, minutes, count, most] = [values.seed, values.minutes, values.servers, values.actions].map(Number)
if (!existsSync(join(root, 'dist/index.js'))) {
  console.error('dist is missing: run npm run build first')
  process.exit(1)
}
const { createHost, HostError, nodePlatform } = await import('../dist/index.js')
const { faultyServer } = await import('../dist/testing.js')

const random = randomFrom(seed)
const callers = Math.min(40, count * 2)
const problems = []
const ends = new Map()
const groups = []
const grandchildren = []
let [begun, ended] = [0, 0]
/** How often each call was reported as started and as finished. */
const calls = new Map()
process.on('unhandledRejection', (reason) => problems.push(`unhandled rejection: ${reason}`))

/** What a caller can do to a server. About a third are ordinary calls. */
const actions = [
  ...Array.from({ length: 12 }, () => (name) => call(name, 'tool-0')),
  ...Array.from({ length: 4 }, () => (name) => settle(host.call(`${name}__tool-0`))),
  (name) => settle(host.list(name, 'tools')),
  (name) => act(name, [{ exit: 1 }]),
  (name) => act(name, [{ kill: 'SIGKILL' }]),
  (name) => act(name, [{ answer: { write: 'half' } }, { exit: 1 }]),
  (name) => act(name, ['hang'], { timeoutMs: 100 + random() * 900 }),
  (name) => act(name, [{ until: 'notifications/cancelled' }, 'answer'], { timeoutMs: 50 }),
  (name) => act(name, ['hang'], { signal: AbortSignal.timeout(Math.floor(random() * 500)) }),
  (name) => act(name, [{ stderrFlood: 4_000_000 }, 'answer']),
  (name) => act(name, [{ noise: { lines: 5000 } }, 'answer']),
  (name) => act(name, [{ notify: { method: 'notifications/message', times: 5000 } }, 'answer']),
  (name) => act(name, [{ listChanged: 'tools' }, 'answer']),
  (name) => act(name, [{ answer: { bytes: 2_000_000 } }]),
  (name) => act(name, [{ answer: { bytes: 900_000 } }]),
  (name) => act(name, ['endless']),
  (name) => act(name, [{ answer: { depth: 10_000 } }]),
  (name) => act(name, [{ answer: { write: 'invalid-utf8', text: 'x' } }]),
  (name) =>
    act(name, [{ answer: { as: pick(['wrong-id', 'string-id', 'batch', 'neither']) } }], { timeoutMs: 300 }),
  (name) => act(name, [{ answer: { twice: true } }]),
  (name) => act(name, [{ grandchild: { holds: 'stdout' } }, { exit: 1 }]),
  (name) => act(name, [{ grandchild: { holds: 'nothing', ignoreSigterm: random() < 0.5 } }, 'answer']),
  (name) => act(name, ['closeStdin', 'answer']),
  (name) => act(name, ['closeStdout'], { timeoutMs: 1000 }),
  (name) => act(name, ['stopReading', 'answer']),
  (name) => settle(host.stop(name)),
  (name) => settle(host.restart(name)),
]

const home = mkdtempSync(join(tmpdir(), 'plugboard-soak-'))
const names = Array.from({ length: count }, (_, index) => `s${index}`)
writeConfig()
console.log(`seed ${seed}, ${count} servers, ${minutes} min, ${callers} callers`)

const filesBefore = openFiles()
const host = await openHost()
await Promise.all(names.map((name) => settle(host.connect(name))))
const listenersBefore = listeners()
const memory = [process.memoryUsage.rss()]
const until = performance.now() + minutes * 60_000
const sampling = setInterval(() => memory.push(process.memoryUsage.rss()), (minutes * 60_000) / 10)
await Promise.all(Array.from({ length: callers }, work))
clearInterval(sampling)
if (listeners() > listenersBefore) problems.push(`listeners grew from ${listenersBefore} to ${listeners()}`)
await host.close()
await check()
report()

function writeConfig() {
  const entries = names.map((name, index) => {
    const isDeaf = index % 5 === 4
    const script = {
      info: { name, version: '1.0.0' },
      tools: { count: 5, changing: true },
      on: isDeaf ? { eof: [], sigterm: [] } : {},
    }
    return [name, { ...faultyServer(script), lifecycle: index % 2 === 0 ? 'lazy' : 'background' }]
  })
  writeFileSync(join(home, 'servers.json'), JSON.stringify({ mcpServers: Object.fromEntries(entries) }))
}

function openHost() {
  const base = nodePlatform()
  return createHost({
    cwd: home,
    config: join(home, 'servers.json'),
    sources: ['plugboard'],
    limits: { callMs: 5000, startupMs: 10_000, maxBytes: 1024 * 1024, hardMaxBytes: 8 * 1024 * 1024 },
    platform: {
      home,
      env: { HOME: home, PATH: process.env.PATH },
      async spawn(options) {
        const child = await base.spawn(options)
        groups.push(child.pid)
        return child
      },
    },
    on(event) {
      const pid = event.type === 'server.said' && /^grandchild (\d+)$/.exec(event.line)?.[1]
      if (pid) grandchildren.push(Number(pid))
      if (event.type === 'call.started') calls.set(event.id, (calls.get(event.id) ?? 0) + 1000)
      if (event.type === 'call.finished') calls.set(event.id, (calls.get(event.id) ?? 0) + 1)
    },
  })
}

/** One caller: performs a random action on a random server until the time is over. */
async function work() {
  while (performance.now() < until && begun < most) {
    const name = pick(names)
    const status = host.servers().find((server) => server.name === name).status
    // Restart a failed server now and then; otherwise all of them would end up failed.
    if (status.state === 'failed' && random() < 0.2) await settle(host.restart(name))
    const end = await pick(actions)(name)
    if (end === 'tool.quarantined' && random() < 0.3) await settle(host.restart(name))
  }
}

function act(name, step, options) {
  return call(name, 'do', { step }, options)
}

function call(name, tool, args = {}, options = {}) {
  return settle(host.request(name, 'tools/call', { name: tool, arguments: args }, options))
}

/** Every action must end once, with an answer or a HostError. */
async function settle(promise) {
  begun++
  let end = 'answered'
  try {
    await promise
  } catch (error) {
    if (!(error instanceof HostError)) problems.push(`not a HostError: ${error?.stack ?? error}`)
    end = error.code
  }
  ended++
  ends.set(end, (ends.get(end) ?? 0) + 1)
  return end
}

async function check() {
  if (begun !== ended) problems.push(`${begun - ended} of ${begun} actions never ended`)
  const wrong = [...calls].filter(([, seen]) => seen !== 1001)
  if (wrong.length > 0) problems.push(`${wrong.length} of ${calls.size} calls did not start and finish once`)
  const left = [...membersOf(groups), ...grandchildren.filter((pid) => stateOf(pid).isRunning)]
  if (left.length > 0) problems.push(`still running: ${left.join(' ')}`)
  for (let tries = 0; openFiles().length > filesBefore.length && tries < 50; tries++) {
    await new Promise((go) => setTimeout(go, 20))
  }
  if (openFiles().length > filesBefore.length) {
    problems.push(`open files were ${filesBefore.join(' ')}, now ${openFiles().join(' ')}`)
  }
  const started = join(home, '.local/state/plugboard/started')
  const files = existsSync(started)
    ? readdirSync(started).filter((name) => hasCertain(readFileSync(join(started, name), 'utf8')))
    : []
  if (files.length > 0) problems.push(`left records of started servers: ${files.join(' ')}`)
  rmSync(home, { recursive: true, force: true })
}

/**
 * Whether a host's record names a server that was not stopped, or a process that one left for certain. Processes of others that
 * begin meanwhile without an environment are named, too.
 */
function hasCertain(text) {
  const records = text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
  const stopped = new Set(records.map((record) => record.stopped?.pid))
  return records.some(({ left, started }) => left?.isCertain ?? (started && !stopped.has(started.pid)))
}

function report() {
  console.log(
    `${begun} actions, ${calls.size} calls with events, ${groups.length} programs started, ${grandchildren.length} grandchildren`,
  )
  for (const [end, times] of [...ends].sort((a, b) => b[1] - a[1]))
    console.log(`  ${String(times).padStart(7)}  ${end}`)
  console.log(`memory in MB: ${memory.map((bytes) => Math.round(bytes / 1e6)).join(' ')}`)
  for (const problem of new Set(problems)) console.error(`PROBLEM ${problem}`)
  console.log(problems.length === 0 ? 'ok' : `failed with --seed ${seed}`)
  process.exitCode = problems.length === 0 ? 0 : 1
}

function membersOf(wanted) {
  const known = new Set(wanted)
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => known.has(stateOf(pid).group) && stateOf(pid).isRunning)
}

/** A zombie counts as ended. */
function stateOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { isRunning: state !== 'Z' && state !== 'X', group: Number(group) }
  } catch {
    return { isRunning: false, group: 0 }
  }
}

/** Except /dev/null, which Node opens with its first pipe. */
function openFiles() {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const file = readlinkSync(`/proc/self/fd/${fd}`)
      return file === '/dev/null' ? [] : [`${fd}=${file}`]
    } catch {
      return []
    }
  })
}

function listeners() {
  return process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0)
}

function pick(list) {
  return list[Math.floor(random() * list.length)]
}

/** mulberry32 */
function randomFrom(start) {
  let state = start >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
