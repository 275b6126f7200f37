import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, test } from 'vitest'
import { program } from './entries.ts'
import { serveV1Sse, serveV1Stateful, serveV1Stateless, serveV2, serveV2Stateful } from './servers/http.ts'

/** Uses a peer with the official client; returns the revision, the number of tools and an answer. */
async function useWithOfficialClient(transport: Transport) {
  const client = new Client({ name: 'official', version: '2.4.0' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(transport)
  const { tools } = await client.listTools()
  const { content } = await client.callTool({ name: 'echo', arguments: { text: 'hello' } })
  const version = client.getNegotiatedProtocolVersion()
  await client.close()
  return { version, tools: tools.length, content }
}

const expected = (version: string) => ({ version, tools: 11, content: [{ type: 'text', text: 'hello' }] })

// Verifies the peers themselves with the official client, so that a failure of the other tests is a fault of ours.
describe('interop peers work with the official client', () => {
  test.each([
    ['v1', '2025-11-25'],
    ['v2', '2026-07-28'],
  ])('%s over stdio', async (name, version) => {
    const transport = new StdioClientTransport({ ...program(name), stderr: 'ignore' })
    expect(await useWithOfficialClient(transport)).toEqual(expected(version))
  })

  test.each([
    ['v1 with sessions', serveV1Stateful, '2025-11-25'],
    ['v1 without sessions', serveV1Stateless, '2025-11-25'],
    ['v2', serveV2, '2026-07-28'],
    ['v2 with sessions', serveV2Stateful, '2025-11-25'],
  ])('%s over Streamable HTTP', async (_name, serve, version) => {
    const peer = await serve()
    expect(await useWithOfficialClient(new StreamableHTTPClientTransport(new URL(peer.url)))).toEqual(
      expected(version),
    )
    await peer.close()
  })

  test('v1 over HTTP+SSE', async () => {
    const peer = await serveV1Sse()
    expect(await useWithOfficialClient(new SSEClientTransport(new URL(peer.url)))).toEqual(
      expected('2025-11-25'),
    )
    await peer.close()
  })
})
