import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/index.ts'
import { program } from '../interop/entries.ts'
import { askingServer, echoServer, startGateway, textOf } from '../support/gateway.ts'
import type { GatewayMachine } from '../support/gateway.ts'

const updates = {
  command: process.execPath,
  args: [fileURLToPath(new URL('servers/updates.mjs', import.meta.url))],
}
const extensionServer = {
  command: process.execPath,
  args: [fileURLToPath(new URL('../conformance/extension-server.mjs', import.meta.url))],
}
const prefix = 'io.modelcontextprotocol/'

/** The messages of a stream of events, as they come. */
class Events {
  readonly #reader: ReadableStreamDefaultReader<string>
  #text = ''

  constructor(response: Response) {
    if (!response.body) throw new Error(`no stream: ${response.status}`)
    this.#reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  }

  async until(method: string): Promise<void> {
    while ((await this.next())['method'] !== method);
  }

  async next(): Promise<JsonObject> {
    for (;;) {
      const end = this.#text.indexOf('\n\n')
      if (end >= 0) {
        const event = this.#text.slice(0, end)
        this.#text = this.#text.slice(end + 2)
        const data = event.split('\n').find((line) => line.startsWith('data: '))
        if (data !== undefined && data.length > 6) return JSON.parse(data.slice(6)) as JsonObject
        continue
      }
      const { done, value } = await this.#reader.read()
      if (done) throw new Error('The stream has ended.')
      this.#text += value
    }
  }
}

/** Opens `subscriptions/listen`, which answers with a stream. */
async function listen(gateway: GatewayMachine, id: number, notifications: JsonObject, path = '') {
  const controller = new AbortController()
  const response = await fetch(gateway.url + path, {
    method: 'POST',
    signal: controller.signal,
    headers: {
      authorization: `Bearer ${gateway.token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'subscriptions/listen',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id,
      method: 'subscriptions/listen',
      params: {
        notifications,
        _meta: { [`${prefix}protocolVersion`]: '2026-07-28', [`${prefix}clientCapabilities`]: {} },
      },
    }),
  })
  return { events: new Events(response), leave: () => controller.abort() }
}

const touch = (gateway: GatewayMachine, uri: string) =>
  gateway.modern('tools/call', { name: 'doc__touch', arguments: { uri } })
const watched = async (gateway: GatewayMachine) =>
  textOf(await gateway.modern('tools/call', { name: 'doc__subscribed', arguments: {} }))

describe('subscriptions/listen of one resource', () => {
  test('each client is told of the resource that it named, with its own id, over one subscription at the server', async () => {
    await using gateway = await startGateway({ doc: updates })
    await gateway.modern('resources/list')
    const one = await listen(gateway, 7, { resourceSubscriptions: ['test://a'] })
    const two = await listen(gateway, 8, { resourceSubscriptions: ['test://a', 'test://none'] })
    expect(await one.events.next()).toMatchObject({
      method: 'notifications/subscriptions/acknowledged',
      params: {
        notifications: { resourceSubscriptions: ['test://a'] },
        _meta: { [`${prefix}subscriptionId`]: 7 },
      },
    })
    await two.events.next()
    await touch(gateway, 'test://b')
    await touch(gateway, 'test://a')
    for (const [stream, id] of [
      [one, 7],
      [two, 8],
    ] as const)
      expect(await stream.events.next()).toMatchObject({
        method: 'notifications/resources/updated',
        params: { uri: 'test://a', _meta: { [`${prefix}subscriptionId`]: id } },
      })
    expect((await watched(gateway))?.split(' ').filter((each) => each === '+test://a')).toHaveLength(1)
    one.leave()
    await touch(gateway, 'test://a')
    expect(await two.events.next()).toMatchObject({ params: { uri: 'test://a' } })
    two.leave()
  })
})

const settingsFile = '~/.config/plugboard/settings.json'
const docAndEcho = { doc: updates, echo: echoServer() }

describe('T31 a subscription of a view that changes', () => {
  test('a client that listens is not told of a resource that its view does not show any more', async () => {
    await using gateway = await startGateway(docAndEcho, { views: { v: { servers: ['*'] } } })
    await gateway.modern('resources/list', {}, { path: '/v' })
    const wanted = { resourceSubscriptions: ['test://a'], resourcesListChanged: true }
    const { events, leave } = await listen(gateway, 7, wanted, '/v')
    await events.next()
    await touch(gateway, 'test://a')
    expect(await events.next()).toMatchObject({ method: 'notifications/resources/updated' })
    for (const servers of [['echo'], ['*']]) {
      gateway.machine.write(settingsFile, { views: { v: { servers } } })
      expect(await events.next()).toMatchObject({ method: 'notifications/resources/list_changed' })
      await touch(gateway, 'test://a')
    }
    expect((await watched(gateway))?.split(' ')).toEqual(['+test://a', '-test://a'])
    leave()
  })

  test('a client goes on to be told of a resource that its changed view still shows', async () => {
    await using gateway = await startGateway(docAndEcho, { views: { v: { servers: ['*'] } } })
    await gateway.modern('resources/list', {}, { path: '/v' })
    const wanted = { resourceSubscriptions: ['test://a'], toolsListChanged: true }
    const { events, leave } = await listen(gateway, 7, wanted, '/v')
    await events.next()
    gateway.machine.write(settingsFile, { views: { v: { servers: ['doc'] } } })
    expect(await events.next()).toMatchObject({ method: 'notifications/tools/list_changed' })
    await touch(gateway, 'test://a')
    expect(await events.next()).toMatchObject({ method: 'notifications/resources/updated' })
    leave()
  })

  test('the stream of a client ends with a result when its view is removed, and another one is refused', async () => {
    await using gateway = await startGateway(docAndEcho, { views: { v: { servers: ['doc'] } } })
    await gateway.modern('resources/list', {}, { path: '/v' })
    const { events } = await listen(gateway, 7, { resourceSubscriptions: ['test://a'] }, '/v')
    await events.next()
    gateway.machine.write(settingsFile, {})
    expect(await events.next()).toMatchObject({ id: 7, result: { resultType: 'complete' } })
    await expect.poll(() => watched(gateway)).toContain('-test://a')
    const again = await gateway.modern('subscriptions/listen', { notifications: {} }, { path: '/v' })
    expect(again.status).toBe(404)
  })

  test('a session is not told either, and may subscribe again once its view shows the resource', async () => {
    await using gateway = await startGateway(docAndEcho, {
      views: { v: { servers: ['*'] } },
      sessions: true,
    })
    await gateway.modern('resources/list', {}, { path: '/v' })
    const greeted = await gateway.legacy(
      'initialize',
      { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'old', version: '1' } },
      { path: '/v' },
    )
    const headers = { 'mcp-session-id': greeted.headers.get('mcp-session-id') ?? '' }
    const ask = (method: string, params = {}) => gateway.legacy(method, params, { headers, path: '/v' })
    const stream = await fetch(`${gateway.url}/v`, {
      headers: { ...headers, authorization: `Bearer ${gateway.token}`, accept: 'text/event-stream' },
    })
    const events = new Events(stream)
    const nextOfResources = async (): Promise<unknown> => {
      const { method } = await events.next()
      const isOfResources = typeof method === 'string' && method.startsWith('notifications/resources/')
      return isOfResources ? method : nextOfResources()
    }
    expect((await ask('resources/subscribe', { uri: 'test://a' })).body.result).toEqual({})
    for (const servers of [['echo'], ['*']]) {
      gateway.machine.write(settingsFile, { views: { v: { servers } } })
      expect(await nextOfResources()).toBe('notifications/resources/list_changed')
      await touch(gateway, 'test://a')
    }
    expect((await ask('resources/subscribe', { uri: 'test://a' })).body.result).toEqual({})
    await touch(gateway, 'test://a')
    expect(await nextOfResources()).toBe('notifications/resources/updated')
    expect((await watched(gateway))?.split(' ')).toEqual(['+test://a', '-test://a', '+test://a'])
  })
})

describe('legacy GET streams', () => {
  const headersOf = (gateway: GatewayMachine, session?: string | null) => ({
    authorization: `Bearer ${gateway.token}`,
    accept: 'text/event-stream',
    'mcp-protocol-version': '2025-11-25',
    ...(session && { 'mcp-session-id': session }),
  })
  const initialize = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'old', version: '1' },
  }

  test('a session gets changes of lists over its stream, and DELETE ends it', async () => {
    await using gateway = await startGateway({ new: askingServer('modern') }, { sessions: true })
    const session = (await gateway.legacy('initialize', initialize)).headers.get('mcp-session-id')
    const headers = headersOf(gateway, session)
    await gateway.legacy('tools/list', {}, { headers: { 'mcp-session-id': session ?? '' } })
    const response = await fetch(gateway.url, { headers })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    const events = new Events(response)
    await gateway.legacy(
      'tools/call',
      { name: 'new__test_trigger_tool_change', arguments: {} },
      { headers: { 'mcp-session-id': session ?? '' } },
    )
    // Other lists of the server may become known at any time, which is announced too.
    await events.until('notifications/tools/list_changed')
    expect((await fetch(gateway.url, { method: 'DELETE', headers })).status).toBe(204)
    await expect(events.until('notifications/never')).rejects.toThrow('The stream has ended.')
    expect((await fetch(gateway.url, { headers })).status).toBe(404)
  })

  test('two subscriptions of one resource at once are one: each update comes once, and unsubscribing ends it', async () => {
    await using gateway = await startGateway({ doc: updates }, { sessions: true })
    const session = (await gateway.legacy('initialize', initialize)).headers.get('mcp-session-id')
    const headers = { 'mcp-session-id': session ?? '' }
    const events = new Events(await fetch(gateway.url, { headers: headersOf(gateway, session) }))
    const ask = (method: string, uri: string) => gateway.legacy(method, { uri }, { headers })
    const both = await Promise.all([
      ask('resources/subscribe', 'test://a'),
      ask('resources/subscribe', 'test://a'),
      ask('resources/subscribe', 'test://b'),
    ])
    expect(both.map(({ body }) => body.result)).toEqual([{}, {}, {}])
    await touch(gateway, 'test://a')
    await touch(gateway, 'test://b')
    // Lists that are learned meanwhile are told on the same stream.
    const nextUpdate = async (): Promise<unknown> => {
      const { method, params } = await events.next()
      return method === 'notifications/resources/updated' ? params : nextUpdate()
    }
    expect([await nextUpdate(), await nextUpdate()]).toEqual([{ uri: 'test://a' }, { uri: 'test://b' }])
    await ask('resources/unsubscribe', 'test://a')
    await expect.poll(() => watched(gateway)).toContain('-test://a')
    expect((await watched(gateway))?.split(' ').filter((each) => each === '+test://a')).toHaveLength(1)
  })

  test('a client is promised changes and subscriptions only if it has a session', async () => {
    await using without = await startGateway({})
    await using sessions = await startGateway({}, { sessions: true })
    const greet = async (gateway: GatewayMachine) =>
      (await gateway.legacy('initialize', initialize)).body.result?.['capabilities']
    const others = {
      completions: {},
      logging: {},
      extensions: { [`${prefix}skills`]: { directoryRead: true } },
    }
    expect(await greet(without)).toEqual({ tools: {}, resources: {}, prompts: {}, ...others })
    expect(await greet(sessions)).toEqual({
      tools: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      prompts: { listChanged: true },
      ...others,
    })
  })

  test('without sessions there is no stream: 405 with what is allowed', async () => {
    await using gateway = await startGateway({ doc: updates })
    const response = await fetch(gateway.url, { headers: headersOf(gateway) })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
  })
})

describe('tasks through the gateway', () => {
  const capabilities = { extensions: { [`${prefix}tasks`]: {} } }

  test('a client that follows tasks gets an id that names the server, and the result by it', async () => {
    await using gateway = await startGateway({ oven: program('tasks') })
    const { body } = await gateway.modern(
      'tools/call',
      { name: 'oven__bake', arguments: {} },
      { capabilities },
    )
    expect(body.result).toMatchObject({ resultType: 'task', taskId: 'oven/task-1', status: 'working' })
    const look = () => gateway.modern('tasks/get', { taskId: 'oven/task-1' }, { capabilities })
    expect((await look()).body.result).toMatchObject({ taskId: 'oven/task-1', status: 'working' })
    expect((await look()).body.result).toMatchObject({
      taskId: 'oven/task-1',
      status: 'completed',
      result: { content: [{ text: 'a cake' }] },
    })
  })

  test('a server with a process for each call: the gateway follows the task, which would end with the process', async () => {
    const settings = { gateway: { servers: { oven: { isolation: 'call' } } } }
    await using gateway = await startGateway({ oven: program('tasks') }, { settings })
    const bake = { name: 'oven__bake', arguments: {} }
    const { body } = await gateway.modern('tools/call', bake, { capabilities })
    expect(body.result).toMatchObject({ resultType: 'complete', content: [{ text: 'a cake' }] })
  })

  test('a task is cancelled by its id, and an id of no server is refused', async () => {
    await using gateway = await startGateway({ oven: program('tasks') })
    await gateway.modern('tools/call', { name: 'oven__stew', arguments: {} }, { capabilities })
    const cancelled = await gateway.modern('tasks/cancel', { taskId: 'oven/task-1' }, { capabilities })
    expect(cancelled.body.error).toBeUndefined()
    const after = await gateway.modern('tasks/get', { taskId: 'oven/task-1' }, { capabilities })
    expect(after.body.result).toMatchObject({ status: 'cancelled' })
    for (const taskId of ['task-1', 'other/task-1', 'oven/none'])
      expect((await gateway.modern('tasks/get', { taskId }, { capabilities })).body.error).toBeDefined()
  })

  test('a modern client that does not follow tasks is no client with tasks for the server either', async () => {
    await using gateway = await startGateway({ oven: program('tasks') })
    const answer = await gateway.modern('tools/call', { name: 'oven__bake', arguments: {} })
    expect(answer.body.result?.['resultType']).toBe('complete')
    expect(textOf(answer)).toBe('bake without a task')
    expect((await gateway.modern('tasks/get', { taskId: 'oven/task-1' })).body.error).toMatchObject({
      code: -32021,
    })
  })

  test('a tool that runs only as a task refuses a modern client that does not follow tasks', async () => {
    await using gateway = await startGateway({ jobs: extensionServer })
    const { status, body } = await gateway.modern('tools/call', { name: 'jobs__failing_job', arguments: {} })
    expect([status, body.error]).toEqual([
      400,
      {
        code: -32021,
        message: 'The client does not follow tasks.',
        data: { requiredCapabilities: capabilities },
      },
    ])
  })

  test('a legacy client, whose protocol has no such tasks, gets the result: the gateway follows the task', async () => {
    await using gateway = await startGateway({ oven: program('tasks'), jobs: extensionServer })
    const call = (name: string) => gateway.legacy('tools/call', { name, arguments: {} })
    expect(textOf(await call('oven__bake'))).toBe('a cake')
    expect((await call('jobs__failing_job')).body.result).toEqual({
      content: [{ type: 'text', text: 'It failed.' }],
      isError: true,
    })
  })
})
