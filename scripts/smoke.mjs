import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from './run.mjs'

const maxMs = 120_000

/** `serve --demo` on a free port, until `close`. */
async function startDemo() {
  const entry = join(root, 'dist/cli/plugboard.cjs')
  const child = spawn(process.execPath, [entry, 'serve', '--demo', '--json', '--port', '0'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit')
  let [stdout, terminal] = ['', '']
  child.stderr.setEncoding('utf8').on('data', (chunk) => (terminal += chunk))
  const served = await new Promise((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      stdout += chunk
      if (stdout.endsWith('}\n')) resolve(JSON.parse(stdout))
    })
    exited.then(() => reject(new Error(terminal)), reject)
  })
  return {
    ...served,
    /** What the terminal of `serve` has shown. */
    terminal: () => terminal,
    async close() {
      child.kill('SIGINT')
      const [code] = await exited
      return code
    },
  }
}

/** `npm start -- --smoke`: the exit code. `onAnswer` gets each answer with the key of its route. */
export async function smokeTest({ onAnswer = printOnce() } = {}) {
  const { createClient } = await import('../dist/client.js')
  const demo = await startDemo()
  let isDone = false
  // An event that does not come must not hold the round forever.
  const limit = setTimeout(() => {
    console.error('It takes too long.', demo.terminal())
    process.exit(1)
  }, maxMs)
  try {
    const client = createClient(demo)
    const used = new Set()
    await lookAtPage(demo)
    await smokeRound(client, {
      terminal: demo.terminal,
      cwd: demo.cwd,
      onAnswer(key, answer) {
        used.add(key)
        onAnswer(key, answer)
      },
      onRefused: (key) => used.add(key),
    })
    const document = await (
      await fetch(`${demo.address}/api/openapi.json`, { headers: { authorization: `Bearer ${demo.token}` } })
    ).json()
    const unused = routesOf(document).filter((key) => !used.has(key))
    if (unused.length > 0) throw new Error(`not tried: ${unused.join(', ')}`)
    isDone = true
  } catch (error) {
    console.error(error)
    console.error(demo.terminal())
  }
  const code = await demo.close()
  clearTimeout(limit)
  console.log(isDone && code === 0 ? 'Everything answers.' : 'Something does not work.')
  return isDone && code === 0 ? 0 : 1
}

function printOnce() {
  const printed = new Set()
  return (key) => {
    if (!printed.has(key)) console.log(`ok  ${key}`)
    printed.add(key)
  }
}

