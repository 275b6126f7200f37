import { buildCommand, loadLazily } from '../../arguments/define-command.ts'
import { commonFlags, dryRunFlag, switchFlag } from '../../arguments/flags.ts'
import { optional, sourceArgument } from '../../arguments/positionals.ts'
import type { Cli } from '../../command-context.ts'
import type { AdoptFlags } from './adopt.ts'

const parametersFor = (all: string) =>
  ({
    flags: {
      ...commonFlags,
      all: switchFlag(all),
      yes: switchFlag('Write without asking'),
      ...dryRunFlag,
    },
    positional: { kind: 'tuple', parameters: [optional(sourceArgument('CLIENT', 'the client'))] },
  }) as const

export const adoptCommand = buildCommand<AdoptFlags, [string?], Cli>({
  loader: loadLazily(async () => (await import('./adopt.ts')).adoptClient),
  parameters: parametersFor('Every client that has servers in a file of yours'),
  docs: {
    brief: 'Move a client’s servers behind one entry that starts the gateway, after a preview',
    customUsage: ['CLIENT [--yes] [--dry-run]', '--all [--yes] [--dry-run]'],
  },
})

export const releaseCommand = buildCommand<AdoptFlags, [string?], Cli>({
  loader: loadLazily(async () => (await import('./adopt.ts')).releaseClient),
  parameters: parametersFor('Every adopted client'),
  docs: {
    brief: 'Put the servers of an adopted client back into its file, after a preview',
    customUsage: ['CLIENT [--yes] [--dry-run]', '--all [--yes] [--dry-run]'],
  },
})
