import { buildCommand, loadLazily } from '../../arguments/define-command.ts'
import { commonFlags, switchFlag } from '../../arguments/flags.ts'
import type { Cli } from '../../command-context.ts'
import type { ListFlags } from './list.ts'

export const listCommand = buildCommand<ListFlags, [], Cli>({
  loader: loadLazily(async () => (await import('./list.ts')).list),
  parameters: {
    flags: { ...commonFlags, resolved: switchFlag('Also show resolved values, with secrets hidden') },
  },
  docs: { brief: 'List the servers in force here, and what is wrong with the others' },
})
