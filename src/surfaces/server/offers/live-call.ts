import { HostError } from '../../../index.ts'
import type { CallResult, Json } from '../../../index.ts'
import { isObject } from '../../../internal.ts'
import type { QuestionFacts } from '../../api/question-routes.ts'
import type { Fault } from '../../api/shared-shapes.ts'
import type { CallRow } from '../../api/tool-routes.ts'
import { toBoundedJson } from '../../facts/bounded-json.ts'
import { partsOfRef } from '../../facts/call-facts.ts'

/** A call of this process: it runs, or it ended a short while ago. */
export interface LiveCall {
  readonly id: string
  readonly ref: string
  readonly by: 'page' | 'chat' | 'app'
  /** The ref of the tool whose app made it. */
  readonly app?: string
  readonly conversation?: string
  /** Those that ran: a person may change them before they allow the call. */
  args: Json
  /** How long they are as JSON, once the call has ended. */
  argsChars?: number
  readonly startedAt: number
  readonly began: number
  readonly progress: { at: number; progress: number; total?: number; message?: string }[]
  readonly stderr: string[]
  /** What was refused to the server meanwhile. */
  readonly notes: string[]
  readonly stop?: AbortController
  decision: string
  state: CallRow['state']
  /** Without the time that it waited for a person. */
  ms?: number
  /** How long it waited for a person until now. */
  waitedMs?: number
  /** Since when it waits, on the monotonic clock. */
  waitsSince?: number
  bytes?: number
  question?: string
  result?: CallResult
  error?: Fault
}

export function isRunning({ state }: LiveCall): boolean {
  return state === 'running' || state === 'waits'
}

/** The times of a call that has ended, as the store keeps them: writing it down may take a while. */
export function timesOf({ startedAt, ms = 0, waitedMs }: LiveCall) {
  const at = new Date(startedAt + ms + (waitedMs ?? 0)).toISOString()
  return { ms, ...(waitedMs !== undefined && { waitedMs }), at }
}

export function endWait(call: LiveCall): void {
  if (call.waitsSince === undefined) return
  call.waitedMs = Math.round((call.waitedMs ?? 0) + performance.now() - call.waitsSince)
  delete call.waitsSince
}

/**
 * Aborts a call when what it belongs to ends; returns what undoes that. Not `AbortSignal.any`, which keeps something of each call
 * for as long as the signal lives.
 */
export function followAbort(signal: AbortSignal, stop: AbortController): () => void {
  const onEnd = () => stop.abort(signal.reason)
  if (signal.aborted) onEnd()
  signal.addEventListener('abort', onEnd)
  return () => signal.removeEventListener('abort', onEnd)
}

export function unknownCall(id: string): HostError {
  return new HostError('call.unknown', { call: id }, `There is no call ${id}.`, {
    hint: 'Calls are kept in the store; without one, only the last ones of this process are.',
  })
}

export function withoutTime({
  at: _at,
  ...progress
}: LiveCall['progress'][number]): NonNullable<CallRow['progress']> {
  return progress
}

export function withoutData({ code, message, hint }: Fault) {
  return { code, message, ...(hint !== undefined && { hint }) }
}

const maxShownArgs = 256_000

export function shownArgs(args: Json): Json {
  const { text, isWhole } = toBoundedJson(args, maxShownArgs)
  return isWhole ? args : `${text}…`
}

/**
 * Lets results and long arguments go that are more than so many characters in all, also those that an app wrote. The newest call is
 * the first, and keeps its own.
 */
export function dropContents(ended: readonly LiveCall[], maxChars: number): void {
  let chars = 0
  for (const [at, call] of ended.entries()) {
    call.argsChars ??= JSON.stringify(call.args).length
    chars += (call.bytes ?? 0) + call.argsChars
    if (at === 0 || chars <= maxChars) continue
    delete call.result
    if (call.argsChars <= maxShownArgs) continue
    call.args = shownArgs(call.args)
    call.argsChars = maxShownArgs
  }
}

export function isAbout(
  call: LiveCall,
  { asked, server, conversation }: Pick<QuestionFacts, 'asked' | 'server' | 'conversation'>,
): boolean {
  // Questions of the page's own calls belong to no conversation.
  const within = call.by === 'page' ? undefined : call.conversation
  if (asked.kind === 'approval')
    return call.ref === asked.ref && within === conversation && isSame(call.args, asked.args)
  if (asked.kind === 'login') return false
  return server === partsOfRef(call.ref).server
}

/** Secrets are masked in a question, so only the names of the arguments are compared. */
export function isSame(args: Json, asked: Json): boolean {
  const namesOf = (value: Json) => (isObject(value) ? Object.keys(value).toSorted().join('\n') : '')
  return namesOf(args) === namesOf(asked)
}
