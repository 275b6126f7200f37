import { describe, expect, test } from 'vitest'
import type { Channel, HostError, OpenChannel, Receiver } from '../src/index.ts'
import { createScriptedServer, faultyServer, recordCassette, replayCassette } from '../src/testing.ts'
import { hostWith } from './support/hosted.ts'

const add = { name: 'add', inputSchema: { type: 'object' } } as const

test('createHost channels: an in-memory channel replaces the transport of the entry', async () => {
  const server = createScriptedServer({
    tools: [add],
    on: { 'tools/call': () => ({ content: [{ type: 'text', text: 'three' }] }) },
  })
  await using hosted = await hostWith({ command: 'not-installed' }, { channels: { x: server.open } })
  expect(await hosted.tools()).toEqual(['add'])
  expect(await hosted.call('add')).toBe('three')
})

test('recordCassette and replayCassette: a recorded conversation is replayed without the server', async () => {
  const lines: string[] = []
  const real = faultyServer({ on: { 'tools/call': { answer: { text: 'from the server' } } } })
  {
    await using recorded = await hostWith(
      { ...real },
      { wrapChannel: (_server, open) => recordCassette(open, (line) => lines.push(line)) },
    )
    expect(await recorded.call('tool-0')).toBe('from the server')
  }
  await using replayed = await hostWith(
    { command: 'not-installed' },
    { channels: { x: replayCassette(lines.join('\n')) } },
  )
  expect(await replayed.call('tool-0')).toBe('from the server')
})

const silent: Channel = {
  kind: 'memory',
  send: () => undefined,
  abandon: () => 'untold',
  speak: () => undefined,
  close: async () => undefined,
}

describe('a channel with a fault fails its own server', () => {
  test.each<readonly [string, string, (receiver: Receiver) => unknown]>([
    [
      'throws when it is opened',
      'The channel failed to open: no device',
      () => {
        throw new Error('no device')
      },
    ],
    ['is missing', 'must return a channel and returned a value without send', () => undefined],
    ['is a promise', 'must return a channel and returned a promise', async () => silent],
    [
      'has no close',
      'must return a channel and returned a value without close',
      () => ({ ...silent, close: 1 }),
    ],
    [
      'throws when it sends',
      'The channel failed to send: wire cut',
      () => ({
        ...silent,
        send() {
          throw new Error('wire cut')
        },
      }),
    ],
    [
      'is closed while it is opened',
      'The channel was closed: hung up',
      (receiver) => {
        receiver.closed(new Error('hung up') as never) // a program in JavaScript may pass any error
        return silent
      },
    ],
  ])('D-17 that %s', async (_what, message, channel) => {
    const open = channel as OpenChannel // some return none
    await using hosted = await hostWith({ command: 'not-installed' }, { channels: { x: open } })
    const failure = await hosted.host.call('x__add').then(
      () => undefined,
      (error: unknown) => error as HostError, // calls fail with nothing else
    )
    expect(failure).toMatchObject({ code: 'server.failed', message: expect.stringContaining(message) })
    expect(failure?.message).not.toContain('missing values')
  })
})
