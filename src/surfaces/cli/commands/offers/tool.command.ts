import { buildCommand, loadLazily } from '../../arguments/define-command.ts'
import { offerGivenFlags } from '../../arguments/flags.ts'
import { optional, ownToolArgument, toolNameArgument } from '../../arguments/positionals.ts'
import type { Cli, GivenServerFlags } from '../../command-context.ts'
import type { OfferFlags } from './find-offers.ts'

export const toolCommand = buildCommand<OfferFlags & GivenServerFlags, [string, string?], Cli>({
  loader: loadLazily(async () => (await import('./tool.ts')).tool),
  parameters: {
    flags: offerGivenFlags,
    positional: { kind: 'tuple', parameters: [toolNameArgument, optional(ownToolArgument)] },
  },
  docs: {
    brief: 'Show a tool’s description, its arguments and how to call it',
    customUsage: ['TOOL', 'SERVER TOOL'],
  },
})
