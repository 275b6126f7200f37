import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/index.ts'
import { askingServer, echoServer, startGateway, textOf } from '../support/gateway.ts'
import type { GatewayMachine } from '../support/gateway.ts'

const namesOf = async (started: GatewayMachine, path = '') => {
  const { body } = await started.modern('tools/list', {}, { path })
  const { tools } = body.result as unknown as { readonly tools: readonly { readonly name: string }[] }
  return tools.map(({ name }) => name)
}

describe('views by address', () => {
  test('/mcp/NAME offers what the view of the settings has, under its names', async () => {
    const rename = { 'echo/echo': 'say' }
    const descriptions = { 'echo/echo': 'Says it again.' }
    await using started = await startGateway(
      { echo: echoServer(), asking: askingServer('legacy') },
      {
        views: {
          small: { servers: ['echo'], tools: ['echo__echo', 'echo__log'], rename, descriptions },
          plain: { servers: ['echo'], tools: ['*', '!echo__crash'], prefix: false },
        },
      },
    )
    expect(await namesOf(started, '/small')).toEqual(['echo__log', 'say'])
    expect(await namesOf(started, '/plain')).toEqual(['cancelled', 'echo', 'hang', 'log'])
    const { body } = await started.modern('tools/list', {}, { path: '/small' })
    expect(body.result?.['tools']).toContainEqual(
      expect.objectContaining({ name: 'say', description: 'Says it again.' }),
    )
    const said = await started.modern('tools/call', { name: 'say', arguments: { a: 1 } }, { path: '/small' })
    expect(textOf(said)).toBe('{"a":1}')
    // What a view hides cannot be called through it, under no name.
    for (const name of ['echo__crash', 'echo/crash', 'crash', 'asking__test_simple_text', 'echo__echo']) {
      const refused = await started.modern('tools/call', { name }, { path: '/small' })
      expect(refused.body.error).toMatchObject({ code: -32602 })
    }
    const prompts = await started.modern('prompts/list', {}, { path: '/small' })
    expect(prompts.body.result).toMatchObject({ prompts: [] })
  })

  test('T31 a view with tools and without servers has nothing of servers of which it has no tool', async () => {
    const wellKnown = { asking: askingServer('legacy'), echo: echoServer() }
    const views = {
      one: { tools: ['echo__*'] },
      ref: { tools: ['echo/echo'] },
      except: { tools: ['*', '!asking__*'] },
      any: { tools: ['*__echo'] },
    }
    await using started = await startGateway(
      { ...wellKnown, broken: { command: '/nowhere/to/be/found' } },
      { views },
    )
    await started.modern('tools/list')
    const uri = 'test://static-text'
    const seenAt = async (path: string) => {
      const listed = async (method: string, key: string) => {
        const { result = {} } = (await started.modern(method, {}, { path })).body
        return (result[key] as readonly unknown[]).length > 0
      }
      const { result: described = {} } = (await started.modern('server/discover', {}, { path })).body
      const { result: tools = {} } = (await started.modern('tools/list', {}, { path })).body
      const health = (tools['_meta'] as Record<string, object> | undefined)?.['plugboard/health'] ?? {}
      const read = await started.modern('resources/read', { uri }, { path })
      const name = 'asking__test_simple_prompt'
      const prompt = await started.modern('prompts/get', { name }, { path })
      return {
        resources: await listed('resources/list', 'resources'),
        templates: await listed('resources/templates/list', 'resourceTemplates'),
        prompts: await listed('prompts/list', 'prompts'),
        read: read.body.error === undefined,
        prompt: prompt.body.error === undefined,
        named: JSON.stringify(described).includes('broken'),
        health: Object.keys(health),
      }
    }
    const none = {
      resources: false,
      templates: false,
      prompts: false,
      read: false,
      prompt: false,
      named: false,
      health: [],
    }
    const all = {
      resources: true,
      templates: true,
      prompts: true,
      read: true,
      prompt: true,
      named: true,
      health: ['broken'],
    }
    expect(await seenAt('/one')).toEqual(none)
    expect(await seenAt('/ref')).toEqual(none)
    expect(await seenAt('/except')).toEqual({ ...none, named: true, health: ['broken'] })
    expect(await seenAt('/any')).toEqual(all)
    expect(await seenAt('')).toEqual(all)
  })

  test('?mode=search lists three tools, which find and call the others of the view', async () => {
    await using started = await startGateway(
      { echo: echoServer() },
      { views: { small: { tools: ['echo__echo', 'echo__log'] } } },
    )
    const path = '/small?mode=search'
    expect(await namesOf(started, path)).toEqual(['call_tool', 'describe_tool', 'search_tools'])
    const args = { name: 'echo__echo', arguments: { a: 1 } }
    const called = await started.modern('tools/call', { name: 'call_tool', arguments: args }, { path })
    expect(textOf(called)).toBe('{"a":1}')
    const hidden = { name: 'echo__crash', arguments: {} }
    const refused = await started.modern('tools/call', { name: 'call_tool', arguments: hidden }, { path })
    expect(refused.body.error).toMatchObject({ code: -32602 })
  })

  test('the tools that search, describe and call use the names and descriptions of the view', async () => {
    const described = {
      tools: ['echo__*'],
      rename: { 'echo/echo': 'say' },
      descriptions: { 'echo/echo': 'Repeats it.' },
    }
    await using started = await startGateway(
      { echo: echoServer() },
      { views: { renamed: described, plain: { tools: ['echo__echo'], prefix: false } } },
    )
    await started.modern('tools/list')
    const use = async (name: string, args: JsonObject, path = '/renamed') =>
      started.modern('tools/call', { name, arguments: args }, { path: `${path}?mode=search` })
    const schema = 'Arguments: {"type":"object"}'
    expect({
      byOwnName: textOf(await use('search_tools', { query: 'echo', limit: 1 })),
      byShownName: textOf(await use('search_tools', { query: 'say' })),
      byDescription: textOf(await use('search_tools', { query: 'repeats', limit: 1 })),
      described: textOf(await use('describe_tool', { name: 'say' })),
      called: textOf(await use('call_tool', { name: 'say', arguments: { a: 1 } })),
      plain: textOf(await use('search_tools', { query: 'echo' }, '/plain')),
      plainCalled: textOf(await use('call_tool', { name: 'echo' }, '/plain')),
    }).toEqual({
      byOwnName: 'say: Repeats it.',
      byShownName: 'say: Repeats it.',
      byDescription: 'say: Repeats it.',
      described: `say\n\nRepeats it.\n\n${schema}`,
      called: '{"a":1}',
      plain: 'echo: ',
      plainCalled: '{}',
    })
    // As in a list: a tool has one name.
    for (const [tool, args] of [
      ['describe_tool', { name: 'echo__echo' }],
      ['call_tool', { name: 'echo__echo' }],
    ] as const)
      expect((await use(tool, args)).body.error).toMatchObject({ code: -32602 })
  })

  test('an address without a view, and other paths, are not found', async () => {
    await using started = await startGateway({ echo: echoServer() }, { views: { broken: { tools: 'all' } } })
    for (const path of ['/none', '/broken', '/a/b', '?mode=code', '/__proto__'])
      expect((await started.modern('tools/list', {}, { path })).status).toBe(404)
  })

  test('two tools of one name in a view without prefixes both keep their long names', async () => {
    await using started = await startGateway(
      { a: echoServer(), b: echoServer() },
      { views: { plain: { tools: ['*__echo', 'a__log'], prefix: false } } },
    )
    expect(await namesOf(started, '/plain')).toEqual(['a__echo', 'b__echo', 'log'])
  })

  test('T13 a tool cannot take the long name that another one gets because of a third', async () => {
    await using started = await startGateway(
      { a: echoServer(), b: echoServer() },
      {
        views: {
          plain: { tools: ['*__echo', '*__log'], prefix: false, rename: { 'a/log': 'b__echo' } },
        },
      },
    )
    expect(await namesOf(started, '/plain')).toEqual(['a__echo', 'a__log', 'b__echo', 'log'])
  })

  test('changed settings apply to open addresses', async () => {
    await using started = await startGateway(
      { echo: echoServer() },
      { views: { one: { tools: ['echo__echo'] } } },
    )
    expect(await namesOf(started, '/one')).toEqual(['echo__echo'])
    started.machine.write('~/.config/plugboard/settings.json', { views: { one: { tools: ['echo__log'] } } })
    await expect.poll(() => namesOf(started, '/one'), { timeout: 30_000 }).toEqual(['echo__log'])
  })

  test('changed rules and lists of the settings apply while the gateway runs, though no server has changed', async () => {
    await using started = await startGateway({ echo: echoServer() })
    const settings = '~/.config/plugboard/settings.json'
    const call = async () => textOf(await started.modern('tools/call', { name: 'echo__echo' }))
    expect(await call()).toBe('{}')
    started.machine.write(settings, { rules: [{ effect: 'deny', tools: ['echo/echo'], reason: 'Not now.' }] })
    await expect.poll(call, { timeout: 30_000 }).toContain('Not now.')
    started.machine.write(settings, { tools: ['*', '!echo/echo'] })
    await expect.poll(() => namesOf(started), { timeout: 30_000 }).not.toContain('echo__echo')
    started.machine.write(settings, {})
    await expect.poll(() => namesOf(started), { timeout: 30_000 }).toContain('echo__echo')
    expect(await call()).toBe('{}')
  })
})

