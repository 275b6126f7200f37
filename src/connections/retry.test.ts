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

/** What is done about the first try, the second, and so on. */
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

test('reading is looking; calling a tool is not', () => {
  expect(['tools/list', 'resources/read', 'ping', 'tools/call', 'x', 'toString'].map(isReadOnly)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
  ])
})

describe('FI-44 a server that wants to be left alone', () => {
  test('FI-44 is asked again when it says, call or not, because nothing was done', () => {
    expect(remedies('rate', { ...unsent, retryAfterMs: 2000 })).toEqual(['wait 2000', 'wait 2000', 'none'])
    expect(remedies('rate', { ...reading, retryAfterMs: 0 })).toEqual(['wait 0', 'wait 0', 'none'])
  })

  test('FI-44 more than a minute is an answer; no time is a back-off of ours', () => {
    expect(remedies('rate', { ...unsent, retryAfterMs: 60_000 })[0]).toBe('wait 60000')
    expect(remedies('rate', { ...unsent, retryAfterMs: 60_001 })).toEqual(never)
    expect(remedies('rate', unsent)).toEqual(['wait 500', 'wait 1000', 'none'])
  })
})

test('FI-44 nobody waits longer than the caller wants to', () => {
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

describe('FI-45 a service with a problem of its own', () => {
  test('FI-45 is read from three times, further and further apart, within 20 %', () => {
    expect(remedies('upstream', reading)).toEqual(['wait 500', 'wait 1000', 'none'])
    expect(remedies('upstream', { ...reading, jitter: 0.2 })).toEqual(['wait 600', 'wait 1200', 'none'])
    expect(remedies('upstream', { ...reading, jitter: -0.2 })).toEqual(['wait 400', 'wait 800', 'none'])
    expect(remedies('upstream', { ...reading, retryAfterMs: 3000 })).toEqual([
      'wait 3000',
      'wait 3000',
      'none',
    ])
  })

  test('FI-45 is not given a call again', () => {
    expect(remedies('upstream')).toEqual(never)
    expect(remedies('upstream', { ...unsent, retryAfterMs: 1000 })).toEqual(never)
  })
})

describe('FI-48 a connection that is gone', () => {
  test.each(['exit', 'closed'] as const)(
    'FI-48 %s: what may have run is repeated only where that is the same',
    (code) => {
      expect(remedies(code)).toEqual(never)
      expect(remedies(code, reading)).toEqual(['reconnect', 'none', 'none'])
      expect(remedies(code, unsent)).toEqual(['reconnect', 'none', 'none'])
    },
  )

  test('FI-48 the same of a network', () => {
    expect(remedies('network')).toEqual(never)
    expect(remedies('network', reading)).toEqual(['wait 500', 'wait 1000', 'none'])
    expect(remedies('network', unsent)).toEqual(['wait 500', 'none', 'none'])
    expect(remedies('dns', reading)).toEqual(['wait 500', 'wait 1000', 'none'])
    expect(remedies('dns', unsent)).toEqual(never)
  })

  test('a session that is lost is begun anew, once, for those who only look', () => {
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
] as const)('%s is never repeated', (code) => {
  expect([remedies(code, reading), remedies(code, unsent)]).toEqual([never, never])
})

test('whatever fails, what may have run is never repeated, and nothing more than twice', () => {
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
