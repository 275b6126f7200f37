import { ProtocolError, Server, fromJsonSchema } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { pathToFileURL } from 'node:url'
import * as offers from './offers.mjs'

const extension = 'io.modelcontextprotocol/tasks'
const anyParams = { params: fromJsonSchema({ type: 'object' }) }
const object = { type: 'object', properties: {} }

export const taskTools = [
  { name: 'bake', description: 'Takes two looks to finish', inputSchema: object },
  { name: 'burn', description: 'Fails as a task', inputSchema: object },
  { name: 'order', description: 'Needs an answer while it runs', inputSchema: object },
  { name: 'stew', description: 'Ends only when it is cancelled', inputSchema: object },
]

/** The tasks extension on the low-level server of SDK v2; each `tasks/get` advances a task by one step. */
export function createTaskServer(note, tasks) {
  const server = new Server(
    { name: 'peer-tasks', version: '1.0.0' },
    { capabilities: { tools: {}, extensions: { [extension]: {} } } },
  )
  const find = ({ taskId }) => {
    const task = tasks.get(taskId)
    if (!task) throw new ProtocolError(-32602, `Unknown task ${taskId}`)
    return task
  }
  server.setRequestHandler('tools/list', () => ({ tools: taskTools }))
  server.setRequestHandler('tools/call', ({ params }, { mcpReq }) => {
    const capabilities = mcpReq.envelope?.['io.modelcontextprotocol/clientCapabilities']
    if (!capabilities?.extensions?.[extension]) return offers.text(`${params.name} without a task`)
    const task = { taskId: `task-${tasks.size + 1}`, name: params.name, looks: 0, status: 'working' }
    tasks.set(task.taskId, task)
    note(`started ${task.taskId}`)
    return { resultType: 'task', ...shown(task) }
  })
  server.setRequestHandler('tasks/get', anyParams, (params) => {
    const task = find(params)
    task.looks++
    note(`looked at ${task.taskId}`)
    return steps[task.name](task)
  })
  server.setRequestHandler('tasks/update', anyParams, (params, { mcpReq }) => {
    const task = find(params)
    task.answer = mcpReq.inputResponses
    note(`updated ${task.taskId}`)
    return {}
  })
  server.setRequestHandler('tasks/cancel', anyParams, (params) => {
    const task = find(params)
    task.status = 'cancelled'
    note(`cancelled ${task.taskId}`)
    return {}
  })
  return server
}

const steps = {
  bake(task) {
    if (task.looks < 2) return shown(task)
    return { ...shown({ ...task, status: 'completed' }), result: offers.text('a cake') }
  },
  burn(task) {
    const error = { code: -32_603, message: 'the oven is on fire' }
    return { ...shown({ ...task, status: 'failed' }), error }
  },
  order(task) {
    if (task.answer) {
      const result = offers.text(JSON.stringify(task.answer))
      return { ...shown({ ...task, status: 'completed' }), result }
    }
    const inputRequests = { name: { method: 'elicitation/create', params: offers.question } }
    return { ...shown({ ...task, status: 'input_required' }), inputRequests }
  },
  stew: (task) => shown(task),
}

function shown({ taskId, status }) {
  const at = '2026-01-01T00:00:00Z'
  return { taskId, status, createdAt: at, lastUpdatedAt: at, ttlMs: null, pollIntervalMs: 1 }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const tasks = new Map()
  serveStdio(() => createTaskServer(offers.noteOnStderr, tasks))
}
