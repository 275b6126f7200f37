import { buildCommand, loadLazily } from '../../arguments/define-command.ts'
import { connectFlags, dryRunFlag, switchFlag, textFlag } from '../../arguments/flags.ts'
import { serverArgument } from '../../arguments/positionals.ts'
import type { Cli } from '../../command-context.ts'
import type { SandboxFlags } from './sandbox.ts'

export const sandboxCommand = buildCommand<SandboxFlags, [string, ...string[]], Cli>({
  loader: loadLazily(async () => (await import('./sandbox.ts')).sandbox),
  parameters: {
    flags: {
      ...connectFlags,
      observe: switchFlag('Run the server once and propose the smallest box for what it used'),
      call: textFlag('TOOL', 'Call this tool of it too, with key=value after the name; needs --observe'),
      write: switchFlag('Write the proposed box into its entry, after a preview; needs --observe'),
      yes: switchFlag('Write without asking'),
      ...dryRunFlag,
    },
    positional: { kind: 'array', parameter: serverArgument, minimum: 1 },
  },
  docs: {
    brief: 'Show the box of a local server, or find the smallest one for it',
    customUsage: ['NAME', 'NAME --observe [--write]', 'NAME --observe --call TOOL key=value…'],
  },
})
