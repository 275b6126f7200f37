import chromium from '@sparticuz/chromium'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { chromium as launcher } from 'playwright-core'

// What the measures of the page start: homes, programs that serve a page, and a browser.

const root = fileURLToPath(new URL('..', import.meta.url))
export const cli = join(root, 'dist/cli/plugboard.cjs')
export const inspector = join(root, 'bench/node_modules/@modelcontextprotocol/inspector')

const requires = ['bench/note-figures.cjs', 'test/support/account.cjs'].flatMap((file) => [
  '--require',
  join(root, file),
])

/** A home with ten servers that start in a millisecond, called server0 to server9. */
export function homeWithServers(folder, name) {
  const home = join(folder, name)
  const quick = { command: 'sh', args: [join(root, 'bench/servers/quick.sh')] }
  const mcpServers = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`server${index}`, quick]))
  mkdirSync(join(home, 'project/.git'), { recursive: true })
  mkdirSync(join(home, '.config/plugboard'), { recursive: true })
  writeFileSync(join(home, '.config/plugboard/mcp.json'), JSON.stringify({ mcpServers }))
  return home
}

/** A process in a home, with `PATH` and `HOME` only; `figures` asks it for its own. */
export function startProcess(node, args, { home, env = {} }) {
  const file = join(home, 'figures.json')
  rmSync(file, { force: true })
  const child = spawn(node, [...requires, ...args], {
    cwd: join(home, 'project'),
    env: { PATH: process.env.PATH, HOME: home, ACCOUNT_HOME: home, BENCH_FIGURES: file, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (data) => (said = (said + data).slice(-4000)))
  const ended = once(child, 'exit')
  return {
    pid: child.pid,
    /** The first line of its output that fits, as the match. */
    async line(pattern) {
      for await (const line of createInterface({ input: child.stdout })) {
        const found = pattern.exec(line)
        if (!found) continue
        child.stdout.resume()
        return found
      }
      throw new Error(`${args.join(' ')} ended: ${said}`)
    },
    async figures() {
      rmSync(file, { force: true })
      child.kill('SIGUSR2')
      while (!existsSync(file)) await sleep(5)
      return JSON.parse(readFileSync(file, 'utf8'))
    },
    async finalFigures() {
      await ended
      return JSON.parse(readFileSync(file, 'utf8'))
    },
    async end() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** `plugboard serve`, when it has printed its address. */
export async function startServe(node, { home, flags = [] }) {
  const program = startProcess(node, [...flags, cli, 'serve', '--port', '0'], { home })
  const [, address, token] = await program.line(/(http:\/\/127\.0\.0\.1:\d+)\/#k=(\S+)/)
  const send = async (method, path, body) => {
    const response = await fetch(`${address}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return response.json()
  }
  return { ...program, address, token, send, url: `${address}/servers#k=${token}` }
}

/** The Inspector with the servers of a home, when it has printed its address. */
export async function startInspector(node, { home }) {
  const config = join(home, '.config/plugboard/mcp.json')
  const launch = join(inspector, 'clients/launcher/build/index.js')
  const env = { BROWSER: 'none', MCP_AUTO_OPEN_ENABLED: 'false', CLIENT_PORT: '17651' }
  const program = startProcess(node, [launch, '--web', '--config', config], { home, env })
  const [url] = await program.line(/http:\/\/\S+TOKEN=\S+/)
  return { ...program, url }
}

/** A browser that reaches this machine only: a request to elsewhere fails at once. `isIsolated`: each site in a process of its own, as people have it. */
export async function startBrowser(folder, { isIsolated = false } = {}) {
  const debian = '/usr/bin/chromium'
  const isDebian = existsSync(debian)
  const flags = isDebian
    ? ['--no-sandbox', '--disable-gpu']
    : chromium.args.filter((flag) => flag !== '--single-process' && !(isIsolated && shared.includes(flag)))
  return launcher.launch({
    executablePath: isDebian ? debian : await chromium.executablePath(),
    args: [
      ...flags,
      ...(isIsolated ? ['--site-per-process'] : []),
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE *.localhost',
    ],
    env: { ...process.env, HOME: folder, PATH: `${dirname(process.execPath)}:${process.env.PATH}` },
  })
}

const shared = ['--disable-web-security', '--disable-site-isolation-trials']

/** Resident memory of a process. */
export function rssMb(pid) {
  return (Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) * 1024) / 1e6
}

export function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
