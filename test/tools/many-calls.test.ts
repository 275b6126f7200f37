import { describe, expect, test } from 'vitest'
import { outcome, remoteHost, serveMcp } from '../support/remote.ts'
import type { McpRequest } from '../support/remote.ts'
import { scripted, toolHost } from '../support/tool-host.ts'

const numberOf = ({ message }: McpRequest) => (message.params as { arguments: { n: string } }).arguments.n // the arguments of these tests

/** A server that holds its calls; the test answers them. */
async function holdingHost() {
  const held: McpRequest[] = []
  const waiters = new Set<() => void>()
  const server = await serveMcp({
    'tools/call': (asked) => {
      held.push(asked)
      for (const check of waiters) check()
    },
  })
  const x = await remoteHost({ type: 'http', url: server.url.href })
  await x.host.ready()
  const arrived = (count: number) =>
    new Promise<void>((resolve) => {
      const check = () => held.length >= count && resolve()
      waiters.add(check)
      check()
    })
  return { host: x.host, held, arrived }
}

describe('FI-58 many calls at once', () => {
  test('FI-58 a thousand calls of a stdio server succeed with the default limits', async () => {
    await using x = await toolHost({ s: scripted({ tools: 1 }) })
    const results = await Promise.all(
      Array.from({ length: 1000 }, () => x.host.call('s__tool-0').then(({ failed }) => failed)),
    )
    expect(results).toEqual(results.map(() => false))
  })

  test('FI-58 a call of one conversation overtakes those of another that wait in line', async () => {
    const { host, held, arrived } = await holdingHost()
    const [many, one] = [
      await host.scope({ conversation: 'many' }),
      await host.scope({ conversation: 'one' }),
    ]
    const calls = Array.from({ length: 100 }, (_, n) => many.call('x__work', { n: `many ${n}` }))
    await arrived(16)
    calls.push(one.call('x__work', { n: 'one' }))
    // Another view of the same conversation does not get turns of its own.
    const same = await host.scope({ conversation: 'many' })
    calls.push(same.call('x__work', { n: 'many 100' }), host.call('x__work', { n: 'host' }))
    // One at a time, so that the order of arrival is that of the line.
    for (let next = 0; next < calls.length; next++) {
      held[next]?.answer()
      await arrived(Math.min(next + 17, calls.length))
    }
    await Promise.all(calls)
    const order = held.map(numberOf)
    expect(order.slice(16, 20)).toEqual(['many 16', 'one', 'host', 'many 17'])
    const inOrder = Array.from({ length: 101 }, (_, n) => `many ${n}`)
    expect(order.slice(16).filter((n) => n.startsWith('many'))).toEqual(inOrder.slice(16))
  })

  test('FI-58 10,000 calls wait in line; the next one is busy, until one leaves', async () => {
    const { host, held, arrived } = await holdingHost()
    const cancel = new AbortController()
    const call = (signal?: AbortSignal) =>
      outcome(host.request('x', 'tools/call', { name: 'work' }, { signal }))
    const calls = Array.from({ length: 10_015 }, () => call())
    const cancelled = call(cancel.signal)
    await arrived(16)
    expect(await call()).toEqual({ code: 'call.busy' })
    cancel.abort()
    expect(await cancelled).toMatchObject({ code: 'call.cancelled', sent: false })
    calls.push(call())
    expect(await call()).toEqual({ code: 'call.busy' })
    expect(held).toHaveLength(16)
    await host.close()
    await Promise.all(calls)
  })

  test('FI-58 64 MB of arguments wait in line; a call beyond is busy', async () => {
    const { host, arrived } = await holdingHost()
    const text = 'x'.repeat(9_000_000)
    const call = (args: object) => outcome(host.call('x__work', args))
    const calls = Array.from({ length: 16 }, () => call({}))
    await arrived(16)
    calls.push(...Array.from({ length: 7 }, () => call({ text })))
    expect(await call({ text })).toEqual({ code: 'call.busy' })
    calls.push(call({}))
    await host.close()
    expect(await Promise.all(calls)).toEqual(
      calls.map(() => expect.objectContaining({ code: 'call.cancelled' }) as unknown),
    )
  })
})
