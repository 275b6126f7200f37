import { buildCommand, loadLazily } from '../../arguments/define-command.ts'
import { connectFlags } from '../../arguments/flags.ts'
import type { Cli, WaitFlags } from '../../command-context.ts'

export const statusCommand = buildCommand<WaitFlags, [], Cli>({
  loader: loadLazily(async () => (await import('./status.ts')).status),
  parameters: { flags: connectFlags },
  docs: { brief: 'Show which of your programs are running which servers' },
})
