import { buildCommand, loadLazily } from '../../arguments/define-command.ts'
import { offerFlags } from '../../arguments/flags.ts'
import { optional, ownToolArgument, toolNameArgument } from '../../arguments/positionals.ts'
import type { Cli } from '../../command-context.ts'
import type { OfferFlags } from './find-offers.ts'

export const toolCommand = buildCommand<OfferFlags, [string, string?], Cli>({
  loader: loadLazily(async () => (await import('./tool.ts')).tool),
  parameters: {
    flags: offerFlags,
    positional: { kind: 'tuple', parameters: [toolNameArgument, optional(ownToolArgument)] },
  },
  docs: {
    brief: 'Show a tool’s description, its arguments and how to call it',
    customUsage: ['TOOL', 'SERVER TOOL'],
  },
})
