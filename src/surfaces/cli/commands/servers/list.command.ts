import { buildCommand, loadLazily } from '../../arguments/define-command.ts'
import { offerFlags, switchFlag } from '../../arguments/flags.ts'
import { optional, serverArgument } from '../../arguments/positionals.ts'
import type { Cli } from '../../command-context.ts'
import type { ListFlags } from './list.ts'

export const listCommand = buildCommand<ListFlags, [string?], Cli>({
  loader: loadLazily(async () => (await import('./list.ts')).list),
  parameters: {
    flags: { ...offerFlags, resolved: switchFlag('Also show resolved values, with secrets hidden') },
    positional: { kind: 'tuple', parameters: [optional(serverArgument)] },
  },
  docs: { brief: 'List the servers in force here and their problems; with NAME, its tools' },
})
