import { basename } from 'node:path'
import { isObject, valueAt } from '../../../model/json.ts'
import { createSource } from '../../entries/client-dialect.ts'
import { applyInputs } from '../editor-inputs.ts'
import type { OpenFile, Report } from '../../source.ts'
import { tablesOf, usableRoot } from '../../entries/server-tables.ts'
import { editorRules, editorValues, editorWrites } from '../vscode/vscode.ts'

/** Five places in the documented order. That the first one wins is our own rule; the documentation does not say. */
export const visualStudio = createSource({
  id: 'visual-studio',
  title: 'Visual Studio',
  switchesElsewhere: 'servers and tools',
  reads: 'unsure',
  roots: [['servers']],
  rules: {
    ...editorRules,
    types: { stdio: 'stdio', http: 'http', sse: 'sse' },
    untypedUrl: 'http',
  },
  values: editorValues,
  tables(files, _world, report) {
    return files.flatMap((file) => {
      const root = usableRoot(file, 'unsure', report)
      if (!root) return []
      reportSharedName(file, report)
      return tablesOf(file, root, { roots: [[rootOf(file)]] }, report)
    })
  },
  settle: applyInputs,
  writes: { ...editorWrites, root: (file) => [rootOf(file)] },
})

function rootOf({ role }: OpenFile): string {
  return role === 'cursor' ? 'mcpServers' : 'servers'
}

/** Other clients read `mcpServers` in a project's `.mcp.json`; no other client reads the one in the home directory. */
function reportSharedName(file: OpenFile, report: Report): void {
  const servers = valueAt(file.doc.value, ['servers'])
  const shared = basename(file.path) === '.mcp.json' && file.authority === 'project'
  if (!shared || !isObject(servers) || Object.keys(servers).length === 0) return
  report.add(
    'ambiguous-root-key',
    'info',
    '.mcp.json with "servers" is for Visual Studio; other clients read "mcpServers" in a file of this name.',
    { file },
  )
}
