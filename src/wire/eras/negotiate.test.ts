import { describe, expect, test } from 'vitest'
import { outcomeOf } from '../../../test/support/outcome.ts'
import { openWire } from '../../../test/support/wire.ts'
import type { WireRequest, Wire, WireOptions } from '../../../test/support/wire.ts'
import { WireError } from '../wire-error.ts'
import { negotiate } from './negotiate.ts'
import type { NegotiateOptions } from './negotiate.ts'

const self = { info: { name: 'plugboard', version: '1.0.0' }, capabilities: {} }
const discovered = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }
const initialized = { protocolVersion: '2025-11-25', capabilities: { tools: {} } }
const modern = { value: { era: 'modern', version: '2026-07-28', capabilities: { tools: {} } } }
const legacy = { value: { era: 'legacy', version: '2025-11-25', capabilities: { tools: {} } } }

type Script = Readonly<Record<string, (asked: WireRequest, wire: Wire) => void>>
const fine: Script = {
  'server/discover': ({ id }, wire) => wire.answer(id, discovered),
  initialize: ({ id }, wire) => wire.answer(id, initialized),
}
const refusing =
  (code: number, data?: unknown) =>
  ({ id }: WireRequest, wire: Wire) =>
    wire.refuse(id, code, 'no', data)
const failing =
  (error: WireError) =>
  ({ id }: WireRequest, wire: Wire) =>
    wire.receiver.failed(id, error)
const status = (code: number, what: WireError['code'] = 'protocol') =>
  failing(new WireError(what, `HTTP ${code}`, { facts: { status: code } }))

function begin(script: Script, options: Partial<NegotiateOptions> & WireOptions = {}) {
  const { kind = 'stdio', ...rest } = options
  const wire = openWire({ kind, server: (asked, each) => script[asked.method]?.(asked, each) })
  const greeting = outcomeOf(
    negotiate(wire.rpc, {
      protocol: 'auto',
      self,
      clock: wire.clock,
      probeGraceMs: 5000,
      timeoutMs: 30_000,
      ...rest,
    }),
  )
  return { wire, greeting }
}

describe('C29 negotiate: the entry fixes the protocol', () => {
  test('C31 legacy: initialize is sent first', async () => {
    const { wire, greeting } = begin(fine, { protocol: 'legacy' })
    expect(await greeting).toEqual(legacy)
    expect(wire.methods).toEqual(['initialize', 'notifications/initialized'])
  })

  test('C29 2026-07-28: no handshake, and the capabilities are unknown', async () => {
    const { wire, greeting } = begin({}, { protocol: '2026-07-28' })
    expect(await greeting).toEqual({
      value: { era: 'modern', version: '2026-07-28', capabilities: {}, isAssumed: true },
    })
    expect({ sent: wire.sent, spoken: wire.spoken }).toEqual({ sent: [], spoken: ['2026-07-28'] })
  })
})

