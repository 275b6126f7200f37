import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../model/json.ts'
import { readModernClient, withoutReserved, withoutReservedMeta } from './modern-client.ts'

const key = (name: string) => `io.modelcontextprotocol/${name}`
const meta = { [key('protocolVersion')]: '2026-07-28', [key('clientCapabilities')]: { sampling: {} } }

describe('readModernClient', () => {
  test('reads what a request says about its client; who it is may be missing', () => {
    expect(readModernClient({ _meta: meta })).toEqual({ capabilities: { sampling: {} } })
    const more = { ...meta, [key('clientInfo')]: { name: 'a' }, [key('logLevel')]: 'debug' }
    expect(readModernClient({ _meta: more })).toEqual({
      capabilities: { sampling: {} },
      info: { name: 'a' },
      logLevel: 'debug',
    })
  })

  test.each<[string, JsonObject, JsonObject]>([
    ['no _meta', {}, { code: -32602, status: 400 }],
    ['no revision', { _meta: { [key('clientCapabilities')]: {} } }, { code: -32602, status: 400 }],
    ['no capabilities', { _meta: { [key('protocolVersion')]: '2026-07-28' } }, { code: -32602, status: 400 }],
    [
      'another revision',
      { _meta: { ...meta, [key('protocolVersion')]: 'v9' } },
      { code: -32022, data: { supported: ['2026-07-28'], requested: 'v9' } },
    ],
  ])('%s is the error of the specification', (_, params, expected) => {
    expect(() => readModernClient(params)).toThrow(expect.objectContaining(expected))
  })
})

test('what describes a hop is not passed on, in either direction', () => {
  const sent = { ...meta, traceparent: '00-1', progressToken: 3, mine: true }
  expect(withoutReserved(sent)).toEqual({ traceparent: '00-1', mine: true })
  const plain = { content: [], _meta: { mine: true } }
  expect(withoutReservedMeta(plain)).toBe(plain)
  expect(withoutReservedMeta({ a: 1, _meta: { [key('serverInfo')]: {}, mine: 1 } })).toEqual({
    a: 1,
    _meta: { mine: 1 },
  })
})
