import { buildCommand, loadLazily } from '../../arguments/define-command.ts'
import { commonFlags, dryRunFlag } from '../../arguments/flags.ts'
import { serverArgument } from '../../arguments/positionals.ts'
import type { Cli } from '../../command-context.ts'
import type { EditFlags } from './edit-report.ts'

const parameters = {
  flags: { ...commonFlags, ...dryRunFlag },
  positional: { kind: 'tuple', parameters: [serverArgument] },
} as const

export const enableCommand = buildCommand<EditFlags, [string], Cli>({
  loader: loadLazily(async () => (await import('./enable-disable.ts')).enable),
  parameters,
  docs: { brief: 'Enable a server' },
})

export const disableCommand = buildCommand<EditFlags, [string], Cli>({
  loader: loadLazily(async () => (await import('./enable-disable.ts')).disable),
  parameters,
  docs: { brief: 'Disable a server without removing it' },
})
