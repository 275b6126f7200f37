import { createInterface } from 'node:readline'

// A small MCP server for the tests of the page's offers: tools that are large, slow, noisy or failing, and resources.

const object = (properties, required = []) => ({ type: 'object', properties, required })
const text = (value) => ({ content: [{ type: 'text', text: value }] })
let isExtra = false
/** Calls that wait for an answer, by the id of the question. */
const pending = new Map()

const tools = [
  {
    name: 'echo',
    description: 'Say it. And more.',
    inputSchema: object({ text: { type: 'string' } }, ['text']),
    annotations: { readOnlyHint: true },
  },
  { name: 'large', description: 'Much text.', inputSchema: object({ mb: { type: 'number' } }, ['mb']) },
  { name: 'table', description: 'Much data.', inputSchema: object({ rows: { type: 'integer' } }, ['rows']) },
  { name: 'slow', description: 'Never ends.', inputSchema: object({}) },
  { name: 'noisy', description: 'Writes to stderr.', inputSchema: object({}) },
  {
    name: 'fails',
    description: 'Fails.',
    inputSchema: object({}),
    annotations: { destructiveHint: true, openWorldHint: true },
  },
  { name: 'dies', description: 'Ends the server.', inputSchema: object({}) },
  { name: 'hostile', description: 'Text that acts.', inputSchema: object({}) },
  { name: 'picture', description: 'An image.', inputSchema: object({}) },
  { name: 'asks', description: 'Asks for a city.', inputSchema: object({}) },
  { name: 'parts', description: 'Many parts.', inputSchema: object({ count: { type: 'integer' } }) },
  {
    name: 'wide',
    description: 'Many arguments.',
    inputSchema: object(
      Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`a${at}`, { type: 'string' }])),
    ),
  },
  { name: 'grow', description: 'Adds a tool.', inputSchema: object({}) },
]

const runs = {
  echo: ({ args }) => text(args.text),
  large: ({ args }) => text(`${'0123456789abcde\n'.repeat(65_536 * args.mb)}end`),
  table: ({ args }) => ({
    content: [],
    structuredContent: { rows: Array.from({ length: args.rows }, (_, id) => ({ id, name: `row ${id}` })) },
  }),
  slow: ({ token }) =>
    void (
      token !== undefined &&
      send({
        method: 'notifications/progress',
        params: { progressToken: token, progress: 1, total: 3, message: 'one' },
      })
    ),
  noisy() {
    process.stderr.write('a line of stderr\n')
    return text('done')
  },
  fails: () => ({ ...text('It did not work.'), isError: true }),
  dies: () => process.exit(3),
  hostile: () => text('\u001b[31mred\u001b[0m <b>bold</b> \u202eback'),
  picture: () => ({ content: [{ type: 'image', data: 'aGVsbG8=', mimeType: 'image/png' }] }),
  asks({ id }) {
    pending.set(`ask-${id}`, id)
    const requestedSchema = object({ city: { type: 'string' } }, ['city'])
    send({
      id: `ask-${id}`,
      method: 'elicitation/create',
      params: { message: 'Which city?', requestedSchema },
    })
  },
  parts: ({ args }) => ({
    content: Array.from({ length: args.count }, (_, at) =>
      at === 101
        ? { type: 'image', data: 'aGVsbG8=', mimeType: 'image/png' }
        : { type: 'text', text: `part ${at}` },
    ),
  }),
  wide: () => text('wide'),
  grow() {
    isExtra = true
    send({ method: 'notifications/tools/list_changed' })
    return text('grown')
  },
}

const answers = {
  initialize: () => ({
    protocolVersion: '2025-06-18',
    capabilities: {
      tools: { listChanged: true },
      resources: { subscribe: true },
      prompts: {},
      completions: {},
    },
    serverInfo: { name: 'offers', version: '1' },
  }),
  'tools/list': () => ({
    tools: [...tools, ...(isExtra ? [{ name: 'extra', description: 'New.', inputSchema: object({}) }] : [])],
  }),
  'tools/call': ({ name, arguments: args, _meta: meta }, id) =>
    runs[name]({ args, id, token: meta?.progressToken }),
  'resources/list': () => ({ resources: [{ uri: 'note://1', name: 'one', mimeType: 'text/plain' }] }),
  'resources/templates/list': () => ({ resourceTemplates: [{ uriTemplate: 'note://{id}', name: 'note' }] }),
  'resources/read': ({ uri }) => ({ contents: [{ uri, mimeType: 'text/plain', text: `the note ${uri}` }] }),
  'resources/subscribe': ({ uri }) => {
    setImmediate(() => send({ method: 'notifications/resources/updated', params: { uri } }))
    return {}
  },
  'resources/unsubscribe': () => ({}),
  'prompts/list': () => ({
    prompts: [
      { name: 'review', description: 'Reviews code.', arguments: [{ name: 'language', required: true }] },
    ],
  }),
  'prompts/get': ({ arguments: args }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Review ${args.language}.` } }],
  }),
  'completion/complete': ({ argument }) => ({
    completion: { values: ['python', 'perl'].filter((each) => each.startsWith(argument.value)) },
  }),
  ping: () => ({}),
}

function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params = {}, result: given } = JSON.parse(line)
  if (method === undefined && pending.has(id))
    return send({ id: pending.get(id), result: text(given.content.city) })
  if (id === undefined || method === undefined) return
  const answer = answers[method]
  if (!answer) return send({ id, error: { code: -32601, message: `no method ${method}` } })
  const result = answer(params, id)
  if (result !== undefined) send({ id, result })
})
