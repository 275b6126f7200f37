import type { Approve, Grant } from '../../index.ts'
import { escapeLine, escapeText } from '../terminal/escape.ts'
import type { Output } from '../terminal/terminal-output.ts'
import { promptsOf } from './command-context.ts'
import type { Cli } from './command-context.ts'
import { Ended } from './errors.ts'
import type { Waiting } from './output/waiting.ts'

/**
 * Asks the person at the terminal about one call, with everything that it would send (T10), and how far a yes reaches.
 * A command is no conversation: the shell, which is one, asks in its own way.
 */
export function createApprove(
  cli: Cli,
  { output, waiting }: { readonly output: Output; readonly waiting: Waiting },
): Approve {
  return async ({ tool, args, reason }) => {
    waiting.say('')
    output.show(escapeLine(reason))
    output.show(escapeText(`${tool.ref} ${JSON.stringify(args, undefined, 2)}`))
    const answer = await promptsOf(cli).select<Grant | 'no'>({
      message: `Call ${tool.ref}?`,
      choices: [
        { value: 'no', label: 'no' },
        { value: 'once', label: 'yes, this once' },
        { value: 'always', label: 'yes, always', hint: 'until the tool or its entry changes' },
      ],
      initial: 'no',
    })
    if (answer.cancelled) throw new Ended('cancelled', 'Cancelled.')
    return answer.value
  }
}
