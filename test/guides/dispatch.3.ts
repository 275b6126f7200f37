import { mkdirSync, writeFileSync } from 'node:fs'
import { createMcpExt, mcpServiceHandle } from 'plugboard/dispatch'
import { createDispatchHost, faultyServer } from 'plugboard/testing'

const cwd = process.cwd()
const conversationId = 'c1'
mkdirSync('.dispatch', { recursive: true })
const { command, args } = faultyServer()
writeFileSync('.dispatch/mcp.json', JSON.stringify({ servers: { freecad: { command, args } } }))
const host = createDispatchHost()
const mcpExt = createMcpExt({ trust: 'project' })
await host.activate(mcpExt)
const { assembly } = await host.turn({ cwd, conversationId })
if (assembly.tools.length !== 1) throw new Error('the turn has no tool')
//- snippet
await mcpExt.deactivate()
