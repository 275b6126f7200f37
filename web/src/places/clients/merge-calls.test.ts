import { expect, test } from 'vitest'
import type { ClientCall } from '../../../../src/client.ts'
import { mergeCalls } from './merge-calls.ts'

const call = (id: string, at: number, state: ClientCall['state']): ClientCall => ({
  id,
  client: '1-1',
  kind: 'tool',
  server: 'echo',
  name: 'echo',
  state,
  tone: 'ok',
  word: state,
  at,
})

test('calls of an answer and of events are one list, the newest first, each as it was told last', () => {
  const merged = mergeCalls(
    [call('a', 1, 'done'), call('b', 5, 'running')],
    [call('c', 3, 'done'), call('b', 5, 'failed')],
  )
  expect(merged.map(({ id, state }) => `${id} ${state}`)).toEqual(['b failed', 'c done', 'a done'])
})
