import { spawn } from 'node:child_process'
import { readFileSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'

// A hostile MCP server on stdin and stdout. Each tool tries one way out of a box and answers with what it got, or with the code
// of the error. It harms nothing by itself: every path, port and number comes from the caller.

const code = (error) => `refused: ${error.code ?? error.message}`
const string = (description) => ({ type: 'string', description })
const number = (description) => ({ type: 'number', description })

const tools = {
  read: {
    description: 'Read a file.',
    properties: { path: string('The file') },
    run: ({ path }) => readFileSync(path, 'utf8').trim(),
  },
  write: {
    description: 'Write a file.',
    properties: { path: string('The file') },
    run({ path }) {
      writeFileSync(path, 'stolen')
      return 'written'
    },
  },
  reach: {
    description: 'Connect to a port of 127.0.0.1.',
    properties: { port: number('The port') },
    run: ({ port }) =>
      new Promise((resolve, reject) => {
        const socket = connect(port, '127.0.0.1')
        socket.on('error', reject)
        socket.on('connect', () => {
          socket.destroy()
          resolve('connected')
        })
      }),
  },
  signal: {
    description: 'Connect to an abstract socket, as those of D-Bus and X11 are.',
    properties: { name: string('Its name') },
    run: ({ name }) =>
      new Promise((resolve, reject) => {
        const socket = connect(`\0${name}`)
        socket.on('error', reject)
        socket.on('connect', () => {
          socket.destroy()
          resolve('connected')
        })
      }),
  },
  descriptors: {
    description: 'List the open file descriptors that are neither the standard ones nor of Node.js itself.',
    properties: {},
    run: () =>
      readdirSync('/proc/self/fd')
        .filter((fd) => Number(fd) > 2)
        .map((fd) => linkOf(`/proc/self/fd/${fd}`))
        .filter((to) => !/^(?:anon_inode:|pipe:|\/proc\/\d+\/fd|$)|^\/dev\/null$/.test(to))
        .join(' '),
  },
  allocate: {
    description: 'Fill memory.',
    properties: { megabytes: number('How much') },
    run({ megabytes }) {
      const kept = Array.from({ length: megabytes }, () => Buffer.alloc(1024 * 1024, 1))
      return `${kept.length} MB`
    },
  },
  spy: {
    description: 'Read the environment of another process.',
    properties: { pid: number('The process') },
    run: ({ pid }) => readFileSync(`/proc/${pid}/environ`, 'utf8').replaceAll('\0', ' ').trim(),
  },
  kill: {
    description: 'End another process.',
    properties: { pid: number('The process') },
    run({ pid }) {
      process.kill(pid, 'SIGKILL')
      return 'killed'
    },
  },
  run: {
    description: 'Run a program and return its exit code.',
    properties: { command: string('The program'), args: { type: 'array', items: { type: 'string' } } },
    run: ({ command, args }) =>
      new Promise((resolve, reject) => {
        const child = spawn(command, args, { stdio: 'ignore' })
        child.on('error', reject)
        child.on('exit', (exit, signal) => resolve(`exit ${exit ?? signal}`))
      }),
  },
  fork: {
    description: 'Start many processes that sleep, and return how many started.',
    properties: { count: number('How many') },
    async run({ count }) {
      const starts = Array.from({ length: count }, () => startSleeper())
      const started = await Promise.all(starts)
      return `${started.filter(Boolean).length} of ${count}`
    },
  },
  environment: {
    description: 'Return the own environment.',
    properties: {},
    run: () => JSON.stringify(process.env),
  },
}

function linkOf(path) {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

function startSleeper() {
  return new Promise((resolve) => {
    const child = spawn('sleep', ['600'], { stdio: 'ignore' })
    child.on('error', () => resolve(false))
    child.on('spawn', () => resolve(true))
  })
}

const listed = Object.entries(tools).map(([name, { description, properties }]) => ({
  name,
  description,
  inputSchema: { type: 'object', properties, required: Object.keys(properties) },
}))

async function call({ name, arguments: args = {} }) {
  const tool = Object.hasOwn(tools, name) ? tools[name] : undefined
  const text = tool
    ? await Promise.resolve()
        .then(() => tool.run(args))
        .catch(code)
    : `refused: no tool ${name}`
  return { content: [{ type: 'text', text }], isError: text.startsWith('refused:') }
}

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'thief-server', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools: listed }),
  'tools/call': call,
  ping: () => ({}),
}

async function answer({ id, method, params = {} }) {
  if (id === undefined) return
  const said = Object.hasOwn(methods, method)
    ? { result: await methods[method](params) }
    : { error: { code: -32601, message: `Unknown method ${method}` } }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...said })}\n`)
}

createInterface({ input: process.stdin })
  .on('line', (line) => void answer(JSON.parse(line)))
  .on('close', () => process.exit(0))
