import { describe, expect, test } from 'vitest'
import { HostError } from '../model/error.ts'
import type { Tool } from '../model/tool.ts'
import { createFakeClock } from '../testing/fake-clock.ts'
import { CallLines } from './call-lines.ts'

// Only these fields are used.
const toolOf = (server: string) => ({ server, name: `${server}__w`, concurrencySafe: false }) as Tool

function open(rule: 'server' | 'conversation' = 'server', maxQueued = 100) {
  const clock = createFakeClock()
  const lines = new CallLines({ rule, clock, maxQueued })
  /** A call that ends after some time, or by the time limit of its request. */
  const call = (server: string, ms: number, maxTimeoutMs?: number) => {
    const deadline = maxTimeoutMs === undefined ? undefined : clock.monotonic() + maxTimeoutMs
    const about = { tool: toolOf(server), conversation: undefined, lane: undefined, deadline }
    return lines.run(about, { maxTimeoutMs }, async () => {
      const leftMs = (deadline ?? Infinity) - clock.monotonic()
      await clock.sleep(Math.min(ms, leftMs))
      if (leftMs >= ms) return 'done'
      const data = { server, method: 'tools/call', sent: true }
      throw new HostError('call.timeout', data, `No answer within ${maxTimeoutMs} ms.`, { hint: 'Look.' })
    })
  }
  return { clock, call }
}

describe('CallLines', () => {
  test('the time in line counts, and the error of a call that was sent too late says so', async () => {
    const { clock, call } = open()
    const first = call('x', 300, 400)
    const second = call('x', 300, 400).catch((error: unknown) => error)
    await clock.advance(300)
    expect(await first).toBe('done')
    await clock.advance(100)
    expect(await second).toMatchObject({
      code: 'call.timeout',
      message: 'No answer within 400 ms. It had waited 300 ms of that for other calls.',
      hint: 'Look.',
      data: { sent: true },
    })
  })

  test('a call whose time ends in line is not sent', async () => {
    const { clock, call } = open()
    const first = call('x', 500)
    const second = call('x', 1, 400).catch((error: unknown) => error)
    await clock.advance(500)
    expect(await first).toBe('done')
    expect(await second).toMatchObject({
      code: 'call.timeout',
      message: '"x__w" was not called: other calls were still before it after 400 ms.',
      data: { sent: false },
    })
  })

  test.each([
    ['server', 'my server x'],
    ['conversation', ''],
  ] as const)('a full line of a %s: call.busy names "%s" and what to do', async (rule, server) => {
    const { clock, call } = open(rule, 1)
    const before = [call('my server x', 1), call('my server x', 1)]
    await expect(call('my server x', 1)).rejects.toMatchObject({
      code: 'call.busy',
      message: '1 calls wait in line.',
      hint: expect.stringContaining('limits.maxQueued') as string,
      data: { server },
    })
    await clock.advance(1)
    await clock.advance(1)
    expect(await Promise.all(before)).toEqual(['done', 'done'])
  })
})
