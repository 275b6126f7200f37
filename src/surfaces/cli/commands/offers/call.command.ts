import { buildCommand, loadLazily } from '../../arguments/define-command.ts'
import { argsFlag, formatFlag, textFlag, viewGivenFlags } from '../../arguments/flags.ts'
import { toolArgument } from '../../arguments/positionals.ts'
import type { Cli, GivenServerFlags } from '../../command-context.ts'
import type { CallFlags } from './call.ts'

export const callCommand = buildCommand<CallFlags & GivenServerFlags, [string, ...string[]], Cli>({
  loader: loadLazily(async () => (await import('./call.ts')).call),
  parameters: {
    flags: {
      ...viewGivenFlags,
      ...formatFlag,
      ...argsFlag('The arguments as a JSON object, - for stdin'),
      output: textFlag('DIR', 'Save images and other files of the result to this folder'),
    },
    positional: { kind: 'array', parameter: toolArgument, minimum: 1 },
  },
  docs: {
    brief: 'Call a tool',
    customUsage: [
      'TOOL key=value… [key=@file]',
      'SERVER TOOL key=value…',
      `'SERVER.TOOL(key: "value")'`,
      "TOOL --json '{…}'",
      'TOOL - < arguments.json',
    ],
  },
})
