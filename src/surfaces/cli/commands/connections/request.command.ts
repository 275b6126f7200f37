import { buildCommand, loadLazily } from '../../arguments/define-command.ts'
import { connectGivenFlags } from '../../arguments/flags.ts'
import { optional, serverArgument, textArgument } from '../../arguments/positionals.ts'
import type { Cli, GivenServerFlags, WaitFlags } from '../../command-context.ts'

export const requestCommand = buildCommand<WaitFlags & GivenServerFlags, [string, string?, string?], Cli>({
  loader: loadLazily(async () => (await import('./request.ts')).request),
  parameters: {
    flags: connectGivenFlags,
    positional: {
      kind: 'tuple',
      parameters: [
        serverArgument,
        optional(textArgument('METHOD', 'the method, such as resources/list')),
        optional(textArgument('JSON', 'the parameters, as a JSON object')),
      ],
    },
  },
  docs: {
    brief: 'Send any request to a server and print the result, without what is held',
    customUsage: ['<NAME> <METHOD> [JSON]', '--stdio COMMAND <METHOD> [JSON]', '--url URL <METHOD> [JSON]'],
  },
})
