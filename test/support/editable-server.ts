/** A server as a script of a project: it offers what `offers.json` beside it says, and appends a line to START_LOG. */
export const editableServer = `import { appendFileSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
if (process.env.START_LOG) appendFileSync(process.env.START_LOG, 'started\\n')
const offers = () => JSON.parse(readFileSync(new URL('offers.json', import.meta.url), 'utf8'))
const answers = {
  initialize: () => ({
    protocolVersion: '2025-06-18',
    capabilities: { tools: {}, prompts: {}, resources: {} },
    serverInfo: { name: 'editable', version: '1.0.0' },
    instructions: offers().instructions,
  }),
  'tools/list': () => ({ tools: offers().tools ?? [] }),
  'prompts/list': () => ({ prompts: offers().prompts ?? [] }),
  'resources/list': () => ({ resources: [] }),
  'resources/templates/list': () => ({ resourceTemplates: offers().resourceTemplates ?? [] }),
  'tools/call': ({ name }) => ({ content: [{ type: 'text', text: name + ' was called' }] }),
}
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const answer = answers[method]
  const outcome = answer ? { result: answer(params) } : { error: { code: -32601, message: 'unknown' } }
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }))
})
`

export const toolNamed = (name: string, description = `The ${name} of an article.`) => ({
  name,
  description,
  inputSchema: { type: 'object', properties: { article: { type: 'string' } } },
  annotations: { readOnlyHint: true },
})
