import { describe, expect, test } from 'vitest'
import type { Failure, FailureCode, Reason, Status, Step } from '../../index.ts'
import { nextSteps } from './next-steps.ts'
import { describeState } from './state-facts.ts'
import { countStates } from './state-totals.ts'

/** Every value of a union once: a value that is missing or unknown is an error of the compiler. */
const codes = Object.keys({
  values: 1,
  spawn: 1,
  exit: 1,
  timeout: 1,
  protocol: 1,
  'too-large': 1,
  auth: 1,
  forbidden: 1,
  session: 1,
  rate: 1,
  upstream: 1,
  tls: 1,
  dns: 1,
  network: 1,
  blocked: 1,
  busy: 1,
  cancelled: 1,
  closed: 1,
} satisfies Record<FailureCode, 1>) as FailureCode[]

const reasons = Object.keys({
  declared: 1,
  'switched-off': 1,
  'not-trusted': 1,
  'trust-changed': 1,
  'trust-refused': 1,
  'asked-for': 1,
  retry: 1,
  progress: 1,
  greeted: 1,
  unreachable: 1,
  'reached-again': 1,
  failed: 1,
  crashed: 1,
  'crash-loop': 1,
  'breaker-open': 1,
  'login-needed': 1,
  stopped: 1,
  idle: 1,
  restarted: 1,
  'host-closed': 1,
} satisfies Record<Reason, 1>) as Reason[]

const steps: readonly Step[] = ['queued', 'resolving', 'starting', 'greeting']
const since = 1_000

function failureOf(code: FailureCode): Failure {
  return { code, message: `It failed with ${code}.`, hint: 'See its output: plugboard logs x', at: since }
}

function statusesWith(reason: Reason): readonly Status[] {
  const ready = { state: 'ready', era: 'modern', version: '1', capabilities: {}, since, reason } as const
  return [
    ...(['disabled', 'untrusted', 'idle', 'closed'] as const).map((state) => ({ state, since, reason })),
    ...steps.map((step) => ({ state: 'connecting', step, since, reason }) as const),
    ready,
    ...codes.flatMap((code): readonly Status[] => {
      const failure = failureOf(code)
      return [
        { ...ready, away: failure },
        { state: 'failed', since, reason, failure },
        { state: 'needs-auth', since, reason, failure, login: '' },
        { state: 'waiting', since, reason, failure, retryAt: since + 1 },
      ]
    }),
  ]
}

const every = reasons.flatMap(statusesWith)

describe('the state of a server as terminal and page draw it', () => {
  test('every state, reason and failure has a mark, a sentence and a next step', () => {
    expect(every.length).toBe(reasons.length * (4 + 4 + 1 + 4 * codes.length))
    const lacking = every.filter((status) => {
      const { word, shape, tone, sentence } = describeState({ name: 'x', status })
      const isPlain = status.state === 'ready' && !status.away
      return !word || !shape || !tone || (!sentence && !isPlain)
    })
    expect(lacking).toEqual([])
    const stuck = every.filter((status) => {
      const next = nextSteps({ name: 'x', status })
      return next.length === 0 || next.some(({ label, command }) => !label || !command)
    })
    expect(stuck).toEqual([])
  })

  test('no two steps of a server do the same', () => {
    const doubled = every.filter((status) => {
      const actions = nextSteps({ name: 'x', status }).map(({ action }) => action)
      return new Set(actions).size < actions.length
    })
    expect(doubled).toEqual([])
  })

  test('a failure tells its cause, its last output and the cure', () => {
    const failure = {
      ...failureOf('exit'),
      message: 'It exited with code 3.',
      stderr: ['boom: missing TOKEN'],
    }
    const subject = { name: 'a b', status: { state: 'failed', since, reason: 'failed', failure } } as const
    expect(describeState(subject)).toEqual({
      state: 'failed',
      reason: 'failed',
      shape: 'triangle',
      tone: 'bad',
      word: 'failed',
      sentence: 'It exited with code 3. It last said: boom: missing TOKEN.',
      hint: 'See its output: plugboard logs x',
      since,
      stderr: ['boom: missing TOKEN'],
    })
    expect(nextSteps({ ...subject, missing: ['TOKEN'] })).toEqual([
      { action: 'open-config', label: 'Show TOKEN', command: 'export TOKEN=…, then plugboard serve again' },
      { action: 'restart', label: 'Restart', command: "plugboard shell, then /mcp restart 'a b'" },
      { action: 'log', label: 'Log', command: "plugboard logs 'a b'" },
    ])
  })

  test.each([
    ['a server whose login ended', 'needs-auth', 'login-needed', 'login', 'plugboard login x'],
    ['one that is not trusted', 'untrusted', 'not-trusted', 'trust', 'plugboard trust x'],
    ['one that is off', 'disabled', 'switched-off', 'enable', 'plugboard enable x'],
    ['one that has not started', 'idle', 'declared', 'start', 'plugboard test x'],
  ] as const)('the first step of %s is the cure', (_, state, reason, action, command) => {
    const status = every.find((each) => each.state === state && each.reason === reason)
    expect(status && nextSteps({ name: 'x', status })[0]).toMatchObject({ action, command })
  })

  test('T18 hidden characters in what a server said are visible', () => {
    const failure = { ...failureOf('exit'), message: 'It said \u202Eevil', stderr: ['\u001B[31mred'] }
    const status = { state: 'failed', since, reason: 'failed', failure } as const
    expect(describeState({ name: 'x', status })).toMatchObject({
      sentence: 'It said \\u{202e}evil. It last said: \\x1b[31mred.',
      stderr: ['\\x1b[31mred'],
    })
  })

  test('a host that starts servers on demand says that the next call tries a failed one again', () => {
    const status = {
      state: 'waiting',
      since,
      reason: 'failed',
      failure: failureOf('exit'),
      retryAt: since,
    } as const
    const facts = describeState({ name: 'x', status, isRetried: false })
    expect(facts).toMatchObject({
      word: 'failed',
      tone: 'bad',
      sentence: 'It failed with exit. The next call tries it again.',
    })
    expect(facts.retryAt).toBeUndefined()
    expect(describeState({ name: 'x', status })).toMatchObject({ word: 'retrying', retryAt: since })
    const resting = describeState({
      name: 'x',
      status: { ...status, reason: 'crash-loop' },
      isRetried: false,
    })
    expect(resting).toMatchObject({ word: 'resting', retryAt: since })
  })

  test('countStates counts servers by the words of their states, those that work first', () => {
    const failure = failureOf('exit')
    expect(
      countStates([
        { name: 'b', status: { state: 'idle', since, reason: 'declared' } },
        { name: 'a', status: { state: 'failed', since, reason: 'failed', failure } },
        { name: 'c', status: { state: 'idle', since, reason: 'stopped' } },
      ]),
    ).toEqual([
      { state: 'failed', word: 'failed', names: ['a'] },
      { state: 'idle', word: 'idle', names: ['b', 'c'] },
    ])
  })
})
