import { expect, test } from 'vitest'
import type { HostEvent, Status } from '../../../index.ts'
import { createOutput } from '../../terminal/terminal-output.ts'
import { createWaitLine } from './waiting.ts'

function listen() {
  const shown: string[] = []
  const output = {
    ...createOutput({ stdout: process.stdout, stderr: process.stderr, env: {}, quiet: true }),
    progress: (text: string) => void shown.push(text),
    warn: (text: string) => void shown.push(`warning: ${text}`),
  }
  return { shown, waitLine: createWaitLine(output) }
}

const changed = (status: Partial<Status>): HostEvent => ({
  type: 'server.changed',
  at: 0,
  id: 'x-1',
  server: 'x',
  status: { since: 0, reason: 'progress', ...status } as Status, // only the fields that are used
})

test('wait line: shows steps, warnings and progress until stop', () => {
  const { shown, waitLine } = listen()
  waitLine.onEvent(changed({ state: 'connecting', step: 'starting' }))
  waitLine.onEvent(changed({ state: 'ready' }))
  waitLine.onEvent({ type: 'server.warned', at: 0, id: 'x-1', server: 'x', message: 'No answer for 10 s.' })
  waitLine.showProgress('x: find', { progress: 1 })
  waitLine.showProgress('x: find', { progress: 2, total: 3, message: 'nearly' })
  waitLine.stop()
  waitLine.show('nothing any more')
  expect(shown).toEqual([
    'x: starting…',
    // The server is ready, so nothing is awaited.
    '',
    'warning: "x": No answer for 10 s.',
    'x: find: 1…',
    'x: find: [#############-------] 2 of 3 (nearly)…',
    '',
  ])
})

test('wait line: the progress bar is clamped to 0–100 %', () => {
  const { shown, waitLine } = listen()
  for (const [progress, total] of [
    [9, 3],
    [-1, 3],
    [1, 0],
    [Number.NaN, 2],
  ] as const)
    waitLine.showProgress('x', { progress, total })
  expect(shown).toEqual([
    'x: [####################] 9 of 3…',
    'x: [--------------------] -1 of 3…',
    'x: [--------------------] 1 of 0…',
    'x: [--------------------] NaN of 2…',
  ])
})

test('wait line: mute hides it', () => {
  const { shown, waitLine } = listen()
  waitLine.show('x: find')
  waitLine.mute(true)
  waitLine.showProgress('x: find', { progress: 1 })
  waitLine.mute(false)
  expect(shown).toEqual(['x: find…', 'x: find: 1…'])
})
