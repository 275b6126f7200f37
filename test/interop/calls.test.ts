import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/index.ts'
import { hostWith } from '../support/hosted.ts'
import type { HostWithServer } from '../support/hosted.ts'
import { program } from './entries.ts'
import { serveV1Sse, serveV1Stateful, serveV2, serveV2Stateful } from './servers/http.ts'
import type { Peer } from './servers/http.ts'
import { tools } from './servers/offers.mjs'

interface Connector {
  readonly entry: JsonObject
  /** Resolves when the peer has noted the line. */
  untilNoted(x: HostWithServer, line: string): Promise<void>
  close(): Promise<void>
}

const onPipe =
  (name: string, ...args: readonly string[]) =>
  (): Promise<Connector> =>
    Promise.resolve({
      entry: program(name, ...args),
      untilNoted: (x, line) => x.untilSaid(line),
      close: () => Promise.resolve(),
    })

const onPort =
  (serve: () => Promise<Peer>, type = 'http') =>
  async (): Promise<Connector> => {
    const { url, notes, close } = await serve()
    return { entry: { type, url }, untilNoted: (_x, line) => notes.until(line), close }
  }

/** Every transport and both eras, each against the official SDK. */
const connectors: readonly (readonly [string, () => Promise<Connector>])[] = [
  ['v1 over stdio', onPipe('v1')],
  ['v2 over stdio', onPipe('v2')],
  ['v1 over Streamable HTTP', onPort(() => serveV1Stateful())],
  ['v1 over HTTP+SSE', onPort(() => serveV1Sse(), 'sse')],
  ['v2 over Streamable HTTP', onPort(() => serveV2())],
  ['v2 over Streamable HTTP with sessions', onPort(() => serveV2Stateful())],
]

describe.each(connectors)('interop with SDK %s', (_name, open) => {
  async function withPeer(work: (x: HostWithServer, connector: Connector) => Promise<void>): Promise<void> {
    const connector = await open()
    const elicit = () => Promise.resolve({ action: 'accept', content: { name: 'Ada' } } as const)
    const answer = { role: 'assistant', model: 'none', content: { type: 'text', text: 'Hm.' } }
    {
      const sample = () => Promise.resolve(answer)
      await using x = await hostWith(connector.entry, { elicit, sample, roots: 'cwd' })
      await work(x, connector)
    }
    await connector.close()
  }

  test('tools/call: the text arrives unchanged, a tool’s failure is a result, an unknown tool is refused', () =>
    withPeer(async (x) => {
      expect(await x.call('echo', { text: 'a\nb “c” \u2028' })).toBe('a\nb “c” \u2028')
      expect(await x.request('tools/call', { name: 'fail', arguments: {} })).toMatchObject({ isError: true })
      await expect(x.call('nothing')).rejects.toMatchObject({
        code: 'request.refused',
        data: { error: { code: -32602 } },
      })
    }))

  test('request: reads resources, lists templates, gets prompts', () =>
    withPeer(async (x) => {
      expect(await x.request('resources/read', { uri: 'note://b' })).toMatchObject({
        contents: [{ uri: 'note://b', text: 'the note note://b' }],
      })
      expect(await x.request('resources/templates/list')).toMatchObject({
        resourceTemplates: [{ name: 'note' }],
      })
      expect(await x.request('prompts/get', { name: 'greet', arguments: { who: 'Ada' } })).toMatchObject({
        messages: [{ content: { text: 'Hello Ada' } }],
      })
    }))

  test('list: reads all pages', () =>
    withPeer(async (x) => {
      expect(await x.tools()).toEqual(tools.map(({ name }) => name))
    }))

  test('progress: arrives in order, all of it before the answer', () =>
    withPeer(async (x) => {
      const seen: unknown[] = []
      const text = await x.call('count', { to: 3 }, { onProgress: (progress) => seen.push(progress) })
      seen.push(text)
      expect(seen).toEqual([
        { progress: 1, total: 3 },
        { progress: 2, total: 3 },
        { progress: 3, total: 3 },
        'counted to 3',
      ])
    }))

  test('abort: the call is cancelled at the server, and the connection stays usable', () =>
    withPeer(async (x, connector) => {
      const controller = new AbortController()
      const call = x.call('wait', {}, { signal: controller.signal })
      await connector.untilNoted(x, 'waiting')
      controller.abort()
      await expect(call).rejects.toMatchObject({ code: 'call.cancelled', data: { sent: true } })
      await connector.untilNoted(x, 'cancelled')
      expect(await x.call('echo', { text: 'still here' })).toBe('still here')
    }))

  test('elicitation, sampling and roots: the embedder’s handlers answer the server', () =>
    withPeer(async (x) => {
      expect(JSON.parse(await x.call('ask'))).toEqual({ action: 'accept', content: { name: 'Ada' } })
      expect(JSON.parse(await x.call('think'))).toEqual({ type: 'text', text: 'Hm.' })
      expect(await x.call('look')).toBe(`file://${x.home}`)
    }))

  test('C21 list_changed: is reported, and the new list has the added tool', () =>
    withPeer(async (x) => {
      expect(await x.tools()).not.toContain('grown')
      expect(await x.call('grow')).toBe('grown')
      await x.untilNotified('notifications/tools/list_changed')
      expect(await x.tools()).toContain('grown')
    }))

  test('tools/call: each of twenty concurrent calls gets its own answer', () =>
    withPeer(async (x) => {
      const texts = Array.from({ length: 20 }, (_, index) => `call ${index}`)
      expect(await Promise.all(texts.map((text) => x.call('echo', { text })))).toEqual(texts)
    }))
})
