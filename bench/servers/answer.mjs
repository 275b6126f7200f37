/** The answers of a correct legacy-era server with two tools, as text. A notification has none. */
export function answer({ id, method, params }) {
  if (id === undefined) return undefined
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},`
  switch (method) {
    case 'tools/call':
      return `${head}"result":{"content":[{"type":"text","text":${callResult(params.arguments)}}]}}`
    case 'tools/list':
      return `${head}"result":{"tools":${tools}}}`
    case 'initialize':
      return `${head}"result":${greeting(params)}}`
    case 'ping':
      return `${head}"result":{}}`
    default:
      return `${head}"error":{"code":-32601,"message":"Method not found"}}`
  }
}

const tools = JSON.stringify([
  tool('echo', { text: { type: 'string' } }),
  tool('produce', { bytes: { type: 'number' } }),
])

function tool(name, properties) {
  return { name, description: `The tool ${name}.`, inputSchema: { type: 'object', properties } }
}

function greeting({ protocolVersion }) {
  return JSON.stringify({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'bench', version: '1.0.0' },
  })
}

/** `echo` returns its text; `produce` returns the requested number of bytes, as lines of text. */
function callResult({ text, bytes }) {
  if (text !== undefined) return JSON.stringify(text)
  let produced = large.get(bytes)
  if (!produced) {
    const line = 'The quick "brown" fox jumps over the lazy dog, again and again, until it rains.\n'
    produced = JSON.stringify(line.repeat(Math.ceil(bytes / line.length)).slice(0, bytes))
    large.set(bytes, produced)
  }
  return produced
}

const large = new Map()
