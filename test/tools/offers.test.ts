import { describe, expect, test } from 'vitest'
import { namesOf, offering, real, toolHost } from '../support/tool-host.ts'

const resources = [
  { uri: 'note:///one', name: 'one', mimeType: 'text/plain', description: 'The first.' },
  { uri: 'note:///two', name: 'two' },
]
const docs = offering(['t'], {
  capabilities: { tools: {}, resources: {}, prompts: {} },
  resources,
  templates: [{ uriTemplate: 'note:///{name}', name: 'any' }],
  prompts: [{ name: 'greet', arguments: [{ name: 'who', required: true }] }],
})
const twin = offering(['t'], {
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
      data: { problems: [{ path: 'who', message: 'is required and missing' }] },
    })
  })

  test('D21 real servers: everything’s resources and prompts', async () => {
    await using x = await toolHost({ everything: real('everything', ['stdio']) })
    await x.host.ready()
    const [uri] = x.host.resources().flatMap(({ resource }) => resource['uri'] ?? [])
    const [part] = await x.host.read(uri as string) // it is one of those with an address
    expect(part?.bytes).toBeGreaterThan(0)
    const { messages } = await x.host.prompt('everything', 'simple-prompt')
    expect(messages[0]?.role).toBe('user')
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
  const shop = offering([
    { name: 'search_orders', description: 'Finds orders of a customer.' },
    {
      name: 'refund',
      description: 'Pays an order back.',
      inputSchema: { type: 'object', required: ['order'] },
    },
  ])
  const hidden = offering([{ name: 'orders_secret', description: 'Finds orders.' }])

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
    const search = offering(['tools'], { on: { 'tools/call': { text: 'mine' } } })
    await using x = await toolHost({ search }, { naming: 'single' })
    await x.host.ready()
    expect(namesOf(x.host)).toEqual([expect.stringMatching(/^search_tools_h[0-9a-f]{8}$/)])
    expect((await x.host.call('search_tools', { query: 'tools' })).text).toMatch(/^search_tools_h/)
  })
})
