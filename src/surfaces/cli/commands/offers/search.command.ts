import { buildCommand, loadLazily } from '../../arguments/define-command.ts'
import { limitFlag, offerGivenFlags } from '../../arguments/flags.ts'
import { textArgument } from '../../arguments/positionals.ts'
import type { Cli, GivenServerFlags } from '../../command-context.ts'
import type { SearchFlags } from './search.ts'

export const searchCommand = buildCommand<SearchFlags & GivenServerFlags, [string, ...string[]], Cli>({
  loader: loadLazily(async () => (await import('./search.ts')).search),
  parameters: {
    flags: {
      ...offerGivenFlags,
      ...limitFlag,
    },
    positional: { kind: 'array', parameter: textArgument('WORDS', 'what the tool should do'), minimum: 1 },
  },
  docs: { brief: 'Find tools by words in their names, descriptions and parameters' },
})
