import { buildCommand, loadLazily } from '../../arguments/define-command.ts'
import { commonFlags, dryRunFlag } from '../../arguments/flags.ts'
import { serverArgument } from '../../arguments/positionals.ts'
import type { Cli } from '../../command-context.ts'
import type { EditFlags } from './edit-report.ts'

export const removeCommand = buildCommand<EditFlags, [string], Cli>({
  loader: loadLazily(async () => (await import('./remove.ts')).remove),
  parameters: {
    flags: { ...commonFlags, ...dryRunFlag },
    positional: { kind: 'tuple', parameters: [serverArgument] },
  },
  docs: { brief: 'Remove a server from the file that declares it' },
})
