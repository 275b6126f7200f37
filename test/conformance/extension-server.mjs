import { createHash } from 'node:crypto'
import { createInterface } from 'node:readline'

// The fixture server of the extensions: tasks (SEP-2663) and skills (SEP-2640), over stdio in the modern era.
const prefix = 'io.modelcontextprotocol/'
const tasksKey = `${prefix}tasks`
const skillsKey = `${prefix}skills`
const tasks = new Map()
const timers = new Map()
let last = 0

const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const text = (value) => ({ content: [{ type: 'text', text: value }] })
const missing = () => ({
  code: -32021,
  message: 'The client does not follow tasks.',
  data: { requiredCapabilities: { extensions: { [tasksKey]: {} } } },
})
const unknown = (what) => ({ code: -32602, message: `There is no such ${what}.` })
const elicit = (message, name) => ({
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message,
    requestedSchema: { type: 'object', properties: { [name]: { type: 'string' } }, required: [name] },
  },
})

/** What each tool does: a result at once, or the work of a task. */
const tools = {
  greet: { run: ({ name = 'World' }) => text(`Hello, ${name}!`) },
  slow_compute: {
    work: (task, { seconds = 1 }) => later(task, seconds * 1000, () => ({ result: text('computed') })),
  },
  failing_job: {
    isTask: true,
    work: (task) => later(task, 1000, () => ({ result: { ...text('It failed.'), isError: true } })),
  },
  protocol_error_job: {
    work: (task) => later(task, 100, () => ({ error: { code: -32603, message: 'It broke.' } })),
  },
  confirm_delete: { work: (task) => ask(task, { confirm: elicit('Delete it?', 'confirm') }) },
  multi_input: {
    work: (task) => ask(task, { first: elicit('First?', 'first'), second: elicit('Second?', 'second') }),
  },
  test_tool_with_task: {
    isTask: true,
    first: ({ user_name: answer }) =>
      answer ? undefined : { user_name: elicit('What is your name?', 'user_name') },
    work: (task, _args, { user_name: answer }) =>
      later(task, 100, () => ({ result: text(`Hello, ${JSON.stringify(answer?.content ?? {})}!`) })),
  },
}

const skill = '---\nname: tidy\ndescription: Tidies a folder.\n---\n\n# Tidy\n\nMove what is old.\n'
const files = {
  'skill://tidy/SKILL.md': { mimeType: 'text/markdown', text: skill },
  'skill://tidy/notes/first.md': { mimeType: 'text/markdown', text: '# First\n' },
  'skill://tidy/notes/second.md': { mimeType: 'text/markdown', text: '# Second\n' },
}
const digestOf = (value) => `sha256:${createHash('sha256').update(value).digest('hex')}`
const skills = [
  {
    uri: 'skill://tidy/SKILL.md',
    frontmatter: { name: 'tidy', description: 'Tidies a folder.' },
    resources: Object.entries(files).map(([uri, { text: content }]) => ({
      uri,
      digest: digestOf(content),
      size: Buffer.byteLength(content),
    })),
  },
]

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params = {} } = JSON.parse(line)
  if (id === undefined) return
  try {
    write({ id, result: { resultType: 'complete', ...respond(method, params) } })
  } catch (error) {
    const { code = -32603, message = String(error), data } = error
    write({ id, error: { code, message, ...(data && { data }) } })
  }
})

