import { expect, test } from 'vitest'
import { turn } from '../../../test/support/outcome.ts'
import { openWire } from '../../../test/support/wire.ts'
import type { WireRequest, Wire } from '../../../test/support/wire.ts'
import { WireError } from '../wire-error.ts'
import { requestMeta } from './modern.ts'
import { listen } from './subscription.ts'

const self = { info: { name: 'plugboard', version: '1.0.0' }, capabilities: {} }

function start(server: (asked: WireRequest, wire: Wire) => void = () => undefined) {
  const wire = openWire({ server })
  const controller = new AbortController()
  let isOver = false
  let deaf = 0
  const options = { clock: wire.clock, signal: controller.signal, onInterrupted: () => void deaf++ }
  void listen(wire.rpc, self, { toolsListChanged: true }, options).then(() => (isOver = true))
  return { wire, controller, isOver: () => isOver, deaf: () => deaf }
}

/** The times of all subscribe requests, within this many ms. */
async function times({ wire }: ReturnType<typeof start>, ms: number, step = 100): Promise<readonly number[]> {
  const seen: number[] = []
  for (let at = 0; at <= ms; at += step) {
    await turn()
    while (seen.length < wire.sent.length) seen.push(at)
    await wire.clock.advance(step)
  }
  return seen
}

test('C29 subscription: sent with its filter and kept open without a timeout', async () => {
  const { wire, controller, isOver } = start()
  await wire.clock.advance(24 * 3_600_000)
  expect(wire.sent).toEqual([
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'subscriptions/listen',
      params: { notifications: { toolsListChanged: true }, _meta: requestMeta(self) },
    },
  ])
  controller.abort()
  await turn()
  expect({ isOver: isOver(), timers: wire.clock.sleeping }).toEqual({ isOver: true, timers: 0 })
})

test('C29 subscription: reopened when it ends, with delays that double up to 30 s', async () => {
  const started = start(({ id }, wire) => wire.answer(id, {}))
  expect(await times(started, 100_000)).toEqual([0, 500, 1500, 3500, 7500, 15_500, 31_500, 61_500, 91_500])
  started.controller.abort()
  await turn()
  expect({ isOver: started.isOver(), timers: started.wire.clock.sleeping }).toEqual({
    isOver: true,
    timers: 0,
  })
})

test('subscription: a stream that lasted long is reopened with the first delay', async () => {
  const { wire } = start()
  await wire.clock.advance(60_000)
  wire.answer(1, {})
  await wire.clock.advance(500)
  wire.answer(2, {})
  await wire.clock.advance(1000)
  await wire.clock.advance(60_000)
  wire.answer(3, {})
  await wire.clock.advance(500)
  expect(wire.methods).toHaveLength(4)
})

test.each(['closed', 'network', 'upstream', 'timeout', 'rate'] as const)(
  'subscription: reopened after a broken stream (%s)',
  async (code) => {
    const { wire, isOver, deaf } = start(
      ({ id }, each) => id === 1 && each.receiver.failed(id, new WireError(code, 'broke')),
    )
    await wire.clock.advance(500)
    expect({ asked: wire.sent.length, isOver: isOver(), deaf: deaf() }).toEqual({
      asked: 2,
      isOver: false,
      deaf: 1,
    })
  },
)

test.each([-32601, -32602])(
  'subscription: a server without subscriptions (%d) is asked once',
  async (code) => {
    const { wire, isOver } = start(({ id }, each) => each.refuse(id, code))
    await wire.clock.advance(60_000)
    expect({ asked: wire.sent.length, isOver: isOver(), timers: wire.clock.sleeping }).toEqual({
      asked: 1,
      isOver: true,
      timers: 0,
    })
  },
)

test.each(['auth', 'forbidden', 'protocol', 'too-large'] as const)(
  'subscription: not reopened after %s',
  async (code) => {
    const { wire, isOver } = start(({ id }, each) => each.receiver.failed(id, new WireError(code, 'no')))
    await wire.clock.advance(60_000)
    expect({ asked: wire.sent.length, isOver: isOver() }).toEqual({ asked: 1, isOver: true })
  },
)

test('C29 subscription: reopened when the server cancels it', async () => {
  const { wire, deaf } = start()
  wire.say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
  await wire.clock.advance(500)
  expect({ methods: wire.methods, deaf: deaf() }).toEqual({
    methods: ['subscriptions/listen', 'subscriptions/listen'],
    deaf: 1,
  })
})
