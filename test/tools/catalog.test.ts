import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createHost } from '../../src/index.ts'
import type { Host } from '../../src/index.ts'
import { hashOf } from '../../src/model/canonical.ts'
import { createFakeClock, createScriptedServer } from '../../src/testing.ts'
import {
  namesOf,
  newHome,
  serverWithTools,
  npmServer,
  scripted,
  toDefinition,
  toolHost,
  writeServers,
} from '../support/tool-host.ts'
import type { ToolHostOptions } from '../support/tool-host.ts'

describe('catalog: cache (D-4 C13)', () => {
  test('with an empty cache five lines of code list the tools of real servers and call one (D-4 L12)', async () => {
    const home = newHome()
    writeServers(home, { everything: npmServer('everything', ['stdio']), memory: npmServer('memory') })
    const host = await createHost({
      cwd: home,
      config: join(home, 'servers.json'),
      platform: { home, env: { HOME: home, PATH: process.env['PATH'] } },
    })
    try {
      await host.ready()
      expect(namesOf(host)).toEqual(expect.arrayContaining(['everything__echo', 'memory__read_graph']))
      const { text, failed, ref } = await host.call('everything__echo', { message: 'hello' })
      expect({ text, failed, ref }).toEqual({ text: 'Echo: hello', failed: false, ref: 'everything/echo' })
    } finally {
      await host.close()
    }
  })

  test('tools of a cached server are listed while it is stopped; the first call starts it (D-4)', async () => {
    const home = newHome()
    const entries = { a: serverWithTools(['one', 'two']), b: serverWithTools(['three']) }
    const first = await toolHost(entries, { home })
    await first.host.ready()
    const seen = JSON.stringify(first.host.tools())
    await first.host.close()
    await using second = await toolHost(entries, { home })
    await second.host.ready()
    expect({ spawns: second.spawns(), tools: JSON.stringify(second.host.tools()) }).toEqual({
      spawns: 0,
      tools: seen,
    })
    expect(second.host.servers().map(({ status }) => status.state)).toEqual(['idle', 'idle'])
    expect((await second.host.call('b__three', { x: 1 })).text).toBe('{"name":"three","arguments":{"x":1}}')
    expect(second.spawns()).toBe(1)
  })

  test('the live list replaces the cached one when it arrives (D-4 B17)', async () => {
    const home = newHome()
    const toolsFile = join(home, 'state')
    const script = {
      tools: [],
      starts: toolsFile,
      on: {
        'tools/list': {
          eachStart: [
            { result: { tools: ['old', 'kept'].map(toDefinition) } },
            { result: { tools: ['kept', 'new'].map(toDefinition) } },
          ],
        },
      },
    }
    const entries = { a: scripted(script) }
    const first = await toolHost(entries, { home })
    await first.host.ready()
    expect(namesOf(first.host)).toEqual(['a__kept', 'a__old'])
    await first.host.close()
    await using second = await toolHost(entries, { home })
    await second.host.ready()
    expect(namesOf(second.host)).toEqual(['a__kept', 'a__old'])
    await second.host.call('a__kept')
    const { added, removed, changed } = await second.until(
      'catalog.changed',
      (event) => event.removed.length > 0,
    )
    expect({ added, removed, changed }).toEqual({ added: ['a/new'], removed: ['a/old'], changed: [] })
    expect(namesOf(second.host)).toEqual(['a__kept', 'a__new'])
  })

  test('the list of a server that is already connected takes precedence over the cache (D-4)', async () => {
    const home = newHome()
    const script = {
      tools: [],
      starts: join(home, 'starts'),
      on: {
        'tools/list': {
          eachStart: [
            { result: { tools: [toDefinition('old')] } },
            { result: { tools: [toDefinition('new')] } },
          ],
        },
      },
    }
    const entries = { a: scripted(script) }
    const first = await toolHost(entries, { home })
    await first.host.ready()
    await first.host.close()
    await using second = await toolHost(entries, { home, lifecycle: 'eager' })
    expect(second.host.servers().map(({ status }) => status.state)).toEqual(['ready'])
    await second.host.ready()
    await second.until('catalog.changed', ({ added }) => added.includes('a/new'))
    expect(namesOf(second.host)).toEqual(['a__new'])
  })

  test('hosts with different capabilities have separate caches', async () => {
    const home = newHome()
    const entries = { e: npmServer('everything', ['stdio']) }
    const reply = {
      role: 'assistant',
      model: 'none',
      content: { type: 'text', text: 'as sampled' },
      stopReason: 'endTurn',
    }
    const open = async (options: ToolHostOptions = {}) => {
      const x = await toolHost(entries, { home, ...options })
      await x.host.ready()
      return x
    }
    const sample = async () => reply
    const tool = 'e__trigger-sampling-request'
    {
      await using x = await open()
      expect(namesOf(x.host)).toContain('e__echo')
    }
    {
      await using x = await open({ sample })
      // This tool appears a moment after the others.
      await x.until('catalog.changed', () => namesOf(x.host).includes(tool))
      const { text } = await x.host.call(tool, { prompt: 'hello' })
      expect(text).toContain('as sampled')
    }
    {
      await using x = await open()
      expect({ spawns: x.spawns(), isOffered: namesOf(x.host).includes(tool) }).toEqual({
        spawns: 0,
        isOffered: false,
      })
    }
    await using x = await open({ sample })
    expect({ spawns: x.spawns(), isOffered: namesOf(x.host).includes(tool) }).toEqual({
      spawns: 0,
      isOffered: true,
    })
  })

  test('a damaged cache file is ignored', async () => {
    const home = newHome()
    const entries = { a: serverWithTools(['one']) }
    const first = await toolHost(entries, { home })
    await first.host.ready()
    await first.host.close()
    const folder = join(home, '.cache', 'plugboard', 'servers')
    for (const name of readdirSync(folder)) writeFileSync(join(folder, name), '{"version":2')
    await using second = await toolHost(entries, { home })
    await second.host.ready()
    expect({ spawns: second.spawns(), tools: namesOf(second.host) }).toEqual({ spawns: 1, tools: ['a__one'] })
  })

  test('boocode: nothing is cached; the next host lists the servers again (C33 B24)', async () => {
    const home = newHome()
    const entries = { a: serverWithTools(['one']) }
    const first = await toolHost(entries, { home, preset: 'boocode' })
    await first.host.ready()
    await first.host.switchServer('c1', 'a', false)
    await first.host.close()
    expect(filesBelow(home).filter((name) => /cache|memory/.test(name))).toEqual([])
    await using second = await toolHost(entries, { home, preset: 'boocode' })
    await second.host.ready()
    expect({ spawns: second.spawns(), tools: namesOf(second.host) }).toEqual({ spawns: 1, tools: ['a_one'] })
  })

  test('a known tool does not wait for a server that is not listed yet (D-4)', async () => {
    const home = newHome()
    const a = serverWithTools(['one'], {
      capabilities: { tools: {}, prompts: {} },
      prompts: [{ name: 'greet' }],
    })
    const first = await toolHost({ a }, { home })
    await first.host.ready()
    await first.host.close()
    const b = scripted({ on: { initialize: 'hang', 'server/discover': 'hang' } })
    await using second = await toolHost({ a, b }, { home })
    await second.host.ready({ from: 'disk' })
    expect((await second.host.call('a__one')).failed).toBe(false)
    expect((await second.host.prompt('a', 'greet')).messages).toHaveLength(1)
    expect(await second.host.read('note:///x', { server: 'a' })).toHaveLength(1)
    expect(second.host.servers().map(({ name, status }) => [name, status.state])).toEqual([
      ['a', 'ready'],
      ['b', 'idle'],
    ])
  })
})

