import { buildCommand, lazily } from '../../arguments/define-command.ts'
import { connectFlags } from '../../arguments/flags.ts'
import type { Cli } from '../../command-context.ts'
import type { WaitFlags } from '../../with-host.ts'

export const statusCommand = buildCommand<WaitFlags, [], Cli>({
  loader: lazily(async () => (await import('./status.ts')).status),
  parameters: { flags: connectFlags },
  docs: { brief: 'Show which programs of yours have which servers running' },
})
