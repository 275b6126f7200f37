import { describe, expect, test } from 'vitest'
import type { Json } from '../../model/json.ts'
import { readIncoming } from './incoming-message.ts'

describe('readIncoming', () => {
  test('tells requests, notifications and responses apart', () => {
    const read = [
      { jsonrpc: '2.0', id: 0, method: 'ping' },
      { jsonrpc: '2.0', method: 'notifications/initialized', params: { a: 1 } },
      { jsonrpc: '2.0', id: 'x', result: null },
      { jsonrpc: '2.0', id: 1, error: { code: -1, message: '' } },
    ].map((message) => readIncoming(message))
    expect(read).toEqual([
      { kind: 'request', id: 0, method: 'ping', params: {} },
      { kind: 'notification', method: 'notifications/initialized', params: { a: 1 } },
      { kind: 'response', id: 'x', result: null },
      { kind: 'response', id: 1, error: { code: -1, message: '' } },
    ])
  })

  test.each<[string, Json, number | string | null]>([
    ['a batch', [{ jsonrpc: '2.0', id: 1, method: 'ping' }], null],
    ['no version', { id: 1, method: 'ping' }, 1],
    ['an id that is no id', { jsonrpc: '2.0', id: { a: 1 }, method: 'ping' }, null],
    ['an id that is too large', { jsonrpc: '2.0', id: Number('1e400'), method: 'ping' }, null],
    ['an id that would be read as another one', { jsonrpc: '2.0', id: 2 ** 53, method: 'ping' }, null],
    ['neither method nor result', { jsonrpc: '2.0', id: 2 }, 2],
    ['result and error', { jsonrpc: '2.0', id: 2, result: 1, error: {} }, 2],
    ['a method that is no text', { jsonrpc: '2.0', id: 3, method: 4 }, 3],
    ['parameters that are a list', { jsonrpc: '2.0', id: 3, method: 'a', params: [] }, 3],
  ])('%s is invalid, with the id if there is one', (_, message, id) => {
    expect(readIncoming(message)).toMatchObject({ kind: 'invalid', id })
  })
})
