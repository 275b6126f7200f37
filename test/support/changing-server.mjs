// A small MCP server whose tools are those of a JSON file at the time of each request: tests change the file.
import { createInterface } from 'node:readline'
import { readFileSync } from 'node:fs'
const tools = () => JSON.parse(readFileSync(process.argv[2], 'utf8'))
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  const answer = (result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\n')
  if (method === 'initialize')
    answer({
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 's', version: '1' },
    })
  else if (method === 'tools/list') answer({ tools: tools() })
  else if (method === 'tools/call') answer({ content: [{ type: 'text', text: 'called' }] })
  else if (id !== undefined)
    process.stdout.write(
      JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }) + '\n',
    )
})
