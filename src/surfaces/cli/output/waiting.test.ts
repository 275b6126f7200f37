import { expect, test } from 'vitest'
import type { HostEvent, ServerStatus, Status } from '../../../index.ts'
import { createOutput } from '../../terminal/terminal-output.ts'
import { createWaitLine } from './waiting.ts'

function listen(width = 80) {
  const shown: string[] = []
  const silent = createOutput({ stdout: process.stdout, stderr: process.stderr, env: {}, quiet: true })
  const output = {
    ...silent,
    notes: { ...silent.notes, width },
    progress: (text: string) => void shown.push(text),
    warn: (text: string) => void shown.push(`warning: ${text}`),
  }
  return { shown, waitLine: createWaitLine(output) }
}

const changed = (status: Partial<Status>, server = 'x'): HostEvent => ({
  type: 'server.changed',
  at: 0,
  id: 'x-1',
  server,
  status: { since: Date.now(), reason: 'progress', ...status } as Status, // only the fields that are used
})

const connecting = (name: string, since = Date.now()): ServerStatus =>
  // only the fields that are used
  ({ name, status: { state: 'connecting', step: 'greeting', reason: 'progress', since } }) as ServerStatus

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

test('wait line: counts from the begin of connecting, whatever step the server is at', () => {
  const { shown, waitLine } = listen()
  const since = Date.now() - 7500
  waitLine.onEvent(changed({ state: 'connecting', step: 'starting', since }))
  waitLine.onEvent(changed({ state: 'connecting', step: 'greeting', since }))
  waitLine.onEvent(changed({ state: 'connecting', step: 'greeting' }, 'y'))
  expect(shown).toEqual(['x: starting… 7 s', 'x: waiting for its greeting… 7 s', 'waiting for x, y… 7 s'])
})

test('wait line: the text of a command returns when its server is connected, and is drawn once', () => {
  const { shown, waitLine } = listen()
  waitLine.show('x: find')
  waitLine.onEvent(changed({ state: 'connecting', step: 'starting' }))
  waitLine.onEvent(changed({ state: 'connecting', step: 'starting' }))
  waitLine.onEvent(changed({ state: 'ready' }))
  expect(shown).toEqual(['x: find…', 'x: starting…', 'x: find…'])
})

test('wait line: a command in a shell shows the servers that it waits for, and no others', () => {
  const { shown, waitLine } = listen()
  waitLine.awaitServers([connecting('slow', Date.now() - 5500)])
  waitLine.onEvent(changed({ state: 'connecting', step: 'starting' }, 'other'))
  expect(shown).toEqual(['slow: waiting for its greeting… 5 s'])
})

test.each([
  [60, 'waiting for a-long-server-name and 4 more… 12 s'],
  [68, 'waiting for a-long-server-name, b-long-server-name and 3 more… 12 s'],
  [120, 'waiting for a-long-server-name, b-long-server-name, c-long-server-name and 2 more… 12 s'],
  [30, 'waiting for a-long-serv… 12 s'],
])('wait line: %d columns hold the seconds and as many names as fit', (width, expected) => {
  const { shown, waitLine } = listen(width)
  const names = ['a', 'b', 'c', 'd', 'e'].map((letter) => `${letter}-long-server-name`)
  waitLine.awaitServers(names.map((name) => connecting(name, Date.now() - 12_500)))
  expect(shown).toEqual([expected])
  expect(expected.length).toBeLessThan(width)
})
