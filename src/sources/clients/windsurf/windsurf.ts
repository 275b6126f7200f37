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
  settle: noteOtherHomes,
})

/** The editor, its preview edition and the plugin for other editors have a file each. */
function noteOtherHomes({ files, report }: SettleContext): void {
  const [first, ...others] = files.filter(({ authority }) => authority === 'user')
  for (const file of others) {
    const message = `${first?.path} exists as well; where both have a name, that file counts.`
    report.add('duplicate-location', 'info', message, { file })
  }
}
