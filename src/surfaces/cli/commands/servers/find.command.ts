import { buildCommand, loadLazily } from '../../arguments/define-command.ts'
import { commonFlags, limitFlag, waitFlags } from '../../arguments/flags.ts'
import { textArgument } from '../../arguments/positionals.ts'
import type { Cli } from '../../command-context.ts'
import type { FindFlags } from './find.ts'

export const findCommand = buildCommand<FindFlags, [string, ...string[]], Cli>({
  loader: loadLazily(async () => (await import('./find.ts')).find),
  parameters: {
    flags: { ...commonFlags, ...limitFlag, timeout: waitFlags.timeout },
    positional: {
      kind: 'array',
      parameter: textArgument('WORDS', 'words of the server’s name, title and description'),
      minimum: 1,
    },
  },
  docs: { brief: 'Search the MCP registry for servers to add' },
})
