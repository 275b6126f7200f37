import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { toOutcome } from '../../test/support/outcome.ts'
import { HostError } from '../model/error.ts'
import { Redactor } from '../model/secrets/redactor.ts'
import type { FailureCode } from '../model/status.ts'
import { RpcError, WireError } from '../wire/wire-error.ts'
import { toHostError } from './error-reporter.ts'
import { toFailure } from './failure.ts'

const context = { server: 'x', method: 'tools/call', at: 7 }
const told = (error: unknown) => toOutcome(toHostError(error, context))
const wire = (code: FailureCode, sent: boolean) => new WireError(code, 'm', { sent })
const data = { server: 'x', method: 'tools/call' }

test.each(['timeout', 'cancelled', 'too-large', 'protocol'] as const)(
  'toHostError: %s says whether the request was sent',
  (code) => {
    expect([told(wire(code, true)), told(wire(code, false))]).toEqual([
      { host: `call.${code}`, message: '"x": m', data: { ...data, sent: true } },
      { host: `call.${code}`, message: '"x": m', data: { ...data, sent: false } },
    ])
  },
)

test.each(['exit', 'closed', 'network', 'upstream', 'rate', 'session', 'tls', 'dns', 'forbidden'] as const)(
  'FI-48 toHostError: after %s the outcome is unknown if the request was sent, otherwise the server failed',
  (code) => {
    const failure = toFailure(wire(code, true), context)
    expect([told(wire(code, true)), told(wire(code, false))]).toEqual([
      {
        host: 'call.outcome-unknown',
        message: '"x" may or may not have done it: m',
        data: { ...data, sent: true, failure },
      },
      { host: 'server.failed', message: '"x": m', data: { server: 'x', failure } },
    ])
  },
)

test('toHostError: busy and a required login are reported as server states', () => {
  const failure = toFailure(wire('auth', false), context)
  expect([told(wire('busy', false)), told(wire('auth', false))]).toEqual([
    { host: 'call.busy', message: '"x" is busy: m', data: { server: 'x' } },
    { host: 'server.needs-auth', message: 'Server "x" asked for a login.', data: { server: 'x', failure } },
  ])
})

test('toHostError: an error answer is passed on, and a HostError stays as it is', () => {
  expect(told(new RpcError(-5, 'no', { why: 1 }))).toEqual({
    host: 'request.refused',
    message: '"x" answered: no',
    data: { ...data, error: { code: -5, message: 'no', data: { why: 1 } } },
  })
  const ours = new HostError('host.closed', {}, 'The host is closed.')
  const bug = new TypeError('circular')
  expect([toHostError(ours, context), toHostError(bug, context)]).toEqual([ours, bug])
})

test('T35 D-9 toHostError: message, data and cause of a refusal contain no secret', () => {
  const redactor = new Redactor()
  redactor.register('hunter2-hunter2')
  const redact = (text: string) => redactor.redact(text)
  const mask = (text: string) => redactor.maskKnown(text)
  const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl'
  const said = new RpcError(-5, `no hunter2-hun\u202Eter2 \u001B[2J${jwt}`, {
    'hunter2-hunter2': ['hunter2-hunter2', jwt],
  })
  const error = toHostError(said, { ...context, redact, mask })
  expect(toOutcome(error)).toEqual({
    host: 'request.refused',
    message: '"x" answered: no ••• •••',
    data: { ...data, error: { code: -5, message: 'no ••• •••', data: { '•••': ['•••', jwt] } } },
  })
  expect(inspect(error, { depth: 9 })).not.toContain('hunter2')
})