function routesOf(document) {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations)
      .map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`)
      .filter((key) => key !== 'GET /api/events'),
  )
}

async function lookAtPage({ address }) {
  const page = await fetch(`${address}/servers/notes`)
  const html = await page.text()
  check(page.ok && html.includes('<script'), 'the page is served')
  check(
    page.headers.get('content-security-policy')?.includes("default-src 'none'"),
    'the page has its policy',
  )
  const [, script] = /src="(\/assets\/[^"]+\.js)"/.exec(html) ?? []
  const asset = await fetch(address + script)
  check(asset.ok && asset.headers.get('cache-control')?.includes('immutable'), 'its script is served')
  check((await fetch(`${address}/api/snapshot`)).status === 401, 'nothing is answered without the token')
}

function check(isTrue, what) {
  if (!isTrue) throw new Error(`not true: ${what}`)
}

/**
 * Uses everything that the API has, once. `onAnswer` gets each answer with the key of its route, `onRefused` a key whose
 * refusal is right; `terminal` is what the
 * terminal of `serve` has shown, for the code.
 */
async function smokeRound(client, { onAnswer, onRefused, terminal, cwd }) {
  const send = async (key, input) => {
    try {
      const answer = await client.send(key, input)
      onAnswer(key, answer)
      return answer
    } catch (error) {
      throw new Error(
        `${key} ${JSON.stringify(input ?? {})}: ${error.message} ${JSON.stringify(error.fault ?? {})}`,
        {
          cause: error,
        },
      )
    }
  }
  /** Sends what has to be refused with this code. */
  const refuse = async (key, input, code) => {
    const found = await send(key, input).then(
      () => 'nothing',
      ({ cause }) => cause?.fault?.code,
    )
    check(found === code, `${key} is refused with ${found}`)
    onRefused(key)
  }
  const ended = new AbortController()
  const events = followEvents(client, ended.signal)
  try {
    await events.until(({ type }) => type === 'snapshot')
    await send('GET /api/snapshot')
    await roundOfServers(send, { terminal, refuse })
    await roundOfOffers(send, events, refuse)
    await roundOfTalk(send, events)
    await roundOfConfig(send, { cwd, terminal })
    await roundOfModels(send, { terminal, refuse })
    await roundOfSafety(send, { refuse })
  } finally {
    ended.abort()
  }
}

async function roundOfServers(send, { terminal, refuse }) {
  const { servers } = await send('GET /api/servers')
  const names = servers.map(({ name }) => name).toSorted()
  check(names.join() === 'demo,ledger,notes,weather', `the servers are ${names.join()}`)
  const notes = { params: { server: 'notes' } }
  const started = await send('POST /api/servers/:server/start', notes)
  check(started.server.state.state === 'ready', 'notes is ready')
  await send('POST /api/servers/:server/restart', notes)
  await send('GET /api/servers/:server', notes)
  await send('GET /api/servers/:server/log', { ...notes, query: { lines: '5' } })
  await send('DELETE /api/servers/:server/cache', notes)
  await send('POST /api/servers/:server/stop', notes)
  const ledger = { params: { server: 'ledger' } }
  const refused = await send('POST /api/servers/:server/start', ledger).then(
    ({ server }) => server.state.state !== 'ready',
    () => true,
  )
  check(refused, 'ledger does not start')
  await send('GET /api/servers/:server', ledger)
  await send('PUT /api/servers/:server/enabled', { ...ledger, body: { enabled: false, isDryRun: true } })
  await send('PUT /api/servers/:server/enabled', { ...ledger, body: { enabled: false } })
  await send('PUT /api/servers/:server/enabled', { ...ledger, body: { enabled: true } })
  await roundOfTrust(send, { terminal })
  // A program has no login; the demo asks no other host.
  await refuse('POST /api/servers/:server/login', { params: { server: 'weather' } }, 'login.failed')
  await refuse(
    'PUT /api/servers/:server/login/address',
    { params: { server: 'weather' }, body: { address: 'http://127.0.0.1/callback' } },
    'usage',
  )
  await send('POST /api/reload')
}

/** A server of the project needs the code of the terminal, both to be added and to be trusted. */
async function roundOfTrust(send, { terminal }) {
  const added = { name: 'extra', scope: 'project', command: 'node', args: ['--version', '${input:word}'] }
  const isRefused = await send('POST /api/servers', { body: added }).then(
    () => false,
    ({ cause }) => cause?.fault?.code === 'code.needed',
  )
  check(isRefused, 'a server is not added without the code')
  await send('POST /api/servers', { body: { ...added, isDryRun: true } })
  const request = await send('POST /api/codes', { body: { for: 'add', subject: 'extra', about: added } })
  const code = codeIn(terminal())
  await send('POST /api/servers', { body: { ...added, request: request.request, code } })
  const extra = { params: { server: 'extra' } }
  await send('PUT /api/servers/:server/inputs/:input', {
    params: { server: 'extra', input: 'word' },
    body: { value: 'hello' },
  })
  const { hash } = await send('GET /api/servers/:server/trust', extra)
  const asked = await send('POST /api/codes', { body: { for: 'trust', subject: 'extra', about: hash } })
  const body = { hash, request: asked.request, code: codeIn(terminal()) }
  await send('POST /api/servers/:server/trust', { ...extra, body })
  await send('DELETE /api/servers/:server/trust', extra)
  await send('DELETE /api/servers/:server/login', { params: { server: 'weather' } })
  await send('DELETE /api/servers/:server', { ...extra, body: {} })
}

function codeIn(terminal) {
  return terminal
    .match(/Code for the page: (\w{6})/g)
    ?.at(-1)
    ?.slice(-6)
}

async function roundOfOffers(send, events, refuse) {
  const { tools } = await send('GET /api/tools')
  const forecast = tools.find(({ tool }) => tool === 'forecast')
  check(forecast, 'the tools are listed')
  const { ref } = forecast
  await send('GET /api/tools/:ref', { params: { ref } })
  const { problems } = await send('POST /api/tools/:ref/check', {
    params: { ref },
    body: { args: { city: 'Oslo', days: 99 } },
  })
  check(problems.length === 1, 'arguments are checked')
  await send('GET /api/search', { query: { words: 'weather' } })
  const { call } = await send('POST /api/calls', { body: { ref, args: { city: 'Oslo', days: 2 } } })
  await events.until(
    (event) => event.type === 'call.changed' && event.call.id === call.id && event.call.state === 'done',
  )
  const detail = await send('GET /api/calls/:call', { params: { call: call.id } })
  check(JSON.stringify(detail.result).includes('Oslo, day 2'), 'the call has its result')
  await send('GET /api/calls/:call/text', { params: { call: call.id }, query: { block: '0' } })
  await send('DELETE /api/calls/:call', { params: { call: call.id } })
  const { calls } = await send('GET /api/calls', { query: { limit: '5' } })
  check(
    calls.some(({ id }) => id === call.id),
    'the call is in the timeline',
  )
  const { resources } = await send('GET /api/resources')
  const resource = resources.find(({ isTemplate }) => !isTemplate)
  check(resource, 'there is a resource')
  const { server, uri } = resource
  await send('GET /api/resource', { query: { server, uri } })
  await send('PUT /api/resource/subscribed', { body: { server, uri, isSubscribed: true } })
  await send('GET /api/tasks')
  await refuse('GET /api/tasks/:task', { params: { task: 'none' } }, 'task.unknown')
  await refuse('POST /api/tasks/:task/cancel', { params: { task: 'none' } }, 'task.unknown')
  await roundOfApps(send, { refuse, call: call.id, server })
  await send('GET /api/skills')
  await refuse('GET /api/skill', { query: { server, uri: 'skill://none/SKILL.md' } }, 'skill.unknown')
  const { prompts } = await send('GET /api/prompts')
  const [prompt] = prompts
  check(prompt, 'there is a prompt')
  const args = Object.fromEntries(prompt.arguments.map(({ name }) => [name, 'a']))
  await send('POST /api/prompts/:ref', { params: { ref: prompt.ref }, body: { args } })
  const [argument] = prompt.arguments
  await send('POST /api/complete', {
    body: { server: prompt.server, prompt: prompt.name, argument: argument?.name ?? 'a', value: '' },
  })
}

/** The demo has no apps: what they need is refused, and what was granted can be listed. */
async function roundOfApps(send, { refuse, call, server }) {
  const params = { app: 'none' }
  const granted = { connect: [], resources: [], frames: [], permissions: [] }
  await refuse('POST /api/apps', { body: { call } }, 'app.unusable')
  await refuse('POST /api/calls/:call/link', { params: { call } }, 'app.unusable')
  await refuse('GET /api/apps/:app/outcome', { params, query: { call } }, 'app.unusable')
  await refuse('POST /api/apps/:app/call', { params, body: { name: 'a', args: {} } }, 'app.unusable')
  await refuse('POST /api/apps/:app/read', { params, body: { uri: 'ui://a' } }, 'app.unusable')
  await send('DELETE /api/apps/:app', { params })
  await send('PUT /api/app-grants', { body: { server, uri: 'ui://a', granted } })
  await send('GET /api/app-grants')
}

async function roundOfTalk(send, events) {
  await send('GET /api/models')
  await send('GET /api/agents')
  const { conversation } = await send('POST /api/conversations', { body: {} })
  const params = { conversation: conversation.id }
  const isOver = (event) =>
    event.type === 'turn' && event.conversation === conversation.id && event.event.type === 'turn.finished'
  await send('POST /api/conversations/:conversation/turns', {
    params,
    body: { text: 'echo the message hello' },
  })
  await events.until(isOver)
  const { messages } = await send('GET /api/conversations/:conversation', { params })
  check(JSON.stringify(messages).includes('hello'), 'the model answered')
  await send('POST /api/conversations/:conversation/turns', {
    params,
    body: { text: 'write note buy bread' },
  })
  const { question } = await events.until(({ type }) => type === 'question.changed')
  await send('GET /api/questions')
  await send('GET /api/questions/:question', { params: { question: question.id } })
  await send('POST /api/questions/:question/answer', {
    params: { question: question.id },
    body: { grant: 'once' },
  })
  await events.until(isOver)
  await send('DELETE /api/conversations/:conversation/turns', { params })
  await send('PATCH /api/conversations/:conversation', { params, body: { title: 'A round' } })
  await send('GET /api/conversations/:conversation/servers', { params })
  const off = { params: { ...params, server: 'notes' }, body: { enabled: false } }
  await send('PUT /api/conversations/:conversation/servers/:server', off)
  await send('GET /conversations/:conversation/mcp', { params })
  await send('PUT /conversations/:conversation/mcp/:server', { ...off, body: { enabled: true } })
  await send('GET /api/conversations/:conversation/export', { params, query: { format: 'markdown' } })
  await send('POST /api/conversations/:conversation/undo', { params })
  await send('GET /api/conversations')
  await send('DELETE /api/conversations/:conversation', { params })
}

async function roundOfConfig(send, { cwd, terminal }) {
  // A key that is written wrong, as a person would: the page offers the one that was meant.
  const own = join(cwd, '.mcp.json')
  const { mcpServers = {} } = JSON.parse(await readFile(own, 'utf8').catch(() => '{}'))
  const text = JSON.stringify({ mcpServers: { ...mcpServers, typo: { command: 'node', arg: ['x.js'] } } })
  await writeFile(own, text)
  await send('POST /api/reload')
  const fixed = await send('POST /api/config/fix', {
    body: { file: own, pointer: '/mcpServers/typo/arg', meant: 'args' },
  })
  check(fixed.isWritten && (await readFile(own, 'utf8')).includes('args'), 'the key is mended')
  const { files } = await send('GET /api/config')
  const file = files.find(({ isFound }) => isFound)
  check(file, 'there is a file')
  await send('GET /api/config/file', { query: { file: file.file } })
  await send('PUT /api/sources/:source', { params: { source: 'cursor' }, body: { enabled: false } })
  await send('GET /api/why', { query: { name: 'notes' } })
  await roundOfCopies(send, { terminal })
  await send('GET /api/doctor')
  await send('GET /api/store')
}

/** What the round called before is in the trail, and the trail is whole. */
async function roundOfSafety(send, { refuse }) {
  const { held } = await send('GET /api/lock')
  check(held.length === 0, 'nothing is held')
  const body = { server: 'weather', kind: 'tool', hash: 'sha256:0' }
  await refuse('POST /api/lock/reject', { body }, 'trust.refused')
  await refuse('POST /api/lock/accept', { body: { ...body, request: '', code: '' } }, 'trust.refused')
  const { rows } = await send('GET /api/audit', { query: { server: 'weather', limit: '5' } })
  check(
    rows.some(({ about }) => about === 'weather/forecast'),
    'the call is in the audit trail',
  )
  const { isWhole } = await send('GET /api/audit/verify')
  check(isWhole, 'the audit trail is whole')
  // The demo has a home of its own: no gateway of the person is seen in it.
  const { gateways, connect } = await send('GET /api/clients')
  check(gateways.length === 0 && connect.command === 'plugboard adopt', 'no client is connected')
  await refuse('POST /api/gateways/:gateway/stop', { params: { gateway: '1' } }, 'usage')
}

/** To the file of another client and back: a code for each, and nothing is written twice. */
async function roundOfCopies(send, { terminal }) {
  const params = { source: 'cursor' }
  for (const [direction, about] of [
    ['export', { only: ['notes'] }],
    ['import', {}],
  ]) {
    const { request } = await send('POST /api/codes', { body: { for: direction, subject: 'cursor', about } })
    const body = { ...about, request, code: codeIn(terminal()) }
    const done = await send(`POST /api/sources/:source/${direction}`, { params, body })
    check(
      done.isWritten === (direction === 'export'),
      `${direction}: the file of the client was written once`,
    )
  }
}

/** The demo has one model and no settings: it says so. */
async function roundOfModels(send, { terminal, refuse }) {
  const tried = await send('POST /api/models/test', { body: { model: 'demo' } })
  check(tried.isOk, 'the demo model answers')
  await refuse('PUT /api/models/default', { body: { model: 'mine/small' } }, 'usage')
  const about = { name: 'mine', kind: 'openai-compatible', address: 'http://127.0.0.1:9/v1' }
  const { request } = await send('POST /api/codes', { body: { for: 'model', subject: 'mine', about } })
  const body = { ...about, request, code: codeIn(terminal()) }
  await refuse('POST /api/models/endpoints', { body }, 'usage')
  await refuse('DELETE /api/models/endpoints/:endpoint', { params: { endpoint: 'mine' } }, 'usage')
}

/** The events so far and those to come; `until` finds the first that was not found before. */
function followEvents(client, signal) {
  const waiting = []
  let failure
  const read = async () => {
    for await (const event of client.follow({ signal })) {
      waiting.push(event)
      wake()
    }
  }
  let wake = () => undefined
  read().catch((error) => {
    failure = error
    wake()
  })
  return {
    async until(isIt) {
      for (;;) {
        const at = waiting.findIndex(isIt)
        if (at !== -1) return waiting.splice(0, at + 1).at(-1)
        if (failure) throw failure
        await new Promise((resolve) => {
          wake = resolve
        })
      }
    },
  }
}
