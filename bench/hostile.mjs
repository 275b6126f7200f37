import { spawn } from 'node:child_process'
import { once, setMaxListeners } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

// What callers of one gateway do to each other, beside the same load on the server alone: node bench/hostile.mjs [--seconds N]
// Every figure is of one run. Rates are shares of the direct rate; waits are those of a quiet caller less its waits alone.
const at = process.argv.indexOf('--seconds')
const seconds = at < 0 ? 8 : Number(process.argv[at + 1])
const file = (path) => fileURLToPath(new URL(path, import.meta.url))
const home = mkdtempSync(join(tmpdir(), 'plugboard-hostile-'))
const children = []
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(home, { recursive: true, force: true })
})

const server = await start([file('servers/slow.mjs')])
const direct = target(await server.line())
const rows = []
for (const callers of [100, 500]) {
  const [alone, through] = [
    await rate(direct, callers),
    await withGateway({}, (gateway) => rate(gateway, callers)),
  ]
  rows.push({
    row: `${callers} callers of a tool of 1 s`,
    directly: alone,
    gateway: through,
    share: through / alone,
  })
}
rows.push(await quietBeside('400 calls of 1 s by another key, room at the server', {}, 1000))
rows.push(await quietBeside('400 calls that hang by another key, room at the server', {}, 3_600_000))
rows.push(
  await quietBeside(
    '400 calls of 200 ms by another key, 8 places',
    { servers: { slow: { maxConcurrent: 8 } } },
    200,
  ),
)
console.table(rows)
process.exit()

/** Calls a second, each caller one after the other, after one second to begin. */
async function rate({ call }, callers) {
  let done = 0
  let isOver = false
  const loops = Array.from({ length: callers }, async () => {
    while (!isOver) {
      await call({ ms: 1000 })
      done++
    }
  })
  await sleep(1500)
  const before = done
  await sleep(seconds * 1000)
  const counted = done - before
  isOver = true
  await Promise.all(loops)
  return Math.round((counted / seconds) * 10) / 10
}

/** The 99th percentile of a quiet caller, alone and beside many calls of another one. */
async function quietBeside(row, settings, ms) {
  return withGateway(settings, async (gateway) => {
    const [many, few] = gateway.keys.map((key) => target(gateway.url, key))
    const alone = await waits(few)
    const over = new AbortController()
    setMaxListeners(0, over.signal)
    for (let count = 0; count < 400; count++) void refill(many, ms, over.signal)
    await sleep(500)
    const beside = await waits(few)
    over.abort()
    return { row, aloneMs: alone, besideMs: beside, moreMs: Math.round((beside - alone) * 10) / 10 }
  })
}

async function refill({ call }, ms, signal) {
  while (!signal.aborted) await call({ ms }, signal).catch(() => undefined)
}

async function waits({ call }) {
  const all = []
  for (let count = 0; count < 200; count++) {
    const began = performance.now()
    await call({})
    all.push(performance.now() - began)
  }
  return Math.round(all.sort((one, other) => one - other)[Math.floor(all.length * 0.99)] * 10) / 10
}

/** Calls the tool with a connection for each request in flight. */
function target(url, key) {
  const agent = new Agent({ keepAlive: true, maxSockets: 2000 })
  const name = key ? 'slow__wait' : 'wait'
  let id = 0
  const call = (args, signal) =>
    new Promise((resolve, reject) => {
      const body = JSON.stringify({
        jsonrpc: '2.0',
        id: ++id,
        method: 'tools/call',
        params: {
          name,
          arguments: args,
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      })
      const headers = {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': name,
        ...(key && { authorization: `Bearer ${key}` }),
      }
      const sent = httpRequest(
        url,
        { method: 'POST', agent, headers, ...(signal && { signal }) },
        (response) => {
          let text = ''
          response.setEncoding('utf8').on('data', (chunk) => (text += chunk))
          response.on('end', () =>
            text.includes('"done"') ? resolve() : reject(new Error(text.slice(0, 300))),
          )
          response.on('error', reject)
        },
      )
      sent.on('error', reject)
      sent.end(body)
    })
  return { url, call }
}

async function withGateway(settings, use) {
  const folder = mkdtempSync(join(home, 'home-'))
  const config = join(folder, '.config/plugboard')
  mkdirSync(config, { recursive: true })
  writeFileSync(
    join(config, 'mcp.json'),
    JSON.stringify({ mcpServers: { slow: { type: 'http', url: direct.url } } }),
  )
  writeFileSync(join(config, 'settings.json'), JSON.stringify({ gateway: settings }))
  const env = { PATH: process.env.PATH, HOME: folder }
  const cli = file('../dist/cli/plugboard.cjs')
  const keys = []
  for (const name of ['many', 'few']) {
    const added = await start([cli, 'keys', 'add', name, '--json'], { env, cwd: folder })
    keys.push(JSON.parse(await added.rest()).secret)
  }
  const gateway = await start([cli, 'gateway', '--port', '0', '--json'], { env, cwd: folder })
  let text = ''
  while (!text.endsWith('\n}\n')) text += `${await gateway.line()}\n`
  const { url } = JSON.parse(text)
  try {
    const first = target(url, keys[1])
    await first.call({})
    return await use({ ...first, url, keys })
  } finally {
    gateway.child.kill('SIGKILL')
  }
}

async function start(args, options = {}) {
  const child = spawn(process.execPath, args, { ...options, stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const line = async () => (await lines.next()).value
  const rest = async () => {
    let text = ''
    for (let next = await line(); next !== undefined; next = await line()) text += `${next}\n`
    if (child.exitCode === null) await once(child, 'exit')
    return text
  }
  return { child, line, rest }
}

function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
