import { expect, test } from 'vitest'
import { faultyServer } from '../../src/testing/faulty-server.ts'
import { startGateway } from '../support/gateway.ts'

test.each([
  ['0 stays 0', 0, 0],
  ['a time stays', 5000, 5000],
  ['a negative one is none, and a minute', -1, 60_000],
])('the ttlMs of a modern server: %s, also when the list is read again', async (_, ttlMs, expected) => {
  const server = faultyServer({ era: 'modern', tools: 1, capabilities: { tools: {} }, ttlMs })
  await using started = await startGateway({ x: server })
  const told = async () => (await started.modern('tools/list')).body.result?.['ttlMs']
  expect(await told()).toBe(expected)
  await started.gateway.host.restart('x')
  await started.gateway.host.ready({ from: 'servers' })
  expect(await told()).toBe(expected)
})
