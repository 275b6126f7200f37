import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { faultyServer } from '../../src/testing/faulty-server.ts'
import { createMachine } from '../support/programs/cli.ts'
import { keyFor, startGateway } from '../support/gateway.ts'

const tool = (name: string) => ({ name, inputSchema: { type: 'object' } })

/** A gateway with one server that gets one request at a time; `order` lists the callers whose calls it has received. */
async function startBusy() {
  const files = createMachine()
  const journal = files.path('~/journal')
  const started = await startGateway(
    {
      busy: faultyServer({
        tools: [tool('work')],
        on: { 'tools/call:work': [{ wait: 50 }, { text: 'done' }] },
        journal,
      }),
    },
    { settings: { gateway: { servers: { busy: { maxConcurrent: 1 } } } } },
  )
  const order = () =>
    readFileSync(journal, 'utf8')
      .split('\n')
      .flatMap((line) => /"tools\/call".*"by":"(\w+)"/.exec(line)?.[1] ?? [])
  return {
    ...started,
    order,
    async [Symbol.asyncDispose]() {
      await started[Symbol.asyncDispose]()
      files[Symbol.dispose]()
    },
  }
}

test.each([
  ['legacy', '', ''],
  ['modern', '', ''],
  ['modern', '?mode=search', '?mode=search'],
  ['modern', '', '?mode=search'],
] as const)(
  'FI-100 a caller with many calls delays those of another by one call at most (%s, addresses "%s" and "%s")',
  async (era, busyPath, quietPath) => {
    await using started = await startBusy()
    const [many, few] = [await keyFor(started, 'many'), await keyFor(started, 'few')]
    const call = (by: string, as: typeof many, path: string, id: number) => {
      const args = { by }
      const params =
        path === ''
          ? { name: 'busy__work', arguments: args }
          : { name: 'call_tool', arguments: { name: 'busy__work', arguments: args } }
      return started[era]('tools/call', params, { ...as, id, path })
    }
    await started[era]('tools/list')
    const calls = [1, 2, 3, 4, 5].map((id) => call('many', many, busyPath, id))
    // Requests of one machine arrive in the order in which they are sent: those calls wait once this one is answered.
    await started.legacy('ping')
    await call('few', few, quietPath, 6)
    await Promise.all(calls)
    expect(started.order().indexOf('few')).toBeLessThanOrEqual(2)
  },
)

test('FI-100 clients with the token of the person who started the gateway take turns', async () => {
  await using started = await startBusy()
  await started.modern('tools/list')
  const call = (by: string, client: string, id: number) =>
    started.modern(
      'tools/call',
      {
        name: 'busy__work',
        arguments: { by },
        _meta: { 'io.modelcontextprotocol/clientInfo': { name: client, version: '1' } },
      },
      { id },
    )
  const calls = [1, 2, 3, 4, 5].map((id) => call('many', 'editor', id))
  await started.legacy('ping')
  await call('few', 'agent', 6)
  await Promise.all(calls)
  expect(started.order().indexOf('few')).toBeLessThanOrEqual(2)
})
