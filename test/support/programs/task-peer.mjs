// A server process of one generation of tasks over HTTP, by raw messages: `node task-peer.mjs modern|legacy`. It prints its
// port. Tasks live in it: `finish` ends one, `state` shows what it was asked, `refuse` makes a method fail until `mend`.
import { createServer } from 'node:http'

const era = process.argv[2]
const tasks = new Map()
const seen = []
/** Methods that are refused with a code: `/refuse/tasks/get/-32603`. */
const refused = new Map()
const taskTool = {
  name: 'brew',
  description: 'Runs until it is told to end',
  inputSchema: { type: 'object', properties: { what: { type: 'string' }, asks: { type: 'boolean' } } },
  ...(era === 'legacy' && { execution: { taskSupport: 'required' } }),
}
const quickTool = {
  name: 'look',
  description: 'Answers at once',
  inputSchema: { type: 'object', properties: {} },
}
const text = (value) => ({ content: [{ type: 'text', text: value }] })

function shown({ taskId, status }) {
  const at = new Date(0).toISOString()
  const times = era === 'modern' ? { ttlMs: null, pollIntervalMs: 1 } : { ttl: 60_000, pollInterval: 1 }
  return { taskId, status, createdAt: at, lastUpdatedAt: at, ...times }
}

const unknown = { error: { code: -32602, message: 'Unknown task' } }

const methods = {
  'server/discover': () =>
    era === 'modern'
      ? {
          result: {
            resultType: 'complete',
            supportedVersions: ['2026-07-28'],
            capabilities: { tools: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } },
            ttlMs: 60_000,
            cacheScope: 'private',
          },
        }
      : { error: { code: -32601, message: 'Method not found' } },
  initialize: () => ({
    result: {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {}, tasks: { cancel: {}, requests: { tools: { call: {} } } } },
      serverInfo: { name: 'peer', version: '1' },
    },
  }),
  'tools/list': () => ({ result: { tools: [taskTool, quickTool], ttlMs: 60_000, cacheScope: 'private' } }),
  'tools/call'({ name, arguments: args }) {
    if (name === 'look') return { result: text('seen') }
    const taskId = `secret-task-id-${tasks.size + 1}-${'x'.repeat(12)}`
    const task = { taskId, status: 'working', args }
    tasks.set(taskId, task)
    return { result: era === 'modern' ? { resultType: 'task', ...shown(task) } : { task: shown(task) } }
  },
  'tasks/get'({ taskId }) {
    const task = tasks.get(taskId)
    if (!task) return unknown
    if (task.args?.asks && !task.answer && task.status === 'working') {
      const question = {
        method: 'elicitation/create',
        params: {
          mode: 'form',
          message: 'How strong?',
          requestedSchema: { type: 'object', properties: { cups: { type: 'integer' } } },
        },
      }
      return {
        result: {
          resultType: 'complete',
          ...shown({ taskId, status: 'input_required' }),
          inputRequests: { strength: question },
        },
      }
    }
    const isInline = era === 'modern' && task.status === 'completed'
    return { result: { resultType: 'complete', ...shown(task), ...(isInline && { result: task.result }) } }
  },
  'tasks/update'({ taskId, inputResponses }) {
    const task = tasks.get(taskId)
    if (!task) return unknown
    task.answer = inputResponses
    return { result: { resultType: 'complete' } }
  },
  'tasks/result': ({ taskId }) =>
    tasks.get(taskId)?.result ? { result: tasks.get(taskId).result } : unknown,
  'tasks/cancel'({ taskId }) {
    const task = tasks.get(taskId)
    if (!task) return unknown
    task.status = 'cancelled'
    return { result: era === 'modern' ? { resultType: 'complete' } : shown(task) }
  },
}

function order(path) {
  if (path === '/finish') {
    for (const task of tasks.values())
      if (task.status === 'working')
        Object.assign(task, {
          status: 'completed',
          result: text(`brewed ${task.args?.what ?? 'tea'} ${JSON.stringify(task.answer ?? null)}`),
        })
  }
  if (path === '/forget') tasks.clear()
  if (path === '/mend') refused.clear()
  const [, method, code] = /^\/refuse\/(.+)\/(-\d+)$/.exec(path) ?? []
  if (method) refused.set(method, Number(code))
  return { seen, statuses: [...tasks.values()].map(({ status }) => status) }
}

async function answer(request, response) {
  let body = ''
  for await (const chunk of request.setEncoding('utf8')) body += chunk
  if (request.url !== '/mcp') return response.end(JSON.stringify(order(request.url)))
  if (request.method !== 'POST') return response.writeHead(405).end()
  const { id, method, params } = JSON.parse(body)
  if (id === undefined) return response.writeHead(202).end()
  seen.push(method)
  const code = refused.get(method)
  const refusal = code && { error: { code, message: 'It is broken' } }
  const answered = refusal ??
    methods[method]?.(params ?? {}) ?? { error: { code: -32601, message: 'Method not found' } }
  response.writeHead(200, { 'content-type': 'application/json' })
  return response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answered }))
}

const server = createServer((request, response) => void answer(request, response))
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`))
