import { writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

// A server that says who runs it, and where it can write.
const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const tryWrite = (path) => {
  try {
    writeFileSync(path, '')
    return 'written'
  } catch ({ code }) {
    return code
  }
}
const results = {
  initialize: () => ({
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'box', version: '1' },
  }),
  'tools/list': () => ({ tools: [{ name: 'look', inputSchema: { type: 'object' } }] }),
  'tools/call': () => ({
    content: [],
    structuredContent: {
      uid: process.getuid(),
      gid: process.getgid(),
      root: tryWrite('/probe'),
      work: tryWrite('/srv/probe'),
      state: tryWrite('/var/lib/plugboard/probe'),
      tmp: tryWrite('/tmp/probe'),
    },
  }),
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line)
  if (id === undefined) return
  const result = results[method]?.()
  write(result ? { id, result } : { id, error: { code: -32601, message: 'Method not found' } })
})
