import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './run.mjs'

// Tests popular servers one after the other, as an agent uses them: connect, list all tools, one harmless call, close.
// Then a second host must offer the same tools from disk without starting anything.
// `npm run test:real [-- NAME…]`. The servers are dependencies of test/real, which npm ci does not install.
const folder = join(root, 'test/real')
const needed = 20

if (!existsSync(join(root, 'dist/index.js'))) stop('dist is missing: run npm run build first')
install()
const { createHost, nodePlatform } = await import('../dist/index.js')
const { servers } = await import('../test/real/servers.mjs')

const wanted = process.argv.slice(2)
const rows = []
console.log(
  `${'server'.padEnd(50)} ${'era'.padEnd(18)} tools start ms ${'call'.padEnd(12)} ${'again'.padEnd(10)} exit`,
)
for (const server of servers) {
  if (wanted.length > 0 && !wanted.includes(server.name)) continue
  const row = await visit(server)
  rows.push(row)
  console.log(line(row))
}
report()

function install() {
  const names = Object.keys(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).dependencies)
  if (names.every((name) => existsSync(join(folder, 'node_modules', name)))) return
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts'], { cwd: folder, stdio: 'inherit' })
  if (status !== 0) stop('The servers could not be installed.')
}

async function visit({ name, bin, args = [], env = {}, call: [tool, input], cannot }) {
  const home = mkdtempSync(join(tmpdir(), 'plugboard-real-'))
  const row = { name, cannot, era: '-', tools: '-', startMs: '-', call: '-', again: '-', exit: '-' }
  const mark = `${process.pid}-${rows.length}`
  const config = join(home, 'servers.json')
  const entry = {
    command: process.execPath,
    args: [program(name, bin), ...args],
    env: { ...env, REAL_MARK: mark },
  }
  writeFileSync(config, JSON.stringify({ mcpServers: { x: { ...entry, startupTimeout: 60_000 } } }))
  const exits = []
  const options = { cwd: home, config, sources: ['plugboard'], platform: platformWithExits(home, exits) }
  const host = await createHost(options)
  let shown = ''
  try {
    const started = performance.now()
    const { era, version } = await host.connect('x')
    row.startMs = Math.round(performance.now() - started)
    row.era = `${era} ${version}`
    await host.ready({ timeoutMs: 60_000 })
    const tools = host.tools()
    row.tools = tools.length
    shown = JSON.stringify(tools)
    row.call = answerOf(await host.call(nameOf(tool, tools), input))
  } catch (error) {
    row.failure = error
  }
  const closing = performance.now()
  await host.close()
  const ms = Math.round(performance.now() - closing)
  const before = exits.length
  if (!row.failure) row.again = await compareKnownTools(options, shown)
  if (exits.length > before) row.again = 'started'
  const left = leftBehind(mark)
  const ends =
    left.length > 0 ? [] : (await Promise.all(exits)).map(({ code, signal }) => signal ?? `exit ${code}`)
  row.exit = left.length > 0 ? `left running: ${left.join(' ')}` : `${ends.join(', ')} in ${ms} ms`
  // SIGTERM counts as a clean exit, SIGKILL does not.
  row.isGood =
    !row.failure &&
    row.tools > 0 &&
    row.again === 'the same' &&
    left.length === 0 &&
    !ends.includes('SIGKILL')
  rmSync(home, { recursive: true, force: true, maxRetries: 3 })
  return row
}

/** Node's platform with its own home; adds the exit of each process it starts to `exits`. */
function platformWithExits(home, exits) {
  const platform = nodePlatform({ cwd: home })
  return {
    home,
    env: { HOME: home, PATH: process.env.PATH },
    async spawn(options) {
      const child = await platform.spawn(options)
      exits.push(child.exited)
      return child
    },
  }
}

/** The name models use for a tool. */
function nameOf(tool, tools) {
  return tools.find((each) => each.tool === tool)?.name ?? tool
}

/** The kind of answer to a call. An error counts as an answer: many servers need a key or the internet. */
function answerOf({ failed, rpcError }) {
  if (rpcError) return `error ${rpcError.code}`
  return failed ? 'tool error' : 'result'
}

/** Whether a host that starts nothing offers exactly the same tools. */
async function compareKnownTools(options, shown) {
  const host = await createHost(options)
  await host.ready({ from: 'disk' })
  const now = JSON.stringify(host.tools())
  await host.close()
  return now === shown ? 'the same' : 'different'
}

function program(name, bin) {
  const own = join(folder, 'node_modules', name)
  const at = existsSync(own) ? own : join(root, 'node_modules', name)
  const declared = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8')).bin
  return join(at, typeof declared === 'string' ? declared : declared[bin])
}

/** Processes of this visit that are still running, found by the mark in their environment (Linux only). */
function leftBehind(mark) {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`REAL_MARK=${mark}\0`)
    } catch {
      return false
    }
  })
}

function line({ name, era, tools, startMs, call, again, exit, isGood, failure, cannot }) {
  const verdict = isGood ? 'ok' : cannot ? `cannot here: ${cannot}` : `FAIL ${failure?.message ?? 'killed'}`
  const cells = [name.padEnd(50), era.padEnd(18), String(tools).padStart(5), String(startMs).padStart(8)]
  return [...cells, call.padEnd(12), again.padEnd(10), exit.padEnd(26), verdict].join(' ')
}

function report() {
  const good = rows.filter(({ isGood }) => isGood).length
  const possible = rows.filter(({ cannot }) => !cannot).length
  console.log(
    `\n${good} of ${possible} connect, offer tools, answer a call, exit cleanly and are known from disk; ${needed} are needed.`,
  )
  process.exit(wanted.length > 0 ? (good === possible ? 0 : 1) : good >= needed ? 0 : 1)
}

function stop(message) {
  console.error(message)
  process.exit(1)
}
