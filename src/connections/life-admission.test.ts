import { expect, test } from 'vitest'
import { toOutcome } from '../../test/support/outcome.ts'
import { toMcpStatus } from '../adapters/dispatch/dispatch-server.ts'
import { isResting, shownFailure } from '../model/status.ts'
import type { Failure, Status } from '../model/status.ts'

import { beginLife, waitBeforeOpening } from './life.ts'
import type { Urgency } from './slots.ts'

const failure: Failure = { code: 'exit', message: 'It ended.', hint: 'Look.', at: 0 }
const since = 0

function admit(
  status: Status,
  {
    resumeAt = 0,
    urgency = 'called',
    restart = 'backoff',
  }: { resumeAt?: number; urgency?: Urgency; restart?: 'backoff' | 'never' } = {},
): unknown {
  try {
    return waitBeforeOpening(
      { ...beginLife(status), resumeAt },
      { server: 'x', urgency, restart, now: 100, monotonic: 100 },
    )
  } catch (error) {
    return toOutcome(error)
  }
}

const connectionFailed = {
  host: 'server.failed',
  message: 'Failed to connect to "x": It ended.',
  data: { server: 'x', failure },
}

const connectionPaused = (retryAt: number, seconds: number) => ({
  host: 'server.failed',
  message: `Failed to connect to "x": Connecting is paused after failures, for another ${seconds} s. Last failure: It ended.`,
  data: { server: 'x', failure, retryAt },
})

test('waitBeforeOpening: a closed, disabled or untrusted server throws the reason', () => {
  expect([
    admit({ state: 'closed', reason: 'host-closed', since }),
    admit({ state: 'disabled', reason: 'switched-off', since }),
    admit({ state: 'untrusted', reason: 'not-trusted', since }),
  ]).toEqual([
    { host: 'host.closed', message: 'The host is closed.', data: { server: 'x' } },
    { host: 'server.disabled', message: '"x" is switched off.', data: { server: 'x' } },
    { host: 'server.untrusted', message: '"x" is not trusted.', data: { server: 'x' } },
  ])
})

test('C14 waitBeforeOpening: a crash, and any failure with restart "never", stand until a restart', () => {
  expect([
    admit({ state: 'failed', reason: 'crashed', since, failure }),
    admit({ state: 'failed', reason: 'failed', since, failure }, { restart: 'never' }),
    admit({ state: 'failed', reason: 'failed', since, failure }),
  ]).toEqual([connectionFailed, connectionFailed, 0])
})

test('waitBeforeOpening: after a crash a caller waits; after a failed attempt it throws until the wait is over', () => {
  const waiting = (reason: 'crashed' | 'failed' | 'breaker-open', resumeAt: number, urgency: Urgency) =>
    admit({ state: 'waiting', reason, since, failure, retryAt: resumeAt }, { resumeAt, urgency })
  expect([
    waiting('crashed', 350, 'called'),
    waiting('failed', 350, 'called'),
    waiting('breaker-open', 29_100, 'called'),
    waiting('failed', 350, 'background'),
    waiting('breaker-open', 350, 'background'),
    waiting('failed', 100, 'called'),
    waiting('breaker-open', 99, 'called'),
  ]).toEqual([250, connectionFailed, connectionPaused(29_100, 29), 250, 250, 0, 0])
})

test('waitBeforeOpening: a long pause is reported with the remaining time and the next step', () => {
  const status = { state: 'waiting', reason: 'breaker-open', since, failure, retryAt: 29_100 } as const
  const moment = { server: 'my x', urgency: 'called', restart: 'backoff', now: 100, monotonic: 100 } as const
  expect(() => waitBeforeOpening({ ...beginLife(status), resumeAt: 29_100 }, moment)).toThrow(
    expect.objectContaining({
      hint: "Check whether it answers now: plugboard test 'my x'",
    }) as Error,
  )
})

test('FI-28 FI-91 waitBeforeOpening: a resting server says until when, and how to restart it', () => {
  const status = { state: 'waiting', reason: 'crash-loop', since, failure, retryAt: 300_000 } as const
  const resting = (moment: { readonly now: number; readonly monotonic: number }) =>
    waitBeforeOpening(
      { ...beginLife(status), resumeAt: 300_000 },
      { server: 'x', urgency: 'called', restart: 'backoff', ...moment },
    )
  expect(() => resting({ now: 100, monotonic: 100 })).toThrow(
    expect.objectContaining({
      code: 'server.failed',
      message:
        'Failed to connect to "x": It keeps crashing and rests until 1970-01-01T00:05:00Z. Last failure: It ended.',
      hint: 'Restart it now: /mcp restart x in the shell. Look.',
      data: { server: 'x', failure, retryAt: 300_000 },
    }) as Error,
  )
  expect(resting({ now: 300_000, monotonic: 300_000 })).toBe(0)
})

test('waitBeforeOpening: any other state may be opened at once', () => {
  expect([
    admit({ state: 'idle', reason: 'declared', since }),
    admit({ state: 'needs-auth', reason: 'login-needed', since, login: 'l', failure }),
    admit({ state: 'connecting', step: 'queued', reason: 'asked-for', since }),
  ]).toEqual([0, 0, 0])
})

const waiting = (reason: 'crashed' | 'crash-loop') =>
  ({ state: 'waiting', reason, since, retryAt: 300_400, failure }) as const

test('FI-91 shownFailure: a resting server says until when and how to restart it, another failure is unchanged', () => {
  expect([isResting(waiting('crash-loop')), isResting(waiting('crashed'))]).toEqual([true, false])
  expect(shownFailure('x', waiting('crashed'))).toBe(failure)
  expect(shownFailure('x', waiting('crash-loop'))).toEqual({
    ...failure,
    message: 'It keeps crashing and rests until 1970-01-01T00:05:00Z. Last failure: It ended.',
    hint: 'Restart it now: /mcp restart x in the shell. Look.',
  })
})

test('FI-91 Dispatch: the status of a resting server is an error that says so', () => {
  const status: Status = waiting('crash-loop')
  const { state, error } = toMcpStatus(
    { id: 'x-1', name: 'x', status, isKnown: false, server: {} as never },
    { cwd: '/', toolCount: 0 },
  )
  expect({ state, error }).toEqual({
    state: 'error',
    error:
      'It keeps crashing and rests until 1970-01-01T00:05:00Z. Last failure: It ended. ' +
      'Restart it now: /mcp restart x in the shell. Look.',
  })
})
