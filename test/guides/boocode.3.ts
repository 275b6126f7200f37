import { mkdirSync, writeFileSync } from 'node:fs'
import { createBoocodeTools } from 'plugboard/boocode'
import { faultyServer } from 'plugboard/testing'

const script = { tools: [{ name: 'query-docs', inputSchema: { type: 'object' } }] }
const { command, args } = faultyServer(script)
mkdirSync('data', { recursive: true })
writeFileSync('data/mcp.json', JSON.stringify({ mcpServers: { context7: { command, args } } }))
const { TOOLS_BY_NAME, initialize } = createBoocodeTools()
const host = await initialize({ log: console, trust: 'project' })
//- snippet
await host.close()
