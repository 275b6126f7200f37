import { buildCommand, loadLazily } from '../../arguments/define-command.ts'
import { offerGivenFlags } from '../../arguments/flags.ts'
import { optional, serverArgument } from '../../arguments/positionals.ts'
import type { Cli, GivenServerFlags } from '../../command-context.ts'
import type { OfferFlags } from './find-offers.ts'

export const promptsCommand = buildCommand<OfferFlags & GivenServerFlags, [string?], Cli>({
  loader: loadLazily(async () => (await import('./prompts.ts')).prompts),
  parameters: {
    flags: offerGivenFlags,
    positional: { kind: 'tuple', parameters: [optional(serverArgument)] },
  },
  docs: { brief: 'List the prompts that servers offer' },
})
