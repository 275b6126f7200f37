import { createSource } from '../../entries/client-dialect.ts'
import type { SettleContext } from '../../entries/client-dialect.ts'

export const windsurf = createSource({
  id: 'windsurf',
  title: 'Windsurf',
  reads: 'unsure',
  roots: [['mcpServers']],
  rules: {
    types: {},
    typeKeys: [],
    untypedUrl: 'http+sse',
    both: 'command',
    keys: { cwd: null, url: ['serverUrl', 'url'] },
    flag: 'disabled',
    denyKey: 'disabledTools',
    checkPins: true,
  },
  values: { syntaxes: ['env-colon', 'file-colon'], unset: 'keep', literalPlaceholders: 'report' },
  settle: reportOtherFiles,
})

/** The editor, its preview edition and the plugin for other editors have separate files. */
function reportOtherFiles({ files, report }: SettleContext): void {
  const [first, ...others] = files.filter(({ authority }) => authority === 'user')
  for (const file of others) {
    const message = `${first?.path} exists too and wins for names that are in both.`
    report.add('duplicate-location', 'info', message, { file })
  }
}
