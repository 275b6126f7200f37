import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { isObject } from '../../src/internal.ts'
import { createKeySecret } from '../../src/model/gateway/gateway-key.ts'
import { openOwnKeys } from '../../src/store.ts'
import { startGateway, textOf } from '../support/gateway.ts'
import type { GatewayMachine, Reply } from '../support/gateway.ts'

const file = fileURLToPath(new URL('servers/asking.mjs', import.meta.url))
const servers = { old: { command: process.execPath, args: [file] } }
const capabilities = { elicitation: {} }
const meta = {
  _meta: {
    'io.modelcontextprotocol/clientInfo': { name: 'same', version: '1' },
    'io.modelcontextprotocol/logLevel': 'debug',
  },
}

/** Makes a key, and returns what its caller sends with each request. */
async function callerOf({ machine }: GatewayMachine, name: string) {
  const keys = await openOwnKeys({
    cwd: machine.project,
    platform: { home: machine.home, env: machine.env },
  })
  const { secret, kept } = createKeySecret()
  await keys.add({ name, ...kept, createdAt: '2026-01-01T00:00:00.000Z' })
  await keys.close()
  return { capabilities, headers: { authorization: `Bearer ${secret}` } }
}

/** Resolves when the server has a call of "hold". */
function untilHeld({ gateway: { host } }: GatewayMachine): Promise<void> {
  return new Promise((resolve) => {
    host.on((event) => {
      if (event.type === 'server.notified' && isObject(event.params) && event.params['data'] === 'held')
        resolve()
    })
  })
}

const callOf = (tool: string, args: Readonly<Record<string, string | boolean>> = {}) => ({
  name: `old__${tool}`,
  arguments: args,
  ...meta,
})

/** What a caller got whose call ran while the server asked for another: no stream with a log message, and no question. */
const seenBy = (reply: Reply) => ({
  type: reply.headers.get('content-type'),
  result: reply.body.result?.['resultType'],
  server: JSON.parse(textOf(reply) ?? 'null') as unknown,
})
const refused = {
  type: 'application/json',
  result: 'complete',
  server: {
    code: -32603,
    message:
      'It is not certain which call this belongs to: none, or several, use this server now. Ask again once the others have ended, or set "isolation" for this server at the gateway.',
  },
}

describe('questions and log messages of a legacy server', () => {
  test('T31 T38 those of a call that waits for its caller do not reach another caller', async () => {
    await using started = await startGateway(servers)
    const [dana, sam] = [await callerOf(started, 'dana'), await callerOf(started, 'sam')]
    const waiting = await started.modern('tools/call', callOf('hold', { asks: true }), dana)
    expect(waiting.body.result).toMatchObject({ resultType: 'input_required' })
    expect(seenBy(await started.modern('tools/call', callOf('next'), sam))).toEqual(refused)
  })

  test('T31 T38 those of a call that its caller cancelled do not reach another caller', async () => {
    await using started = await startGateway(servers)
    const [dana, sam] = [await callerOf(started, 'dana'), await callerOf(started, 'sam')]
    await started.modern('tools/list')
    const leaving = new AbortController()
    const isHeld = untilHeld(started)
    const held = started.modern('tools/call', callOf('hold'), { ...dana, signal: leaving.signal })
    await Promise.race([isHeld, held])
    leaving.abort()
    await expect(held).rejects.toThrow('abort')
    const next = callOf('next', { after: 'cancelled' })
    expect(seenBy(await started.modern('tools/call', next, sam))).toEqual(refused)
    // The caller itself goes on as before, and the other one once the server has been started again.
    const own = await started.modern('tools/call', callOf('ask'), dana)
    expect(own.body.result).toMatchObject({ resultType: 'input_required' })
    await started.gateway.host.restart('old')
    const other = await started.modern('tools/call', callOf('ask'), sam)
    expect(other.body.result).toMatchObject({ resultType: 'input_required' })
  })

  test('T38 those of a call do not reach another client of the same caller that says the same about itself', async () => {
    await using started = await startGateway(servers)
    await started.modern('tools/list')
    const leaving = new AbortController()
    const isHeld = untilHeld(started)
    const first = started.modern('tools/call', callOf('hold'), { capabilities, signal: leaving.signal })
    await Promise.race([isHeld, first])
    expect(seenBy(await started.modern('tools/call', callOf('next'), { capabilities }))).toEqual(refused)
    leaving.abort()
    await expect(first).rejects.toThrow('abort')
  })

  test('calls of one client that all ask at once all end', async () => {
    await using started = await startGateway(servers)
    await started.modern('tools/list')
    const begun = Array.from({ length: 20 }, (_, id) =>
      started.modern('tools/call', callOf('ask'), { id, capabilities }),
    )
    const ended = (await Promise.all(begun)).map(async (reply) => {
      const { requestState, inputRequests } = reply.body.result ?? {}
      if (requestState === undefined || !isObject(inputRequests)) return reply
      const [question = ''] = Object.keys(inputRequests)
      const inputResponses = { [question]: { action: 'decline' } }
      const next = { ...callOf('ask'), requestState, inputResponses }
      return started.modern('tools/call', next, { capabilities })
    })
    const results = (await Promise.all(ended)).map(({ body }) => body.result?.['resultType'])
    expect(results).toEqual(begun.map(() => 'complete'))
  })
})
