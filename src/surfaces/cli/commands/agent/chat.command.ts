import { buildCommand, loadLazily } from '../../arguments/define-command.ts'
import { agentFlag, commonFlags, promptFlags } from '../../arguments/flags.ts'
import type { Cli } from '../../command-context.ts'
import type { ChatFlags } from './chat.ts'

export const chatCommand = buildCommand<ChatFlags, [], Cli>({
  loader: loadLazily(async () => (await import('./chat.ts')).chat),
  parameters: {
    flags: {
      ...commonFlags,
      ...agentFlag,
      ...promptFlags,
    },
  },
  docs: {
    brief: 'Talk to a model that uses the tools of your servers',
    customUsage: ['[--agent NAME] [--model REF]', '--continue [ID]', '--demo'],
  },
})
