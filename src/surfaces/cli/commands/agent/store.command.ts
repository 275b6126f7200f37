import { buildCommand, buildRouteMap, loadLazily } from '../../arguments/define-command.ts'
import { commonFlags, dryRunFlag, switchFlag } from '../../arguments/flags.ts'
import { parseAge } from '../../../facts/parse-age.ts'
import type { Cli, CommonFlags } from '../../command-context.ts'
import type { PruneFlags } from './store.ts'

export const storeCommand = buildRouteMap<'status' | 'backup' | 'export' | 'prune', Cli>({
  defaultCommand: 'status',
  routes: {
    status: buildCommand<CommonFlags, [], Cli>({
      loader: loadLazily(async () => (await import('./store.ts')).storeStatus),
      parameters: { flags: commonFlags },
      docs: { brief: 'Show where conversations are kept, and how much there is' },
    }),
    backup: buildCommand<CommonFlags, [string], Cli>({
      loader: loadLazily(async () => (await import('./store.ts')).backupStore),
      parameters: {
        flags: commonFlags,
        positional: {
          kind: 'tuple',
          parameters: [{ brief: 'the new file', parse: (text: string) => text, placeholder: 'FILE' }],
        },
      },
      docs: { brief: 'Copy the store into a new file, while others go on using it' },
    }),
    export: buildCommand<CommonFlags, [], Cli>({
      loader: loadLazily(async () => (await import('./store.ts')).exportStore),
      parameters: { flags: commonFlags },
      docs: { brief: 'Print every row as a line of JSON' },
    }),
    prune: buildCommand<PruneFlags, [], Cli>({
      loader: loadLazily(async () => (await import('./store.ts')).pruneStore),
      parameters: {
        flags: {
          ...commonFlags,
          ...dryRunFlag,
          older: {
            kind: 'parsed',
            parse: parseAge,
            placeholder: 'AGE',
            brief: 'Remove what was last used longer ago than this, such as 90d',
          },
          yes: switchFlag('Do not ask'),
        },
      },
      docs: { brief: 'Remove old conversations, answered questions and calls' },
    }),
  },
  docs: { brief: 'Look after what is kept: conversations, switches, approvals, calls' },
})
