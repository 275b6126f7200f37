import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/index.ts'
import { hostWith } from '../support/hosted.ts'
import type { Hosted } from '../support/hosted.ts'
import { program } from './entries.ts'
import { serveV1Sse, serveV1Stateful, serveV2, serveV2Stateful } from './servers/http.ts'
import type { Peer } from './servers/http.ts'
import { tools } from './servers/offers.mjs'

interface Way {
  readonly entry: JsonObject
  /** Settles when the peer has noted it. */
  noted(x: Hosted, line: string): Promise<void>
  close(): Promise<void>
}

const onPipe =
  (name: string, ...args: readonly string[]) =>
  (): Promise<Way> =>
    Promise.resolve({
      entry: program(name, ...args),
      noted: (x, line) => x.untilSaid(line),
      close: () => Promise.resolve(),
    })

const onPort =
  (serve: () => Promise<Peer>, type = 'http') =>
  async (): Promise<Way> => {
    const { url, notes, close } = await serve()
    return { entry: { type, url }, noted: (_x, line) => notes.until(line), close }
  }

/** Every transport and both eras, each with the official SDK on the other side. */
const ways: readonly (readonly [string, () => Promise<Way>])[] = [
  ['v1 on a pipe', onPipe('v1')],
  ['v2 on a pipe', onPipe('v2')],
  ['v1 over Streamable HTTP', onPort(() => serveV1Stateful())],
  ['v1 over HTTP+SSE', onPort(() => serveV1Sse(), 'sse')],
  ['v2 over Streamable HTTP', onPort(() => serveV2())],
  ['v2 over Streamable HTTP with sessions', onPort(() => serveV2Stateful())],
]

describe.each(ways)('%s', (_name, open) => {
  async function withPeer(work: (x: Hosted, way: Way) => Promise<void>): Promise<void> {
    const way = await open()
    const elicit = () => Promise.resolve({ action: 'accept', content: { name: 'Ada' } } as const)
    const answer = { role: 'assistant', model: 'none', content: { type: 'text', text: 'Hm.' } }
    {
      const sample = () => Promise.resolve(answer)
      await using x = await hostWith(way.entry, { elicit, sample, roots: 'cwd' })
      await work(x, way)
    }
    await way.close()
  }

  test('what a tool answers comes as it was given, and its own failure is an answer', () =>
    withPeer(async (x) => {
      expect(await x.call('echo', { text: 'a\nb “c” \u2028' })).toBe('a\nb “c” \u2028')
      expect(await x.request('tools/call', { name: 'fail', arguments: {} })).toMatchObject({ isError: true })
      await expect(x.call('nothing')).rejects.toMatchObject({
        code: 'request.refused',
        data: { error: { code: -32602 } },
      })
    }))

  test('resources, templates and prompts are reached as well', () =>
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

  test('all pages of a list are read', () =>
    withPeer(async (x) => {
      expect(await x.tools()).toEqual(tools.map(({ name }) => name))
    }))

  test('progress arrives in order, all of it before the answer', () =>
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

  test('a call that is given up is cancelled at the server, and the connection goes on', () =>
    withPeer(async (x, way) => {
      const giveUp = new AbortController()
      const call = x.call('wait', {}, { signal: giveUp.signal })
      await way.noted(x, 'waiting')
      giveUp.abort()
      await expect(call).rejects.toMatchObject({ code: 'call.cancelled', data: { sent: true } })
      await way.noted(x, 'cancelled')
      expect(await x.call('echo', { text: 'still here' })).toBe('still here')
    }))

  test('questions of the server reach the embedder’s handlers, and the answers the server', () =>
    withPeer(async (x) => {
      expect(JSON.parse(await x.call('ask'))).toEqual({ action: 'accept', content: { name: 'Ada' } })
      expect(JSON.parse(await x.call('think'))).toEqual({ type: 'text', text: 'Hm.' })
      expect(await x.call('look')).toBe(`file://${x.home}`)
    }))

  test('C21 a changed list is told, and the new one is seen', () =>
    withPeer(async (x) => {
      expect(await x.tools()).not.toContain('grown')
      expect(await x.call('grow')).toBe('grown')
      await x.untilNotified('notifications/tools/list_changed')
      expect(await x.tools()).toContain('grown')
    }))

  test('twenty calls at once are answered each with its own', () =>
    withPeer(async (x) => {
      const texts = Array.from({ length: 20 }, (_, index) => `call ${index}`)
      expect(await Promise.all(texts.map((text) => x.call('echo', { text })))).toEqual(texts)
    }))
})
