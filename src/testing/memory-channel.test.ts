import { expect, test } from 'vitest'
import type { Receiver } from '../wire/channel.ts'
import { WireError } from '../wire/wire-error.ts'
import { createMemoryChannel } from './memory-channel.ts'

/** Records what a receiver gets. */
function hearing(): { readonly heard: unknown[]; readonly receiver: Receiver } {
  const heard: unknown[] = []
  return {
    heard,
    receiver: {
      message: (value) => void heard.push(value),
      failed: (id, error) => void heard.push({ failed: id, code: error.code }),
      dropped: (what) => void heard.push({ dropped: what }),
      closed: (error) => void heard.push({ closed: error.message }),
    },
  }
}
const settled = () => new Promise<void>((resolve) => void setImmediate(resolve))

test('createMemoryChannel: messages arrive in order, copied, and asynchronously', async () => {
  const { heard, receiver } = hearing()
  const { open } = createMemoryChannel({
    message(message, server) {
      heard.push({ server: message })
      server.send({ answer: 1 })
      server.fail(7, new WireError('timeout', 'late'))
    },
  })
  const channel = open(receiver)
  const params = { a: 1 }
  channel.send({ jsonrpc: '2.0', method: 'n', params })
  params.a = 2
  expect(heard).toEqual([])
  await settled()
  expect(heard).toEqual([
    { server: { jsonrpc: '2.0', method: 'n', params: { a: 1 } } },
    { answer: 1 },
    { failed: 7, code: 'timeout' },
  ])
})

test('createMemoryChannel: after one end closes, the other is told and no message arrives', async () => {
  const { heard, receiver } = hearing()
  const memory = createMemoryChannel({
    message: () => void heard.push('message'),
    closed: () => void heard.push('client left'),
  })
  const first = memory.open(receiver)
  memory.server.close()
  memory.server.send('too late')
  await settled()
  first.send({ jsonrpc: '2.0', method: 'n' })
  await first.close()
  const second = memory.open(receiver)
  memory.server.send('unheard')
  await second.close()
  await second.close()
  await settled()
  expect(heard).toEqual([{ closed: 'The server closed the channel.' }, 'client left'])
})

test('createMemoryChannel: the server end throws before the channel is opened', () => {
  const memory = createMemoryChannel({ message: () => undefined })
  expect(() => memory.server).toThrow('The channel has not been opened.')
})