describe.each(['stdio', 'http'] as const)('C29 negotiate: the probe over %s', (kind) => {
  test('C29 an answer to server/discover means modern', async () => {
    const { wire, greeting } = begin(fine, { kind })
    expect(await greeting).toEqual(modern)
    expect({ methods: wire.methods, spoken: wire.spoken, timers: wire.clock.sleeping }).toEqual({
      methods: ['server/discover'],
      spoken: ['2026-07-28'],
      timers: 1, // the deadline timer, which stays until it is due
    })
  })

  test.each([-32601, -32600, -32602, -32000, -32603, 0, 1234])(
    'C29 any other error (%d) means legacy',
    async (code) => {
      const { wire, greeting } = begin({ ...fine, 'server/discover': refusing(code) }, { kind })
      expect(await greeting).toEqual(legacy)
      expect(wire.methods).toEqual(['server/discover', 'initialize', 'notifications/initialized'])
      const probed = kind === 'http' ? ['2026-07-28'] : []
      expect(wire.spoken).toEqual([...probed, '2025-11-25', '2025-11-25'])
    },
  )

  test.each([-32020, -32021, -32022])(
    'C29 a modern error (%d) rules out a fallback to initialize',
    async (code) => {
      const { wire, greeting } = begin({ ...fine, 'server/discover': refusing(code) }, { kind })
      expect(await greeting).toEqual({ rpc: code, message: 'no' })
      expect(wire.methods).toEqual(['server/discover'])
    },
  )

  test('C29 -32022 with older revisions falls back to initialize; with newer ones it fails', async () => {
    const offering = (...supported: string[]) =>
      begin({ ...fine, 'server/discover': refusing(-32022, { supported }) }, { kind }).greeting
    expect(await offering('2025-06-18', '2025-11-25')).toEqual(legacy)
    expect(await offering('2027-01-01')).toMatchObject({ rpc: -32022 })
    expect(await offering('2026-07-28', '2025-11-25')).toMatchObject({ rpc: -32022 })
  })

  test('C29 an answer that lists only older revisions falls back to initialize', async () => {
    const answer = { ...discovered, supportedVersions: ['2025-11-25'] }
    const { greeting } = begin(
      { ...fine, 'server/discover': ({ id }, wire) => wire.answer(id, answer) },
      { kind },
    )
    expect(await greeting).toEqual(legacy)
  })

  test('an unreadable answer means legacy', async () => {
    const { greeting } = begin(
      { ...fine, 'server/discover': ({ id }, wire) => wire.answer(id, 'what?') },
      { kind },
    )
    expect(await greeting).toEqual(legacy)
  })

  test('a connection that ends during the probe fails the handshake', async () => {
    const exit = new WireError('exit', 'The server ended with exit code 1.', { sent: true })
    const { wire, greeting } = begin(
      { 'server/discover': (_asked, each) => each.receiver.closed(exit) },
      { kind },
    )
    expect(await greeting).toMatchObject({ wire: 'exit' })
    expect({ methods: wire.methods, timers: wire.clock.sleeping }).toEqual({
      methods: ['server/discover'],
      timers: 0,
    })
  })

  test('C18 an abort ends the probe', async () => {
    const controller = new AbortController()
    const { wire, greeting } = begin({}, { kind, signal: controller.signal })
    controller.abort()
    expect(await greeting).toMatchObject({ wire: 'cancelled' })
    await wire.clock.advance(5000)
    expect(wire.methods).toEqual(['server/discover', 'notifications/cancelled'])
  })
})

describe('C29 negotiate: a pipe without an answer to the probe', () => {
  const silent: Script = { ...fine, 'server/discover': () => undefined }

  test('C29 initialize is sent after the grace period, with the probe still open', async () => {
    const { wire, greeting } = begin(silent)
    await wire.clock.advance(4999)
    expect(wire.methods).toEqual(['server/discover'])
    await wire.clock.advance(1)
    expect(await greeting).toEqual(legacy)
    expect(wire.methods).toEqual(['server/discover', 'initialize', 'notifications/initialized'])
    wire.answer(1, discovered)
    expect(wire.dropped).toEqual([])
  })

  test('C29 an answer to the probe first means modern, and notifications/initialized is not sent', async () => {
    const { wire, greeting } = begin({})
    await wire.clock.advance(6000)
    wire.answer(1, discovered)
    expect(await greeting).toEqual(modern)
    wire.answer(2, initialized)
    await wire.clock.advance(60_000)
    expect(wire.methods).toEqual(['server/discover', 'initialize'])
  })

  test('C29 a rejected initialize is ignored while the probe is still open', async () => {
    const { wire, greeting } = begin({ initialize: refusing(-32601) })
    await wire.clock.advance(6000)
    wire.answer(1, discovered)
    expect(await greeting).toEqual(modern)
  })

  test('C29 a late rejection of the probe leaves the decision to initialize', async () => {
    const { wire, greeting } = begin({})
    await wire.clock.advance(6000)
    wire.refuse(1, -32601)
    wire.answer(2, initialized)
    expect(await greeting).toEqual(legacy)
  })

  test('C29 a late modern error of the probe decides, even after initialize was sent', async () => {
    const { wire, greeting } = begin({})
    await wire.clock.advance(6000)
    wire.refuse(1, -32021, 'needs sampling')
    expect(await greeting).toEqual({ rpc: -32021, message: 'needs sampling' })
    wire.answer(2, initialized)
    await wire.clock.advance(60_000)
    expect(wire.methods).not.toContain('notifications/initialized')
  })

  test('no answer to either times out, without an unhandled rejection', async () => {
    const { wire, greeting } = begin({})
    await wire.clock.advance(60_000)
    expect(await greeting).toEqual({
      wire: 'timeout',
      message: 'No answer to server/discover within 30000 ms.',
      sent: true,
    })
    expect(wire.clock.sleeping).toBe(0)
  })

  test('when both are rejected, the error of initialize is reported', async () => {
    const { wire, greeting } = begin({ initialize: refusing(-32603) })
    await wire.clock.advance(6000)
    wire.refuse(1, -32601)
    expect(await greeting).toEqual({ rpc: -32603, message: 'no' })
  })
})

