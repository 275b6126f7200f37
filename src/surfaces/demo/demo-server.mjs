import { createInterface } from 'node:readline'

// The server of `--demo`: a small MCP server on stdin and stdout. It uses no network and no files; its notes are in memory.

const notes = ['Buy milk.', 'Water the plants.']
const text = (value) => ({ content: [{ type: 'text', text: value }] })
const failure = (value) => ({ ...text(value), isError: true })
const string = (description) => ({ type: 'string', description })
const object = (properties, required = Object.keys(properties)) => ({ type: 'object', properties, required })
const reads = { readOnlyHint: true }

const tools = [
  {
    name: 'echo',
    description: 'Repeat a message.',
    inputSchema: object({ message: string('The text to repeat') }),
    annotations: reads,
    run: ({ message }) => text(String(message)),
  },
  {
    name: 'sum',
    description: 'Add two numbers and return the sum.',
    inputSchema: object({ a: { type: 'number' }, b: { type: 'number' } }),
    annotations: reads,
    run: ({ a, b }) => text(String(Number(a) + Number(b))),
  },
  {
    name: 'list_notes',
    description: 'List all notes.',
    inputSchema: object({}),
    annotations: reads,
    run: () => text(notes.map((note, index) => `${index + 1}. ${note}`).join('\n')),
  },
  {
    name: 'write_note',
    description: 'Write a new note.',
    inputSchema: object({ text: string('The text of the note') }),
    annotations: { readOnlyHint: false, destructiveHint: false },
    run: (args) => text(`Note ${writeNote(String(args.text))} is written.`),
  },
  {
    name: 'long_report',
    description: 'Return a long report, to see how large results are shortened.',
    inputSchema: object({ lines: { type: 'integer', minimum: 1, maximum: 20_000 } }, []),
    annotations: reads,
    run: ({ lines = 5000 }) => text(Array.from({ length: lines }, (_, at) => reportLine(at + 1)).join('\n')),
  },
  {
    name: 'greet',
    description: 'Ask the person for a name, then greet them.',
    inputSchema: object({}),
    annotations: reads,
    run: greet,
  },
]

function reportLine(number) {
  return `Line ${number}: everything is in order at station ${(number * 7) % 100}.`
}

async function greet() {
  if (!client.elicitation) return failure('Nobody can be asked here: the client has no way to ask a person.')
  const answer = await request('elicitation/create', {
    message: 'What is your name?',
    requestedSchema: object({ name: { type: 'string', title: 'Name', maxLength: 60 } }),
  })
  return answer.action === 'accept' ? text(`Good day, ${answer.content.name}!`) : text('Good day, stranger!')
}

const allNotes = 'notes:///all'
const resources = [{ uri: allNotes, name: 'All notes', mimeType: 'text/plain' }]
const resourceTemplates = [{ uriTemplate: 'notes:///{number}', name: 'One note', mimeType: 'text/plain' }]
const styles = ['short', 'long', 'rhymed']
const prompts = [
  {
    name: 'summarize_notes',
    description: 'Asks for a summary of the notes.',
    arguments: [{ name: 'style', description: 'How it should sound', required: true }],
  },
]
let isSubscribed = false

function writeNote(note) {
  const number = notes.push(note)
  if (isSubscribed) send({ method: 'notifications/resources/updated', params: { uri: allNotes } })
  return number
}

function readNotes(uri) {
  if (uri === allNotes) return notes.join('\n')
  const note = notes[Number(/^notes:\/\/\/(\d+)$/.exec(uri)?.[1]) - 1]
  if (note === undefined) throw Object.assign(new Error(`There is no resource ${uri}.`), { code: -32002 })
  return note
}

let client = {}
let lastId = 0
const waiting = new Map()

function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}

function request(method, params) {
  const id = `demo-${++lastId}`
  send({ id, method, params })
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }))
}

const methods = {
  initialize({ protocolVersion, capabilities = {} }) {
    client = capabilities
    return {
      protocolVersion,
      capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {} },
      serverInfo: { name: 'plugboard-demo', version: '1.0.0' },
    }
  },
  ping: () => ({}),
  'tools/list': () => ({ tools: tools.map(({ run: _run, ...tool }) => tool) }),
  'tools/call'({ name, arguments: args = {} }) {
    const tool = tools.find((each) => each.name === name)
    if (!tool) throw Object.assign(new Error(`There is no tool ${name}.`), { code: -32602 })
    return tool.run(args)
  },
  'resources/list': () => ({ resources }),
  'resources/templates/list': () => ({ resourceTemplates }),
  'resources/read': ({ uri }) => ({ contents: [{ uri, mimeType: 'text/plain', text: readNotes(uri) }] }),
  'resources/subscribe': () => {
    isSubscribed = true
    return {}
  },
  'resources/unsubscribe': () => {
    isSubscribed = false
    return {}
  },
  'prompts/list': () => ({ prompts }),
  'prompts/get': ({ arguments: { style = 'short' } = {} }) => ({
    messages: [
      { role: 'user', content: { type: 'text', text: `Write a ${style} summary:\n${notes.join('\n')}` } },
    ],
  }),
  'completion/complete': ({ argument: { value = '' } = {} }) => ({
    completion: { values: styles.filter((style) => style.startsWith(value)) },
  }),
}

async function receive(line) {
  const message = JSON.parse(line)
  if (message.method === undefined) {
    const { resolve, reject } = waiting.get(message.id) ?? {}
    waiting.delete(message.id)
    return message.error ? reject?.(new Error(message.error.message)) : resolve?.(message.result)
  }
  if (message.id === undefined) return undefined
  const method = methods[message.method]
  if (!method) return send({ id: message.id, error: { code: -32601, message: 'Method not found' } })
  try {
    send({ id: message.id, result: await method(message.params ?? {}) })
  } catch (error) {
    send({ id: message.id, error: { code: error.code ?? -32603, message: error.message } })
  }
  return undefined
}

process.stdout.on('error', () => process.exit(0))
createInterface({ input: process.stdin })
  .on('line', (line) => void receive(line))
  .on('close', () => process.exit(0))
