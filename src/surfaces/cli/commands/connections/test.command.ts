import { buildCommand, loadLazily } from '../../arguments/define-command.ts'
import { connectGivenFlags, switchFlag } from '../../arguments/flags.ts'
import { serverArgument } from '../../arguments/positionals.ts'
import type { Cli, GivenServerFlags } from '../../command-context.ts'
import type { TestFlags } from './test.ts'

export const testCommand = buildCommand<TestFlags & GivenServerFlags, string[], Cli>({
  loader: loadLazily(async () => (await import('./test.ts')).test),
  parameters: {
    flags: { ...connectGivenFlags, all: switchFlag('Test every server that is switched on here') },
    positional: { kind: 'array', parameter: serverArgument },
  },
  docs: { brief: 'Connect to a server; show what it offers and how long each step took' },
})
