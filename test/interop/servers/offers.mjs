/** The tools, resources and prompts of every peer, whichever SDK serves them. */
const object = (properties = {}) => ({ type: 'object', properties })

export const tools = [
  { name: 'echo', description: 'Says it again', inputSchema: object({ text: { type: 'string' } }) },
  {
    name: 'count',
    description: 'Reports progress up to a number',
    inputSchema: object({ to: { type: 'integer' } }),
  },
  { name: 'wait', description: 'Ends only when it is cancelled', inputSchema: object() },
  { name: 'fail', description: 'Fails as a tool', inputSchema: object() },
  { name: 'ask', description: 'Asks the person for a name', inputSchema: object() },
  { name: 'think', description: 'Asks the model for a sentence', inputSchema: object() },
  { name: 'look', description: 'Asks for the roots', inputSchema: object() },
  { name: 'log', description: 'Sends a log message', inputSchema: object() },
  { name: 'grow', description: 'Adds a tool and says so', inputSchema: object() },
  { name: 'touch', description: 'Changes note://a and says so', inputSchema: object() },
  { name: 'crash', description: 'Ends the process', inputSchema: object() },
]

export const grown = { name: 'grown', description: 'Was added later', inputSchema: object() }

export const resources = [
  { uri: 'note://a', name: 'a', mimeType: 'text/plain' },
  { uri: 'note://b', name: 'b', mimeType: 'text/plain' },
]
export const templates = [{ uriTemplate: 'note://{name}', name: 'note' }]
export const prompts = [
  { name: 'greet', description: 'A greeting', arguments: [{ name: 'who', required: true }] },
]

export const question = {
  message: 'What is your name?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
}
export const thought = {
  messages: [{ role: 'user', content: { type: 'text', text: 'Say something' } }],
  maxTokens: 50,
}

const pageSize = 4

/** A page of a list, with an opaque cursor. */
export function pageOf(key, items, cursor) {
  const start = cursor === undefined ? 0 : Number(cursor.slice('page:'.length))
  const end = start + pageSize
  return { [key]: items.slice(start, end), ...(end < items.length && { nextCursor: `page:${end}` }) }
}

export const text = (words) => ({ content: [{ type: 'text', text: words }] })

export const readNote = (uri) => ({ contents: [{ uri, mimeType: 'text/plain', text: `the note ${uri}` }] })

export const greet = (who) => ({
  messages: [{ role: 'user', content: { type: 'text', text: `Hello ${who}` } }],
})

/** Resolves when the signal aborts. */
export function aborted(signal) {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** A stdio peer writes its notes to stderr. */
export function noteOnStderr(line) {
  process.stderr.write(`${line}\n`)
}
