import { describe, expect, test } from 'vitest'
import type { View } from '../../src/index.ts'
import { outcomeOf } from '../support/outcome.ts'
import { namesOf, serverWithTools, npmServer, toolHost } from '../support/tool-host.ts'

const resources = [
  { uri: 'note:///one', name: 'one', mimeType: 'text/plain', description: 'The first.' },
  { uri: 'note:///two', name: 'two' },
]
const docs = serverWithTools(['t'], {
  capabilities: { tools: {}, resources: {}, prompts: {} },
  resources,
  templates: [{ uriTemplate: 'note:///{name}', name: 'any' }],
  prompts: [{ name: 'greet', arguments: [{ name: 'who', required: true }] }],
})
const twin = serverWithTools(['t'], {
  capabilities: { tools: {}, resources: {} },
  resources: [{ uri: 'note:///two', name: 'two' }],
})

describe('resources and prompts (D21)', () => {
  test('read: a view lists and reads resources of visible servers only (D21)', async () => {
    await using x = await toolHost({ docs })
    await x.host.ready()
    expect(x.host.resources()).toEqual([
      ...resources.map((resource) => ({ server: 'docs', resource })),
      { server: 'docs', resource: { uriTemplate: 'note:///{name}', name: 'any' } },
    ])
    expect(await x.host.read('note:///one')).toEqual([
      { uri: 'note:///one', kind: 'text', text: 'note:///one', bytes: 11 },
    ])
    const none = await x.host.scope({ servers: [] })
    expect([none.resources(), none.prompts()]).toEqual([[], []])
    await expect(none.read('note:///one', { server: 'docs' })).rejects.toMatchObject({
      code: 'server.unknown',
    })
  })

  test('read: a resource that two servers list is read from the named server (D21)', async () => {
    await using x = await toolHost({ docs, twin })
    await x.host.ready()
    await expect(x.host.read('note:///two')).rejects.toThrow(
      'docs and twin list note:///two: name the server.',
    )
    expect(await x.host.read('note:///two', { server: 'twin' })).toHaveLength(1)
  })

  test('prompt: is requested with its arguments (D21)', async () => {
    await using x = await toolHost({ docs })
    await x.host.ready()
    expect(x.host.prompts().map(({ server, prompt }) => [server, prompt['name']])).toEqual([
      ['docs', 'greet'],
    ])
    expect(await x.host.prompt('docs', 'greet', { who: 'Dana' })).toEqual({
      messages: [{ role: 'user', blocks: [{ type: 'text', text: 'greet' }] }],
    })
    await expect(x.host.prompt('docs', 'greet')).rejects.toMatchObject({
      code: 'call.invalid-args',
      data: { problems: [{ path: 'who', message: 'is required but missing' }] },
    })
  })

  test('a new scope waits for the catalog in read, prompt, command and subscribe (D-4)', async () => {
    const subscribing = serverWithTools(['t'], {
      capabilities: { tools: {}, resources: { subscribe: true }, prompts: {} },
      resources,
      prompts: [{ name: 'greet' }],
      on: { 'resources/subscribe': { result: {} } },
    })
    const greeting = { messages: [{ role: 'user', blocks: [{ type: 'text', text: 'greet' }] }] }
    const asked = async (ask: (view: View) => Promise<unknown>) => {
      await using x = await toolHost({ docs: subscribing })
      return await ask(await x.host.scope({ conversation: 'c1' }))
    }
    expect([
      await asked((view) => view.read('note:///one')),
      await asked((view) => view.prompt('docs', 'greet')),
      await asked((view) => view.command('/docs:greet')),
      await asked((view) => view.subscribe('note:///one', () => undefined)),
    ]).toEqual([
      [{ uri: 'note:///one', kind: 'text', text: 'note:///one', bytes: 11 }],
      greeting,
      greeting,
      { [Symbol.dispose]: expect.any(Function) as unknown },
    ])
  })

  test('prompt waits only for its own server; an aborted read stops waiting (D-4)', async () => {
    const mute = serverWithTools(['t'], { on: { initialize: 'hang' } })
    await using x = await toolHost({ docs, mute })
    const view = await x.host.scope({})
    const given = new AbortController()
    const read = outcomeOf(view.read('note:///nowhere', { signal: given.signal }))
    expect((await view.prompt('docs', 'greet', { who: 'Dana' })).messages).toHaveLength(1)
    given.abort()
    expect(await read).toMatchObject({
      host: 'call.cancelled',
      data: { method: 'resources/read', sent: false },
    })
  })

  test('a known resource or command does not wait for other servers (D-4)', async () => {
    const mute = serverWithTools(['t'], { on: { initialize: 'hang' } })
    await using x = await toolHost({ docs, mute })
    await x.host.ready({ servers: ['docs'] })
    const view = await x.host.scope({})
    let isReady = false
    const ready = x.host.ready().then(() => (isReady = true))
    await view.read('note:///one')
    await view.command('/docs:greet', { who: 'Dana' })
    expect(isReady).toBe(false)
    await x.host.close()
    await ready
  })

  test('real server: resources and prompts of everything (D21)', async () => {
    await using x = await toolHost({ everything: npmServer('everything', ['stdio']) })
    await x.host.ready()
    const [uri] = x.host.resources().flatMap(({ resource }) => resource['uri'] ?? [])
    const [part] = await x.host.read(uri as string) // a resource with a uri
    expect(part?.bytes).toBeGreaterThan(0)
    const { messages } = await x.host.prompt('everything', 'simple-prompt')
    expect(messages[0]?.role).toBe('user')
  })
})

