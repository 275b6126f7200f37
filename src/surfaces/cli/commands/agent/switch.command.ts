import { buildCommand, loadLazily } from '../../arguments/define-command.ts'
import { commonFlags, textFlag } from '../../arguments/flags.ts'
import { serverArgument } from '../../arguments/positionals.ts'
import type { Cli } from '../../command-context.ts'
import type { SwitchFlags } from './switch.ts'

function parseState(text: string): string {
  if (text === 'on' || text === 'off') return text
  throw new Error('expected on or off')
}

export const switchCommand = buildCommand<SwitchFlags, [string, string], Cli>({
  loader: loadLazily(async () => (await import('./switch.ts')).switchServer),
  parameters: {
    flags: {
      ...commonFlags,
      conversation: textFlag('ID', 'The conversation; the newest of this folder without it'),
    },
    positional: {
      kind: 'tuple',
      parameters: [serverArgument, { brief: 'on or off', parse: parseState, placeholder: 'on|off' }],
    },
  },
  docs: { brief: 'Switch a server on or off in one conversation' },
})
