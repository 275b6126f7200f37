import { mkdirSync, writeFileSync } from 'node:fs'
import { createMcpExt } from 'plugboard/dispatch'
import { createDispatchHost, faultyServer } from 'plugboard/testing'

const cwd = process.cwd()
mkdirSync('.dispatch', { recursive: true })
const { command, args } = faultyServer({
  tools: [{ name: 'create_object', inputSchema: { type: 'object' } }],
})
writeFileSync('.dispatch/mcp.json', JSON.stringify({ servers: { freecad: { command, args } } }))
//- snippet
if (turn.assembly.tools.length !== 1) throw new Error('the turn has no tool')
