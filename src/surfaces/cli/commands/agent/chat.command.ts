import { buildCommand, loadLazily } from '../../arguments/define-command.ts'
import { agentFlag, commonFlags, switchFlag, textFlag } from '../../arguments/flags.ts'
import type { Cli } from '../../command-context.ts'
import type { ChatFlags } from './chat.ts'

export const chatCommand = buildCommand<ChatFlags, [], Cli>({
  loader: loadLazily(async () => (await import('./chat.ts')).chat),
  parameters: {
    flags: {
      ...commonFlags,
      ...agentFlag,
      model: textFlag('REF', 'The model, as ENDPOINT/MODEL'),
      continue: {
        kind: 'parsed',
        parse: (value: string) => value,
        inferEmpty: true,
        optional: true,
        placeholder: 'ID',
        brief: 'Go on with a conversation; without an ID, the last one of this folder',
      },
      demo: switchFlag('Use a small sample server and a demo model, without a key'),
    },
  },
  docs: {
    brief: 'Talk to a model that uses the tools of your servers',
    customUsage: ['[--agent NAME] [--model REF]', '--continue [ID]', '--demo'],
  },
})