describe('resource templates and completion (D21)', () => {
  const pages = serverWithTools(['t'], {
    capabilities: { tools: {}, resources: {} },
    templates: [{ uriTemplate: 'page:///{name}', name: 'page' }],
  })

  test('read: a URI that no server lists is read from the server with a matching template (D21)', async () => {
    await using x = await toolHost({ docs, pages })
    await x.host.ready()
    expect(await x.host.read('page:///intro')).toEqual([
      { uri: 'page:///intro', kind: 'text', text: 'page:///intro', bytes: 13 },
    ])
    await expect(x.host.read('page:///a/b')).rejects.toMatchObject({
      code: 'resource.unknown',
      data: { uri: 'page:///a/b' },
      message: 'No server lists page:///a/b or a template for it: name the server.',
    })
    await using twins = await toolHost({ a: pages, b: pages })
    await twins.host.ready()
    await expect(twins.host.read('page:///intro')).rejects.toThrow(
      'a and b list page:///intro: name the server.',
    )
  })

  test('complete: asks the server for variables of templates and arguments of prompts (D21)', async () => {
    const completion = { values: ['intro', 'index'], total: 2, hasMore: false }
    const told = serverWithTools(['t'], {
      capabilities: { tools: {}, completions: {} },
      on: { 'completion/complete': { result: { completion } } },
    })
    await using x = await toolHost({ told, docs })
    const completing = { argument: 'name', value: 'in', known: { lang: 'en' } }
    expect(await x.host.complete({ ...completing, server: 'told', template: 'page:///{name}' })).toEqual(
      completion,
    )
    expect(await x.host.complete({ ...completing, server: 'told', prompt: 'greet' })).toEqual(completion)
    // A server without the capability gets no request.
    expect(await x.host.complete({ ...completing, server: 'docs', prompt: 'greet' })).toEqual({
      values: [],
      hasMore: false,
    })
    const nobody = await x.host.scope({ servers: [] })
    await expect(nobody.complete({ ...completing, server: 'told', prompt: 'p' })).rejects.toMatchObject({
      code: 'server.unknown',
    })
  })

  test('real server: everything completes arguments of prompts and variables of templates (D21)', async () => {
    await using x = await toolHost({ everything: npmServer('everything', ['stdio']) })
    await x.host.ready()
    const { values } = await x.host.complete({
      server: 'everything',
      prompt: 'completable-prompt',
      argument: 'department',
      value: 'E',
    })
    expect(values).toEqual(['Engineering'])
    const [template] = x.host.resources().flatMap(({ resource }) => resource['uriTemplate'] ?? [])
    const uri = (template as string).replace(/\{\w+\}/, '1') // a template is a string
    expect((await x.host.read(uri))[0]?.uri).toBe(uri)
  })
})

