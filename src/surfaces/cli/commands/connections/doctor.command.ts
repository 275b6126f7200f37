import { buildCommand, loadLazily } from '../../arguments/define-command.ts'
import { connectFlags, noStartFlag, noTextsFlag, textFlag } from '../../arguments/flags.ts'
import { optional, serverArgument } from '../../arguments/positionals.ts'
import type { Cli } from '../../command-context.ts'
import type { DoctorFlags } from './doctor.ts'

export const doctorCommand = buildCommand<DoctorFlags, [string?], Cli>({
  loader: loadLazily(async () => (await import('./doctor.ts')).doctor),
  parameters: {
    flags: {
      ...connectFlags,
      ...noStartFlag,
      ...noTextsFlag,
      bundle: textFlag('FILE', 'Write a report to this file, without secrets'),
    },
    positional: { kind: 'tuple', parameters: [optional(serverArgument)] },
  },
  docs: {
    brief: 'Check every server, from declaration and trust to connection, and say what to do next',
  },
})
