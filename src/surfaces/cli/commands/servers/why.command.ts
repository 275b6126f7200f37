import { buildCommand, loadLazily } from '../../arguments/define-command.ts'
import { switchFlag, viewFlags } from '../../arguments/flags.ts'
import { serverOrToolArgument } from '../../arguments/positionals.ts'
import type { Cli } from '../../command-context.ts'
import type { WhyFlags } from './why.ts'

export const whyCommand = buildCommand<WhyFlags, [string], Cli>({
  loader: loadLazily(async () => (await import('./why.ts')).why),
  parameters: {
    flags: {
      ...viewFlags,
      server: switchFlag('The name is a server’s'),
      tool: switchFlag('The name is a tool’s; servers that are not known yet are asked'),
    },
    positional: { kind: 'tuple', parameters: [serverOrToolArgument] },
  },
  docs: {
    brief:
      'Explain one server: every declaration of it, the one that counts, and why; or one tool: who sees it',
  },
})
