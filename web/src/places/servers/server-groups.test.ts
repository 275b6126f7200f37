import { expect, test } from 'vitest'
import type { ServerRow } from '../../../../src/client.ts'
import { groupByState, needsPerson } from './server-groups.ts'

test('servers are counted by the word of their state, those that work first', () => {
  const servers = [
    server('dim', 'idle'),
    server('bad', 'failed'),
    server('ok', 'ready'),
    server('warn', 'needs login'),
    server('ok', 'ready'),
    server('ask', 'needs trust'),
  ]
  expect(groupByState(servers)).toEqual([
    { word: 'ready', count: 2 },
    { word: 'failed', count: 1 },
    { word: 'needs trust', count: 1 },
    { word: 'needs login', count: 1 },
    { word: 'idle', count: 1 },
  ])
})

test('a next step is the cure unless the server works, rests, starts or is off', () => {
  const state = { reason: 'declared', shape: 'dot', word: '', since: 0 } as const
  expect(needsPerson({ ...state, state: 'failed', tone: 'bad' })).toBe(true)
  expect(needsPerson({ ...state, state: 'needs-auth', tone: 'warn' })).toBe(true)
  expect(needsPerson({ ...state, state: 'untrusted', tone: 'ask' })).toBe(true)
  expect(needsPerson({ ...state, state: 'connecting', tone: 'warn' })).toBe(false)
  expect(needsPerson({ ...state, state: 'ready', tone: 'ok' })).toBe(false)
  expect(needsPerson({ ...state, state: 'disabled', tone: 'dim' })).toBe(false)
})

function server(tone: ServerRow['state']['tone'], word: string): Pick<ServerRow, 'state'> {
  return { state: { state: 'idle', reason: 'declared', shape: 'dot', tone, word, since: 0 } }
}
