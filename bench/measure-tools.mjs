import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

// Runs one measure of tool handling in its own process: node measure-tools.mjs '{"measure":"known", …}'
// The home is an empty folder, or one in which `learn` was run. The figures are the last line of stdout, as JSON.

const task = JSON.parse(process.argv[2])
const hundred = 'x'.repeat(100)
const measures = { offer, again, learn, arrange, known, calls }
const figures = await measures[task.measure](task)
// Exit explicitly: a peer may leave handles open that keep the process alive.
process.stdout.write(`${JSON.stringify(figures)}\n`, () => process.exit(0))

/** From loaded code to all tools of one server, converted for a model. */
async function offer({ subject: name, list, count }) {
  const subject = await import(`./subjects/${name}.mjs`)
  const servers = [many('server', list)]
  const prepared = subject.prepare ? subject.prepare(servers) : servers
  const cpu = process.cpuUsage()
  const hub = await subject.open(prepared)
  const connection = await hub.use('server')
  check(await (connection.offer ?? connection.list)(), count)
  const offeredMs = toMs(process.cpuUsage(cpu))
  await hub.close()
  return { offeredMs, closedMs: toMs(process.cpuUsage(cpu)) }
}

/** The same list again, three times: nothing has changed. */
async function again({ subject: name, list, count }) {
  const subject = await import(`./subjects/${name}.mjs`)
  const servers = [many('server', list)]
  const hub = await subject.open(subject.prepare ? subject.prepare(servers) : servers)
  const connection = await hub.use('server')
  check(await (connection.offer ?? connection.list)(), count)
  const listAgain = connection.again ?? connection.list
  const cpu = process.cpuUsage()
  for (let turn = 0; turn < 3; turn++) check(await listAgain(), count)
  const againMs = toMs(process.cpuUsage(cpu)) / 3
  await hub.close()
  return { againMs }
}

/** Connects to all servers once, which stores their tools on disk. */
async function learn({ lists, count }) {
  const host = await open(lists)
  await host.ready({ timeoutMs: 120_000 })
  check(host.tools(), count)
  await host.close()
  return {}
}

/** Filters many stored tools of many servers by entry and by pattern, names and orders them. */
async function arrange({ lists, seen }) {
  const { readMs, parseMs } = parseCaches()
  const host = await open(lists)
  const cpu = process.cpuUsage()
  await host.ready()
  const view = await host.scope({ tools: ['*', '!*7'] })
  check(view.tools(), seen)
  const wholeMs = toMs(process.cpuUsage(cpu))
  await host.close()
  return { parseMs, wholeMs, arrangeMs: wholeMs - readMs - parseMs }
}

/**
 * The first tool list of known servers with nothing started, compared with reading and parsing the same files. Code that is
 * loaded on demand is loaded before the measurement, unless `late` is set; `warm` runs everything once before.
 */
async function known({ lists, count, warm, late }) {
  const host = await open(lists)
  if (!late) await loadTools()
  if (warm) {
    const other = await open(lists)
    await other.ready()
    await other.close()
  }
  const { readMs, parseMs } = parseCaches()
  const cpu = process.cpuUsage()
  await host.ready()
  check(host.tools(), count)
  const knownMs = toMs(process.cpuUsage(cpu))
  if (host.servers().some(({ status }) => status.state !== 'idle')) throw new Error('something was started')
  await host.close()
  return { readAndParseMs: readMs + parseMs, knownMs }
}

async function loadTools() {
  const { importPart } = await import('./entry.mjs')
  await Promise.all([importPart('tools'), import('node:crypto')])
}

/**
 * CPU per call: `request`, which asks for progress as every call does, against a full `call`. Both alternate in one process,
 * and the best turn of each counts, because the load of the machine changes.
 */
async function calls({ turns, count, inFlight }) {
  const { createHost } = await import('./entry.mjs')
  const config = join(homedir(), 'calls.json')
  const server = { command: process.execPath, args: [file('servers/stdio.mjs')] }
  writeFileSync(config, JSON.stringify({ mcpServers: { server } }))
  const host = await createHost({ config, trust: 'project' })
  await host.connect('server')
  await host.ready()
  const params = { name: 'echo', arguments: { text: hundred } }
  const variants = {
    requestUs: () => host.request('server', 'tools/call', params, { onProgress }),
    callUs: () => host.call('server__echo', params.arguments),
  }
  const best = { requestUs: Infinity, callUs: Infinity }
  for (let turn = 0; turn < turns; turn++) {
    for (const [variant, call] of Object.entries(variants)) {
      const cpu = process.cpuUsage()
      await together(call, count, inFlight)
      best[variant] = Math.min(best[variant], (toMs(process.cpuUsage(cpu)) * 1000) / count)
    }
  }
  await host.close()
  return best
}

function onProgress() {}

async function together(call, count, inFlight) {
  let left = count
  const worker = async () => {
    while (left-- > 0) await call()
  }
  await Promise.all(Array.from({ length: inFlight }, worker))
}

/** A host with these servers; the entries are the same each time. */
async function open(lists) {
  const { createHost } = await import('./entry.mjs')
  const config = join(homedir(), 'servers.json')
  const entries = lists.map((list, index) => {
    const { name, ...entry } = many(`server${index}`, list)
    return [name, { ...entry, deniedTools: ['never_*'] }]
  })
  writeFileSync(config, JSON.stringify({ mcpServers: Object.fromEntries(entries) }))
  return createHost({ config, trust: 'project' })
}

/** Times reading and parsing the same files. All results are kept in memory, as the host keeps them. */
function parseCaches() {
  const folder = join(homedir(), '.cache/plugboard/servers')
  const reading = process.cpuUsage()
  const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
  const readMs = toMs(process.cpuUsage(reading))
  const parsing = process.cpuUsage()
  const values = texts.map((text) => JSON.parse(text))
  const parseMs = toMs(process.cpuUsage(parsing))
  if (values.some(({ catalog }) => catalog === undefined)) throw new Error('a server is not known')
  return { readMs, parseMs }
}

function many(name, list) {
  return { name, command: 'sh', args: [file('servers/many.sh'), list] }
}

function check(tools, count) {
  const found = Array.isArray(tools) ? tools.length : Object.keys(tools).length
  if (found !== count) throw new Error(`${found} tools instead of ${count}`)
}

function file(path) {
  return fileURLToPath(new URL(path, import.meta.url))
}

function toMs({ user, system }) {
  return (user + system) / 1000
}
