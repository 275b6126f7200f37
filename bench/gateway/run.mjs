import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cpuUs, treeOf } from './processes.mjs'
import { Session } from './session.mjs'
import { subjects } from './subjects.mjs'

// Gateways side by side: node bench/gateway/run.mjs [--install] [--quick] [--write] [SUBJECT…]. Linux only: CPU and memory
// of other processes come from /proc. `--write` puts the table into bench/gateway/README.md. CPU is measured in rounds, in each of
// which all subjects take their turn; the best round counts.
const root = fileURLToPath(new URL('../../', import.meta.url))
const folder = join(root, 'bench/gateway')
const flags = process.argv.slice(2).filter((arg) => arg.startsWith('--'))
const named = process.argv.slice(2).filter((arg) => !arg.startsWith('--'))
const isQuick = flags.includes('--quick')
const calls = isQuick ? 500 : 16_000
const lists = isQuick ? 200 : 8000
const rounds = isQuick ? 1 : 4
const inFlight = 16
const server = [process.execPath, join(root, 'bench/servers/stdio.mjs')]
const text = 'x'.repeat(100)

if (flags.includes('--install'))
  spawnSync('npm', ['install', '--no-package-lock', '--no-audit', '--no-fund', '--ignore-scripts'], {
    cwd: folder,
    stdio: 'inherit',
  })
const isThere = (id) =>
  !['mcp-proxy', 'supergateway'].includes(id) || existsSync(join(folder, 'node_modules', id))
const chosen = Object.keys(subjects).filter((id) => (named.length === 0 || named.includes(id)) && isThere(id))

// One that fails does not stop the others; its row says how far it came.
const rows = chosen.map((id) => ({ id, title: subjects[id].title, calls: [], lists: [] }))
const owns = []
for (let round = 0; round < rounds; round++) {
  for (const row of rows) await attempt(row, () => measureCpu(subjects[row.id], row))
  owns.push(await ownClient())
}
for (const row of rows) {
  await attempt(row, async () => Object.assign(row, await measureOthers(subjects[row.id])))
  console.log(JSON.stringify(row))
}
const table = draw(rows, Math.min(...owns), await measureShim())
console.log(`\n${table}`)
if (flags.includes('--write')) writeTable(table)

async function attempt(row, work) {
  if (row.error) return
  try {
    await work()
  } catch (error) {
    row.error = error.message.slice(0, 100)
  }
}

async function measureCpu(subject, row) {
  await withGateway(subject, { s: server }, async ({ pid, connect, toolName }) => {
    const sessions = await Promise.all(Array.from({ length: inFlight }, connect))
    const call = (session) => session.send('tools/call', { name: toolName('s', 'echo'), arguments: { text } })
    await load(sessions, calls / 5, call)
    row.calls.push(await cpuFor(pid, calls, () => load(sessions, calls, call)))
    const list = (session) => session.send('tools/list')
    await load(sessions, lists / 5, list)
    row.lists.push(await cpuFor(pid, lists, () => load(sessions, lists, list)))
    for (const each of sessions) each.close()
  })
}

async function measureOthers(subject) {
  const figures = { coldMs: await median(isQuick ? 1 : 5, () => coldStart(subject)) }
  for (const clients of [1, 16, 64])
    await withGateway(subject, { s: server }, async ({ pid, connect, toolName }) => {
      const sessions = []
      for (let index = 0; index < clients; index++) sessions.push(await connect())
      await Promise.all(
        sessions.map((each) => each.send('tools/call', { name: toolName('s', 'echo'), arguments: { text } })),
      )
      figures[`at${clients}`] = treeOf(pid)
      for (const each of sessions) each.close()
    })
  if (subject.isAggregator) figures.trouble = await withTrouble(subject)
  return figures
}

/** From the start of the program to its first list. */
async function coldStart(subject) {
  const begin = performance.now()
  return withGateway(subject, { s: server }, async ({ connect }) => {
    const session = await connect()
    const { tools } = await session.send('tools/list')
    const ms = performance.now() - begin
    if (tools.length !== 2) throw new Error(`${tools.length} tools instead of 2`)
    session.close()
    return ms
  })
}

