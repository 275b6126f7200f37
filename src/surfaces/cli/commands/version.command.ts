import { buildCommand, loadLazily } from '../arguments/define-command.ts'
import { commonFlags } from '../arguments/flags.ts'
import type { Cli, CommonFlags } from '../command-context.ts'

export const versionCommand = buildCommand<CommonFlags, [], Cli>({
  loader: loadLazily(async () => (await import('./version.ts')).version),
  parameters: { flags: commonFlags },
  docs: { brief: 'Print the version of Plugboard, as --version does' },
})
