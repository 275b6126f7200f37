import { describe, expect, test } from 'vitest'
import { HostError } from '../../model/error.ts'
import type { CallResult } from '../../model/result.ts'
import {
  toBoocodeAnswer,
  toBoocodeFailure,
  toDispatchAnswer,
  toDispatchFailure,
  toOmpFailure,
} from './failures.ts'

const answered: CallResult = { text: 'done', blocks: [], failed: false, ref: 's/t', ms: 1 }
const failed: CallResult = { ...answered, text: 'no', failed: true }
const gone = new HostError(
  'call.timeout',
  { server: 's', method: 'tools/call', sent: true },
  '"s": no answer within 60 s',
)
const denied = new HostError('call.denied', { ref: 's/t', reason: 'it writes' }, 'Not allowed: it writes')

describe('C16 each system gets answers in its own shape', () => {
  test('P16 BooCode: a failure of the tool', () => {
    expect([toBoocodeAnswer(answered), toBoocodeAnswer(failed)]).toEqual([
      'done',
      { error: true, output: 'no' },
    ])
  })

  test('P12 BooCode: a server that cannot be reached; what a model can mend is told', () => {
    expect([gone, new Error('boom'), denied].map(toBoocodeFailure)).toEqual([
      { error: true, output: 'MCP server unreachable' },
      { error: true, output: 'MCP server unreachable' },
      { error: true, output: 'Not allowed: it writes' },
    ])
  })

  test('D18 Dispatch: content and isError', () => {
    expect([toDispatchAnswer(answered), toDispatchAnswer(failed), toDispatchFailure(gone)]).toEqual([
      { content: 'done' },
      { content: 'no', isError: true },
      { content: '"s": no answer within 60 s', isError: true },
    ])
  })

  test('O15 omp: what was thrown', () => {
    expect([toOmpFailure(gone), toOmpFailure('odd')]).toEqual([
      'MCP error: "s": no answer within 60 s',
      'MCP error: odd',
    ])
  })
})
