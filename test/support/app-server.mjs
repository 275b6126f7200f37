// A server with apps. Its plan is a JSON file, read for each request: `tools` as listed, `documents` by address (`html`, `mimeType`,
// `meta`, `bytes` for one of that many bytes), `results` by tool. Every request is written to the log beside the plan.
import { appendFileSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [, , planFile] = process.argv
const plan = () => JSON.parse(readFileSync(planFile, 'utf8'))

function answer({ method, params }) {
  const { tools, documents, results = {}, delays = {} } = plan()
  if (method === 'initialize')
    return {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {}, resources: {} },
      serverInfo: { name: 'apps', version: '1.0.0' },
    }
  if (method === 'tools/list') return { tools }
  if (method === 'resources/list') return { resources: [] }
  if (method === 'resources/templates/list') return { resourceTemplates: [] }
  if (method === 'resources/read') {
    const found = documents[params.uri]
    if (!found) throw new Error(`There is no ${params.uri}`)
    const { html = '', mimeType = 'text/html;profile=mcp-app', meta, bytes } = found
    const text = bytes === undefined ? html : html + ' '.repeat(bytes - html.length)
    return { contents: [{ uri: params.uri, mimeType, text, ...(meta && { _meta: meta }) }] }
  }
  if (method === 'tools/call') {
    const { name, arguments: args } = params
    const result = results[name] ?? { content: [{ type: 'text', text: `${name} ${JSON.stringify(args)}` }] }
    return delays[name] ? new Promise((resolve) => setTimeout(resolve, delays[name], result)) : result
  }
  if (method === 'ping') return {}
  throw new Error(`Unknown method ${method}`)
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line)
  appendFileSync(`${planFile}.log`, `${line}\n`)
  if (message.id === undefined) return
  const send = (body) =>
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, ...body })}\n`)
  Promise.resolve()
    .then(() => answer(message))
    .then(
      (result) => send({ result }),
      ({ message: text }) => send({ error: { code: -32602, message: text } }),
    )
})
