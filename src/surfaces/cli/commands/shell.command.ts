import { buildCommand, loadLazily } from '../arguments/define-command.ts'
import { commonFlags } from '../arguments/flags.ts'
import type { Cli, CommonFlags } from '../command-context.ts'

export const shellCommand = buildCommand<CommonFlags, [], Cli>({
  loader: loadLazily(async () => (await import('./shell.ts')).shell),
  parameters: { flags: commonFlags },
  docs: {
    brief: 'Open the interactive shell, as plugboard without arguments does',
  },
})
