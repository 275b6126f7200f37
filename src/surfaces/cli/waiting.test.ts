import { expect, test } from 'vitest'
import type { HostEvent, Status } from '../../index.ts'
import { createOutput } from '../terminal/output.ts'
import { createWaiting } from './waiting.ts'

function listen() {
  const shown: string[] = []
  const output = {
    ...createOutput({ stdout: process.stdout, stderr: process.stderr, env: {}, quiet: true }),
    progress: (text: string) => void shown.push(text),
    warn: (text: string) => void shown.push(`warning: ${text}`),
  }
  return { shown, waiting: createWaiting(output) }
}

const changed = (status: Partial<Status>): HostEvent => ({
  type: 'server.changed',
  at: 0,
  id: 'x-1',
  server: 'x',
  status: { since: 0, reason: 'progress', ...status } as Status, // as far as it is looked at
})

test('what is waited for is said, until it is over', () => {
  const { shown, waiting } = listen()
  waiting.heard(changed({ state: 'connecting', step: 'starting' }))
  waiting.heard(changed({ state: 'ready' }))
  waiting.heard({ type: 'server.warned', at: 0, id: 'x-1', server: 'x', message: 'No answer for 10 s.' })
  waiting.progressed('x: find', { progress: 1 })
  waiting.progressed('x: find', { progress: 2, total: 3, message: 'nearly' })
  waiting.stop()
  waiting.say('nothing any more')
  expect(shown).toEqual([
    'x: starting…',
    'warning: "x": No answer for 10 s.',
    'x: find: 1…',
    'x: find: 2 of 3 (nearly)…',
  ])
})
