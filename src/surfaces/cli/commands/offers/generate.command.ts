import { buildCommand, loadLazily } from '../../arguments/define-command.ts'
import { offerFlags, switchFlag, textFlag } from '../../arguments/flags.ts'
import { serverArgument } from '../../arguments/positionals.ts'
import type { Cli } from '../../command-context.ts'
import type { GenerateFlags } from './generate.ts'

export const generateCommand = buildCommand<GenerateFlags, [string], Cli>({
  loader: loadLazily(async () => (await import('./generate.ts')).generate),
  parameters: {
    flags: {
      ...offerFlags,
      out: textFlag('FILE', 'Write to this file instead of stdout'),
      cli: switchFlag('Generate a program with a command for each tool'),
      force: switchFlag('Replace a file that was not generated, or is of the other kind'),
    },
    positional: { kind: 'tuple', parameters: [serverArgument] },
  },
  docs: {
    brief: 'Write a typed TypeScript module, or a program, from a server’s tools',
    customUsage: ['NAME [--out FILE.ts]', 'NAME --cli [--out FILE.mjs]'],
  },
})
