import { buildCommand, loadLazily } from '../../arguments/define-command.ts'
import { switchFlag, textFlag, viewFlags } from '../../arguments/flags.ts'
import { serverOrToolArgument } from '../../arguments/positionals.ts'
import type { Cli } from '../../command-context.ts'
import type { WhyFlags } from './why.ts'

export const whyCommand = buildCommand<WhyFlags, [string], Cli>({
  loader: loadLazily(async () => (await import('./why.ts')).why),
  parameters: {
    flags: {
      ...viewFlags,
      server: switchFlag('NAME is a server'),
      key: textFlag('NAME', 'Explain a tool for the caller with this key of the gateway'),
      claims: textFlag('FILE', 'Explain a tool for a caller whose token has the claims of this file (JSON)'),
      from: textFlag(
        'store|FILE',
        'With --key or --claims: explain the published configuration, or that of a file, as gateway --from serves it',
      ),
      tool: switchFlag('NAME is a tool; connect to servers not seen before'),
    },
    positional: { kind: 'tuple', parameters: [serverOrToolArgument] },
  },
  docs: {
    brief:
      'Explain a server: its declarations, which one is in force and why; or a tool: who may see and call it',
  },
})
