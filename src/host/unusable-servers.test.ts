import { expect, test } from 'vitest'
import { toOutcome } from '../../test/support/outcome.ts'
import type { Discovery } from '../model/server.ts'
import type { Failure, Status } from '../model/status.ts'
import { defaultPreset } from '../presets/default-preset.ts'
import type { ServerStatus } from './host-options.ts'
import { mayConnect, unusableOf } from './unusable-servers.ts'

const failure: Failure = { code: 'network', message: 'Nothing listens.', hint: 'Look.', at: 0 }
// Only these fields are used.
const discovery = { diagnostics: [] as readonly unknown[] } as Discovery
const serverIn = (status: Status) => ({ name: 'x', status }) as ServerStatus

test('unusableOf: a waiting server has its own error until its next attempt is due (FI-46)', () => {
  const status: Status = { state: 'waiting', reason: 'breaker-open', since: 0, retryAt: 30_000, failure }
  const messagesAt = (now: number) =>
    unusableOf([serverIn(status)], discovery, defaultPreset, now).map(({ error }) => toOutcome(error))
  expect([messagesAt(1500), messagesAt(30_000)]).toEqual([
    [
      {
        host: 'server.failed',
        message:
          'Failed to connect to "x": Connecting is paused after failures, for another 29 s. Last failure: Nothing listens.',
        data: { server: 'x', failure, retryAt: 30_000 },
      },
    ],
    [
      {
        host: 'server.failed',
        message: 'Failed to connect to "x": Nothing listens.',
        data: { server: 'x', failure },
      },
    ],
  ])
})

test('T49 mayConnect: a wait ends by its time, or when the clock was set back behind its start', () => {
  const status: Status = { state: 'waiting', reason: 'breaker-open', since: 1000, retryAt: 31_000, failure }
  expect([2000, 30_999, 31_000, 999].map((now) => mayConnect(status, now))).toEqual([
    false,
    false,
    true,
    true,
  ])
})
