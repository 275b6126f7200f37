import { buildCommand, loadLazily } from '../../arguments/define-command.ts'
import { connectFlags, noStartFlag, noTextsFlag, textFlag } from '../../arguments/flags.ts'
import { serverArgument } from '../../arguments/positionals.ts'
import type { Cli } from '../../command-context.ts'
import type { ReviewFlags } from './review.ts'

export const reviewCommand = buildCommand<ReviewFlags, string[], Cli>({
  loader: loadLazily(async () => (await import('./review.ts')).review),
  parameters: {
    flags: {
      ...connectFlags,
      ...noStartFlag,
      ...noTextsFlag,
      accept: textFlag(
        'NAME',
        'Accept this tool, prompt or template, or "instructions", without asking; needs --hash',
      ),
      reject: textFlag('NAME', 'Keep it away from models, without asking; needs --hash'),
      hash: textFlag('HASH', 'The hash of the definition that was shown'),
    },
    positional: { kind: 'array', parameter: serverArgument },
  },
  docs: {
    brief: 'Show what servers changed since it was accepted, and accept or reject it',
    fullDescription:
      'A definition that differs from the accepted one is held back from models. This shows each with what changed, word by ' +
      'word and field by field, and what the scanner found in it, and asks. What was decided counts at once, also if you stop ' +
      'with Ctrl-C. Without a terminal it only shows, and exits with 4 while something waits for a decision.',
  },
})
