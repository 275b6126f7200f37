import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { FailureCode } from '../model/status.ts'
import { WireError } from '../wire/wire-error.ts'
import { isReadOnly, remedyFor } from './retry.ts'
import type { Remedy } from './retry.ts'

interface Case {
  readonly sent?: boolean
  readonly retryAfterMs?: number
  readonly isRepeatable?: boolean
  readonly jitter?: number
}

/** The remedy for each attempt in turn. */
function remedies(
  code: FailureCode,
  { sent = true, retryAfterMs, isRepeatable = false, jitter = 0 }: Case = {},
) {
  const facts = retryAfterMs === undefined ? {} : { retryAfterMs }
  const error = new WireError(code, '', { sent, facts })
  return [0, 1, 2].map((tries) => toText(remedyFor(error, { isRepeatable, tries, jitter })))
}

function toText(remedy: Remedy): string {
  return remedy.kind === 'wait' ? `wait ${remedy.ms}` : remedy.kind
}

const never = ['none', 'none', 'none']
const reading = { isRepeatable: true }
const unsent = { sent: false }

test('isReadOnly: reads and lists are, tools/call is not', () => {
  expect(['tools/list', 'resources/read', 'ping', 'tools/call', 'x', 'toString'].map(isReadOnly)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
  ])
})

describe('FI-44 retry: a server that limits requests', () => {
  test('FI-44 is retried when it says, for calls too, because nothing was done', () => {
    expect(remedies('rate', { ...unsent, retryAfterMs: 2000 })).toEqual(['wait 2000', 'wait 2000', 'none'])
    expect(remedies('rate', { ...reading, retryAfterMs: 0 })).toEqual(['wait 0', 'wait 0', 'none'])
  })

  test('FI-44 a time over a minute is not waited for; without a time the back-off applies', () => {
    expect(remedies('rate', { ...unsent, retryAfterMs: 60_000 })[0]).toBe('wait 60000')
    expect(remedies('rate', { ...unsent, retryAfterMs: 60_001 })).toEqual(never)
    expect(remedies('rate', unsent)).toEqual(['wait 500', 'wait 1000', 'none'])
  })
})

test('FI-44 no wait exceeds the timeout of the caller', () => {
  const error = new WireError('rate', '', { facts: { retryAfterMs: 5000 } })
  const remedy = (timeoutMs?: number) =>
    toText(remedyFor(error, { isRepeatable: false, tries: 0, jitter: 0, timeoutMs }))
  expect([remedy(), remedy(0), remedy(5000), remedy(4999)]).toEqual([
    'wait 5000',
    'wait 5000',
    'wait 5000',
    'none',
  ])
})

describe('FI-45 retry: a service that reports a problem', () => {
  test('FI-45 reads are tried three times with growing waits, within 20 %', () => {
    expect(remedies('upstream', reading)).toEqual(['wait 500', 'wait 1000', 'none'])
    expect(remedies('upstream', { ...reading, jitter: 0.2 })).toEqual(['wait 600', 'wait 1200', 'none'])
    expect(remedies('upstream', { ...reading, jitter: -0.2 })).toEqual(['wait 400', 'wait 800', 'none'])
    expect(remedies('upstream', { ...reading, retryAfterMs: 3000 })).toEqual([
      'wait 3000',
      'wait 3000',
      'none',
    ])
  })

  test('FI-45 a call is not repeated', () => {
    expect(remedies('upstream')).toEqual(never)
    expect(remedies('upstream', { ...unsent, retryAfterMs: 1000 })).toEqual(never)
  })
})

describe('FI-48 retry: a lost connection', () => {
  test.each(['exit', 'closed'] as const)(
    'FI-48 after %s, a request that may have run is repeated only if it is repeatable',
    (code) => {
      expect(remedies(code)).toEqual(never)
      expect(remedies(code, reading)).toEqual(['reconnect', 'none', 'none'])
      expect(remedies(code, unsent)).toEqual(['reconnect', 'none', 'none'])
    },
  )

  test('FI-48 the same applies to network errors', () => {
    expect(remedies('network')).toEqual(never)
    expect(remedies('network', reading)).toEqual(['wait 500', 'wait 1000', 'none'])
    expect(remedies('network', unsent)).toEqual(['wait 500', 'none', 'none'])
    expect(remedies('dns', reading)).toEqual(['wait 500', 'wait 1000', 'none'])
    expect(remedies('dns', unsent)).toEqual(never)
  })

  test('retry: a lost session is renewed once, for repeatable requests', () => {
    expect(remedies('session', reading)).toEqual(['reconnect', 'none', 'none'])
    expect(remedies('session', unsent)).toEqual(never)
  })
})

test.each([
  'timeout',
  'cancelled',
  'protocol',
  'too-large',
  'auth',
  'forbidden',
  'tls',
  'busy',
  'spawn',
  'values',
  'blocked',
] as const)('retry: %s is never repeated', (code) => {
  expect([remedies(code, reading), remedies(code, unsent)]).toEqual([never, never])
})

test('retry: a request that may have run is never repeated, and nothing more than twice (property)', () => {
  const codes = fc.constantFrom<FailureCode>(
    'exit',
    'closed',
    'session',
    'rate',
    'upstream',
    'network',
    'dns',
    'timeout',
  )
  const facts = fc.record({ retryAfterMs: fc.integer({ min: 0, max: 10 ** 9 }) }, { requiredKeys: [] })
  fc.assert(
    fc.property(codes, facts, fc.boolean(), fc.nat(5), (code, each, isRepeatable, tries) => {
      const sent = remedyFor(new WireError(code, '', { sent: true, facts: each }), {
        isRepeatable,
        tries,
        jitter: 0,
      })
      const isAllowed = sent.kind === 'none' || (isRepeatable && tries < 2)
      const ms = sent.kind === 'wait' ? sent.ms : 0
      expect({ isAllowed, isPatient: ms <= 60_000 }).toEqual({ isAllowed: true, isPatient: true })
    }),
  )
})
