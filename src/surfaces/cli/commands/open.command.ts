import { buildCommand, loadLazily } from '../arguments/define-command.ts'
import { commonFlags } from '../arguments/flags.ts'
import type { Cli, CommonFlags } from '../command-context.ts'

export const openCommand = buildCommand<CommonFlags, [string], Cli>({
  loader: loadLazily(async () => (await import('./open.ts')).open),
  parameters: {
    flags: commonFlags,
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'The id of a call, as it was printed', parse: String, placeholder: 'CALL' }],
    },
  },
  docs: { brief: 'Show the view of a call in the page of `plugboard serve`' },
})
