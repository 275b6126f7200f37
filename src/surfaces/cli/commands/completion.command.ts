import { buildCommand, loadLazily } from '../arguments/define-command.ts'
import { commonFlags } from '../arguments/flags.ts'
import { shellArgument } from '../arguments/positionals.ts'
import type { Cli, CommonFlags } from '../command-context.ts'

export const completionCommand = buildCommand<CommonFlags, [string], Cli>({
  loader: loadLazily(async () => (await import('./completion.ts')).completion),
  parameters: {
    flags: commonFlags,
    positional: {
      kind: 'tuple',
      parameters: [shellArgument],
    },
  },
  docs: { brief: 'Print a completion script for your shell' },
})
