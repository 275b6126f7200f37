import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/index.ts'
import { startGateway } from '../support/gateway.ts'
import { serveMcp, tool } from '../support/remote.ts'
import type { McpRequest } from '../support/remote.ts'

const logLevel = { 'io.modelcontextprotocol/logLevel': 'debug' }

/** Writes messages to the stream of a call, and ends it with its answer. */
function answerWith({ message, response }: McpRequest, notifications: readonly JsonObject[]): void {
  const text = (params: JsonObject) =>
    `event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...params })}\n\n`
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const each of notifications) response.write(text(each))
  response.end(text({ id: message.id ?? 0, result: { resultType: 'complete', content: [] } }))
}

test('T31 what a modern server logs on the stream of a call goes to the client of that call, while others have calls there', async () => {
  const held: McpRequest[] = []
  const far = await serveMcp(
    { 'tools/call': (asked) => void held.push(asked) },
    { era: 'modern', tools: [tool('work')], capabilities: { tools: {}, logging: {} } },
  )
  await using started = await startGateway({ far: { type: 'http', url: far.url.href } })
  await started.modern('tools/list')
  const seenBy = async (client: string): Promise<readonly unknown[]> => {
    const messages: unknown[] = []
    const response = await fetch(started.url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${started.token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'far__work',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name: 'far__work',
          arguments: { client },
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
            ...logLevel,
            progressToken: client,
          },
        },
      }),
    })
    for (const event of (await response.text()).split('\n\n')) {
      const data = event.split('data: ')[1]
      const { method, params } = data === undefined ? {} : (JSON.parse(data) as JsonObject)
      if (method !== undefined) messages.push(params)
    }
    return messages
  }
  const both = Promise.all([seenBy('one'), seenBy('two')])
  await far.until('tools/call', 2)
  for (const asked of held) {
    const { arguments: args, _meta: meta } = asked.message.params as {
      readonly arguments: { readonly client: string }
      readonly _meta: JsonObject
    }
    answerWith(asked, [
      { method: 'notifications/message', params: { level: 'info', data: `for ${args.client}` } },
      {
        method: 'notifications/progress',
        params: { progressToken: meta['progressToken'] ?? 0, progress: 1, message: args.client },
      },
    ])
  }
  const expected = (client: string) => [
    { level: 'info', data: `for ${client}`, logger: 'far' },
    { progressToken: client, progress: 1, message: client },
  ]
  expect(await both).toEqual([expected('one'), expected('two')])
})
