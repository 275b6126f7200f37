import { expect, test } from 'vitest'
import type { ServerStatus, Status } from '../../index.ts'
import { MissingServers } from './missing-servers.ts'

const failure = {
  code: 'exit',
  message: 'The server ended with exit code 1.',
  hint: 'See its output.',
  at: 1,
} as const
const hostWith = (...statuses: readonly Status[]) => ({
  servers: () => statuses.map((status, at) => ({ name: `s${at}`, status }) as unknown as ServerStatus), // what is read
})

test('chat: a server that cannot be used is named with its reason, once for each failure', () => {
  const missing = new MissingServers()
  const ready = { state: 'idle', reason: 'declared', since: 1 } as const
  const failed = (since: number) => ({ state: 'failed', reason: 'failed', since, failure }) as const
  const sentence = '"s1" is missing here: The server ended with exit code 1. See its output.'
  expect(missing.take(hostWith(ready, failed(2)))).toEqual([sentence])
  expect(missing.take(hostWith(ready, failed(2)))).toEqual([])
  expect(missing.take(hostWith(ready, failed(3)))).toEqual([sentence])
})