describe('prompts as slash commands', () => {
  const prompts = [
    {
      name: 'greet',
      title: 'Greet',
      description: 'Says hello.\u202E',
      arguments: [{ name: 'who', required: true }],
    },
    { name: 'two words', arguments: [{ name: 'a', description: 'The\u200B\u200B\u200B first.' }] },
    { name: 'two/words' },
  ]
  const docs2 = serverWithTools(['t'], { capabilities: { prompts: {} }, prompts })

  test('commands: each has a name that can be typed, and its arguments', async () => {
    await using x = await toolHost({ docs: docs2, 'my docs': docs })
    await x.host.ready()
    const all = x.host.commands()
    expect(all).toEqual([
      {
        name: '/docs:greet',
        server: 'docs',
        prompt: 'greet',
        title: 'Greet',
        description: 'Says hello.',
        arguments: [{ name: 'who', required: true }],
      },
      {
        name: '/docs:two-words',
        server: 'docs',
        prompt: 'two words',
        description: '',
        arguments: [{ name: 'a', description: 'The first.', required: false }],
      },
      {
        name: expect.stringMatching(/^\/docs:two-words_h[0-9a-f]{8}$/),
        server: 'docs',
        prompt: 'two/words',
        description: '',
        arguments: [],
      },
      {
        name: '/my-docs:greet',
        server: 'my docs',
        prompt: 'greet',
        description: '',
        arguments: [{ name: 'who', required: true }],
      },
    ])
    const texts = all.map(async ({ name, arguments: takes }) => {
      const { messages } = await x.host.command(name, takes[0]?.required ? { who: 'Dana' } : {})
      return messages[0]?.blocks[0]?.['text']
    })
    expect(await Promise.all(texts)).toEqual(['greet', 'two words', 'two/words', 'greet'])
  })

  test('command: a hidden prompt is unknown, and arguments are checked', async () => {
    await using x = await toolHost({ docs })
    await x.host.ready()
    await expect(x.host.command('/docs:greet')).rejects.toMatchObject({ code: 'call.invalid-args' })
    await expect(x.host.prompt('docs', 'gret')).rejects.toMatchObject({
      code: 'prompt.unknown',
      data: { server: 'docs', prompt: 'gret', near: ['greet'] },
      message: '"docs" offers no prompt "gret".',
    })
    await expect(x.host.command('/docs:gret')).rejects.toMatchObject({
      code: 'usage',
      hint: 'Did you mean /docs:greet?',
    })
    const none = await x.host.scope({ servers: [] })
    expect(none.commands()).toEqual([])
    await expect(none.command('/docs:greet', { who: 'Dana' })).rejects.toMatchObject({ code: 'usage' })
  })
})

describe('instructions', () => {
  const say = (instructions: string) => ({ instructions })

  test('come only from servers with something visible, without hidden characters (T17)', async () => {
    const servers = {
      a: serverWithTools(['t'], say('Ask t first.\u202E')),
      b: serverWithTools(['u'], say('Ask u.')),
      c: serverWithTools(['v']),
      d: serverWithTools([], { ...say('Read me.'), capabilities: { resources: {} }, resources }),
    }
    await using x = await toolHost(servers)
    await x.host.ready()
    const a = { server: 'a', text: 'Ask t first.\n[hidden characters were removed: direction overrides]' }
    expect(x.host.instructions()).toEqual([
      a,
      { server: 'b', text: 'Ask u.' },
      { server: 'd', text: 'Read me.' },
    ])
    const view = await x.host.scope({ tools: ['a__*'], servers: ['a', 'b'] })
    expect(view.instructions()).toEqual([a])
  })

  test('long instructions are cut', async () => {
    await using x = await toolHost({ a: serverWithTools(['t'], say('x'.repeat(100_000))) })
    await x.host.ready()
    expect(x.host.instructions()[0]?.text).toBe(`${'x'.repeat(16 * 1024)}\n[The rest was left out.]`)
  })
})

describe('resources as tools (D21)', () => {
  test('list_resources and read_resource exist only with resources: "tools" (D21)', async () => {
    await using x = await toolHost({ docs })
    await x.host.ready()
    expect(namesOf(x.host)).toEqual(['docs__t'])
    await expect(x.host.call('list_resources')).rejects.toMatchObject({ code: 'tool.unknown' })
    await using y = await toolHost({ docs }, { resources: 'tools' })
    await y.host.ready()
    expect(namesOf(y.host)).toEqual(['docs__t', 'list_resources', 'read_resource'])
    expect((await y.host.call('list_resources', { query: 'first' })).text).toBe(
      'docs: note:///one (text/plain) – one: The first.',
    )
    expect((await y.host.call('read_resource', { uri: 'note:///one' })).text).toBe('note:///one')
    expect((await y.host.call('read_resource', { uri: 'note:///nine', server: 'docs' })).text).toBe(
      'note:///nine',
    )
    await expect(y.host.call('read_resource', {})).rejects.toMatchObject({ code: 'call.invalid-args' })
  })

  test('globs and rules apply to them as to native tools (B16)', async () => {
    const policy = [{ effect: 'deny', tools: ['read_*'], reason: 'No reading.' }] as const
    await using x = await toolHost({ docs }, { resources: 'tools', policy, readOnly: 'require-declared' })
    await x.host.ready()
    const view = await x.host.scope({ tools: ['*', '!list_*'] })
    expect(namesOf(view)).toEqual(['read_resource'])
    await expect(view.call('list_resources')).rejects.toMatchObject({ code: 'tool.unknown' })
    await expect(view.call('read_resource', { uri: 'note:///one' })).rejects.toMatchObject({
      code: 'call.denied',
    })
    expect(view.why('read_resource')).toMatchObject({
      ref: 'read_resource',
      visibility: { visible: true },
      decision: { effect: 'deny', reason: 'No reading.' },
    })
  })

  test('a native tool of the same name keeps its name', async () => {
    await using x = await toolHost({ docs }, { resources: 'tools', native: [{ name: 'read_resource' }] })
    await x.host.ready()
    expect(namesOf(x.host)).toEqual(['docs__t', 'list_resources', 'plugboard_read_resource'])
  })
})

