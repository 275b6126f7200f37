import { HostError } from '../model/error.ts'
import type { UntimedEvent, Progress } from '../model/event.ts'
import { removeHidden } from '../model/hidden.ts'
import type { Mask } from '../model/mask-texts.ts'
import { markSentence } from '../model/finding.ts'
import type { CallResult } from '../model/result.ts'
import type { Clock } from '../platform/platform.ts'
import type { TrifectaRisk } from '../policy/trifecta.ts'
import type { CallOptions } from './view/view.ts'

/** Receives the events of one call. */
export interface CallListener {
  /** Identifies the call among all calls of the host. */
  readonly id: string
  readonly onEvent: (event: UntimedEvent) => void
}

interface ReportedCall {
  readonly ref: string
  readonly conversation: string | undefined
  readonly options: CallOptions
  readonly clock: Pick<Clock, 'monotonic'>
  /** Why a person should look at the call (T15). */
  readonly risk?: TrifectaRisk | undefined
}

/** Runs a call and reports its start, its progress and its one end. */
export async function reportCall(
  { id, onEvent }: CallListener,
  { ref, conversation, options, clock, risk }: ReportedCall,
  call: (options: CallOptions) => Promise<CallResult>,
): Promise<CallResult> {
  const startedAt = clock.monotonic()
  /** @param waitedMs How long a person took to allow it, which is not its duration. */
  const finish = (end: { readonly failed: boolean; readonly error?: HostError['code'] }, waitedMs = 0) =>
    onEvent({ type: 'call.finished', id, ref, ms: clock.monotonic() - startedAt - waitedMs, ...end })
  const onProgress = (progress: Progress) => {
    onEvent({ type: 'call.progressed', id, ref, ...progress })
    options.onProgress?.(progress)
  }
  onEvent({ type: 'call.started', id, ref, ...(conversation !== undefined && { conversation }) })
  if (risk) onEvent({ type: 'call.warned', id, ref, message: risk.reason, path: risk.path })
  try {
    const result = await call({ ...options, onProgress })
    const { findings } = result
    if (findings) onEvent({ type: 'call.marked', id, ref, message: markSentence(ref, findings), findings })
    finish({ failed: result.failed }, result.waitedMs)
    return result
  } catch (error) {
    finish({ failed: true, ...(error instanceof HostError && { error: error.code }) })
    throw error
  }
}

/** The same options, with secrets and hidden characters removed from the server's progress messages (T17). */
export function withCleanProgress<Options extends CallOptions>(options: Options, mask: Mask): Options {
  const { onProgress } = options
  if (!onProgress) return options
  return {
    ...options,
    onProgress(progress) {
      const { message } = progress
      onProgress(message === undefined ? progress : { ...progress, message: cleanText(message, mask) })
    },
  }
}

/** A short text of a server, without secrets and hidden characters. */
export function cleanText(text: string, mask: Mask): string {
  return mask(removeHidden(text).text)
}
