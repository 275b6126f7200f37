import { buildCommand, buildRouteMap, loadLazily } from '../../arguments/define-command.ts'
import { commonFlags, dryRunFlag, switchFlag } from '../../arguments/flags.ts'
import type { Cli, CommonFlags } from '../../command-context.ts'
import type { PruneFlags } from './store.ts'

const units: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** Parses `90d`, `12w` or `36h` to milliseconds. */
function parseAge(text: string): number {
  const [, digits = '', unit = ''] = /^(\d{1,5})([hdw])$/.exec(text) ?? []
  const ms = Number(digits) * (units[unit] ?? 0)
  if (ms > 0) return ms
  throw new Error('expected a number and a unit, such as 90d, 12w or 36h')
}

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
