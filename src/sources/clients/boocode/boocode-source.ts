import { createSource } from '../../entries/client-dialect.ts'
import type { SettleContext } from '../../entries/client-dialect.ts'
import { placesOf } from '../../places.ts'
import type { World } from '../../source.ts'
import { usableRoot, tablesOf } from '../../entries/server-tables.ts'

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
    // A key of ours: neither document has one for a server that takes long to start.
    timeouts: [{ key: 'startupTimeout', unit: 'ms', sets: 'startupMs', zeroMeansNone: true }],
    isLiteral: true,
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
function explainOldVariables({ files, drafts, world, report }: SettleContext): void {
  const set = oldVariables.filter((name) => world.env[name] !== undefined)
  const file = files[0] ?? placesOf('boocode', world).at(-1)
  if (set.length === 0 || !file) return
  const names = set.join(' and ')
  const known = drafts.find(({ name }) => name === 'context7')
  const verb = known ? 'Replace in' : 'Add to'
  const isDone = known !== undefined && known.enabled !== false
  report.add('deprecated-key', 'warn', `${names} no longer ${set.length > 1 ? 'count' : 'counts'}.`, {
    file,
    hint: isDone
      ? `The entry "context7" of ${file.path} counts: unset ${names}.`
      : `${verb} ${file.path} under "mcpServers": ${entryToPaste(world)}`,
  })
}

const oldVariables = ['MCP_CONTEXT7_URL', 'MCP_CONTEXT7_API_KEY']

/** The address is the one that was set, where it holds no secret; the key is for the person to fill in. */
function entryToPaste({ env }: World): string {
  const url = plainUrl(env['MCP_CONTEXT7_URL']) ?? 'https://mcp.context7.com/mcp'
  const hasKey = env['MCP_CONTEXT7_API_KEY'] !== undefined
  const headers = hasKey ? ', "headers": { "Authorization": "Bearer <YOUR_API_KEY>" }' : ''
  return `"context7": { "type": "streamableHttp", "url": ${JSON.stringify(url)}${headers} }`
}

function plainUrl(text = ''): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlain = url && /^https?:$/.test(url.protocol) && url.origin + url.pathname === url.href
  return isPlain ? url.href : undefined
}
