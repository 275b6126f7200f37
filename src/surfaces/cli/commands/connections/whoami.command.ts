import { buildCommand, loadLazily } from '../../arguments/define-command.ts'
import { connectFlags } from '../../arguments/flags.ts'
import { optional, serverArgument } from '../../arguments/positionals.ts'
import type { Cli, WaitFlags } from '../../command-context.ts'

export const whoamiCommand = buildCommand<WaitFlags, [string?], Cli>({
  loader: loadLazily(async () => (await import('./whoami.ts')).whoami),
  parameters: {
    flags: connectFlags,
    positional: { kind: 'tuple', parameters: [optional(serverArgument)] },
  },
  docs: { brief: 'Show your logins' },
})
