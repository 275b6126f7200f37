import type { CallRow } from '../../../src/client.ts'
import { StateMark } from './state-mark.tsx'

/** The state of a call. One that was stopped has ended, and did not fail. */
export function CallMark({
  call: { state, tone, word },
}: {
  readonly call: Pick<CallRow, 'state' | 'tone' | 'word'>
}) {
  return <StateMark state={{ tone, word, ...(state === 'cancelled' && { shape: 'cross' }) }} />
}
