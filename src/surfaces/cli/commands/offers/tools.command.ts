import { buildCommand, loadLazily } from '../../arguments/define-command.ts'
import { offerFlags } from '../../arguments/flags.ts'
import { optional, textArgument } from '../../arguments/positionals.ts'
import type { Cli } from '../../command-context.ts'
import type { OfferFlags } from './find-offers.ts'

export const toolsCommand = buildCommand<OfferFlags, [string?], Cli>({
  loader: loadLazily(async () => (await import('./tools.ts')).tools),
  parameters: {
    flags: offerFlags,
    positional: {
      kind: 'tuple',
      parameters: [optional(textArgument('PATTERN', 'a glob such as github_*, or part of a name'))],
    },
  },
  docs: { brief: 'List the tools that servers offer, or that an agent sees' },
})
