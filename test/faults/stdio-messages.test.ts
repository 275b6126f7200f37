import { describe, expect, test } from 'vitest'
import { callOutcome, faultHost, faulty } from '../support/fault-host.ts'
import type { FaultHost } from '../support/fault-host.ts'

/** The server process is still the same and still answers. */
async function isUnharmed(fault: FaultHost): Promise<void> {
  expect(JSON.parse(await fault.call('after'))).toEqual({ name: 'after', arguments: {} })
  await fault.goodAnswers()
  expect(fault.pids()).toHaveLength(1)
}

test('FI-05 noise on stdout is skipped: three lines are shown, and 1000 in a minute cause a warning', async () => {
  await using fault = await faultHost({
    x: faulty({
      on: {
        start: { noise: ['Starting…', '{ not json'] },
        'tools/call:loud': [{ noise: { lines: 1100 } }, 'answer'],
      },
      before: { noise: 'between' },
    }),
  })
  await fault.call()
  expect(fault.warnings()).toEqual([])
  await fault.call('loud')
  const shown = fault.events.filter((event) => event.type === 'server.said' && event.server === 'x')
  expect(shown.map((event) => (event.type === 'server.said' ? [event.stream, event.line] : []))).toEqual([
    ['stdout', 'Starting…'],
    ['stdout', '{ not json'],
    ['stdout', 'between'],
  ])
  expect(fault.warnings()).toEqual([
    'It sent 1000 lines on stdout that are not messages within a minute. The last one: noise',
  ])
  await isUnharmed(fault)
})

test('FI-07 a line whose rest comes after five seconds is delivered once', async () => {
  await using fault = await faultHost({
    x: faulty({ on: { 'tools/call:slow': { answer: { write: 'halves' } } } }),
  })
  await fault.host.connect('x')
  const slow = fault.call('slow')
  await fault.clock.advance(5000)
  await fault.goodAnswers()
  fault.host.notify('x', 'notifications/wake')
  expect(JSON.parse(await slow)).toEqual({ name: 'slow', arguments: {} })
  await isUnharmed(fault)
})

test('FI-11 a message that is not UTF-8 fails only its own call, and is counted', async () => {
  await using fault = await faultHost({
    x: faulty({ on: { 'tools/call:bad': { answer: { text: 'grün', write: 'invalid-utf8' } } } }),
  })
  for (let count = 0; count < 10; count++) {
    expect(await callOutcome(fault.call('bad'))).toEqual({
      code: 'call.protocol',
      server: 'x',
      method: 'tools/call',
      sent: true,
    })
  }
  expect(fault.warnings()).toEqual([
    expect.stringMatching(
      /^It sent 10 unreadable messages within a minute\. The last one: The server sent a message that is not UTF-8: /,
    ),
  ])
  await isUnharmed(fault)
})

test('FI-12 characters split between chunks, CRLF, a byte order mark and U+2028 arrive unchanged', async () => {
  const text = 'ß – 漢字 – 😀 – \u2028 – \u2029 – \u0085'
  const ways = ['split-utf8', 'crlf', 'bom']
  const on = Object.fromEntries(ways.map((write) => [`tools/call:${write}`, { answer: { text, write } }]))
  await using fault = await faultHost({ x: faulty({ on }) })
  for (const way of ways) expect(await fault.call(way)).toBe(text)
  expect(fault.warnings()).toEqual([])
  await isUnharmed(fault)
})

test('FI-13 answers with unknown ids are dropped, ten in a minute cause a warning, and open calls keep waiting', async () => {
  await using fault = await faultHost({
    x: faulty({ on: { 'tools/call:lost': { answer: { as: 'wrong-id' } } } }),
  })
  await fault.host.connect('x')
  const calls = Array.from({ length: 10 }, () => fault.call('lost', { timeoutMs: 5000 }))
  await fault.until('server.warned')
  expect(fault.warnings()).toEqual([
    'It sent 10 answers to requests that are not open within a minute. The last one: an answer to 987654321',
  ])
  await fault.goodAnswers()
  await fault.clock.advance(5000)
  for (const call of calls)
    expect(await callOutcome(call)).toMatchObject({ code: 'call.timeout', sent: true })
  await isUnharmed(fault)
})

test('FI-14 of two answers with the same id the first one counts', async () => {
  await using fault = await faultHost({
    x: faulty({ on: { 'tools/call:twice': { answer: { twice: true } } } }),
  })
  for (let count = 0; count < 20; count++) await fault.call('twice')
  expect(fault.warnings()).toEqual([])
  await isUnharmed(fault)
})

test('FI-15 an answer with its id as a string is dropped, and the warning says so', async () => {
  await using fault = await faultHost({
    x: faulty({ on: { 'tools/call:text': { answer: { as: 'string-id' } } } }),
  })
  await fault.host.connect('x')
  const calls = Array.from({ length: 10 }, () => fault.call('text', { timeoutMs: 5000 }))
  const { message } = await fault.until('server.warned')
  expect(message).toMatch(/The last one: an answer to "\d+", a string where the request had a number$/)
  await fault.clock.advance(5000)
  for (const call of calls) expect(await callOutcome(call)).toMatchObject({ code: 'call.timeout' })
  await isUnharmed(fault)
})

