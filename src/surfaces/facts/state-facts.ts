import type { Failure, Reason, Server, Status, TrustState } from '../../index.ts'
import { durationText, isResting, shownFailure } from '../../internal.ts'
import type { StateFacts } from '../api/server-routes.ts'
import { serverCommand } from './server-command.ts'
import { escapeLine } from '../terminal/escape.ts'

/** How a state is drawn: never by its color alone. */
export type StateMark = Pick<StateFacts, 'shape' | 'tone' | 'word'>

/** Every state with its shape, color and word, for terminal and page. */
export const stateMarks: Readonly<Record<Status['state'], StateMark>> = {
  ready: { shape: 'dot', tone: 'ok', word: 'ready' },
  idle: { shape: 'ring', tone: 'dim', word: 'idle' },
  connecting: { shape: 'ring', tone: 'warn', word: 'connecting' },
  waiting: { shape: 'ring', tone: 'warn', word: 'retrying' },
  failed: { shape: 'triangle', tone: 'bad', word: 'failed' },
  'needs-auth': { shape: 'square', tone: 'warn', word: 'needs login' },
  untrusted: { shape: 'square', tone: 'ask', word: 'needs trust' },
  disabled: { shape: 'dash', tone: 'dim', word: 'off' },
  closed: { shape: 'cross', tone: 'dim', word: 'closed' },
}

/** Connected, but its tools are not known. */
const unlistedMark: StateMark = { shape: 'dot', tone: 'warn', word: 'no tools' }
const away: StateMark = { shape: 'dot', tone: 'warn', word: 'away' }
const resting: StateMark = { shape: 'triangle', tone: 'bad', word: 'resting' }
const changed: StateMark = { shape: 'square', tone: 'ask', word: 'changed' }

function markOf({ status, isRetried = true, unlisted }: StateSubject): StateMark {
  if (status.state === 'ready' && status.away) return away
  if (status.state === 'ready' && unlisted !== undefined) return unlistedMark
  if (isResting(status)) return resting
  if (status.state === 'waiting' && !isRetried) return stateMarks.failed
  return status.reason === 'trust-changed' ? changed : stateMarks[status.state]
}

/** Why a server is in its state, for states without a failure that says it better. */
const reasonSentences: Readonly<Record<Reason, string>> = {
  declared: 'It starts when it is needed.',
  'switched-off': 'It is switched off.',
  'not-trusted': 'It is not trusted yet.',
  'trust-changed': 'It changed since you trusted it.',
  'trust-refused': 'It was not trusted when it was needed.',
  'asked-for': 'It was asked for.',
  retry: 'It is tried again.',
  progress: 'It is starting.',
  greeted: 'It has answered.',
  unreachable: 'The last request did not reach it.',
  'reached-again': 'It is reachable again.',
  failed: 'It failed.',
  crashed: 'It crashed.',
  'crash-loop': 'It keeps crashing.',
  'breaker-open': 'It failed too often and is left alone for a while.',
  'login-needed': 'It needs a login.',
  stopped: 'It was stopped. The next call starts it.',
  idle: 'It was not used for a while. The next call starts it.',
  restarted: 'It is restarted.',
  'host-closed': 'Plugboard has ended.',
}

export interface StateSubject {
  readonly name: string
  readonly status: Status
  readonly server?: Pick<Server, 'disabledBy'>
  /** `false`: its host starts servers only when they are needed, so that a failed one waits for the next call. */
  readonly isRetried?: boolean
  /** Why its tools could not be listed, though it is connected. */
  readonly unlisted?: string | undefined
  /** It was started again after it had ended by itself. */
  readonly recovery?: Recovery | undefined
}

/** How a server came back after a crash. */
interface Recovery {
  readonly cause: string
  readonly ranMs: number
  readonly backMs: number
}

