import { effect } from '@preact/signals'
import { beforeEach, expect, test } from 'vitest'
import type { FeedEvent, QuestionFacts, ServerRow, Snapshot } from '../../../src/client.ts'
import { about, applyEvents, onFeed, questions, servers } from './page-state.ts'

// Only what the page state reads.
const row = (name: string, word = 'ready') => ({ name, state: { word } }) as ServerRow
const question = (id: string, state = 'pending') => ({ id, state }) as QuestionFacts
const snapshot = {
  version: '1',
  epoch: 'a',
  servers: [row('a'), row('b')],
  questions: [question('q1')],
  logins: [],
  clients: [],
  notices: [],
} as unknown as Snapshot
const events = (...changes: readonly object[]) =>
  changes.map((change, seq) => ({ seq, at: 0, ...change }) as FeedEvent)

beforeEach(() => applyEvents(events({ type: 'snapshot', snapshot })))

test('a snapshot replaces everything; changes keep the order of servers', () => {
  applyEvents(
    events(
      { type: 'server.changed', server: row('c', 'idle') },
      { type: 'server.changed', server: row('a', 'failed') },
      { type: 'server.removed', name: 'b' },
    ),
  )
  expect(servers.value).toEqual([row('a', 'failed'), row('c', 'idle')])
  applyEvents(events({ type: 'snapshot', snapshot }))
  expect(servers.value).toEqual(snapshot.servers)
  expect(about.value?.version).toBe('1')
})

test('questions are those that wait: a new one is added, an answered one leaves', () => {
  applyEvents(
    events(
      { type: 'question.changed', question: question('q2') },
      { type: 'question.changed', question: question('q1', 'answered') },
    ),
  )
  expect(questions.value).toEqual([question('q2')])
})

test('1,000 events of a frame are drawn once, and each reaches its listeners', () => {
  let drawn = 0
  let heard = 0
  const ends = [effect(() => void (drawn++, servers.value)), onFeed('server.said', () => void heard++)]
  const changed = Array.from({ length: 500 }, (_, at) => ({
    type: 'server.changed',
    server: row('a', `${at}`),
  }))
  const said = Array.from({ length: 500 }, () => ({ type: 'server.said', server: 'a', line: 'x' }))
  applyEvents(events(...changed, ...said))
  ends.forEach((end) => end())
  applyEvents(events({ type: 'server.said' }))
  expect({ drawn, heard, last: servers.value[0]?.state.word }).toEqual({ drawn: 2, heard: 500, last: '499' })
})

test('a fault of one listener is reported and does not cut the others off', () => {
  const reported: unknown[] = []
  Object.assign(globalThis, { reportError: (error: unknown) => reported.push(error) })
  const fault = new Error('of one place')
  const heard: string[] = []
  const ends = [
    onFeed('server.removed', () => {
      throw fault
    }),
    onFeed('server.removed', ({ name }) => heard.push(name)),
  ]
  applyEvents(events({ type: 'server.removed', name: 'a' }))
  ends.forEach((end) => end())
  expect({ reported, heard }).toEqual({ reported: [fault], heard: ['a'] })
})
