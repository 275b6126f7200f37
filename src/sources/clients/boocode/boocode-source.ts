import { createSource } from '../../entries/client-dialect.ts'
import type { SettleContext } from '../../entries/client-dialect.ts'
import { opencodeForm, readOpencodeFolder } from '../opencode-form.ts'
import { placesOf } from '../../places.ts'
import type { World } from '../../source.ts'
import { usableRoot, tablesOf } from '../../entries/server-tables.ts'

/** B2–B7: one file, `mcpServers`, two transports, values without placeholders. C2: opencode's entries can be pasted. */
export const boocode = createSource({
  id: 'boocode',
  title: 'BooCode',
  reads: 'unsure',
  roots: [['mcpServers']],
  rules: {
    types: { streamableHttp: 'http', stdio: 'stdio', sse: 'refused' },
    untypedUrl: 'http',
    both: 'refuse',
    alsoTypes: opencodeForm.alsoTypes,
    commandShape: opencodeForm.commandShape,
    keys: opencodeForm.keys,
    flag: 'enabled',
    timeouts: [
      opencodeForm.timeout,
      // Our own addition: neither document has a key for a server that takes long to start.
      { key: 'startupTimeout', unit: 'ms', sets: 'startupMs', zeroMeansNone: true },
    ],
    isLiteral: true,
    finish: readOpencodeFolder,
  },
  values: { syntaxes: [], unset: 'keep' },
  // Only the first existing file is read, whatever it contains.
  tables(files, _world, report) {
    const [file] = files
    const root = file && usableRoot(file, 'unsure', report)
    return file && root ? tablesOf(file, root, { roots: [['mcpServers']] }, report) : []
  },
  settle: reportOldVariables,
})

/** B26: the variables of v1.14.1 were removed. If one is still set, the diagnostic gives the entry that replaces it. */
function reportOldVariables({ files, drafts, world, report }: SettleContext): void {
  const present = oldVariables.filter((name) => world.env[name] !== undefined)
  const file = files[0] ?? placesOf('boocode', world).at(-1)
  if (present.length === 0 || !file) return
  const names = present.join(' and ')
  const known = drafts.find(({ name }) => name === 'context7')
  const verb = known ? 'Replace in' : 'Add to'
  const hasEntry = known !== undefined && known.enabled !== false
  report.add('deprecated-key', 'warn', `${names} ${present.length > 1 ? 'are' : 'is'} no longer used.`, {
    file,
    hint: hasEntry
      ? `The entry "context7" of ${file.path} is used instead: unset ${names}.`
      : `${verb} ${file.path} under "mcpServers": ${entryToPaste(world)}`,
  })
}

const oldVariables = ['MCP_CONTEXT7_URL', 'MCP_CONTEXT7_API_KEY']

/** The entry with the url that was set, unless it holds a secret. The API key is a placeholder for the user to fill in. */
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
