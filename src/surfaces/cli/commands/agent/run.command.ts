import { buildCommand, loadLazily } from '../../arguments/define-command.ts'
import { promptFlags, switchFlag, textFlag, viewGivenFlags } from '../../arguments/flags.ts'
import type { Cli, GivenServerFlags } from '../../command-context.ts'
import type { RunFlags } from './run.ts'

export const runCommand = buildCommand<RunFlags & GivenServerFlags, string[], Cli>({
  loader: loadLazily(async () => (await import('./run.ts')).run),
  parameters: {
    flags: {
      ...viewGivenFlags,
      ...promptFlags,
      system: textFlag('TEXT', 'Instructions for the model'),
      outputSchema: textFlag('FILE', 'Answer with JSON that fits this JSON Schema'),
      maxSteps: {
        kind: 'parsed',
        parse: parseSteps,
        optional: true,
        placeholder: 'N',
        brief: 'Ask the model at most this often (default 50)',
      },
      maxCost: {
        kind: 'parsed',
        parse: parseCost,
        optional: true,
        placeholder: 'USD',
        brief: 'Spend at most this much, where the price is known (default 5)',
      },
      ephemeral: switchFlag('Keep nothing of the conversation'),
    },
    positional: {
      kind: 'array',
      parameter: {
        brief: 'the prompt; - for stdin, @file for a file',
        parse: (value: string) => value,
        placeholder: 'PROMPT',
      },
    },
  },
  docs: {
    brief: 'Let a model do a task with the tools of your servers',
    customUsage: ['"PROMPT" [@file]', '@prompt.md', '- < prompt.md', '--demo "echo the message hello"'],
  },
})

function parseSteps(given: string): number {
  if (/^[1-9]\d{0,4}$/.test(given)) return Number(given)
  throw new Error('expected a number of at least 1')
}

function parseCost(given: string): number {
  if (/^\d{1,6}(?:\.\d{1,6})?$/.test(given) && Number(given) > 0) return Number(given)
  throw new Error('expected an amount in US dollars, such as 0.50')
}
