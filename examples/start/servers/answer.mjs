// The answers every MCP server gives. A server adds its tools, each with a function that returns a text.
export function createAnswer(name, tools) {
  const definitions = tools.map(({ run: _run, ...definition }) => definition)
  const methods = {
    initialize: ({ protocolVersion }) => ({
      protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name, version: '1.0.0' },
    }),
    ping: () => ({}),
    'tools/list': () => ({ tools: definitions }),
    'tools/call': ({ name: wanted, arguments: args = {} }) => {
      const tool = tools.find((each) => each.name === wanted)
      if (!tool) throw new Error(`There is no tool ${wanted}`)
      return { content: [{ type: 'text', text: tool.run(args) }] }
    },
  }
  return ({ id, method, params = {} }) => {
    if (id === undefined) return undefined // a notification
    try {
      if (!Object.hasOwn(methods, method)) throw new Error(`There is no method ${method}`)
      return { jsonrpc: '2.0', id, result: methods[method](params) }
    } catch (error) {
      return { jsonrpc: '2.0', id, error: { code: -32601, message: error.message } }
    }
  }
}