function respond(method, params) {
  const keep = { ttlMs: 5000, cacheScope: 'public' }
  if (method === 'server/discover')
    return {
      supportedVersions: ['2026-07-28'],
      capabilities: {
        tools: {},
        resources: {},
        extensions: { [tasksKey]: {}, [skillsKey]: { directoryRead: true } },
      },
      ...keep,
      _meta: { [`${prefix}serverInfo`]: { name: 'extensions', version: '1.0.0' } },
    }
  if (method === 'tools/list')
    return {
      tools: Object.entries(tools).map(([name, { isTask, work }]) => ({
        name,
        description: `The tool ${name}`,
        inputSchema: { type: 'object' },
        ...(work && { execution: { taskSupport: isTask ? 'required' : 'optional' } }),
      })),
      ...keep,
    }
  if (method === 'tools/call') return call(params)
  if (method.startsWith('tasks/')) return ofTask(method, params)
  if (method === 'resources/list')
    return {
      resources: [
        {
          uri: 'skill://tidy/SKILL.md',
          name: 'tidy',
          description: 'Tidies a folder.',
          mimeType: 'text/markdown',
        },
      ],
      ...keep,
    }
  if (method === 'resources/templates/list') return { resourceTemplates: [], ...keep }
  if (method === 'skills/list') return { skills, ...keep }
  if (method === 'skills/get') {
    const found = skills.find(({ uri }) => uri === params.uri)
    if (!found) throw unknown('skill')
    return { skill: found, ...keep }
  }
  if (method === 'resources/read') {
    const found = files[params.uri]
    if (!found) throw unknown('resource')
    return { contents: [{ uri: params.uri, ...found }], ...keep }
  }
  if (method === 'resources/directory/read') return { ...readFolder(params), ...keep }
  throw { code: -32601, message: `Method not found: ${method}` }
}

/** One child a page, so that there are several. */
function readFolder({ uri, cursor = '0' }) {
  const start = `${String(uri).replace(/\/$/, '')}/`
  const names = Object.keys(files).filter((each) => each.startsWith(start))
  if (names.length === 0 || !/^\d+$/.test(cursor)) throw unknown('folder')
  const children = [...new Set(names.map((each) => each.slice(start.length).split('/')[0]))]
  const resources = children.map((name) =>
    files[start + name]
      ? { uri: start + name, name, mimeType: 'text/markdown' }
      : { uri: start + name, name, mimeType: 'inode/directory' },
  )
  const at = Number(cursor)
  return {
    resources: resources.slice(at, at + 1),
    ...(at + 1 < resources.length && { nextCursor: String(at + 1) }),
  }
}

function call({ name, arguments: args = {}, inputResponses = {}, _meta: meta = {} }) {
  const tool = tools[name]
  if (!tool) throw unknown('tool')
  if (tool.run) return tool.run(args)
  const follows = meta[`${prefix}clientCapabilities`]?.extensions?.[tasksKey] !== undefined
  if (!follows && tool.isTask) throw missing()
  const questions = tool.first?.(inputResponses)
  if (questions) return { resultType: 'input_required', inputRequests: questions }
  if (name === 'slow_compute' && (args.seconds === 0 || !follows)) return text('computed')
  if (!follows) throw missing()
  const now = new Date().toISOString()
  const task = {
    taskId: `task-${++last}`,
    status: 'working',
    createdAt: now,
    lastUpdatedAt: now,
    ttlMs: 60_000,
    pollIntervalMs: 100,
  }
  tasks.set(task.taskId, task)
  tool.work(task, args, inputResponses)
  const { inputRequests: _asked, ...created } = task
  return { resultType: 'task', ...created, status: 'working' }
}

function ofTask(method, { taskId, inputResponses = {} }) {
  const task = tasks.get(taskId)
  if (!['tasks/get', 'tasks/update', 'tasks/cancel'].includes(method))
    throw { code: -32601, message: `Method not found: ${method}` }
  if (!task) throw unknown('task')
  if (method === 'tasks/get') return task
  if (method === 'tasks/cancel') {
    if (!['completed', 'failed', 'cancelled'].includes(task.status)) {
      clearTimeout(timers.get(taskId))
      change(task, { status: 'cancelled', inputRequests: undefined })
    }
    return {}
  }
  const open = Object.entries(task.inputRequests ?? {}).filter(([key]) => inputResponses[key] === undefined)
  if (task.status === 'input_required')
    change(
      task,
      open.length > 0
        ? { inputRequests: Object.fromEntries(open) }
        : { status: 'completed', inputRequests: undefined, result: text('answered') },
    )
  return {}
}

function change(task, fields) {
  Object.assign(task, fields, { lastUpdatedAt: new Date().toISOString() })
}

function later(task, ms, end) {
  const timer = setTimeout(() => {
    const ended = end()
    change(task, { status: ended.error ? 'failed' : 'completed', ...ended })
  }, ms)
  timers.set(task.taskId, timer)
}

function ask(task, inputRequests) {
  change(task, { status: 'input_required', inputRequests })
}
