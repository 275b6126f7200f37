import type { CallRow, QuestionFacts } from '../../../src/client.ts'
import { addresses } from '../state/addresses.ts'

/** What a call waits for. A server's question names no call: while several of its calls run, each of them says it. */
export function askedOf(
  { state, question, server }: Pick<CallRow, 'state' | 'question' | 'server'>,
  pending: readonly QuestionFacts[],
): { readonly says: string; readonly to: string } | undefined {
  if (state === 'waits')
    return {
      says: 'It goes on when you answer.',
      to: question === undefined ? addresses.waiting : addresses.question(question),
    }
  if (state !== 'running') return undefined
  const open = pending.find(
    (each) =>
      each.server === server &&
      each.isWaiting &&
      each.asked.kind !== 'approval' &&
      each.asked.kind !== 'login',
  )
  return open && { says: `${open.title}. It may be for this call.`, to: addresses.question(open.id) }
}
