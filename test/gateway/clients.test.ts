import { Client as ModernClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as V1Stdio } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as V1Http } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { CreateMessageRequestSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, test } from 'vitest'
import { cliFile, createMachine } from '../support/programs/cli.ts'
import { askingServer, startGateway } from '../support/gateway.ts'
import { ownFile } from '../support/servers.ts'

const info = { name: 'official', version: '1.0.0' }
const capabilities = { elicitation: {}, sampling: {} }
const eras = ['legacy', 'modern'] as const
const servers = { old: askingServer('legacy'), new: askingServer('modern') }

/** What every client does, whatever its era: lists, calls, reads, gets prompts, is asked, and sees progress. */
interface AnyClient {
  listTools(): Promise<{ tools: readonly { name: string }[] }>
  callTool(params: { name: string; arguments?: Record<string, unknown> }, ...more: never[]): Promise<unknown>
  readResource(params: { uri: string }): Promise<unknown>
  getPrompt(params: { name: string; arguments?: Record<string, string> }): Promise<unknown>
}

async function expectUse(client: AnyClient, server: string): Promise<void> {
  const { tools } = await client.listTools()
  const names = tools.map(({ name }) => name)
  expect(names).toContain(`${server}__test_simple_text`)
  expect(names).toEqual([...names].sort())
  expect(await client.callTool({ name: `${server}__test_simple_text` })).toMatchObject({
    content: [{ type: 'text', text: 'This is a simple text response for testing.' }],
  })
  expect(await client.callTool({ name: `${server}__test_error_handling` })).toMatchObject({ isError: true })
  expect(await client.readResource({ uri: 'test://static-text' })).toMatchObject({
    contents: [{ uri: 'test://static-text', mimeType: 'text/plain' }],
  })
  const args = { arg1: 'hello', arg2: 'world' }
  expect(
    await client.getPrompt({ name: `${server}__test_prompt_with_arguments`, arguments: args }),
  ).toMatchObject({
    messages: [{ role: 'user', content: { text: "Prompt with arguments: arg1='hello', arg2='world'" } }],
  })
}

/** The server asks in the middle of the call, however its era and that of the client do that. */
async function expectQuestions(client: AnyClient, server: string): Promise<void> {
  expect(
    await client.callTool({ name: `${server}__test_elicitation`, arguments: { message: 'Who?' } }),
  ).toMatchObject({
    content: [{ text: 'User response: action=accept, content={"username":"dana","email":"d@example.com"}' }],
  })
  expect(
    await client.callTool({ name: `${server}__test_sampling`, arguments: { prompt: 'Hi' } }),
  ).toMatchObject({ content: [{ text: 'LLM response: said by the client' }] })
}

const elicited = { action: 'accept' as const, content: { username: 'dana', email: 'd@example.com' } }
const sampled = {
  role: 'assistant' as const,
  model: 'test',
  content: { type: 'text' as const, text: 'said by the client' },
}

function createV1(asked: string[] = []) {
  const client = new V1Client(info, { capabilities })
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    asked.push(params.message)
    return elicited
  })
  client.setRequestHandler(CreateMessageRequestSchema, () => sampled)
  return client
}

function createV2(mode: 'legacy' | 'auto', asked: string[] = []) {
  const client = new ModernClient(info, { capabilities, versionNegotiation: { mode } })
  client.setRequestHandler('elicitation/create', ({ params }) => {
    asked.push(params.message)
    return elicited
  })
  client.setRequestHandler('sampling/createMessage', () => sampled)
  return client
}

function stdioOf(machine: ReturnType<typeof createMachine>) {
  return {
    command: process.execPath,
    args: [cliFile, 'gateway', '--alone'],
    cwd: machine.project,
    env: { ...machine.env },
    stderr: 'ignore' as const,
  }
}

describe('official clients over stdio', () => {
  test.each(['old', 'new'])('SDK v1 uses and is asked by a server (%s)', async (server) => {
    using machine = createMachine({ [ownFile]: { mcpServers: servers } })
    const asked: string[] = []
    const client = createV1(asked)
    await client.connect(new V1Stdio(stdioOf(machine)))
    await expectUse(client, server)
    await expectQuestions(client, server)
    expect(asked).toEqual([`${server}: Who?`])
    const progress: number[] = []
    await client.callTool({ name: `${server}__test_tool_with_progress` }, undefined, {
      onprogress: ({ progress: done }) => progress.push(done),
    })
    expect(progress).toEqual([0, 50, 100])
    await client.close()
  })

  test.each(eras.flatMap((era) => ['old', 'new'].map((server) => [era, server] as const)))(
    'SDK v2 as a %s client uses and is asked by a server (%s)',
    async (era, server) => {
      using machine = createMachine({ [ownFile]: { mcpServers: servers } })
      const client = createV2(era === 'modern' ? 'auto' : 'legacy')
      await client.connect(new StdioClientTransport(stdioOf(machine)))
      expect(client.getNegotiatedProtocolVersion()).toBe(era === 'modern' ? '2026-07-28' : '2025-11-25')
      await expectUse(client, server)
      await expectQuestions(client, server)
      await client.close()
    },
  )
})

describe('official clients over HTTP', () => {
  test.each([false, true])('SDK v1 (sessions: %s)', async (sessions) => {
    await using started = await startGateway(servers, { sessions })
    const headers = { Authorization: `Bearer ${started.token}` }
    for (const server of ['old', 'new']) {
      const client = createV1()
      await client.connect(new V1Http(new URL(started.url), { requestInit: { headers } }))
      await expectUse(client, server)
      if (sessions) await expectQuestions(client, server)
      expect(client.getServerVersion()).toMatchObject({ name: 'plugboard' })
      await client.close()
    }
  })

  test.each(['old', 'new'])('SDK v2 of 2026-07-28 uses and is asked by a server (%s)', async (server) => {
    await using started = await startGateway(servers)
    const headers = { Authorization: `Bearer ${started.token}` }
    const client = createV2('auto')
    await client.connect(
      new StreamableHTTPClientTransport(new URL(started.url), { requestInit: { headers } }),
    )
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28')
    await expectUse(client, server)
    await expectQuestions(client, server)
    await client.close()
  })

  test('a client that listens is told of a changed list, and one that does not is not', async () => {
    await using started = await startGateway(servers)
    const headers = { Authorization: `Bearer ${started.token}` }
    const client = createV2('auto')
    await client.connect(
      new StreamableHTTPClientTransport(new URL(started.url), { requestInit: { headers } }),
    )
    await client.listTools()
    const changed = new Promise<void>((resolve) =>
      client.setNotificationHandler('notifications/tools/list_changed', () => resolve()),
    )
    const listening = await client.listen({ toolsListChanged: true })
    await client.callTool({ name: 'new__test_trigger_tool_change' })
    await changed
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain('new__added_1')
    await listening.close()
    await client.close()
  })
})