/** Two good servers, one that ends at once and one that never answers: what a list has after the first one, and how long it takes. */
async function withTrouble(subject) {
  const servers = {
    good: server,
    fine: server,
    dead: [process.execPath, '-e', 'process.exit(1)'],
    slow: [process.execPath, '-e', 'setInterval(() => {}, 1000)'],
  }
  return withGateway(subject, servers, async ({ connect }) => {
    const begin = performance.now()
    try {
      const session = await Promise.race([connect(), late(30_000)])
      const first = await Promise.race([session.send('tools/list'), late(30_000)])
      const firstMs = performance.now() - begin
      const again = performance.now()
      await Promise.race([session.send('tools/list'), late(30_000)])
      const secondMs = performance.now() - again
      session.close()
      return { tools: first.tools.length, firstMs, secondMs }
    } catch (error) {
      return { error: error.message.slice(0, 60) }
    }
  })
}

async function withGateway(subject, servers, work) {
  const { argv, url, cwd, env, prefix, home, tokenIn } = await subject.start(servers)
  const [command, ...args] = argv
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'ignore'] })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (chunk) => (output += chunk))
  const connect = async () => {
    for (;;) {
      if (child.exitCode !== null) throw new Error(`${command} ended: ${output.slice(-500)}`)
      try {
        return await new Session(url, tokenIn?.(output)).open()
      } catch (error) {
        // Not listening yet, or its token is not printed yet.
        if (!/ECONNREFUSED|^401/.test(error.message)) throw error
        await new Promise((resolve) => setTimeout(resolve, 2))
      }
    }
  }
  const toolName = (name, tool) => (prefix ? `${name}__${tool}` : tool)
  try {
    return await work({ pid: child.pid, connect, toolName })
  } finally {
    const ended = new Promise((resolve) =>
      child.exitCode === null ? child.once('exit', resolve) : resolve(),
    )
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), 5000)
    await ended
    clearTimeout(timer)
    if (home) rmSync(home, { recursive: true, force: true })
  }
}

/** Each session sends its next request when it has the answer to the last one. */
async function load(sessions, count, send) {
  let left = count
  await Promise.all(
    sessions.map(async (session) => {
      while (left-- > 0) await send(session)
    }),
  )
}

async function cpuFor(pid, count, work) {
  const before = cpuUs(pid)
  await work()
  return (cpuUs(pid) - before) / count
}

/** What our own client spends on the same call, without a gateway. */
async function ownClient() {
  const script = `
    import { createHost } from ${JSON.stringify(join(root, 'dist/index.js'))}
    const host = await createHost({ settings: false, projectFiles: false, sources: [], servers: { s: ${JSON.stringify({ command: server[0], args: server.slice(1) })} } })
    const load = async (count) => { let left = count; await Promise.all(Array.from({ length: ${inFlight} }, async () => { while (left-- > 0) await host.call('s/echo', { text: ${JSON.stringify(text)} }) })) }
    await load(${calls / 5})
    const before = process.cpuUsage()
    await load(${calls})
    const { user, system } = process.cpuUsage(before)
    console.log((user + system) / ${calls})
    await host.close()`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
  })
  const found = Number(stdout.trim())
  if (!(found > 0)) throw new Error(`our own client: ${stderr}`)
  return found
}

async function median(count, run) {
  const all = []
  for (let index = 0; index < count; index++) all.push(await run())
  return all.sort((a, b) => a - b)[all.length >> 1]
}

function late(ms) {
  return new Promise((_, reject) =>
    setTimeout(() => reject(new Error(`no answer in ${ms / 1000} s`)), ms).unref(),
  )
}

