import { createSource } from '../../entries/client-dialect.ts'
import type { SettleContext } from '../../entries/client-dialect.ts'

/** One home is in use at a time; the file of the old one is out of force as a whole. */
export const lmStudio = createSource({
  id: 'lm-studio',
  title: 'LM Studio',
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
  settle: noteOldHome,
})

function noteOldHome({ files, report }: SettleContext): void {
  const old = files.find(({ role }) => role === 'old-home')
  const [first] = files
  if (!old || old === first) return
  report.add(
    'duplicate-location',
    'info',
    `LM Studio uses one home; while ${first?.path} is there, this file is not read.`,
    {
      file: old,
    },
  )
}
