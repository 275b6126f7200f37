import { HostError } from '../../index.ts'
import type { Effect, ErrorCode, ToolExplanation } from '../../index.ts'
import { describePredicate, isObject } from '../../internal.ts'
import type { StoredCall } from '../../store.ts'
import type { Fault, NextStep } from '../api/shared-shapes.ts'
import type { CallRow } from '../api/tool-routes.ts'
import { stepFor } from './next-steps.ts'

export type CallState = CallRow['state']
export type Tone = CallRow['tone']

/** How each state of a call is shown, in terminals and on the page. */
export const callStates: Readonly<Record<CallState, { readonly tone: Tone; readonly word: string }>> = {
  running: { tone: 'dim', word: 'running' },
  waits: { tone: 'ask', word: 'waits for you' },
  done: { tone: 'ok', word: 'ok' },
  failed: { tone: 'bad', word: 'failed' },
  refused: { tone: 'warn', word: 'refused' },
  cancelled: { tone: 'dim', word: 'stopped' },
  unknown: { tone: 'bad', word: 'outcome unknown' },
}

/** Errors that are said in a word of their own. */
const errorWords: Readonly<Partial<Record<ErrorCode, { readonly word: string; readonly tone?: Tone }>>> = {
  'server.needs-auth': { word: 'login needed', tone: 'warn' },
  'server.untrusted': { word: 'not trusted', tone: 'ask' },
  'server.disabled': { word: 'disabled', tone: 'dim' },
  'call.timeout': { word: 'timed out' },
  'call.invalid-args': { word: 'invalid arguments' },
  'call.too-large': { word: 'too large' },
  'call.busy': { word: 'too many calls' },
  'tool.unknown': { word: 'no such tool' },
  'tool.quarantined': { word: 'blocked after crashes' },
  'value.unresolved': { word: 'value missing' },
}

export function callStateOf(outcome: StoredCall['outcome'], error?: Pick<Fault, 'code'>): CallState {
  if (error?.code === 'call.outcome-unknown') return 'unknown'
  return outcome === 'denied' ? 'refused' : outcome
}

/** The outcome that an error means: the call did not run, or it is unknown whether it did. */
export function outcomeOfError({ code }: Pick<Fault, 'code'>): StoredCall['outcome'] {
  if (code === 'call.denied' || code === 'tool.held' || code === 'resource.held') return 'denied'
  return code === 'call.cancelled' ? 'cancelled' : 'failed'
}

/** The tone and the word of a state; an error may have a more exact word. */
export function drawnState(
  state: CallState,
  error?: Pick<Fault, 'code'>,
): { readonly tone: Tone; readonly word: string } {
  const known = state === 'failed' && error ? errorWords[error.code as ErrorCode] : undefined // any other code has no entry
  return { ...callStates[state], ...known }
}

/** A row of the timeline for a call of the store. */
export function toStoredRow(
  call: StoredCall,
  titleOf?: (conversation: string) => string | undefined,
): CallRow {
  const { id, ref, by, app, conversation, outcome, error, startedAt, ms, waitedMs, bytes } = call
  const state = callStateOf(outcome, error)
  const title = conversation === undefined ? undefined : titleOf?.(conversation)
  return {
    id,
    ...partsOfRef(ref),
    by: by ?? (conversation === undefined ? 'program' : 'chat'),
    ...(app !== undefined && { app }),
    ...(conversation !== undefined && { conversation }),
    ...(title !== undefined && { conversationTitle: title }),
    state,
    ...drawnState(state, error),
    at: Date.parse(startedAt),
    ms,
    ...(waitedMs !== undefined && { waitedMs }),
    bytes,
  }
}

/** The names in a ref, also where its server is gone. */
export function partsOfRef(ref: string): Pick<CallRow, 'ref' | 'server' | 'tool'> {
  const at = ref.indexOf('/')
  const server = ref.slice(0, Math.max(at, 0)).replace(/%(2f|25)/gi, (code) => (code === '%25' ? '%' : '/'))
  return { ref, server, tool: ref.slice(at + 1) }
}

export function toFault(error: unknown): Fault {
  if (!(error instanceof HostError))
    return { code: 'error', message: error instanceof Error ? error.message : String(error) }
  const { code, message, hint, data } = error
  return {
    code,
    message,
    ...(hint !== undefined && { hint }),
    ...(isObject(data) && { data }),
  }
}

type Action = NextStep['action']

/** What helps against each error, the cure first. */
const cures: Readonly<Partial<Record<ErrorCode, readonly Action[]>>> = {
  'server.needs-auth': ['login'],
  'server.untrusted': ['trust'],
  'trust.refused': ['trust'],
  'server.disabled': ['enable'],
  'server.failed': ['restart', 'log'],
  'value.unresolved': ['answer-input', 'open-config'],
  'call.outcome-unknown': ['log'],
  'tool.quarantined': ['log'],
  'call.timeout': ['log'],
}

/** What a person can do after a call. */
export function nextAfterCall(
  row: Pick<CallRow, 'server' | 'state'>,
  command: string,
  error?: Pick<Fault, 'code'>,
): readonly NextStep[] {
  if (row.state === 'running' || row.state === 'waits') return []
  const actions = (error && cures[error.code as ErrorCode]) ?? [] // any other code has no entry
  const cure = actions.map((action) => stepFor(action, row.server))
  return [...cure, { action: 'call-again', label: 'Run again', command }]
}

/** Whether calls run, as `plugboard why` says it. */
export const effectWords: Readonly<Record<Effect, string>> = {
  allow: 'yes',
  ask: 'after approval',
  deny: 'no',
}

/** The rule that decided, in the words of `plugboard why`. */
export function decisionText({
  decision,
  depends = [],
}: Pick<ToolExplanation, 'decision' | 'depends'>): string {
  if (depends.length === 0) return `Runs: ${effectWords[decision.effect]}. ${decision.reason}`
  const conditions = depends.map(
    ({ effect, when, reason }) =>
      `${effectWords[effect]}, where ${when.map(describePredicate).join(' and ')}: ${reason}`,
  )
  const otherwise =
    decision.effect === 'allow' ? effectWords.allow : `${effectWords[decision.effect]}: ${decision.reason}`
  return `Runs: ${[...conditions, `otherwise ${otherwise}`].join(' · ')}`
}
