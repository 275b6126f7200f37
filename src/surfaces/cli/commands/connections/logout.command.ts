import { buildCommand, loadLazily } from '../../arguments/define-command.ts'
import { connectFlags, switchFlag, textFlag } from '../../arguments/flags.ts'
import { serverArgument } from '../../arguments/positionals.ts'
import type { Cli } from '../../command-context.ts'
import type { LogoutFlags } from './logout.ts'

export const logoutCommand = buildCommand<LogoutFlags, [string], Cli>({
  loader: loadLazily(async () => (await import('./logout.ts')).logout),
  parameters: {
    flags: {
      ...connectFlags,
      account: textFlag('NAME', 'Which of several logins'),
      all: switchFlag('Every login to this server'),
    },
    positional: { kind: 'tuple', parameters: [serverArgument] },
  },
  docs: { brief: 'Forget a login, here and at its issuer; also by the address that whoami shows' },
})
