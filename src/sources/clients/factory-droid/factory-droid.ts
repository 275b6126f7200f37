import { createSource } from '../../entries/client-dialect.ts'
import type { SettleContext } from '../../entries/client-dialect.ts'

/** Unlike in other clients, the user's file ranks above the project's. */
export const factoryDroid = createSource({
  id: 'factory-droid',
  title: 'Factory Droid',
  switchesElsewhere: 'tools',
  reads: 'unsure',
  roots: [['mcpServers']],
  rules: {
    types: { stdio: 'stdio', http: 'http', sse: 'sse' },
    untypedUrl: 'http',
    untypedUrlNote: {
      code: 'missing-type',
      severity: 'warn',
      message: '"type" is missing; http is assumed.',
    },
    untypedCommandNote: {
      code: 'missing-type',
      severity: 'warn',
      message: '"type" is missing; stdio is assumed.',
    },
    both: 'command',
    keys: { cwd: null },
    flag: 'disabled',
    timeouts: [{ key: 'timeoutMs', unit: 'ms', sets: 'callMs' }],
    allowKey: 'enabledTools',
    denyKey: 'disabledTools',
    filterConflict: true,
    checkPins: true,
    finish(entry) {
      if (entry.get('type') !== 'sse') return
      entry.warn('unsupported-in-client', 'Droid documents only the types stdio and http.', { key: 'type' })
    },
  },
  values: { syntaxes: ['braces'], unset: 'keep' },
  settle: reportSecondPath,
})

/** The documentation has named two paths. Both are read, and the newer one ranks first. */
function reportSecondPath({ files, report }: SettleContext): void {
  const [first, ...others] = files.filter(({ authority }) => authority === 'user')
  for (const file of others) {
    const message = `${first?.path} exists too and wins for names that are in both.`
    report.add('duplicate-location', 'info', message, { file })
  }
}
