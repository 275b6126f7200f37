import { buildCommand, loadLazily } from '../../arguments/define-command.ts'
import { connectFlags, dryRunFlag, noStartFlag, switchFlag } from '../../arguments/flags.ts'
import type { Cli } from '../../command-context.ts'
import type { LockFlags } from './lock.ts'

export const lockCommand = buildCommand<LockFlags, [], Cli>({
  loader: loadLazily(async () => (await import('./lock.ts')).lock),
  parameters: {
    flags: {
      ...connectFlags,
      ...noStartFlag,
      ...dryRunFlag,
      check: switchFlag('Write nothing; exit with 15 if what is known differs from the lock file'),
      frozen: switchFlag('For CI: connect to every server, and exit with 15 on any difference'),
      pinPackages: switchFlag('Write the versions that run now into entries that name none'),
      yes: switchFlag('With --pin-packages: write without asking'),
    },
  },
  docs: { brief: 'Write what the project’s servers run and offer now into mcp.lock.json, or check it' },
})
