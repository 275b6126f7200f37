import { describe, expect, test } from 'vitest'
import type { HostOptions, ResourceUpdate } from '../../src/index.ts'
import { createFakeClock, createScriptedServer } from '../../src/testing.ts'
import type { Handler } from '../../src/testing.ts'
import { program } from '../interop/entries.ts'
import { serveV2 } from '../interop/servers/http.ts'
import { npmServer, toolHost } from '../support/tool-host.ts'

const uri = 'note:///one'
const entry = { notes: { command: 'not-started' } }
const resources = { subscribe: true, listChanged: true }
const updated = { server: 'notes', uri, cause: 'updated' } as const

type ScriptedServer = ReturnType<typeof createScriptedServer>

/** The requests of these methods, each with its URIs. */
function asked({ received }: ScriptedServer, ...methods: readonly string[]): readonly unknown[] {
  return received.flatMap((message) => {
    if (!('method' in message) || !methods.includes(message.method)) return []
    const { _meta, ...params } = message.params ?? {}
    return [[message.method, params]]
  })
}

function legacy() {
  return createScriptedServer({
    capabilities: { resources },
    on: {
      'resources/list': () => ({ resources: [{ uri, name: 'one' }] }),
      'resources/templates/list': () => ({ resourceTemplates: [] }),
      'resources/subscribe': () => ({}),
      'resources/unsubscribe': () => ({}),
    },
  })
}

function neverAgreeing(era: 'legacy' | 'modern') {
  return createScriptedServer({
    era,
    capabilities: { resources: { subscribe: true } },
    on: {
      'resources/subscribe': () => new Promise(() => undefined),
      'subscriptions/listen': () => new Promise(() => undefined),
    },
  })
}

/** A modern server: the request stays open, and updates arrive as notifications. */
function modern(listening: Handler = () => new Promise(() => undefined)) {
  const server: ScriptedServer = createScriptedServer({
    era: 'modern',
    capabilities: { resources },
    on: {
      'resources/list': () => ({ resultType: 'complete', resources: [{ uri, name: 'one' }] }),
      'resources/templates/list': () => ({ resultType: 'complete', resourceTemplates: [] }),
      'subscriptions/listen'(params, request) {
        server.notify('notifications/subscriptions/acknowledged', {
          notifications: params['notifications'] ?? {},
        })
        return listening(params, request)
      },
    },
  })
  return server
}

async function follow(server: ScriptedServer, options: HostOptions = {}) {
  const clock = createFakeClock()
  const x = await toolHost(entry, { platform: { clock }, channels: { notes: server.open }, ...options })
  const heard: ResourceUpdate[] = []
  const waiting = new Set<() => void>()
  const onUpdate = (update: ResourceUpdate) => {
    heard.push(update)
    for (const look of waiting) look()
  }
  return {
    ...x,
    clock,
    heard,
    onUpdate,
    update: (about = uri) => server.notify('notifications/resources/updated', { uri: about }),
    hears: (count: number) =>
      new Promise<readonly ResourceUpdate[]>((resolve) => {
        const look = () => heard.length >= count && resolve(heard)
        waiting.add(look)
        look()
      }),
    [Symbol.asyncDispose]: () => x.host.close(),
  }
}