/** The state of a server with its reason. Every state but a plain `ready` has a sentence. */
export function describeState(subject: StateSubject): StateFacts {
  const { status } = subject
  const { state, reason, since } = status
  const failure = failureOf(subject)
  const sentence = failure ? failureSentence(failure, subject) : sentenceOf(subject)
  const retryAt = retryTime(subject, failure)
  return {
    state,
    reason,
    ...markOf(subject),
    ...(sentence !== undefined && { sentence: escapeLine(sentence) }),
    ...hintOf(subject, failure),
    since,
    ...(retryAt !== undefined && { retryAt }),
    ...(failure?.stderr && failure.stderr.length > 0 && { stderr: failure.stderr.map(escapeLine) }),
  }
}

function hintOf(
  { name, status, unlisted }: StateSubject,
  failure: Failure | undefined,
): Pick<StateFacts, 'hint'> {
  if (failure?.hint) return { hint: escapeLine(failure.hint) }
  const isUnlisted = status.state === 'ready' && unlisted !== undefined
  return isUnlisted ? { hint: `See what it sends: ${serverCommand('test', name)}` } : {}
}

/** Longer lines of a server are in its log. */
const maxSaid = 200

/** The cause, the last line that the server wrote, and who tries it again. */
function failureSentence(
  { message, stderr = [] }: Failure,
  { status, isRetried = true }: StateSubject,
): string {
  const said = stderr.findLast((line) => line.trim() !== '')?.trim() ?? ''
  const shown = said.length > maxSaid ? `${said.slice(0, maxSaid)}…` : said
  return [
    message,
    ...(shown === '' || message.includes(shown) ? [] : [`It last said: ${shown}`]),
    ...(status.state === 'waiting' && !isRetried && !isResting(status)
      ? ['The next call tries it again.']
      : []),
  ]
    .map((part) => (/[.!?…]$/.test(part) ? part : `${part}.`))
    .join(' ')
}

/** When a server is tried again by itself, or until when it is left alone. */
function retryTime(
  { status, isRetried = true }: StateSubject,
  failure: Failure | undefined,
): number | undefined {
  if (status.state !== 'waiting') return failure?.retryAt
  return isRetried || isResting(status) ? status.retryAt : undefined
}

function sentenceOf({ status, server, unlisted, recovery }: StateSubject): string | undefined {
  if (status.state === 'connecting') return `step: ${status.step}`
  if (status.state === 'ready') return unlisted ?? (recovery && recoverySentence(recovery))
  if (status.state === 'disabled' && server?.disabledBy !== undefined)
    return `It is switched off by ${server.disabledBy}.`
  return reasonSentences[status.reason]
}

function recoverySentence({ cause, ranMs, backMs }: Recovery): string {
  return `${cause} It had run for ${durationText(ranMs)}, and was ready again ${durationText(backMs)} later.`
}

/** The failure that explains a state, as it is shown. */
export function failureOf({ name, status }: Pick<StateSubject, 'name' | 'status'>): Failure | undefined {
  switch (status.state) {
    case 'failed':
    case 'waiting':
    case 'needs-auth':
      return shownFailure(name, status)
    case 'ready':
      return status.away
    case 'idle':
    case 'connecting':
    case 'untrusted':
    case 'disabled':
    case 'closed':
      return undefined
    default:
      return status satisfies never
  }
}

/** Why a declaration of a project does not start. */
export function trustSentence(trust: TrustState): string {
  return reasonSentences[trust === 'changed' ? 'trust-changed' : 'not-trusted']
}

/** The state of a declaration, known without starting its server. */
export function describeDeclared(
  server: Server,
  trust: ReadonlyMap<Server, TrustState>,
): Pick<StateMark, 'tone' | 'word'> {
  if (!server.enabled) return stateMarks.disabled
  const state = trust.get(server) ?? 'trusted'
  return { trusted: { tone: 'ok', word: 'on' } as const, pending: stateMarks.untrusted, changed }[state]
}
