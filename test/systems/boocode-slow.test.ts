import { expect, test } from 'vitest'
import type { HostEvent } from '../../src/index.ts'
import { createFakeClock } from '../../src/testing.ts'
import { startBoocode } from '../support/boocode.ts'
import { collectEvents } from '../support/programs/host-events.ts'
import { scripted, serverWithTools, toolHost } from '../support/tool-host.ts'

const good = serverWithTools(['works'])
type Changed = HostEvent & { readonly type: 'server.changed' }
const isIn =
  (state: string, name: string) =>
  ({ server, status }: Changed) =>
    server === name && status.state === state

test('C33 BooCode: a server that is not ready after 10 s is logged, and its tools come when it is', async () => {
  const clock = createFakeClock()
  const { onEvent, until } = collectEvents()
  const slow = scripted({ on: { initialize: 'hang' } })
  const starting = startBoocode({ good, slow }, { platform: { clock }, on: onEvent })
  await until('server.changed', isIn('ready', 'good'))
  // No time passes after this: a longer wait would have no end.
  await clock.advance(10_000)
  await using boocode = await starting
  expect(boocode.ALL_TOOLS.map(({ name }) => name)).toEqual(['good_works'])
  expect(boocode.warnings).toEqual([
    'MCP server "slow" is still starting after 10 s. Its tools are added when it is ready.',
  ])
  const failed = until('server.changed', isIn('failed', 'slow'))
  await clock.advance(20_000)
  await failed
  expect(boocode.errors).toEqual([expect.stringContaining('MCP server "slow" is unavailable.')])
})

test('C13 createHost waits at most 10 s for eager servers, and ready() does not wait for them once more', async () => {
  const clock = createFakeClock()
  const { onEvent, until } = collectEvents()
  const eager = { lifecycle: 'eager' }
  const creating = toolHost(
    {
      good: { ...good, ...eager },
      slow: scripted({ on: { 'server/discover': 'hang', initialize: 'hang' } }, eager),
    },
    { platform: { clock }, on: onEvent },
  )
  await until('server.changed', isIn('ready', 'good'))
  await clock.advance(10_000)
  await using x = await creating
  expect(x.host.servers().map(({ name, status }) => [name, status.state])).toEqual([
    ['good', 'ready'],
    ['slow', 'connecting'],
  ])
  await x.host.ready()
  expect(x.host.tools().map(({ name }) => name)).toEqual(['good__works'])
})
