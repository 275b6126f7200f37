import { buildCommand, buildRouteMap, loadLazily } from '../../arguments/define-command.ts'
import { commonFlags, switchFlag } from '../../arguments/flags.ts'
import { sourceArgument } from '../../arguments/positionals.ts'
import type { Cli, CommonFlags } from '../../command-context.ts'
import type { SourcesFlags } from './sources.ts'

const parameters = {
  flags: commonFlags,
  positional: { kind: 'tuple', parameters: [sourceArgument('ID', 'the source')] },
} as const

export const sourcesCommand = buildRouteMap<'list' | 'enable' | 'disable', Cli>({
  defaultCommand: 'list',
  routes: {
    list: buildCommand<SourcesFlags, [], Cli>({
      loader: loadLazily(async () => (await import('./sources.ts')).sources),
      parameters: { flags: { ...commonFlags, all: switchFlag('Also list clients that have no files here') } },
      docs: { brief: 'List the clients whose files were found, used or not' },
    }),
    enable: buildCommand<CommonFlags, [string], Cli>({
      loader: loadLazily(async () => (await import('./sources.ts')).enableSource),
      parameters,
      docs: { brief: 'Use this client’s servers' },
    }),
    disable: buildCommand<CommonFlags, [string], Cli>({
      loader: loadLazily(async () => (await import('./sources.ts')).disableSource),
      parameters,
      docs: { brief: 'Stop using this client’s servers' },
    }),
  },
  docs: { brief: 'Show where servers come from; turn other clients’ servers on or off' },
})
