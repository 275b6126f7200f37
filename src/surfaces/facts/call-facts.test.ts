import { expect, test } from 'vitest'
import { errorCodes, HostError } from '../../index.ts'
import type { ErrorCode } from '../../index.ts'
import type { StoredCall } from '../../store.ts'
import {
  callStateOf,
  callStates,
  drawnState,
  nextAfterCall,
  outcomeOfError,
  toFault,
  toStoredRow,
} from './call-facts.ts'

test('every error of a call has a state with a tone and a word, and a next step', () => {
  for (const code of Object.keys(errorCodes) as ErrorCode[]) {
    const state = callStateOf(outcomeOfError({ code }), { code })
    const { tone, word } = drawnState(state, { code })
    expect([tone, word].every((text) => text.length > 0)).toBe(true)
    expect(callStates[state]).toBeDefined()
    expect(nextAfterCall({ server: 'x', state }, 'plugboard call x/y', { code }).at(-1)?.action).toBe(
      'call-again',
    )
  }
  expect(
    nextAfterCall({ server: 'my server', state: 'failed' }, 'c', { code: 'server.needs-auth' })[0],
  ).toEqual({
    action: 'login',
    label: 'Log in',
    command: "plugboard login 'my server'",
  })
  expect(nextAfterCall({ server: 'x', state: 'running' }, 'c')).toEqual([])
})

test('a row of a call of the store: who made it, where it failed, and names of servers with a slash', () => {
  const call: StoredCall = {
    id: 'c',
    ref: 'a%2Fb/tool',
    args: {},
    outcome: 'failed',
    result: '',
    ms: 500,
    waitedMs: 2000,
    bytes: 0,
    error: { code: 'call.timeout', message: 'Too late.' },
    at: '2026-01-01T00:00:01.000Z',
    startedAt: '2025-12-31T23:59:58.500Z',
  }
  expect(toStoredRow(call)).toEqual({
    id: 'c',
    ref: 'a%2Fb/tool',
    server: 'a/b',
    tool: 'tool',
    by: 'program',
    state: 'failed',
    tone: 'bad',
    word: 'timed out',
    at: Date.parse('2025-12-31T23:59:58.500Z'),
    ms: 500,
    waitedMs: 2000,
    bytes: 0,
  })
  expect(toStoredRow({ ...call, conversation: 'k' }, () => 'Title')).toMatchObject({
    by: 'chat',
    conversation: 'k',
    conversationTitle: 'Title',
  })
})

test('an error that is none of ours is a fault too', () => {
  expect(toFault(new Error('odd'))).toEqual({ code: 'error', message: 'odd' })
  expect(toFault(new HostError('call.busy', { server: 'x' }, 'Busy.', { hint: 'Wait.' }))).toEqual({
    code: 'call.busy',
    message: 'Busy.',
    hint: 'Wait.',
    data: { server: 'x' },
  })
})