describe.each([
  ['legacy', legacy],
  ['modern', modern],
] as const)('subscribe: %s server (D21)', (era, make) => {
  test('the listener gets updates until it is disposed of', async () => {
    const server = make()
    await using x = await follow(server)
    const following = await x.host.subscribe(uri, x.onUpdate)
    x.update()
    x.update('note:///other')
    expect(await x.hears(1)).toEqual([updated])
    following[Symbol.dispose]()
    await x.clock.advance(2000)
    x.update()
    await x.host.ready({ from: 'servers' })
    expect(x.heard).toEqual([updated])
  })

  test('a flood of updates is reported once a second, including the last one (FI-30)', async () => {
    await using x = await follow(make())
    await x.host.subscribe(uri, x.onUpdate)
    for (let i = 0; i < 300; i++) x.update(`${uri}/${i}`)
    expect(await x.hears(1)).toEqual([{ ...updated, uri: `${uri}/0` }])
    await x.host.ready({ from: 'servers' })
    await x.clock.advance(1000)
    expect(x.heard).toEqual([`${uri}/0`, `${uri}/299`].map((each) => ({ ...updated, uri: each })))
  })

  test('after a crash the host reconnects, subscribes again and reports resubscribed (C21)', async () => {
    const server = make()
    await using x = await follow(server)
    await x.host.subscribe(uri, x.onUpdate)
    server.close()
    await x.until('server.changed', ({ status }) => status.state === 'waiting')
    await x.clock.advance(1000)
    expect(await x.hears(1)).toEqual([{ ...updated, cause: 'resubscribed' }])
    await x.clock.advance(1000)
    x.update()
    expect(await x.hears(2)).toEqual([{ ...updated, cause: 'resubscribed' }, updated])
    const method = era === 'legacy' ? 'resources/subscribe' : 'subscriptions/listen'
    const about = era === 'legacy' ? { uri } : { notifications: { resourceSubscriptions: [uri] } }
    expect(asked(server, method).filter((each) => JSON.stringify(each).includes(uri))).toEqual([
      [method, about],
      [method, about],
    ])
  })

  test('two listeners of one resource share one subscription and end separately', async () => {
    const server = make()
    await using x = await follow(server)
    const also: ResourceUpdate[] = []
    const first = await x.host.subscribe(uri, (update) => void also.push(update))
    await x.host.subscribe(uri, x.onUpdate)
    first[Symbol.dispose]()
    x.update()
    await x.hears(1)
    expect([also, asked(server, 'resources/unsubscribe')]).toEqual([[], []])
  })

  test('many concurrent listeners of many resources all get updates and end separately', async () => {
    const server = make()
    await using x = await follow(server)
    const uris = Array.from({ length: 20 }, (_, at) => `note:///${at}.`)
    const options = { server: 'notes' }
    const all = await Promise.all(uris.map((each) => x.host.subscribe(each, x.onUpdate, options)))
    for (const each of uris) x.update(each)
    await x.hears(20)
    expect(x.heard.map((update) => update.uri)).toEqual(uris)
    for (const following of all.slice(1)) following[Symbol.dispose]()
    await x.clock.advance(1000)
    for (const each of uris) x.update(each)
    await x.hears(21)
    expect(x.heard.slice(20).map((update) => update.uri)).toEqual(uris.slice(0, 1))
    expect(asked(server, 'subscriptions/listen').length).toBeLessThan(25)
  })

  test('aborting, or closing the host, before the server accepts rejects with call.cancelled', async () => {
    const silent = neverAgreeing(era)
    const x = await follow(silent)
    const stop = new AbortController()
    const options = { server: 'notes', signal: stop.signal }
    const given = x.host.subscribe(uri, x.onUpdate, options)
    const ended = x.host.subscribe('note:///two', x.onUpdate, { server: 'notes' })
    const ends = Promise.allSettled([given, ended])
    const method = era === 'legacy' ? 'resources/subscribe' : 'subscriptions/listen'
    await expect.poll(() => asked(silent, method).length).toBeGreaterThan(0)
    const patient = x.host.subscribe(uri, x.onUpdate, { server: 'notes' })
    const afterwards = Promise.allSettled([patient])
    stop.abort()
    await expect(given).rejects.toMatchObject({ code: 'call.cancelled' })
    await expect.poll(() => asked(silent, method).length).toBeGreaterThan(era === 'legacy' ? 2 : 1)
    await x.host.close()
    expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect((await afterwards).map(({ status }) => status)).toEqual(['rejected'])
  })

  test('a listener that waits behind an unanswered subscription can be aborted', async () => {
    const silent = neverAgreeing(era)
    await using x = await follow(silent)
    const first = x.host.subscribe(uri, x.onUpdate, { server: 'notes' })
    const method = era === 'legacy' ? 'resources/subscribe' : 'subscriptions/listen'
    await expect.poll(() => asked(silent, method).length).toBeGreaterThan(0)
    const [stop, ends] = [new AbortController(), Promise.allSettled([first])]
    const options = { server: 'notes', signal: stop.signal }
    const behind = x.host.subscribe('note:///two', x.onUpdate, options)
    const beside = x.host.subscribe(uri, x.onUpdate, options)
    const given = Promise.allSettled([behind, beside])
    stop.abort()
    expect((await given).map((each) => each.status === 'rejected' && each.reason.code)).toEqual([
      'call.cancelled',
      'call.cancelled',
    ])
    await x.host.close()
    expect((await ends).map(({ status }) => status)).toEqual(['rejected'])
  })

  test('a view gets no updates of a server that its conversation disabled (D6)', async () => {
    await using x = await follow(make())
    await x.host.ready()
    const view = await x.host.scope({ conversation: 'c1' })
    await view.subscribe(uri, x.onUpdate)
    await x.host.switchServer('c1', 'notes', false)
    x.update()
    await x.clock.advance(1000)
    await x.host.switchServer('c1', 'notes', true)
    x.update()
    expect(await x.hears(1)).toEqual([updated])
    await expect((await x.host.scope({ servers: [] })).subscribe(uri, x.onUpdate)).rejects.toThrow(
      'No server lists note:///one',
    )
  })
})

