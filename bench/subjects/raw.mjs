import { spawn } from 'node:child_process'
import { connect as connectSocket } from 'node:net'

// The lower limit: a pipe or a socket and JSON, without error handling, timeouts or anything else a client needs.

export async function open(servers) {
  const connections = new Map()
  return {
    async use(name) {
      const server = servers.find((one) => one.name === name)
      const connection = server.url ? openHttp(server.url) : await openPipe(server)
      connections.set(name, connection)
      const { request, notify } = connection
      await request('initialize', {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'raw', version: '1.0.0' },
      })
      notify('notifications/initialized')
      return {
        list: async () => (await request('tools/list', {})).tools,
        call: (tool, args) => request('tools/call', { name: tool, arguments: args }),
      }
    },
    close: () => Promise.all([...connections.values()].map((connection) => connection.close())),
  }
}

/** Joins everything sent in one tick into one write. */
async function openPipe({ command, args }) {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] })
  await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject))
  const exited = new Promise((resolve) => child.once('exit', resolve))
  const waiting = new Map()
  let nextId = 1
  let tick = ''
  let parts = []

  child.stdout.setEncoding('utf8')
  child.stdout.on('data', (chunk) => {
    let start = 0
    for (let end = chunk.indexOf('\n'); end >= 0; end = chunk.indexOf('\n', start)) {
      let line = chunk.slice(start, end)
      if (parts.length > 0) {
        parts.push(line)
        line = parts.join('')
        parts = []
      }
      start = end + 1
      settle(waiting, JSON.parse(line))
    }
    if (start < chunk.length) parts.push(chunk.slice(start))
  })

  const flush = () => {
    child.stdin.write(tick)
    tick = ''
  }
  const send = (message) => {
    if (tick === '') process.nextTick(flush)
    tick += `${JSON.stringify(message)}\n`
  }
  return {
    request: (method, params) =>
      new Promise((resolve, reject) => {
        const id = nextId++
        waiting.set(id, { resolve, reject })
        send({ jsonrpc: '2.0', id, method, params })
      }),
    notify: (method) => send({ jsonrpc: '2.0', method }),
    async close() {
      child.stdin.end()
      await exited
    },
  }
}

function settle(waiting, { id, result, error }) {
  const { resolve, reject } = waiting.get(id)
  waiting.delete(id)
  if (error) reject(new Error(error.message))
  else resolve(result)
}

/** One socket per request in flight, reused for later requests, and a constant header. */
function openHttp(address) {
  const { hostname, port, pathname } = new URL(address)
  const head = `POST ${pathname} HTTP/1.1\r\nhost: ${hostname}:${port}\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\nmcp-protocol-version: 2025-11-25\r\ncontent-length: `
  const free = []
  const all = []
  let nextId = 1

  const post = (message) =>
    new Promise((resolve, reject) => {
      const socket = free.pop() ?? openSocket()
      socket.waiting = { resolve, reject }
      const body = JSON.stringify(message)
      socket.write(`${head}${Buffer.byteLength(body)}\r\n\r\n${body}`)
    })

  function openSocket() {
    const socket = connectSocket({ host: hostname, port: Number(port), noDelay: true })
    all.push(socket)
    let text = ''
    socket.setEncoding('latin1')
    socket.on('data', (chunk) => {
      text = text === '' ? chunk : text + chunk
      const end = text.indexOf('\r\n\r\n')
      if (end < 0) return
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0)
      if (text.length < end + 4 + length) return
      const body = Buffer.from(text.slice(end + 4), 'latin1').toString('utf8')
      text = ''
      const { resolve, reject } = socket.waiting
      free.push(socket)
      const { result, error } = length > 0 ? JSON.parse(body) : {}
      if (error) reject(new Error(error.message))
      else resolve(result)
    })
    return socket
  }

  return {
    request: (method, params) => post({ jsonrpc: '2.0', id: nextId++, method, params }),
    notify: (method) => void post({ jsonrpc: '2.0', method }),
    async close() {
      for (const socket of all) socket.destroy()
    },
  }
}