describe('C29 negotiate: HTTP status of the probe', () => {
  test.each([400, 404, 405, 406, 415, 500, 501])('C29 HTTP %d falls back to initialize', async (code) => {
    const { greeting } = begin({ ...fine, 'server/discover': status(code) }, { kind: 'http' })
    expect(await greeting).toEqual(legacy)
  })

  test.each([401, 403, 407, 408, 429, 502, 503, 504])(
    'HTTP %d says nothing about the era and fails the handshake',
    async (code) => {
      const { wire, greeting } = begin(
        { ...fine, 'server/discover': status(code, 'upstream') },
        { kind: 'http' },
      )
      expect(await greeting).toEqual({ wire: 'upstream', message: `HTTP ${code}`, sent: false })
      expect(wire.methods).toEqual(['server/discover'])
    },
  )

  test('without an answer the probe runs until its timeout, and nothing is sent twice', async () => {
    const { wire, greeting } = begin({}, { kind: 'http' })
    await wire.clock.advance(30_000)
    expect(await greeting).toMatchObject({ wire: 'timeout' })
    expect(wire.methods).toEqual(['server/discover', 'notifications/cancelled'])
  })

  test('a network failure does not mean legacy', async () => {
    const { wire, greeting } = begin(
      { 'server/discover': failing(new WireError('network', 'refused')) },
      { kind: 'http' },
    )
    expect(await greeting).toMatchObject({ wire: 'network' })
    expect(wire.methods).toEqual(['server/discover'])
  })
})

describe('C29 negotiate: the remembered era', () => {
  test('legacy: initialize without a probe', async () => {
    const { wire, greeting } = begin(fine, { remembered: 'legacy' })
    expect(await greeting).toEqual(legacy)
    expect(wire.methods).toEqual(['initialize', 'notifications/initialized'])
  })

  test('modern: the answer to the probe is the greeting', async () => {
    const { wire, greeting } = begin(fine, { remembered: 'modern' })
    expect(await greeting).toEqual(modern)
    expect(wire.methods).toEqual(['server/discover'])
  })

  test.each([
    ['an error', refusing(-32601)],
    ['an unreadable answer', ({ id }: WireRequest, wire: Wire) => wire.answer(id, {})],
    ['HTTP 400', status(400)],
  ])('legacy: if initialize gets %s, the server is probed', async (_what, initialize) => {
    const { wire, greeting } = begin({ ...fine, initialize }, { remembered: 'legacy' })
    expect(await greeting).toEqual(modern)
    expect(wire.methods).toEqual(['initialize', 'server/discover'])
  })

  test('legacy: if the server is gone, nothing more is sent', async () => {
    const { wire, greeting } = begin(
      { initialize: failing(new WireError('network', 'refused')) },
      { remembered: 'legacy' },
    )
    expect(await greeting).toMatchObject({ wire: 'network' })
    expect(wire.methods).toEqual(['initialize'])
  })

  test('modern: a server that was downgraded falls back to initialize', async () => {
    const { greeting } = begin({ ...fine, 'server/discover': refusing(-32601) }, { remembered: 'modern' })
    expect(await greeting).toEqual(legacy)
  })
})

test('negotiate: on a pipe, a ping before the agreement is answered; after a modern agreement it is dropped', async () => {
  const { wire, greeting } = begin({})
  wire.say({ jsonrpc: '2.0', id: 'early', method: 'ping' })
  wire.answer(1, discovered)
  expect(await greeting).toEqual(modern)
  wire.say({ jsonrpc: '2.0', id: 'late', method: 'ping' })
  expect({ sent: wire.sent.slice(1), dropped: wire.dropped }).toEqual({
    sent: [{ jsonrpc: '2.0', id: 'early', result: {} }],
    dropped: [['malformed', 'the request ping, which this revision does not allow']],
  })
})