describe('lists', () => {
  test('the same bytes for every client, and a server that died stays with a mark', async () => {
    await using started = await startGateway({
      echo: echoServer(),
      broken: { command: '/nowhere/to/be/found' },
    })
    const first = await started.modern('tools/list')
    const crashed = await started.modern('tools/call', { name: 'echo__crash' })
    expect(crashed.body.result).toMatchObject({ isError: true })
    const second = await started.modern('tools/list')
    expect(second.body.result?.['tools']).toEqual(first.body.result?.['tools'])
    const _meta = { 'plugboard/health': { broken: expect.stringContaining('failed') as string } }
    expect(second.body.result).toMatchObject({ _meta })
    const { result: legacy = {} } = (await started.legacy('tools/list')).body
    expect(legacy).toMatchObject({ tools: first.body.result?.['tools'], _meta })
    expect(Object.keys(legacy)).toEqual(['tools', '_meta'])
  })

  test('a call that a rule forbids says so to the model, and never reaches the server', async () => {
    const rules = [{ effect: 'deny', tools: ['echo__crash'], reason: 'It crashes.' }]
    await using started = await startGateway({ echo: echoServer() }, { settings: { rules } })
    const denied = await started.legacy('tools/call', { name: 'echo__crash' })
    expect(denied.body.result).toMatchObject({ isError: true })
    expect(textOf(denied)).toContain('It crashes.')
  })
})
