import { buildCommand, loadLazily } from '../../arguments/define-command.ts'
import { connectFlags } from '../../arguments/flags.ts'
import { optional, serverArgument, textArgument } from '../../arguments/positionals.ts'
import type { Cli, WaitFlags } from '../../command-context.ts'

export const requestCommand = buildCommand<WaitFlags, [string, string, string?], Cli>({
  loader: loadLazily(async () => (await import('./request.ts')).request),
  parameters: {
    flags: connectFlags,
    positional: {
      kind: 'tuple',
      parameters: [
        serverArgument,
        textArgument('METHOD', 'the method, such as resources/list'),
        optional(textArgument('JSON', 'the parameters, as a JSON object')),
      ],
    },
  },
  docs: { brief: 'Send any request to a server and print the result' },
})
