import { buildCommand, loadLazily } from '../../arguments/define-command.ts'
import { offerGivenFlags } from '../../arguments/flags.ts'
import { textArgument } from '../../arguments/positionals.ts'
import type { Cli, GivenServerFlags } from '../../command-context.ts'
import type { SearchFlags } from './search.ts'

export const searchCommand = buildCommand<SearchFlags & GivenServerFlags, [string, ...string[]], Cli>({
  loader: loadLazily(async () => (await import('./search.ts')).search),
  parameters: {
    flags: {
      ...offerGivenFlags,
      limit: {
        kind: 'parsed',
        parse: parseLimit,
        optional: true,
        placeholder: 'N',
        brief: 'Maximum number of results (default 20)',
      },
    },
    positional: { kind: 'array', parameter: textArgument('WORDS', 'what the tool should do'), minimum: 1 },
  },
  docs: { brief: 'Find tools by words in their names, descriptions and parameters' },
})

function parseLimit(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text)
  throw new Error('expected a number of at least 1')
}