/** CPU and memory of what a client starts on a desk, from its start to its end with one answer between, beside bare node. */
async function measureShim() {
  if (!chosen.includes('plugboard')) return undefined
  const { cwd, env, home } = await subjects.plugboard.start({ s: server })
  const entry = join(root, 'dist/cli/plugboard.cjs')
  const figures = join(home, 'figures.json')
  const note = ['--require', join(root, 'bench/note-figures.cjs')]
  const start = (args, isTalking) =>
    new Promise((resolve) => {
      const child = spawn(process.execPath, [...note, ...args], {
        cwd,
        env: { PATH: env.PATH, HOME: home, BENCH_FIGURES: figures },
        stdio: ['pipe', 'pipe', 'ignore'],
      })
      let mb = 0
      child.stdout.once('data', () => {
        mb = treeOf(child.pid).ownMb
        child.stdin.end()
      })
      child.once('exit', () => resolve({ mb, cpuMs: JSON.parse(readFileSync(figures, 'utf8')).cpuMs }))
      if (isTalking)
        child.stdin.write(
          '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}\n',
        )
    })
  const bare = ['-e', 'process.stdout.write("0"); process.stdin.resume()']
  await start([entry, 'gateway'], true)
  const found = { bare: [], silent: [], shim: [] }
  for (let round = 0; round < (isQuick ? 3 : 15); round++) {
    found.silent.push(await start(['-e', 'process.exit()'], false))
    found.bare.push(await start(bare, false))
    found.shim.push(await start([entry, 'gateway'], true))
  }
  const stop = spawnSync(process.execPath, [entry, 'gateway', 'stop'], { cwd, env })
  rmSync(home, { recursive: true, force: true })
  const middle = (all, key) => all.map((each) => each[key]).sort((a, b) => a - b)[all.length >> 1]
  return {
    cpu: middle(found.shim, 'cpuMs') / middle(found.silent, 'cpuMs'),
    mb: middle(found.shim, 'mb') - middle(found.bare, 'mb'),
    stopped: stop.status,
  }
}

function draw(all, clientUs, shim) {
  const memory = ({ ownMb, allMb, children }) => `${Math.round(ownMb)} / ${Math.round(allMb)} MB, ${children}`
  const trouble = (found) =>
    found === undefined
      ? 'one server only'
      : found.error
        ? `fails: ${found.error}`
        : `${found.tools} tools, ${Math.round(found.firstMs)} ms, then ${found.secondMs.toFixed(1)} ms`
  const head = [
    'gateway',
    'CPU a call',
    'CPU a list',
    'cold start to first list',
    '1 client',
    '16 clients',
    '64 clients',
    'one dead, one silent server',
  ]
  const best = (figures) => Math.min(...figures)
  const lines = all.map(
    ({ title, error, calls: callUs, lists: listUs, coldMs, at1, at16, at64, trouble: found }) =>
      error
        ? [title, `fails: ${error}`, ...head.slice(2).map(() => '')]
        : [
            title,
            `${Math.round(best(callUs))} µs`,
            `${Math.round(best(listUs))} µs`,
            `${Math.round(coldMs)} ms`,
            memory(at1),
            memory(at16),
            memory(at64),
            trouble(found),
          ],
  )
  const row = (cells) => `| ${cells.join(' | ')} |`
  const machine = `Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model.trim()}${isQuick ? ', a quick run' : ''}.`
  const good = all.filter(({ error }) => !error)
  const ours = good.find(({ id }) => id === 'plugboard')
  const rated = (title, key, others) =>
    ours && others.length > 0
      ? [`${title}: ${(best(ours[key]) / Math.min(...others.map((each) => best(each[key])))).toFixed(2)}.`]
      : []
  const rivals = good.filter(({ id }) => ['sdk-v2', 'mcp-proxy', 'supergateway'].includes(id))
  const least = good.filter(({ id }) => id === 'least')
  const named = rivals.map(({ title }) => title).join(', ')
  return [
    row(head),
    row(head.map(() => '---')),
    ...lines.map(row),
    '',
    ...rated(`A call through Plugboard, of the best of the others here (${named})`, 'calls', rivals),
    ...rated('A list', 'lists', rivals),
    ...rated('A call, of the least gateway', 'calls', least),
    ...rated('A list', 'lists', least),
    `Our own client spends ${clientUs.toFixed(1)} µs on the same call without a gateway.`,
    ...(shim
      ? [
          `The stdio shim of the desk: ${shim.cpu.toFixed(2)} times the CPU of bare node from start to end, ${shim.mb.toFixed(1)} MB more memory.`,
        ]
      : []),
    `CPU is that of the best of ${rounds} rounds. ${machine}`,
  ].join('\n')
}

function writeTable(drawn) {
  const file = join(folder, 'README.md')
  const before = readFileSync(file, 'utf8')
  const [intro] = before.split('## Figures')
  writeFileSync(file, `${intro}## Figures\n\n${drawn}\n`)
}
