import { describe, expect, test } from 'vitest'
import { outcomeOf } from '../../../test/support/outcome.ts'
import { openWire } from '../../../test/support/wire.ts'
import { RpcError, WireError } from '../wire-error.ts'
import { askDiscover, isHeaderMismatch, isModernError, offeredVersions, withMeta } from './modern.ts'

const self = { info: { name: 'plugboard', version: '1.0.0' }, capabilities: { roots: {} } }
const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'plugboard', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {
    roots: {},
    extensions: { 'io.modelcontextprotocol/tasks': {} },
  },
}

async function discover(answer: unknown) {
  const wire = openWire({ server: ({ id }, each) => each.answer(id, answer) })
  return { wire, greeting: await outcomeOf(askDiscover(wire.rpc, self, {})) }
}

describe('modern handshake: server/discover', () => {
  test('C29 the request carries the _meta of every modern request', async () => {
    const { wire, greeting } = await discover({
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: { listChanged: true } },
      instructions: 'Be kind.',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 's', version: '2' } },
    })
    expect(wire.sent).toEqual([{ jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta: meta } }])
    expect(greeting).toEqual({
      value: {
        era: 'modern',
        version: '2026-07-28',
        capabilities: { tools: { listChanged: true } },
        instructions: 'Be kind.',
        serverInfo: { name: 's', version: '2' },
      },
    })
  })

  test.each([{}, [], 'x', { supportedVersions: '2026-07-28' }])(
    '%j is rejected: it lists no versions',
    async (answer) => {
      expect((await discover(answer)).greeting).toEqual({
        wire: 'protocol',
        message: 'The answer to server/discover lists no versions.',
        sent: true,
      })
    },
  )

  test('a server that does not list our revision is treated as not supporting it', async () => {
    expect((await discover({ supportedVersions: ['2025-11-25', 3] })).greeting).toEqual({
      rpc: -32022,
      message: 'The server does not list this revision.',
      data: { supported: ['2025-11-25', 3] },
    })
  })
})

test('modern errors: exactly three codes count', () => {
  const codes = [-32019, -32020, -32021, -32022, -32023, -32601]
  const errors = codes.map((code) => new RpcError(code, ''))
  expect(errors.map(isModernError)).toEqual([false, true, true, true, false, false])
  expect(errors.map(isHeaderMismatch)).toEqual([false, true, false, false, false, false])
  expect(isModernError(new WireError('protocol', ''))).toBe(false)
})

test('modern errors: the offered revisions are the strings in the data of -32022', () => {
  const offered = (code: number, data?: unknown) => offeredVersions(new RpcError(code, '', data as null))
  expect([
    offered(-32022, { supported: ['2025-11-25', 1, null, 'x'] }),
    offered(-32022, { supported: 'x' }),
    offered(-32022, []),
    offered(-32022),
    offered(-32021, { supported: ['2025-11-25'] }),
  ]).toEqual([['2025-11-25', 'x'], [], [], [], []])
})

test('withMeta: _meta entries of the caller are kept but do not override ours', () => {
  expect(withMeta({ a: 1, _meta: { trace: 't', k: 'theirs' } }, { k: 'ours' })).toEqual({
    a: 1,
    _meta: { trace: 't', k: 'ours' },
  })
  expect(withMeta({ _meta: 'x' }, { k: 1 })).toEqual({ _meta: { k: 1 } })
  expect(withMeta(undefined, { k: 1 })).toEqual({ _meta: { k: 1 } })
})
