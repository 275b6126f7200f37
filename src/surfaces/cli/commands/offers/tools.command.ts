import { buildCommand, loadLazily } from '../../arguments/define-command.ts'
import { modelFlag, offerGivenFlags, switchFlag } from '../../arguments/flags.ts'
import { optional, textArgument } from '../../arguments/positionals.ts'
import type { Cli, GivenServerFlags } from '../../command-context.ts'
import type { ToolsFlags } from './tools.ts'

export const toolsCommand = buildCommand<ToolsFlags & GivenServerFlags, [string?], Cli>({
  loader: loadLazily(async () => (await import('./tools.ts')).tools),
  parameters: {
    flags: {
      ...offerGivenFlags,
      all: switchFlag('Also show tools that are not offered, with the reason'),
      cost: switchFlag('Show about how many tokens each server and tool takes in every request'),
      ...modelFlag,
    },
    positional: {
      kind: 'tuple',
      parameters: [optional(textArgument('PATTERN', 'a glob such as github_*, or part of a name'))],
    },
  },
  docs: { brief: 'List the tools that servers offer, or that an agent sees' },
})
