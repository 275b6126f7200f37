import { buildCommand, loadLazily } from '../arguments/define-command.ts'
import { commonFlags } from '../arguments/flags.ts'
import { commandArgument } from '../arguments/positionals.ts'
import type { Cli, CommonFlags } from '../command-context.ts'

export const helpCommand = buildCommand<CommonFlags, string[], Cli>({
  loader: loadLazily(async () => (await import('./help.ts')).help),
  parameters: { flags: commonFlags, positional: { kind: 'array', parameter: commandArgument } },
  docs: { brief: 'Explain a command, as COMMAND --help does; without one, list them all' },
})
