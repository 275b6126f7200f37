import { expect, test } from 'vitest'
import { createFakeClock } from '../testing/fake-clock.ts'
import type { Channel, Receiver } from '../wire/channel.ts'
import { guardChannel } from './given-channel.ts'

const receiver = {} as Receiver // nothing is received
const silent: Channel = {
  kind: 'memory',
  send: () => undefined,
  abandon: () => 'untold',
  speak: () => undefined,
  close: async () => undefined,
}

test('guardChannel: closing a channel that never ends is given up after 5 s', async () => {
  const clock = createFakeClock()
  const close = () => new Promise<void>(() => undefined)
  const closing = guardChannel(() => ({ ...silent, close }), clock)(receiver).close()
  await clock.advance(5000)
  expect(await closing).toBeUndefined()
})

test('guardChannel: a failure to close is ignored', async () => {
  const close = () => Promise.reject(new Error('stuck'))
  const channel = guardChannel(() => ({ ...silent, close }), createFakeClock())(receiver)
  expect(await channel.close()).toBeUndefined()
})

test('guardChannel: parameters that are not JSON are reported as such', () => {
  const send = (message: unknown) => void JSON.stringify(message)
  const channel = guardChannel(() => ({ ...silent, send }), createFakeClock())(receiver)
  const params = { number: 1n } as never // a program in JavaScript may pass it
  expect(() => channel.send({ jsonrpc: '2.0', method: 'x', params })).toThrow(TypeError)
})
