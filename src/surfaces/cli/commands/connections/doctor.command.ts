import { buildCommand, loadLazily } from '../../arguments/define-command.ts'
import { connectFlags, noStartFlag, textFlag } from '../../arguments/flags.ts'
import { optional, serverArgument } from '../../arguments/positionals.ts'
import type { Cli } from '../../command-context.ts'
import type { DoctorFlags } from './doctor.ts'

export const doctorCommand = buildCommand<DoctorFlags, [string?], Cli>({
  loader: loadLazily(async () => (await import('./doctor.ts')).doctor),
  parameters: {
    flags: {
      ...connectFlags,
      ...noStartFlag,
      bundle: textFlag('FILE', 'Put everything into this file, for a report: no secrets in it'),
    },
    positional: { kind: 'tuple', parameters: [optional(serverArgument)] },
  },
  docs: {
    brief: 'Explain every server: declared, trusted, started and working or not, and what to do next',
  },
})
