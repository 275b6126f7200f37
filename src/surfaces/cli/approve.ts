import type { Approve } from '../../index.ts'
import { escapeLine, escapeText } from '../terminal/escape.ts'
import type { Output } from '../terminal/output.ts'
import { promptsOf } from './context.ts'
import type { Cli } from './context.ts'
import type { Waiting } from './waiting.ts'

/** Asks the person at the terminal about one call, with everything that it would send (T10). */
export function createApprove(
  cli: Cli,
  { output, waiting }: { readonly output: Output; readonly waiting: Waiting },
): Approve {
  return async ({ tool, args, reason }) => {
    waiting.say('')
    output.show(escapeLine(reason))
    output.show(escapeText(`${tool.ref} ${JSON.stringify(args, undefined, 2)}`))
    const answer = await promptsOf(cli).confirm({ message: `Call ${tool.ref}?`, initial: false })
    return !answer.cancelled && answer.value ? 'once' : 'no'
  }
}
