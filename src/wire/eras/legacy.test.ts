import { describe, expect, test } from 'vitest'
import { outcomeOf } from '../../../test/support/outcome.ts'
import { openWire } from '../../../test/support/wire.ts'
import { acceptInitialize, askInitialize } from './legacy.ts'

const dispatch = { info: { name: 'dispatch', version: '0.0.0' }, capabilities: {} }

async function greet(answer: unknown) {
  const wire = openWire({ server: ({ id }, each) => each.answer(id, answer) })
  return { wire, greeting: await outcomeOf(askInitialize(wire.rpc, dispatch, {})) }
}

describe('legacy handshake: initialize', () => {
  test('L2 C31 D22 the initialize request is byte for byte the specified one', async () => {
    const { wire } = await greet({ protocolVersion: '2025-11-25', capabilities: {} })
    expect(JSON.stringify(wire.sent[0])).toBe(
      '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"dispatch","version":"0.0.0"}}}',
    )
  })

  test.each(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'])(
    'C29 the server may choose revision %s',
    async (version) => {
      const { greeting } = await greet({
        protocolVersion: version,
        capabilities: { tools: {} },
        serverInfo: { name: 's' },
        instructions: 'Be kind.',
        other: 1,
      })
      expect(greeting).toEqual({
        value: {
          era: 'legacy',
          version,
          capabilities: { tools: {} },
          serverInfo: { name: 's' },
          instructions: 'Be kind.',
        },
      })
    },
  )

  test('members of the wrong type are ignored', async () => {
    const { greeting } = await greet({
      protocolVersion: '2025-11-25',
      capabilities: [],
      serverInfo: 'x',
      instructions: {},
    })
    expect(greeting).toEqual({ value: { era: 'legacy', version: '2025-11-25', capabilities: {} } })
  })

  test.each([
    [{}, 'The answer to initialize names no protocol version.'],
    ['hello', 'The answer to initialize names no protocol version.'],
    [{ protocolVersion: 3 }, 'The answer to initialize names no protocol version.'],
    [
      { protocolVersion: '2026-07-28' },
      'The server requires protocol version "2026-07-28", which is not supported.',
    ],
    [
      { protocolVersion: '1999-01-01' },
      'The server requires protocol version "1999-01-01", which is not supported.',
    ],
  ])('%j is rejected as an answer to initialize', async (answer, message) => {
    const { greeting } = await greet(answer)
    expect(greeting).toEqual({ wire: 'protocol', message, sent: true })
  })

  test('D15 after agreement the channel switches to the revision first, then notifications/initialized is sent', () => {
    const wire = openWire()
    acceptInitialize(wire.rpc, { era: 'legacy', version: '2025-06-18', capabilities: {} })
    expect({ spoken: wire.spoken, sent: wire.sent }).toEqual({
      spoken: ['2025-06-18'],
      sent: [{ jsonrpc: '2.0', method: 'notifications/initialized' }],
    })
  })
})