describe('subscribe (D21)', () => {
  test('legacy: sends resources/unsubscribe when the last listener ends', async () => {
    const server = legacy()
    await using x = await follow(server)
    const following = await x.host.subscribe(uri, x.onUpdate)
    following[Symbol.dispose]()
    following[Symbol.dispose]()
    await x.host.request('notes', 'ping')
    expect(asked(server, 'resources/subscribe', 'resources/unsubscribe')).toEqual([
      ['resources/subscribe', { uri }],
      ['resources/unsubscribe', { uri }],
    ])
  })

  test('modern: ends the stream when the last listener ends', async () => {
    const server = modern()
    await using x = await follow(server)
    const following = await x.host.subscribe(uri, x.onUpdate)
    following[Symbol.dispose]()
    await x.host.request('notes', 'resources/list')
    expect(asked(server, 'notifications/cancelled')).toHaveLength(1)
  })

  test('modern: a stream that ends is opened again', async () => {
    let streams = 0
    const server = modern(({ notifications }) => {
      const isOurs = JSON.stringify(notifications).includes(uri)
      return isOurs && streams++ === 0 ? { resultType: 'complete' } : new Promise(() => undefined)
    })
    await using x = await follow(server)
    await x.host.subscribe(uri, x.onUpdate)
    await x.host.ready({ from: 'servers' })
    await x.clock.advance(500)
    expect(await x.hears(1)).toEqual([{ ...updated, cause: 'resubscribed' }])
  })

  test('rejects if the server does not support subscriptions or refuses, and leaves no state', async () => {
    const deaf = createScriptedServer({ capabilities: { resources: {} } })
    await using x = await follow(deaf)
    await expect(x.host.subscribe(uri, x.onUpdate, { server: 'notes' })).rejects.toThrow(
      '"notes" does not report updates of note:///one.',
    )
    const refusing = createScriptedServer({ capabilities: { resources } })
    await using y = await follow(refusing)
    await expect(y.host.subscribe(uri, y.onUpdate, { server: 'notes' })).rejects.toMatchObject({
      code: 'request.refused',
    })
    await expect(y.host.subscribe(uri, y.onUpdate, { server: 'notes' })).rejects.toMatchObject({
      code: 'request.refused',
    })
  })

  test('modern: rejects if the server does not acknowledge the resource, or not in time', async () => {
    const picky: ScriptedServer = createScriptedServer({
      era: 'modern',
      capabilities: { resources: { subscribe: true } },
      on: {
        'subscriptions/listen'() {
          picky.notify('notifications/subscriptions/acknowledged', {
            notifications: { resourceSubscriptions: [] },
          })
          return new Promise(() => undefined)
        },
      },
    })
    await using x = await follow(picky)
    await expect(x.host.subscribe(uri, x.onUpdate, { server: 'notes' })).rejects.toThrow(
      '"notes" does not report updates of note:///one.',
    )
    const silent = createScriptedServer({
      era: 'modern',
      capabilities: { resources: { subscribe: true } },
      on: { 'subscriptions/listen': () => new Promise(() => undefined) },
    })
    await using y = await follow(silent)
    await y.host.connect('notes')
    const following = y.host.subscribe(uri, y.onUpdate, { server: 'notes' })
    following.catch(() => undefined)
    for (let i = 0; i < 5; i++) await y.host.request('notes', 'tools/list')
    await y.clock.advance(10_000)
    await expect(following).rejects.toMatchObject({ code: 'call.timeout' })
  })

  test('a lazy server with a subscription is not stopped when idle', async () => {
    const clock = createFakeClock()
    await using x = await toolHost(
      { notes: { command: 'not-started', idleStopMs: 5000 } },
      { platform: { clock }, channels: { notes: legacy().open } },
    )
    const following = await x.host.subscribe(uri, () => undefined)
    const state = () => x.host.servers()[0]?.status.state
    await clock.advance(20_000)
    expect(state()).toBe('ready')
    following[Symbol.dispose]()
    await x.host.request('notes', 'ping')
    await clock.advance(20_000)
    expect(state()).toBe('idle')
  })

  test.each([
    ['2025-11-25', 'legacy'],
    ['2026-07-28', 'modern'],
  ] as const)('a server of the official SDK reports updates, revision %s', async (_, era) => {
    const peer = { ...program('v2'), ...(era === 'legacy' && { protocol: 'legacy' }) }
    await using x = await toolHost({ peer })
    await x.host.ready()
    const heard: ResourceUpdate[] = []
    let following: Disposable | undefined
    const told = new Promise<void>((resolve, reject) => {
      const hear = (update: ResourceUpdate) => resolve(void heard.push(update))
      x.host
        .subscribe('note://a', hear)
        .then((agreed) => {
          following = agreed
          return x.host.call('peer/touch')
        })
        .catch(reject)
    })
    await told
    following?.[Symbol.dispose]()
    await x.host.call('peer/touch')
    expect(heard).toEqual([{ server: 'peer', uri: 'note://a', cause: 'updated' }])
    expect(x.host.servers()[0]?.status).toMatchObject({ state: 'ready', era })
  })

  test('modern over HTTP: a broken stream is opened again and reports resubscribed', async () => {
    const peer = await serveV2()
    await using x = await toolHost({ peer: { type: 'http', url: peer.url } })
    await x.host.ready()
    const heard: string[] = []
    const waiting = new Set<() => void>()
    const hears = (count: number) =>
      new Promise<void>((resolve) => {
        const look = () => heard.length >= count && resolve()
        waiting.add(look)
        look()
      })
    await x.host.subscribe('note://a', ({ cause }) => {
      heard.push(cause)
      for (const look of waiting) look()
    })
    peer.notify.resourceUpdated('note://a')
    await hears(1)
    peer.drop()
    await hears(2)
    expect(heard).toEqual(['updated', 'resubscribed'])
    await x.host.close()
    await peer.close()
  })

  test('real server: everything reports updates of a resource', async () => {
    await using x = await toolHost({ everything: npmServer('everything', ['stdio']) })
    await x.host.ready()
    const [first] = x.host.resources().flatMap(({ resource }) => resource['uri'] ?? [])
    const address = first as string // a resource with a uri
    const told = new Promise<ResourceUpdate>((resolve, reject) => {
      x.host.subscribe(address, resolve).catch(reject)
    })
    await x.until('server.changed', ({ status }) => status.state === 'ready')
    await x.host.call('everything/toggle-subscriber-updates')
    expect(await told).toEqual({ server: 'everything', uri: address, cause: 'updated' })
  })
})
