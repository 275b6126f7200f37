import { buildCommand, loadLazily } from '../../arguments/define-command.ts'
import { argsFlag, messageFormatFlag, viewGivenFlags } from '../../arguments/flags.ts'
import { promptArgument } from '../../arguments/positionals.ts'
import type { Cli, GivenServerFlags } from '../../command-context.ts'
import type { PromptFlags } from './prompt.ts'

export const promptCommand = buildCommand<PromptFlags & GivenServerFlags, [string, ...string[]], Cli>({
  loader: loadLazily(async () => (await import('./prompt.ts')).prompt),
  parameters: {
    flags: { ...viewGivenFlags, ...messageFormatFlag, ...argsFlag('The arguments as a JSON object') },
    positional: { kind: 'array', parameter: promptArgument, minimum: 1 },
  },
  docs: {
    brief: 'Fill in a prompt and print its messages',
    customUsage: ['SERVER/NAME key=value…', "SERVER/NAME --json '{…}'"],
  },
})
