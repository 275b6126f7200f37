import { createInterface } from 'node:readline'
import { prompts, readResource, resources, templates, tools } from './server-offers.mjs'

// The fixture server behind the gateway in its conformance run: over stdio, in one era. `node server.mjs legacy|modern`.
const isModern = process.argv[2] === 'modern'
const prefix = 'io.modelcontextprotocol/'
const info = { name: 'fixture', version: '1.0.0' }
const lists = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
}
const asked = new Map()
const listeners = new Map()
const added = { tools: 0, prompts: 0 }
let clientCapabilities = {}
let nextId = 1

const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const notify = (method, params) => write({ method, params })

createInterface({ input: process.stdin }).on('line', (line) => void receive(JSON.parse(line)))

async function receive({ id, method, params = {}, result, error }) {
  if (method === undefined) {
    const { resolve, reject } = asked.get(id) ?? {}
    asked.delete(id)
    if (error) reject?.(error)
    else resolve?.(result)
    return
  }
  if (id === undefined) return
  try {
    const answer = await respond(method, params, id)
    if (answer !== undefined) write({ id, result: isModern ? { resultType: 'complete', ...answer } : answer })
  } catch (thrown) {
    const { code = -32603, message = String(thrown), data } = thrown
    write({ id, error: { code, message, ...(data && { data }) } })
  }
}

async function respond(method, params, id) {
  const keep = isModern ? { ttlMs: 5000, cacheScope: 'public' } : {}
  if (isModern && method === 'server/discover')
    return {
      supportedVersions: ['2026-07-28'],
      capabilities: { ...lists, completions: {}, logging: {} },
      ...keep,
      _meta: { [`${prefix}serverInfo`]: info },
    }
  if (isModern && method === 'subscriptions/listen') return listen(params, id)
  if (!isModern && method === 'initialize') {
    clientCapabilities = params.capabilities ?? {}
    return {
      protocolVersion: '2025-11-25',
      capabilities: { ...lists, completions: {}, logging: {} },
      serverInfo: info,
    }
  }
  if (
    !isModern &&
    ['ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe'].includes(method)
  )
    return {}
  if (method === 'tools/list') return { tools: [...listTools()], ...keep }
  if (method === 'prompts/list') return { prompts: [...listPrompts()], ...keep }
  if (method === 'resources/list')
    return {
      resources: Object.entries(resources).map(([uri, { mimeType }]) => ({
        uri,
        name: uri.slice(7),
        description: `The resource ${uri}`,
        mimeType,
      })),
      ...keep,
    }
  if (method === 'resources/templates/list') return { resourceTemplates: templates, ...keep }
  if (method === 'tools/call') return run(tools[params.name] ?? addedTool(params.name), params)
  if (method === 'prompts/get') return run(prompts[params.name], params)
  if (method === 'completion/complete')
    return { completion: { values: ['paris', 'park'], total: 2, hasMore: false } }
  if (method === 'resources/read') {
    const read = readResource(params.uri)
    if (read) return { ...read, ...keep }
    throw { code: isModern ? -32602 : -32002, message: 'Resource not found', data: { uri: params.uri } }
  }
  throw { code: -32601, message: `Method not found: ${method}` }
}

function* listTools() {
  for (const [name, { inputSchema = { type: 'object', properties: {} } }] of Object.entries(tools))
    yield { name, description: `The tool ${name}`, inputSchema }
  for (let n = 1; n <= added.tools; n++)
    yield { name: `added_${n}`, description: 'Added', inputSchema: { type: 'object' } }
}

function* listPrompts() {
  for (const [name, { arguments: args }] of Object.entries(prompts))
    yield { name, description: `The prompt ${name}`, ...(args && { arguments: args }) }
  for (let n = 1; n <= added.prompts; n++) yield { name: `added_${n}`, description: 'Added' }
}

function addedTool(name) {
  return /^added_\d+$/.test(name)
    ? { run: () => ({ content: [{ type: 'text', text: 'Added.' }] }) }
    : undefined
}

/** Runs a tool or a prompt until it has a result. A modern client sends the answers itself. */
async function run(offer, { arguments: args = {}, _meta: meta = {}, inputResponses, requestState }) {
  if (!offer) throw { code: -32602, message: 'There is no such tool or prompt.' }
  const capabilities = isModern ? (meta[`${prefix}clientCapabilities`] ?? {}) : clientCapabilities
  const token = meta.progressToken
  const context = {
    args,
    capabilities,
    log(entry) {
      if (!isModern || meta[`${prefix}logLevel`] !== undefined) notify('notifications/message', entry)
    },
    progress: (done) =>
      token !== undefined && notify('notifications/progress', { progressToken: token, ...done }),
    changed,
  }
  let responses = isModern && isRecord(inputResponses) ? inputResponses : {}
  let state = isModern ? requestState : undefined
  for (;;) {
    const result = await offer.run({ ...context, responses, state })
    if (!result.ask) return result
    if (isModern)
      return {
        resultType: 'input_required',
        inputRequests: result.ask,
        ...(result.state && { requestState: result.state }),
      }
    const answers = Object.entries(result.ask).map(async ([key, { method, params }]) => [
      key,
      // The gateway gives it to modern clients.
      await ask(method, { ...params, _meta: { 'plugboard/key': key } }),
    ])
    responses = Object.fromEntries(await Promise.all(answers))
    state = result.state
  }
}

function ask(method, params) {
  const id = `ask-${nextId++}`
  return new Promise((resolve, reject) => {
    asked.set(id, { resolve, reject })
    write({ id, method, params })
  })
}

function isRecord(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function listen({ notifications = {} }, id) {
  const meta = { [`${prefix}subscriptionId`]: id }
  listeners.set(id, { notifications, meta })
  notify('notifications/subscriptions/acknowledged', { notifications, _meta: meta })
  return undefined
}

function changed(list) {
  added[list]++
  if (!isModern) notify(`notifications/${list}/list_changed`)
  for (const { notifications, meta } of listeners.values())
    if (notifications[`${list}ListChanged`]) notify(`notifications/${list}/list_changed`, { _meta: meta })
}
