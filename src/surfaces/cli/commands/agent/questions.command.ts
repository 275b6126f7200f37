import { buildCommand, loadLazily } from '../../arguments/define-command.ts'
import { commonFlags } from '../../arguments/flags.ts'
import type { Cli, CommonFlags } from '../../command-context.ts'

export const questionsCommand = buildCommand<CommonFlags, [], Cli>({
  loader: loadLazily(async () => (await import('./questions.ts')).questions),
  parameters: { flags: commonFlags },
  docs: { brief: 'List the questions that wait for your answer' },
})

export const answerCommand = buildCommand<CommonFlags, [string], Cli>({
  loader: loadLazily(async () => (await import('./answer.ts')).answer),
  parameters: {
    flags: commonFlags,
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'the question, by its id', parse: (text: string) => text, placeholder: 'ID' }],
    },
  },
  docs: { brief: 'Answer a question that another terminal asked' },
})