describe('catalog: live changes (B17 C22 C23)', () => {
  test('a list change of a server replaces its tools at once, even without the capability (C21 C22 C23)', async () => {
    const lists = [['one', 'two'], ['two', 'three'], ['three']].map((names) => ({
      result: { tools: names.map(toDefinition) },
    }))
    const a = scripted({
      capabilities: { tools: {} },
      tools: [],
      on: {
        'tools/list': { each: lists },
        'tools/call': [{ notify: 'notifications/tools/list_changed' }, 'answer'],
      },
    })
    await using x = await toolHost({ a, b: serverWithTools(['other']) })
    await x.host.ready()
    const view = await x.host.scope({ conversation: 'c1' })
    expect(namesOf(view)).toEqual(['a__one', 'a__two', 'b__other'])
    await x.host.call('a__two')
    const event = await x.until('catalog.changed', ({ removed }) => removed.includes('a/one'))
    expect(event).toEqual({
      at: event.at,
      type: 'catalog.changed',
      server: 'a',
      added: ['a/three'],
      removed: ['a/one'],
      changed: [],
    })
    expect(namesOf(view)).toEqual(['a__three', 'a__two', 'b__other'])
    expect(namesOf(x.host)).toEqual(namesOf(view))
    await expect(view.call('a__one')).rejects.toMatchObject({ code: 'tool.unknown' })
  })

  test('an agent without a list sees tools that appear later (B17)', async () => {
    const lists = [['one'], ['one', 'late']].map((names) => ({ result: { tools: names.map(toDefinition) } }))
    const a = scripted({
      tools: [],
      on: { 'tools/list': { each: lists }, 'tools/call': [{ listChanged: 'tools' }, 'answer'] },
    })
    const files = {
      'AGENTS.md': '## Few\ntools: [a__one]\n\n## Anyone\n---\nname: anyone\n---\n',
    }
    await using x = await toolHost({ a }, { files })
    await x.host.ready()
    const few = await x.host.scope({ agent: 'Few' })
    const anyone = await x.host.scope({ agent: 'anyone' })
    await x.host.call('a__one')
    await x.until('catalog.changed', ({ added }) => added.includes('a/late'))
    expect([namesOf(anyone), namesOf(few)]).toEqual([['a__late', 'a__one'], ['a__one']])
  })

  test('hidden characters of a definition reach no model, from the server or from the cache (T17)', async () => {
    const home = newHome()
    const schema = (description: string) => ({ type: 'object', properties: { a: { description } } })
    const hiding = { name: 'x', description: 'Fine.\u{e0041}', inputSchema: schema('A\u202e name.') }
    const plain = { name: 'x', description: 'Fine → so.', inputSchema: schema('A name.') }
    const entries = { hiding: serverWithTools([hiding]), plain: serverWithTools([plain]) }
    const told = ({ host }: { readonly host: Pick<Host, 'tools'> }) =>
      host.tools().map(({ name, description, inputSchema }) => [name, description, inputSchema])
    const clean = [
      ['hiding__x', 'Fine.', schema('A name.')],
      ['plain__x', 'Fine → so.', schema('A name.')],
    ]
    const first = await toolHost(entries, { home })
    await first.host.ready()
    const hashes = first.host.tools().map(({ hash }) => hash)
    expect(told(first)).toEqual(clean)
    await first.host.close()
    await using second = await toolHost(entries, { home })
    await second.host.ready()
    expect([second.spawns(), told(second)]).toEqual([0, clean])
    expect(second.host.tools().map(({ hash }) => hash)).toEqual(hashes)
    const of = ({ name, description, inputSchema }: typeof plain) =>
      hashOf({ name, description, inputSchema })
    expect(hashes).toEqual([of(hiding), of(plain)])
  })

  test('a reconnect leaves the tools byte-identical', async () => {
    const shuffled = [
      [toDefinition('b'), toDefinition({ name: 'a', description: 'A' })],
      [{ description: 'A', inputSchema: { type: 'object' }, name: 'a' }, toDefinition('b')],
    ]
    const home = newHome()
    const x1 = scripted({
      tools: [],
      starts: join(home, 'starts'),
      on: { 'tools/list': { eachStart: shuffled.map((tools) => ({ result: { tools } })) } },
    })
    await using x = await toolHost({ x1, w: serverWithTools(['z', 'y']) }, { home })
    await x.host.ready()
    const before = JSON.stringify(x.host.tools())
    const changes = x.events.filter(({ type }) => type === 'catalog.changed').length
    await x.host.restart('x1')
    await x.host.ready({ from: 'servers' })
    expect(JSON.stringify(x.host.tools())).toBe(before)
    expect(x.events.filter(({ type }) => type === 'catalog.changed')).toHaveLength(changes)
    expect(namesOf(x.host)).toEqual(['w__y', 'w__z', 'x1__a', 'x1__b'])
  })

  test('ready: lists the tools of working servers and reports each failed one (O19)', async () => {
    const broken = { command: process.execPath, args: ['-e', 'process.exit(3)'] }
    const absent = { command: 'no-such-program-anywhere' }
    await using x = await toolHost({ absent, broken, good: serverWithTools(['one']) })
    await x.host.ready()
    expect(namesOf(x.host)).toEqual(['good__one'])
    const states = x.host.servers().map(({ name, status }) => {
      const failure = 'failure' in status ? status.failure : undefined
      return [name, status.state, failure?.code]
    })
    expect(states).toEqual([
      ['absent', 'failed', 'spawn'],
      ['broken', 'waiting', 'exit'],
      ['good', 'ready', undefined],
    ])
  })

  test('a list that a server declares but does not serve does not affect the others', async () => {
    const a = serverWithTools(['one'], {
      capabilities: { tools: {}, resources: {}, prompts: {} },
      prompts: [{ name: 'greet' }],
      on: { 'resources/list': { error: { code: -32603 } } },
    })
    await using x = await toolHost({ a })
    await x.host.ready()
    expect({ tools: namesOf(x.host), resources: x.host.resources(), prompts: x.host.prompts() }).toEqual({
      tools: ['a__one'],
      resources: [],
      prompts: [{ server: 'a', prompt: { name: 'greet' } }],
    })
  })

  test('a connected server that cannot list its tools causes a warning', async () => {
    const a = serverWithTools([], {
      on: { 'tools/list': { error: { code: -32603, message: 'No database.' } } },
    })
    await using x = await toolHost({ a })
    await x.host.ready()
    expect(x.events.filter(({ type }) => type === 'server.warned')).toMatchObject([
      { server: 'a', message: expect.stringMatching(/^Its tools could not be listed: .*No database\./) },
    ])
  })

  test('ready: resolves after its timeout; the rest is listed in the background (D-4)', async () => {
    const stuck = scripted({ on: { initialize: 'hang', 'server/discover': 'hang' } })
    await using x = await toolHost({ stuck, good: serverWithTools(['one']) })
    await x.host.ready({ timeoutMs: 0 })
    expect(namesOf(x.host)).toEqual([])
    await x.until('catalog.changed', ({ added }) => added.includes('good/one'))
    expect(namesOf(x.host)).toEqual(['good__one'])
    expect(x.host.servers()[0]?.status.state).toBe('connecting')
  })

  test('ready: waits for at most two listings of a server whose list never stops changing (FI-32)', async () => {
    const clock = createFakeClock()
    const server = createScriptedServer({
      capabilities: { tools: { listChanged: true } },
      on: {
        async 'tools/list'() {
          await clock.advance(2000)
          server.notify('notifications/tools/list_changed')
          return { tools: [toDefinition('one')] }
        },
      },
    })
    const a = { command: 'not-started' }
    await using x = await toolHost({ a }, { platform: { clock }, channels: { a: server.open } })
    await x.host.ready({ timeoutMs: 1e9 })
    expect(namesOf(x.host)).toEqual(['a__one'])
  })

  test('ready: rejects when its signal aborts', async () => {
    const a = scripted({ on: { initialize: 'hang', 'server/discover': 'hang' } })
    await using x = await toolHost({ a })
    const stop = new AbortController()
    const ready = x.host.ready({ signal: stop.signal })
    stop.abort(new Error('enough'))
    await expect(ready).rejects.toThrow('enough')
  })
})

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
}