describe('FI-16 C18 late answers', () => {
  const late = { on: { 'tools/call:late': [{ until: 'notifications/cancelled' }, 'answer'] } }
  const cancellations = async (fault: FaultHost) =>
    (await fault.journal()).filter(({ message }) => message?.method === 'notifications/cancelled')

  test('after a timeout the answer is dropped without a warning, and the server was sent a cancellation', async () => {
    await using fault = await faultHost({ x: faulty(late) })
    await fault.host.connect('x')
    const call = fault.call('late')
    await fault.call('before')
    await fault.clock.advance(60_000)
    expect(await callOutcome(call)).toEqual({
      code: 'call.timeout',
      server: 'x',
      method: 'tools/call',
      sent: true,
    })
    expect(await cancellations(fault)).toMatchObject([
      { message: { params: { reason: 'No answer to tools/call within 60000 ms.' } } },
    ])
    expect(fault.warnings()).toEqual([])
    await isUnharmed(fault)
  })

  test('after a cancel by the caller the answer is dropped as well', async () => {
    await using fault = await faultHost({ x: faulty(late) })
    await fault.host.connect('x')
    const abort = new AbortController()
    const call = fault.call('late', { signal: abort.signal })
    await fault.call('before')
    abort.abort()
    expect(await callOutcome(call)).toEqual({
      code: 'call.cancelled',
      server: 'x',
      method: 'tools/call',
      sent: true,
    })
    expect(await cancellations(fault)).toMatchObject([
      { message: { params: { reason: 'The call was cancelled.' } } },
    ])
    await isUnharmed(fault)
  })

  test('a call that keeps getting progress times out at the hard limit', async () => {
    await using fault = await faultHost({
      x: faulty({ on: { 'tools/call:long': [] } }, { protocol: 'legacy', timeout: 60_000 }),
    })
    await fault.host.connect('x')
    let progress = 0
    const call = fault.call('long', { onProgress: () => void progress++ })
    const [entry] = (await fault.journal()).filter(({ message }) => message?.params?.['name'] === 'long')
    const token = entry?.message?.id ?? 0
    for (let minute = 1; minute <= 10; minute++) {
      await fault.act([{ progress: { token } }, 'answer'])
      expect(progress).toBe(minute)
      await fault.clock.advance(minute < 10 ? 59_999 : 60_000)
    }
    expect(await callOutcome(call)).toMatchObject({ code: 'call.timeout' })
    await isUnharmed(fault)
  })
})

describe('FI-17 invalid answers', () => {
  test.each(['result-and-error', 'neither', 'no-jsonrpc', 'batch'])(
    'an invalid answer (%s) fails only its own call',
    async (as) => {
      await using fault = await faultHost({ x: faulty({ on: { 'tools/call:bad': { answer: { as } } } }) })
      expect(await callOutcome(fault.call('bad'))).toMatchObject({ code: 'call.protocol', sent: true })
      await isUnharmed(fault)
    },
  )

  test.each(['null-id', 'no-id'])('an answer without a usable id (%s) is dropped', async (as) => {
    await using fault = await faultHost({ x: faulty({ on: { 'tools/call:bad': { answer: { as } } } }) })
    await fault.host.connect('x')
    const call = fault.call('bad', { timeoutMs: 5000 })
    await fault.call('before')
    await fault.clock.advance(5000)
    expect(await callOutcome(call)).toMatchObject({ code: 'call.timeout' })
    await isUnharmed(fault)
  })
})

test('FI-18 JSON nested 200,000 levels deep fails its call, without a stack overflow', async () => {
  await using fault = await faultHost({
    x: faulty({ on: { 'tools/call:deep': { answer: { depth: 200_000 } } } }),
  })
  const deep = fault.call('deep')
  await expect(deep).rejects.toThrow('nested deeper than 256 levels')
  expect(await callOutcome(deep)).toMatchObject({ code: 'call.protocol', sent: true })
  await isUnharmed(fault)
})

test('FI-19 keys that would change a prototype are removed', async () => {
  await using fault = await faultHost({
    x: faulty({ on: { 'tools/call:proto': { answer: { proto: true } } } }),
  })
  const result = await fault.request('x', 'tools/call', { name: 'proto', arguments: {} })
  const { structuredContent } = result as { readonly structuredContent: object } // the faulty server sends one
  expect(Object.keys(structuredContent)).toEqual(['constructor', 'kept'])
  expect(Object.getPrototypeOf(Object.assign({}, structuredContent))).toBe(Object.prototype)
  expect('polluted' in {}).toBe(false)
  await isUnharmed(fault)
})
