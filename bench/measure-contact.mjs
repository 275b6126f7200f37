import { writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

// One measure of first contact in its own process: node measure-contact.mjs '{"measure":"first", …}'
// The last line of stdout is JSON with the CPU time of this process from its start, before and after closing.

const task = JSON.parse(process.argv[2])
const measures = { nothing, first, learn, known, call }
const close = await measures[task.measure](task)
const wholeMs = cpuMs()
await close?.()
// Exit explicitly: a peer may leave handles open that keep the process alive.
process.stdout.write(`${JSON.stringify({ wholeMs, closedMs: cpuMs() })}\n`, () => process.exit(0))

async function nothing() {}

/** Connects to servers that nothing is known of, and lists their tools. */
async function first({ subject: name, servers }) {
  const subject = await import(`./subjects/${name}.mjs`)
  const list = Array.from({ length: servers }, (_, index) => ({
    name: `server${index}`,
    command: 'sh',
    args: [file('servers/quick.sh')],
  }))
  const hub = await subject.open(subject.prepare ? subject.prepare(list) : list)
  const counts = hub.offerAll
    ? [(await hub.offerAll()) / servers]
    : await Promise.all(list.map(async (each) => (await (await hub.use(each.name)).list()).length))
  if (counts.some((count) => count !== 2)) throw new Error(`tools: ${counts}`)
  return () => hub.close()
}

async function learn({ servers, list }) {
  const host = await open(servers, list)
  await host.ready({ timeoutMs: 120_000 })
  return () => host.close()
}

async function known({ servers, list }) {
  const host = await open(servers, list)
  await host.ready()
  if (host.tools().length !== servers * 5) throw new Error(`tools: ${host.tools().length}`)
  return () => host.close()
}

/** The server refuses the call, which is an answer too. */
async function call({ servers, list }) {
  const host = await open(servers, list)
  const { text } = await host.call('server0__tool_5', { query: 'x' })
  if (!text.includes('-32601')) throw new Error(text)
  return () => host.close()
}

async function open(servers, list) {
  const { createHost } = await import('./entry.mjs')
  const config = join(homedir(), 'servers.json')
  const entry = { command: 'sh', args: [file('servers/many.sh'), list] }
  const entries = Array.from({ length: servers }, (_, index) => [
    `server${index}`,
    { ...entry, env: { NUMBER: String(index) } },
  ])
  writeFileSync(config, JSON.stringify({ mcpServers: Object.fromEntries(entries) }))
  return createHost({ config, trust: 'project' })
}

function cpuMs() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

function file(path) {
  return fileURLToPath(new URL(path, import.meta.url))
}
