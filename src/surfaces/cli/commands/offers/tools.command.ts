import { buildCommand, loadLazily } from '../../arguments/define-command.ts'
import { offerFlags, switchFlag } from '../../arguments/flags.ts'
import { optional, textArgument } from '../../arguments/positionals.ts'
import type { Cli } from '../../command-context.ts'
import type { ToolsFlags } from './tools.ts'

export const toolsCommand = buildCommand<ToolsFlags, [string?], Cli>({
  loader: loadLazily(async () => (await import('./tools.ts')).tools),
  parameters: {
    flags: { ...offerFlags, all: switchFlag('Also show tools that are not offered, with the reason') },
    positional: {
      kind: 'tuple',
      parameters: [optional(textArgument('PATTERN', 'a glob such as github_*, or part of a name'))],
    },
  },
  docs: { brief: 'List the tools that servers offer, or that an agent sees' },
})
