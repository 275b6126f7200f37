// A small MCP server that offers what a JSON file has at the time of each request, a list of tools or all lists by their
// names: tests change the file. While it is no JSON, lists end the server.
import { createInterface } from 'node:readline'
import { readFileSync } from 'node:fs'
const offers = () => {
  const text = readFileSync(process.argv[2], 'utf8')
  if (!/^[[{]/.test(text)) process.exit(3)
  const read = JSON.parse(text)
  return Array.isArray(read) ? { tools: read } : read
}
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  const answer = (result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\n')
  if (method === 'initialize')
    answer({
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {}, prompts: {}, resources: {} },
      serverInfo: { name: 's', version: '1' },
    })
  else if (method === 'tools/list') answer({ tools: offers().tools ?? [] })
  else if (method === 'prompts/list') answer({ prompts: offers().prompts ?? [] })
  else if (method === 'resources/list') answer({ resources: offers().resources ?? [] })
  else if (method === 'resources/templates/list') answer({ resourceTemplates: [] })
  else if (method === 'tools/call') answer({ content: [{ type: 'text', text: 'called' }] })
  else if (id !== undefined)
    process.stdout.write(
      JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }) + '\n',
    )
})
