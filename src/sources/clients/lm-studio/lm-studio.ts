import { createSource } from '../../entries/client-dialect.ts'
import type { SettleContext } from '../../entries/client-dialect.ts'

/** Only one home folder is in use; if the new one has a file, the old one is ignored as a whole. */
export const lmStudio = createSource({
  id: 'lm-studio',
  title: 'LM Studio',
  switchesElsewhere: 'servers and tools',
  reads: 'unsure',
  roots: [['mcpServers']],
  roles: ['servers', 'old-home'],
  rules: {
    types: {},
    typeKeys: [],
    untypedUrl: 'http+sse',
    both: 'command',
    keys: { cwd: null },
    checkPins: true,
  },
  values: { syntaxes: [], unset: 'keep', literalPlaceholders: 'report' },
  merge: 'whole-file',
  shadowedAs: false,
  settle: reportOldHome,
})

function reportOldHome({ files, report }: SettleContext): void {
  const old = files.find(({ role }) => role === 'old-home')
  const [first] = files
  if (!old || old === first) return
  report.add(
    'duplicate-location',
    'info',
    `LM Studio uses one home folder; while ${first?.path} exists, this file is not read.`,
    {
      file: old,
    },
  )
}
