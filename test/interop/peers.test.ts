import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, test } from 'vitest'
import { program } from './entries.ts'
import { serveV1Sse, serveV1Stateful, serveV1Stateless, serveV2, serveV2Stateful } from './servers/http.ts'

/** What the official client makes of a peer: the revision, how many tools, and an answer. */
async function meet(transport: Transport) {
  const client = new Client({ name: 'official', version: '2.4.0' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(transport)
  const { tools } = await client.listTools()
  const { content } = await client.callTool({ name: 'echo', arguments: { text: 'hello' } })
  const version = client.getNegotiatedProtocolVersion()
  await client.close()
  return { version, tools: tools.length, content }
}

const met = (version: string) => ({ version, tools: 11, content: [{ type: 'text', text: 'hello' }] })

// A test of ours that fails is our fault only if the peer is right: here the official client judges the peers.
describe('the peers, as the official client sees them', () => {
  test.each([
    ['v1', '2025-11-25'],
    ['v2', '2026-07-28'],
  ])('%s on a pipe', async (name, version) => {
    const transport = new StdioClientTransport({ ...program(name), stderr: 'ignore' })
    expect(await meet(transport)).toEqual(met(version))
  })

  test.each([
    ['v1 with sessions', serveV1Stateful, '2025-11-25'],
    ['v1 without sessions', serveV1Stateless, '2025-11-25'],
    ['v2', serveV2, '2026-07-28'],
    ['v2 with sessions', serveV2Stateful, '2025-11-25'],
  ])('%s over Streamable HTTP', async (_name, serve, version) => {
    const peer = await serve()
    expect(await meet(new StreamableHTTPClientTransport(new URL(peer.url)))).toEqual(met(version))
    await peer.close()
  })

  test('v1 over HTTP+SSE', async () => {
    const peer = await serveV1Sse()
    expect(await meet(new SSEClientTransport(new URL(peer.url)))).toEqual(met('2025-11-25'))
    await peer.close()
  })
})
