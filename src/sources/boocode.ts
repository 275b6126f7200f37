import { createSource } from './dialect.ts'
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
})
