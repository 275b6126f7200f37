import { expect, test } from 'vitest'
import { faultyServer } from '../../src/testing/faulty-server.ts'
import { startGateway } from '../support/gateway.ts'

const serverThatAnswers = (code: number) =>
  faultyServer({
    era: 'modern',
    capabilities: { tools: {}, resources: {} },
    tools: [{ name: 'go', inputSchema: { type: 'object' } }],
    resources: [{ uri: 'x://a', name: 'a' }],
    on: {
      'tools/call': { error: { code, message: 'no' } },
      'resources/read': { error: { code, message: 'no' } },
    },
  })

test.each([
  [-32020, { status: 200, code: -32603, message: 'The server refused the request of the gateway: no' }],
  [-32022, { status: 200, code: -32603, message: 'The server refused the request of the gateway: no' }],
  [-32021, { status: 400, code: -32021, message: 'no' }],
  [-32600, { status: 200, code: -32600, message: 'no' }],
  [-32601, { status: 200, code: -32601, message: 'no' }],
  [-32700, { status: 200, code: -32700, message: 'no' }],
  [-31999, { status: 200, code: -31999, message: 'no' }],
])(
  'a server that answers %i: its error is an answer with status 200, and one about its own hop is none of the client',
  async (code, { status, ...error }) => {
    await using started = await startGateway({ x: serverThatAnswers(code) })
    const called = await started.modern('tools/call', { name: 'x__go' })
    const read = await started.modern('resources/read', { uri: 'x://a' })
    expect([called.status, called.body.error]).toEqual([status, error])
    expect([read.status, read.body.error]).toEqual([status, error])
  },
)

test('a server without tasks that is asked for one: its error has status 200, an unknown method of the gateway 404', async () => {
  await using started = await startGateway({ x: serverThatAnswers(-31999) })
  await started.modern('tools/list')
  const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
  const asked = await started.modern('tasks/get', { taskId: 'x/1' }, { capabilities })
  expect([asked.status, asked.body.error]).toMatchObject([200, { code: -32601 }])
  const unknown = await started.modern('tasks/none', {})
  expect([unknown.status, unknown.body.error]).toMatchObject([404, { code: -32601 }])
})
