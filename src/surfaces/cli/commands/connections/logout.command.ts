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
      account: textFlag('NAME', 'Account to log out of'),
      all: switchFlag('Log out of every account'),
    },
    positional: { kind: 'tuple', parameters: [serverArgument] },
  },
  docs: { brief: 'Log out, here and at the issuer; NAME may be an address from whoami' },
})
