import { buildCommand, loadLazily } from '../../arguments/define-command.ts'
import { commonFlags, dryRunFlag, switchFlag, textFlag, textsFlag } from '../../arguments/flags.ts'
import { sourceArgument } from '../../arguments/positionals.ts'
import type { Cli } from '../../command-context.ts'
import type { CopyFlags } from './import-export.ts'

const parameters = {
  flags: {
    ...commonFlags,
    trust: switchFlag('Copy the project’s servers too, though they are not trusted'),
    only: textsFlag('NAME', 'Only this server; may be repeated'),
    as: textFlag('NAME', 'Its new name; with one --only'),
    force: switchFlag('Replace entries of the same name'),
    yes: switchFlag('Write without asking'),
    ...dryRunFlag,
  },
  positional: { kind: 'tuple', parameters: [sourceArgument('CLIENT', 'the client')] },
} as const

export const importCommand = buildCommand<CopyFlags, [string], Cli>({
  loader: loadLazily(async () => (await import('./import-export.ts')).importClient),
  parameters,
  docs: { brief: 'Copy another client’s servers into your own file' },
})

export const exportCommand = buildCommand<CopyFlags, [string], Cli>({
  loader: loadLazily(async () => (await import('./import-export.ts')).exportClient),
  parameters,
  docs: { brief: 'Copy the servers in force into another client’s file, after a preview' },
})
