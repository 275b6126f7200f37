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

describe('D21 resources and prompts', () => {
  test('D21 a view lists and reads the resources of the servers it sees', async () => {
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

  test('D21 one that two servers list is read from the one that is named', async () => {
    await using x = await toolHost({ docs, twin })
    await x.host.ready()
    await expect(x.host.read('note:///two')).rejects.toThrow('docs and twin list it: name the server.')
    expect(await x.host.read('note:///two', { server: 'twin' })).toHaveLength(1)
  })

  test('D21 a prompt is asked for with its arguments', async () => {
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

  test('D-4 a scope that is asked before anything is known waits for it, whatever it is asked', async () => {
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

  test('D-4 a prompt waits for its own server alone, and nobody waits who does not want to any more', async () => {
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

  test('D-4 what is known waits for no other server', async () => {
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

  test('D21 real servers: everything’s resources and prompts', async () => {
    await using x = await toolHost({ everything: npmServer('everything', ['stdio']) })
    await x.host.ready()
    const [uri] = x.host.resources().flatMap(({ resource }) => resource['uri'] ?? [])
    const [part] = await x.host.read(uri as string) // it is one of those with an address
    expect(part?.bytes).toBeGreaterThan(0)
    const { messages } = await x.host.prompt('everything', 'simple-prompt')
    expect(messages[0]?.role).toBe('user')
  })
})

describe('D21 what a template stands for', () => {
  const pages = serverWithTools(['t'], {
    capabilities: { tools: {}, resources: {} },
    templates: [{ uriTemplate: 'page:///{name}', name: 'page' }],
  })

  test('D21 an address that nobody lists is read from the server with a template for it', async () => {
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
    await expect(twins.host.read('page:///intro')).rejects.toThrow('a and b list it: name the server.')
  })

  test('D21 names in templates and arguments of prompts are completed by their server', async () => {
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
    // One that cannot tell is not asked.
    expect(await x.host.complete({ ...completing, server: 'docs', prompt: 'greet' })).toEqual({
      values: [],
      hasMore: false,
    })
    const nobody = await x.host.scope({ servers: [] })
    await expect(nobody.complete({ ...completing, server: 'told', prompt: 'p' })).rejects.toMatchObject({
      code: 'server.unknown',
    })
  })

  test('D21 a real server: everything completes the arguments of its prompt and the names of its templates', async () => {
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
    const uri = (template as string).replace(/\{\w+\}/, '1') // a template is a text
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

  test('each has a name that can be typed, and what it takes', async () => {
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

  test('one that is not seen is none, and its arguments are checked', async () => {
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

describe('what servers say about how to use them', () => {
  const say = (instructions: string) => ({ instructions })

  test('T17 it is shown of servers that anything is seen of, without what is hidden in it', async () => {
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

  test('a flood of them is cut', async () => {
    await using x = await toolHost({ a: serverWithTools(['t'], say('x'.repeat(100_000))) })
    await x.host.ready()
    expect(x.host.instructions()[0]?.text).toBe(`${'x'.repeat(16 * 1024)}\n[The rest was left out.]`)
  })
})

describe('D21 resources as tools', () => {
  test('D21 they are there when they are asked for, and only then', async () => {
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

  test('B16 globs and rules count for them as for native tools', async () => {
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

  test('a native tool of that name keeps it', async () => {
    await using x = await toolHost({ docs }, { resources: 'tools', native: [{ name: 'read_resource' }] })
    await x.host.ready()
    expect(namesOf(x.host)).toEqual(['docs__t', 'list_resources', 'plugboard_read_resource'])
  })
})

describe('a list that is too long for a model', () => {
  const shop = serverWithTools([
    { name: 'search_orders', description: 'Finds orders of a customer.' },
    {
      name: 'refund',
      description: 'Pays an order back.',
      inputSchema: { type: 'object', required: ['order'] },
    },
  ])
  const hidden = serverWithTools([{ name: 'orders_secret', description: 'Finds orders.' }])

  test('three tools stand for all of it, and find, describe and call them', async () => {
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

  test('they reach nothing that their view does not, and its rules count', async () => {
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

  test('a short list is shown as it is, up to the size a person sets', async () => {
    await using x = await toolHost({ shop })
    await x.host.ready()
    const names = (upTo: number) => x.host.tools({ mode: 'search', upTo }).map(({ name }) => name)
    expect(names(2)).toEqual(['shop__refund', 'shop__search_orders'])
    expect(names(1)).toEqual(['search_tools', 'describe_tool', 'call_tool'])
  })

  test('T13 no tool of a server takes one of their names', async () => {
    const search = serverWithTools(['tools'], { on: { 'tools/call': { text: 'mine' } } })
    await using x = await toolHost({ search }, { naming: 'single' })
    await x.host.ready()
    expect(namesOf(x.host)).toEqual([expect.stringMatching(/^search_tools_h[0-9a-f]{8}$/)])
    expect((await x.host.call('search_tools', { query: 'tools' })).text).toMatch(/^search_tools_h/)
  })
})