describe('tools({ mode: "search" })', () => {
  const shop = serverWithTools([
    { name: 'search_orders', description: 'Finds orders of a customer.' },
    {
      name: 'refund',
      description: 'Pays an order back.',
      inputSchema: { type: 'object', required: ['order'] },
    },
  ])
  const hidden = serverWithTools([{ name: 'orders_secret', description: 'Finds orders.' }])

  test('three tools replace all others, and find, describe and call them', async () => {
    await using x = await toolHost({ shop, hidden }, { tools: ['*', '!hidden__*'] })
    await x.host.ready()
    const offered = x.host.tools({ mode: 'search' })
    expect(offered.map(({ name, description }) => [name, description.includes('Servers: shop.')])).toEqual([
      ['search_tools', true],
      ['describe_tool', false],
      ['call_tool', false],
    ])
    expect((await x.host.call('search_tools', { query: 'customer' })).text).toBe(
      'shop__search_orders: Finds orders of a customer.',
    )
    expect((await x.host.call('describe_tool', { name: 'shop__refund' })).text).toBe(
      'shop__refund\n\nPays an order back.\n\nArguments: {"type":"object","required":["order"]}',
    )
    const result = await x.host.call('call_tool', { name: 'shop__refund', arguments: { order: 7 } })
    expect([result.ref, JSON.parse(result.text)]).toEqual([
      'shop/refund',
      { name: 'refund', arguments: { order: 7 } },
    ])
  })

  test('the three tools reach only visible tools, and rules apply to their calls', async () => {
    const policy = [{ effect: 'deny', tools: ['shop__refund'] }] as const
    await using x = await toolHost({ shop, hidden }, { policy, tools: ['*', '!hidden__*'] })
    await x.host.ready()
    for (const call of [
      x.host.call('describe_tool', { name: 'hidden__orders_secret' }),
      x.host.call('call_tool', { name: 'hidden/orders_secret' }),
      x.host.call('call_tool', { name: 'call_tool', arguments: { name: 'shop__refund' } }),
    ])
      await expect(call).rejects.toMatchObject({ code: 'tool.unknown' })
    await expect(
      x.host.call('call_tool', { name: 'shop__refund', arguments: { order: 1 } }),
    ).rejects.toMatchObject({ code: 'call.denied', data: { ref: 'shop/refund' } })
    await expect(x.host.call('call_tool', { arguments: {} })).rejects.toMatchObject({
      code: 'call.invalid-args',
    })
    expect((await x.host.call('search_tools', { query: 'nothing like it' })).text).toBe(
      '(no tool matches these words)',
    )
  })

  test('upTo: a list up to this length is not replaced', async () => {
    await using x = await toolHost({ shop })
    await x.host.ready()
    const names = (upTo: number) => x.host.tools({ mode: 'search', upTo }).map(({ name }) => name)
    expect(names(2)).toEqual(['shop__refund', 'shop__search_orders'])
    expect(names(1)).toEqual(['search_tools', 'describe_tool', 'call_tool'])
  })

  test('no tool of a server gets one of the three names (T13)', async () => {
    const search = serverWithTools(['tools'], { on: { 'tools/call': { text: 'mine' } } })
    await using x = await toolHost({ search }, { naming: 'single' })
    await x.host.ready()
    expect(namesOf(x.host)).toEqual([expect.stringMatching(/^search_tools_h[0-9a-f]{8}$/)])
    expect((await x.host.call('search_tools', { query: 'tools' })).text).toMatch(/^search_tools_h/)
  })
})
