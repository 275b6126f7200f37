import { expect, test } from 'vitest'
import type { Host } from '../../../index.ts'
import { listLifetime } from './list-lifetime.ts'

type ServerState = ReturnType<Host['servers']>[number]

const minute = 60_000
const failure = { code: 'process.exited', message: '/home/me' }

/** Only what decides about lists. */
function server(name: string, more: object = {}): ServerState {
  return { name, status: { state: 'ready' }, isKnown: true, ...more } as unknown as ServerState
}

function lifetimeOf(servers: readonly ServerState[], isVisible: (name: string) => boolean = () => true) {
  const tail = listLifetime({ servers: () => servers }, isVisible)
  return JSON.parse(`{${tail}}`) as object
}

test.each<[string, readonly ServerState[], number]>([
  ['the least of all servers', [server('a', { ttlMs: 9000 }), server('b', { ttlMs: 5000 })], 5000],
  ['a minute for a server that does not say', [server('a'), server('b', { ttlMs: 2 * minute })], minute],
  ['an hour at most (T26)', [server('a', { ttlMs: 90 * minute })], 60 * minute],
  ['an hour without servers', [], 60 * minute],
  [
    'without servers that offer nothing here',
    [server('a', { ttlMs: 9000 }), server('off', { ttlMs: 1, status: { state: 'disabled' } })],
    9000,
  ],
])('ttlMs of lists: %s', (_, servers, ttlMs) => {
  expect(lifetimeOf(servers)).toEqual({ ttlMs, cacheScope: 'private' })
})

test('a server of another view decides nothing, and its state is not shown', () => {
  const hidden = server('hidden', { ttlMs: 1, status: { state: 'failed', failure } })
  expect(lifetimeOf([server('a', { ttlMs: 9000 }), hidden], (name) => name === 'a')).toEqual({
    ttlMs: 9000,
    cacheScope: 'private',
  })
})

test('health names the code of a failure, never its message, and servers that were never known while they connect', () => {
  const states = [
    server('a'),
    server('dead', { status: { state: 'failed', failure } }),
    server('new', { status: { state: 'connecting' }, isKnown: false }),
    server('known', { status: { state: 'connecting' } }),
  ]
  expect(lifetimeOf(states)).toEqual({
    ttlMs: minute,
    cacheScope: 'private',
    _meta: { 'plugboard/health': { dead: 'failed (process.exited)', new: 'connecting' } },
  })
})
