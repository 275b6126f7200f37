import { buildCommand, loadLazily } from '../../arguments/define-command.ts'
import { commonFlags } from '../../arguments/flags.ts'
import type { Cli, CommonFlags } from '../../command-context.ts'

export const agentsCommand = buildCommand<CommonFlags, [], Cli>({
  loader: loadLazily(async () => (await import('./agents.ts')).agents),
  parameters: { flags: commonFlags },
  docs: { brief: 'List the agents defined here, and the tools each may see' },
})
