import { createInterface } from 'node:readline'
import { noteOnStderr } from './offers.mjs'

// Handwritten servers with behavior that current SDKs no longer produce: `node raw.mjs KIND`.
const kinds = {
  /** Exits if the first message is not `initialize`, as servers of the Rust SDK do. */
  'exits-on-probe': { version: '2025-06-18', probe: () => process.exit(1) },
  /** Does not answer unknown methods. */
  'silent-on-probe': { version: '2025-11-25', probe: () => noteOnStderr('ignored') },
  /** Answers unknown methods with an error of its own. */
  'odd-on-probe': { version: '2025-03-26', probe: (id) => fail(id, -32_000, 'Not initialized') },
  /** Speaks the first revision. */
  oldest: { version: '2024-11-05', probe: (id) => fail(id, -32_601, 'Method not found') },
}

const { version, probe } = kinds[process.argv[2]]
const tools = [{ name: 'echo', inputSchema: { type: 'object' } }]
const methods = {
  initialize: () => ({
    protocolVersion: version,
    capabilities: { tools: {} },
    serverInfo: { name: 'peer-raw', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools }),
  'tools/call': ({ arguments: args }) => ({ content: [{ type: 'text', text: args.text }] }),
  ping: () => ({}),
}

noteOnStderr('started')
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return noteOnStderr(method)
  const answer = methods[method]
  if (answer) return write({ id, result: answer(params) })
  if (method === 'server/discover') return probe(id)
  return fail(id, -32_601, 'Method not found')
})

function fail(id, code, message) {
  write({ id, error: { code, message } })
}

function write(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}
