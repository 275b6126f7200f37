import { createSource } from './dialect.ts'
import type { Settling } from './dialect.ts'
import { placesOf } from './places.ts'
import { usableRoot, tablesOf } from './tables.ts'

/** B2–B7: one file, `mcpServers`, two transports, values as they stand. */
export const boocode = createSource({
  id: 'boocode',
  title: 'BooCode',
  reads: 'unsure',
  roots: [['mcpServers']],
  rules: {
    types: { streamableHttp: 'http', stdio: 'stdio', sse: 'refused' },
    untypedUrl: 'http',
    both: 'refuse',
    keys: { cwd: null },
    flag: 'enabled',
  },
  values: { syntaxes: [], unset: 'keep' },
  // Only the first file that exists is read, whatever it holds.
  tables(files, _world, report) {
    const [file] = files
    const root = file && usableRoot(file, 'unsure', report)
    return file && root ? tablesOf(file, root, { roots: [['mcpServers']] }, report) : []
  },
  settle: explainOldVariables,
})

/** B26: the variables of v1.14.1 are gone; whoever still sets them is told what to paste where. */
function explainOldVariables({ files, world, report }: Settling): void {
  const set = ['MCP_CONTEXT7_URL', 'MCP_CONTEXT7_API_KEY'].filter((name) => world.env[name] !== undefined)
  const file = files[0] ?? placesOf('boocode', world).at(-1)
  if (set.length === 0 || !file) return
  report.add(
    'deprecated-key',
    'warn',
    `${set.join(' and ')} no longer ${set.length > 1 ? 'count' : 'counts'}.`,
    {
      file,
      hint:
        `Add to ${file.path} under "mcpServers": ` +
        '"context7": { "type": "streamableHttp", "url": "https://mcp.context7.com/mcp" }',
    },
  )
}
