import { buildCommand, loadLazily } from '../../arguments/define-command.ts'
import { commonFlags, dryRunFlag, limitFlag, switchFlag, textFlag } from '../../arguments/flags.ts'
import { auditOutcomes, parseSince } from '../../../facts/audit/audit-query.ts'
import { parseAge } from '../../../facts/parse-age.ts'
import type { Cli } from '../../command-context.ts'
import type { AuditFlags } from './audit.ts'

export const auditCommand = buildCommand<AuditFlags, [], Cli>({
  loader: loadLazily(async () => (await import('./audit.ts')).audit),
  parameters: {
    flags: {
      ...commonFlags,
      ...limitFlag,
      ...dryRunFlag,
      since: {
        kind: 'parsed',
        parse: parseSince,
        optional: true,
        placeholder: 'TIME',
        brief: 'Only calls since then, such as 2d, 36h or 2026-11-16',
      },
      server: textFlag('NAME', 'Only calls of this server'),
      outcome: { kind: 'enum', values: auditOutcomes, optional: true, brief: 'Only calls that ended so' },
      verify: switchFlag('Check that no row was changed or removed'),
      head: textFlag('HASH', 'With --verify: the newest hash that you kept, which must still be there'),
      prune: {
        kind: 'parsed',
        parse: parseAge,
        optional: true,
        placeholder: 'AGE',
        brief: 'Remove rows older than this, such as 90d; what is left can still be verified',
      },
      yes: switchFlag('Do not ask'),
    },
  },
  docs: { brief: 'Show who called what, with which decision, and verify that nothing was changed' },
})
