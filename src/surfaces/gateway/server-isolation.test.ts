import { expect, test } from 'vitest'
import { ServerIsolation } from './server-isolation.ts'
import type { GatewayServerSettings } from '../../internal.ts'

const ada = { id: 'key:ada', name: 'ada', kind: 'key' } as const

function withRules(rules: Readonly<Record<string, GatewayServerSettings>>): ServerIsolation {
  const isolation = new ServerIsolation()
  isolation.apply(rules)
  return isolation
}

test('the first pattern that matches the name of a server counts', () => {
  const isolation = withRules({ 'b*': { isolation: 'principal' }, browser: { isolation: 'call' } })
  expect(isolation.connectionFor('browser', ada)).toEqual({ key: '["key:ada",null]' })
  expect(isolation.connectionFor('files', ada)).toBeUndefined()
})

test('on a pipe all requests are of one identity, so that "principal" shares the connection', () => {
  const isolation = withRules({ '*': { isolation: 'principal' } })
  expect(isolation.connectionFor('files', undefined)).toBeUndefined()
})

test('with "call" no two requests have the same key', () => {
  const isolation = withRules({ '*': { isolation: 'call' } })
  const [one, two] = [1, 2].map(() => isolation.connectionFor('files', ada))
  expect(one).toMatchObject({ isOnce: true })
  expect(one?.key).not.toBe(two?.key)
})

test('T31 the login of a caller is part of the key; the person who started the gateway uses that of the entry', () => {
  const isolation = withRules({
    mail: { isolation: 'principal', credentials: 'caller' },
    once: { isolation: 'call', credentials: 'caller' },
    '*': { credentials: 'caller' },
  })
  const owner = { id: 'owner', name: 'owner', kind: 'owner' } as const
  expect(isolation.connectionFor('files', ada)).toEqual({ key: '[null,"key:ada"]', caller: 'key:ada' })
  expect(isolation.connectionFor('mail', ada)).toEqual({ key: '["key:ada","key:ada"]', caller: 'key:ada' })
  expect(isolation.connectionFor('once', ada)).toMatchObject({ isOnce: true, caller: 'key:ada' })
  // What the person does must not change the lists of all: they are learned over another connection.
  expect(isolation.connectionFor('files', owner)).toEqual({ key: '["owner",null]' })
  expect(isolation.connectionFor('files', undefined)).toBeUndefined()
})

test('the time until an idle server stops: the settings, then its entry, then half an hour', () => {
  const isolation = withRules({ browser: { idleSeconds: 60 }, notes: { idleSeconds: 0 } })
  expect([
    isolation.idleMsOf('browser', 5000),
    isolation.idleMsOf('notes', 5000),
    isolation.idleMsOf('files', 5000),
    isolation.idleMsOf('files', undefined),
  ]).toEqual([60_000, 0, 5000, 1_800_000])
})

test('FI-101 requests at a time: the settings, then 1,024 for servers of the operator; those of a project keep their limit', () => {
  const isolation = withRules({ 'b*': { maxConcurrent: 8 } })
  expect([
    isolation.maxInFlightOf('browser', false),
    isolation.maxInFlightOf('browser', true),
    isolation.maxInFlightOf('files', false),
    isolation.maxInFlightOf('files', true),
  ]).toEqual([8, 8, 1024, undefined])
})
