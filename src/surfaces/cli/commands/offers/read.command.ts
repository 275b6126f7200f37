import { buildCommand, loadLazily } from '../../arguments/define-command.ts'
import { formatFlag, serverFlag, textFlag, viewGivenFlags } from '../../arguments/flags.ts'
import { resourceArgument } from '../../arguments/positionals.ts'
import type { Cli, GivenServerFlags } from '../../command-context.ts'
import type { ReadFlags } from './read.ts'

export const readCommand = buildCommand<ReadFlags & GivenServerFlags, [string], Cli>({
  loader: loadLazily(async () => (await import('./read.ts')).read),
  parameters: {
    flags: {
      ...viewGivenFlags,
      ...formatFlag,
      ...serverFlag,
      output: textFlag('FILE', 'Save it as this file, which must not exist yet'),
    },
    positional: { kind: 'tuple', parameters: [resourceArgument] },
  },
  docs: { brief: 'Read a resource' },
})
