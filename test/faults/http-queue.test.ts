import { describe, expect, test } from 'vitest'
import { did, outcome, remoteHost, serveMcp } from '../support/remote.ts'
import type { McpRequest, McpStep } from '../support/remote.ts'

/** Holds every call until it is released. */
function holding() {
  const held: McpRequest[] = []
  let mostInFlight = 0
  let onHeld = () => {}
  const step: McpStep = (asked) => {
    held.push(asked)
    mostInFlight = Math.max(mostInFlight, held.filter(({ response }) => !response.writableEnded).length)
    onHeld()
  }
  const arrived = async (count: number) => {
    while (held.length < count) await new Promise<void>((resolve) => (onHeld = resolve))
    return held
  }
  return { step, arrived, most: () => mostInFlight }
}

const numberOf = ({ message }: McpRequest) => (message.params as { arguments: { n: number } }).arguments.n // the arguments of these tests

describe('FI-58 1000 concurrent calls to one HTTP server', () => {
  const calls = 1000

  test.each(['legacy', 'modern'] as const)(
    'FI-58 (%s) at most 16 are in flight, the others are queued, and each is answered once',
    async (era) => {
      const { step, arrived, most } = holding()
      const server = await serveMcp({ 'tools/call': step }, { era })
      const x = await remoteHost({ type: 'http', url: server.url.href })
      const results = Array.from({ length: calls }, (_, n) => outcome(x.call('work', { n })))
      const first = await arrived(16)
      await x.otherAnswers()
      expect(first.map(numberOf).sort((a, b) => a - b)).toEqual(Array.from({ length: 16 }, (_, n) => n))
      for (let next = 16; next < calls; next++) {
        first[next - 16]?.answer()
        await arrived(next + 1)
      }
      const order = (await arrived(calls)).map(numberOf)
      // One slot was released at a time, so the next arrival was the next in the queue.
      expect(order.slice(16)).toEqual(Array.from({ length: calls - 16 }, (_, n) => n + 16))
      for (const asked of first.slice(calls - 16)) asked.answer()
      expect(await Promise.all(results)).toEqual(Array.from({ length: calls }, () => did()))
      expect([most(), server.of('tools/call').length]).toEqual([16, calls])
      expect(server.of('tools/list').length).toBeLessThanOrEqual(1)
    },
  )

  test('FI-58 a call beyond the queue limit is rejected immediately as busy', async () => {
    const { step, arrived } = holding()
    const server = await serveMcp({ 'tools/call': step })
    const x = await remoteHost({ type: 'http', url: server.url.href }, { limits: { maxQueued: 256 } })
    await x.host.connect('x')
    const results = Array.from({ length: calls }, (_, n) => outcome(x.call('work', { n })))
    expect(await Promise.all(results.slice(16 + 256))).toEqual(
      Array.from({ length: calls - 16 - 256 }, () => ({ code: 'call.busy' })),
    )
    const held = await arrived(16)
    for (let next = 0; next < 16 + 256; next++) (await arrived(next + 1))[next]?.answer()
    expect(await Promise.all(results.slice(0, 16 + 256))).toEqual(
      Array.from({ length: 16 + 256 }, () => did()),
    )
    expect(held).toHaveLength(16 + 256)
  })

  test('FI-58 a cancelled call leaves the queue and never reaches the server', async () => {
    const { step, arrived } = holding()
    const server = await serveMcp({ 'tools/call': step })
    const x = await remoteHost({ type: 'http', url: server.url.href })
    const cancels = Array.from({ length: 100 }, () => new AbortController())
    const results = cancels.map(({ signal }, n) => outcome(x.call('work', { n }, { signal })))
    await arrived(16)
    const isCancelled = (n: number) => n >= 16 && n % 2 === 0
    cancels.forEach((cancel, n) => isCancelled(n) && cancel.abort())
    const kept = Array.from({ length: 100 }, (_, n) => n).filter((n) => !isCancelled(n))
    for (let next = 0; next < kept.length; next++) (await arrived(next + 1))[next]?.answer()
    expect(await Promise.all(results)).toEqual(
      cancels.map((_, n) => (isCancelled(n) ? { code: 'call.cancelled', sent: false } : did())),
    )
    const seen = server.of('tools/call').map(numberOf)
    expect(seen.sort((a, b) => a - b)).toEqual(kept)
    expect(server.of('notifications/cancelled')).toHaveLength(0)
  })

  test('FI-58 a cancelled call in flight makes room for the next one', async () => {
    const { step, arrived } = holding()
    const server = await serveMcp({ 'tools/call': step })
    const limits = { maxInFlight: { stdio: 1, http: 1 } }
    const x = await remoteHost({ type: 'http', url: server.url.href }, { limits })
    const cancel = new AbortController()
    const first = outcome(x.call('work', { n: 0 }, { signal: cancel.signal }))
    await arrived(1)
    const second = outcome(x.call('work', { n: 1 }))
    cancel.abort()
    expect(await first).toEqual({ code: 'call.cancelled', sent: true })
    ;(await arrived(2))[1]?.answer()
    expect(await second).toEqual(did())
    const { message } = await server.until('notifications/cancelled')
    expect(message.params?.['requestId']).toBe(server.of('tools/call')[0]?.message.id)
  })

  test('FI-58 close with calls in flight and queued: each settles once, and nothing is left', async () => {
    const { step, arrived } = holding()
    const server = await serveMcp({ 'tools/call': step })
    const x = await remoteHost({ type: 'http', url: server.url.href })
    const results = Array.from({ length: 100 }, (_, n) => outcome(x.call('work', { n })))
    await arrived(16)
    await x.host.close()
    const ends = (await Promise.all(results)) as readonly { readonly code: string; readonly sent?: boolean }[]
    expect(ends.slice(0, 16)).toEqual(
      Array.from({ length: 16 }, () => ({ code: 'call.cancelled', sent: true })),
    )
    expect(new Set(ends.slice(16).map(({ sent }) => sent))).toEqual(new Set([false]))
    expect(server.of('tools/call')).toHaveLength(16)
    await server.untilIdle()
  })
})
