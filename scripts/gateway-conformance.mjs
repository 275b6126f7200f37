import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isWanted, listAllScenarios, listScenarios, report, runScenario } from './conformance-suite.mjs'
import { root } from './run.mjs'

// Runs the server scenarios of the official conformance suite against the gateway, over a fixture server of either era.
// `npm run conformance:gateway [-- SCENARIO…]`. The suite knows no token, so a proxy adds it to each request.
const revisions = ['2025-11-25', '2026-07-28']
const servers = ['legacy', 'modern']
/** What the suite has beside the required scenarios. */
const others = {
  '2025-11-25': ['server-session-lifecycle', 'json-schema-2020-12'],
  '2026-07-28': ['json-schema-2020-12', 'http-header-validation', 'http-custom-header-server-validation'],
}
/** The suite itself skips all of its checks: they await a rewrite. */
const skipped = new Set(['tasks-status-notifications'])
const rows = []

for (const server of servers) {
  const gateway = await startGateway(server)
  for (const revision of revisions) {
    const required = (await listScenarios('server', revision)).filter(({ isRequired }) => isRequired)
    for (const name of [...required.map((each) => each.name), ...others[revision]].filter(isWanted)) {
      const args = ['server', '--url', gateway.url, '--scenario', name, '--spec-version', revision]
      const { isGood, passed, total, log } = await runScenario(args)
      const title = `${server} ${revision} ${name}`
      const verdict = isGood ? 'pass' : 'FAIL'
      rows.push({ title, verdict })
      console.log(
        `${revision}  over ${server}  ${name.padEnd(46)} ${`${passed}/${total}`.padStart(6)}  ${verdict}`,
      )
      if (verdict === 'FAIL') console.log(log)
    }
  }
  await gateway.close()
}
await runExtensions()
report(rows)

/** The scenarios of extensions belong to no revision; a server of their own has what they need. */
async function runExtensions() {
  const all = await listAllScenarios('server')
  const names = all.filter(({ revisions: of }) => of.includes('extension')).map(({ name }) => name)
  const gateway = await startGateway('extensions')
  for (const name of names.filter((each) => isWanted(each) && !skipped.has(each))) {
    const { isGood, passed, total, log } = await runScenario([
      'server',
      '--url',
      gateway.url,
      '--scenario',
      name,
    ])
    const verdict = isGood ? 'pass' : 'FAIL'
    rows.push({ title: name, verdict })
    console.log(`extension   ${name.padEnd(60)} ${`${passed}/${total}`.padStart(6)}  ${verdict}`)
    if (!isGood) console.log(log)
  }
  await gateway.close()
}

async function startGateway(era) {
  const home = mkdtempSync(join(tmpdir(), 'plugboard-conformance-'))
  mkdirSync(join(home, '.config/plugboard'), { recursive: true })
  mkdirSync(join(home, 'work'))
  writeFileSync(
    join(home, '.config/plugboard/settings.json'),
    JSON.stringify({ views: { suite: { servers: ['suite'], prefix: false } } }),
  )
  const config = join(home, 'mcp.json')
  const file = era === 'extensions' ? 'extension-server.mjs' : 'server.mjs'
  const entry = { command: process.execPath, args: [join(root, 'test/conformance', file), era] }
  writeFileSync(config, JSON.stringify({ mcpServers: { suite: entry } }))
  const env = { ...process.env, HOME: home, XDG_CONFIG_HOME: '', XDG_STATE_HOME: '', XDG_CACHE_HOME: '' }
  const args = [
    join(root, 'dist/cli/plugboard.cjs'),
    'gateway',
    '--port',
    '0',
    '--sessions',
    '--json',
    '--config',
    config,
  ]
  const child = spawn(process.execPath, args, {
    env,
    cwd: join(home, 'work'),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const line = await new Promise((resolve, reject) => {
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
      try {
        resolve(JSON.parse(text))
      } catch {
        // Not whole yet.
      }
    })
    child.once('exit', () => reject(new Error(`The gateway ended: ${text}`)))
  })
  const proxy = await startProxy(new URL(line.url), line.token)
  return {
    url: `http://127.0.0.1:${proxy.address().port}/mcp/suite`,
    async close() {
      proxy.close()
      proxy.closeAllConnections()
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await ended
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** Passes requests on with the token. Hosts and origins of others stay as they are: refusing them is the gateway's part. */
function startProxy({ host, hostname, port }, token) {
  const server = createServer((request, response) => {
    const own = `127.0.0.1:${server.address().port}`
    const headers = { ...request.headers, authorization: `Bearer ${token}` }
    if (headers.host === own) headers.host = host
    if (headers.origin === `http://${own}`) headers.origin = `http://${host}`
    const { method, url: path } = request
    const passed = httpRequest({ hostname, port, path, method, headers }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers)
      response.flushHeaders()
      answer.pipe(response)
    })
    passed.on('error', () => response.destroy())
    response.on('close', () => passed.destroy())
    request.pipe(passed)
  })
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
}
