import { buildCommand, buildRouteMap, loadLazily } from '../../arguments/define-command.ts'
import { connectFlags } from '../../arguments/flags.ts'
import { serverArgument } from '../../arguments/positionals.ts'
import type { Cli, WaitFlags } from '../../command-context.ts'

export const cacheCommand = buildRouteMap<'clear', Cli>({
  routes: {
    clear: buildCommand<WaitFlags, string[], Cli>({
      loader: loadLazily(async () => (await import('./cache.ts')).clear),
      parameters: { flags: connectFlags, positional: { kind: 'array', parameter: serverArgument } },
      docs: { brief: 'Forget what is known about the named servers, or about all' },
    }),
  },
  docs: { brief: 'Manage what earlier connections learned about servers' },
})
