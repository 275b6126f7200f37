import type { CallOptions } from './view/view.ts'
import { HostError } from '../model/error.ts'
import type { Happened } from '../model/event.ts'
import type { CallResult } from '../model/result.ts'
import type { Clock } from '../platform/platform.ts'

/** Somebody who hears of one call. */
export interface Hearer {
  /** Of the call, among all of the host. */
  readonly id: string
  readonly tell: (happened: Happened) => void
}

interface Told {
  readonly ref: string
  readonly conversation: string | undefined
  readonly clock: Pick<Clock, 'monotonic'>
}

/** Runs a call and tells how it goes, from its beginning to its one end. */
export async function tellingOf(
  { id, tell }: Hearer,
  { ref, conversation, clock }: Told,
  call: (onProgress: NonNullable<CallOptions['onProgress']>) => Promise<CallResult>,
): Promise<CallResult> {
  const startedAt = clock.monotonic()
  const finish = (end: { readonly failed: boolean; readonly error?: HostError['code'] }) =>
    tell({ type: 'call.finished', id, ref, ms: clock.monotonic() - startedAt, ...end })
  tell({ type: 'call.started', id, ref, ...(conversation !== undefined && { conversation }) })
  try {
    const result = await call((progress) => tell({ type: 'call.progressed', id, ref, ...progress }))
    finish({ failed: result.failed })
    return result
  } catch (error) {
    finish({ failed: true, ...(error instanceof HostError && { error: error.code }) })
    throw error
  }
}
