import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { createMachine } from '../../../test/support/programs/cli.ts'
import { listed, startRegistry } from '../../../test/support/registry.ts'
import { outcomeOf } from '../../../test/support/outcome.ts'
import { readRegistryServer, searchRegistry } from './search-registry.ts'

/** A person with this registry in the settings. */
function personWith(registry: unknown, project?: unknown) {
  const machine = createMachine({
    '~/.config/plugboard/settings.json': { registry },
    ...(project !== undefined && { '.plugboard/settings.json': project }),
  })
  const { home, project: cwd, env } = machine
  return { [Symbol.dispose]: () => machine[Symbol.dispose](), options: { platform: { home, env, cwd } } }
}

const names = ({ servers }: { readonly servers: readonly { readonly name: string }[] }) =>
  servers.map(({ name }) => name)

describe('searching a registry', () => {
  test('all words count, matches in names come first, deleted ones are left out', async () => {
    const registry = await startRegistry([
      listed('com.b/weather', { description: 'Maps of storms.' }),
      listed('com.a/weather-maps'),
      listed('com.c/weather', { description: 'Rain only.' }),
      listed('com.d/weather-maps-old', {}, { status: 'deleted' }),
      listed('com.e/MAPS', { title: 'Weather' }, { status: 'deprecated', statusMessage: 'Use com.a.' }),
    ])
    using person = personWith(registry.address)
    const found = await searchRegistry(['Weather', 'maps'], { ...person.options, limit: 20 })
    expect(names(found)).toEqual(['com.a/weather-maps', 'com.b/weather', 'com.e/MAPS'])
    expect(found.servers[2]).toMatchObject({
      status: 'deprecated',
      statusMessage: 'Use com.a.',
      ways: ['npm'],
    })
    expect(found).toMatchObject({ registry: registry.address, hasMore: false })
    expect(registry.seen.map(({ path }) => path)).toContain(
      '/v0.1/servers?search=weather&version=latest&limit=100',
    )
  })

  test('pages are read until there are enough, and at most ten', async () => {
    const many = Array.from({ length: 60 }, (_, at) => listed(`com.x/tool-${String(at).padStart(3, '0')}`))
    const registry = await startRegistry(many, { perPage: 4 })
    using person = personWith(`${registry.address}/`)
    const few = await searchRegistry(['tool'], { ...person.options, limit: 6 })
    expect([few.servers.length, few.hasMore, registry.seen.length]).toEqual([6, true, 2])
    const all = await searchRegistry(['tool'], { ...person.options, limit: 100 })
    expect([all.servers.length, all.hasMore, registry.seen.length]).toEqual([40, true, 12])
  })

  test('a registry that lists every version: the newest counts; entries that are no servers are passed over', async () => {
    const versions = [listed('com.x/a', { version: '1.0.0' }), listed('com.x/a', { version: '2.0.0' })]
    const registry = await startRegistry(versions, {
      instead({ path }, response) {
        if (!path.startsWith('/v0.1/servers?')) return false
        const answer = (version: string, isLatest: boolean) => ({
          server: listed('com.x/a', { version }).server,
          _meta: { 'io.modelcontextprotocol.registry/official': { isLatest } },
        })
        const broken = [
          5,
          null,
          {},
          { server: { name: '../../x', version: '1' } },
          { server: { name: 'a/b' } },
        ]
        response.end(JSON.stringify({ servers: [...broken, answer('1.0.0', false), answer('2.0.0', true)] }))
        return true
      },
    })
    using person = personWith(registry.address)
    const { servers } = await searchRegistry(['a'], { ...person.options, limit: 5 })
    expect(servers.map(({ name, version }) => `${name}@${version}`)).toEqual(['com.x/a@2.0.0'])
  })
})

describe('one server of a registry', () => {
  test('the newest version, an exact one, and what is not there', async () => {
    const registry = await startRegistry([
      listed('com.x/a', { version: '1.0.0+b' }),
      listed('com.x/a', { version: '2.0.0', mcpServers: { evil: { command: 'rm' } } }),
      listed('com.x/gone', {}, { status: 'deleted', statusMessage: 'Malware.' }),
    ])
    using person = personWith(registry.address)
    const newest = await readRegistryServer({ name: 'com.x/a' }, person.options)
    expect(newest).toMatchObject({ version: '2.0.0', isLatest: true })
    expect(Object.keys(newest.serverJson)).toEqual(['name', 'description', 'version', 'packages'])
    const older = await readRegistryServer({ name: 'com.x/a', version: '1.0.0+b' }, person.options)
    expect(older).toMatchObject({ version: '1.0.0+b', isLatest: false })
    await expect(readRegistryServer({ name: 'com.y/a' }, person.options)).rejects.toMatchObject({
      code: 'registry.unknown',
      message: '"com.y/a" is not in the registry.',
      hint: 'Did you mean com.x/a?',
    })
    await expect(
      readRegistryServer({ name: 'com.x/a', version: '9.9.9' }, person.options),
    ).rejects.toMatchObject({
      code: 'registry.unknown',
      message: 'Version 9.9.9 of "com.x/a" is not in the registry.',
      hint: 'It has 2.0.0, 1.0.0+b. The newest: plugboard add --from registry:com.x/a',
    })
    await expect(
      readRegistryServer({ name: 'com.y/a', version: '9.9.9' }, person.options),
    ).rejects.toMatchObject({ hint: 'Did you mean com.x/a?' })
    await expect(readRegistryServer({ name: 'com.x/gone' }, person.options)).rejects.toMatchObject({
      code: 'registry.unknown',
      message: '"com.x/gone" was deleted from the registry. Its publisher says: Malware.',
    })
    await expect(readRegistryServer({ name: '../x' }, person.options)).rejects.toMatchObject({
      code: 'usage',
    })
  })

  test('an answer about another server is refused', async () => {
    const registry = await startRegistry([], {
      instead: (_request, response) =>
        Boolean(response.end(JSON.stringify({ server: listed('com.x/b').server }))),
    })
    using person = personWith(registry.address)
    await expect(readRegistryServer({ name: 'com.x/a' }, person.options)).rejects.toMatchObject({
      code: 'registry.failed',
    })
  })
})

describe('a registry that cannot be used', () => {
  test.each([
    [
      'a redirect',
      (response: ServerResponse) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
      'redirect',
    ],
    ['an error', (response: ServerResponse) => response.writeHead(503).end(), 'http-503'],
    ['no JSON', (response: ServerResponse) => response.end('<html>'), 'malformed'],
    ['a list', (response: ServerResponse) => response.end('[]'), 'malformed'],
    ['too much', (response: ServerResponse) => response.end(' '.repeat(9 * 1024 * 1024)), 'too-large'],
    ['no answer', () => undefined, 'timeout'],
  ])('%s is a failure with a reason', async (_, answer, reason) => {
    const registry = await startRegistry([], {
      instead(_request, response) {
        answer(response)
        return true
      },
    })
    using person = personWith(registry.address)
    const timeoutMs = reason === 'timeout' ? 50 : undefined
    await expect(searchRegistry(['x'], { ...person.options, limit: 5, timeoutMs })).rejects.toMatchObject({
      code: 'registry.failed',
      data: { registry: registry.address, reason },
    })
  })

  /** A registry with endless pages, each answered by this function. */
  async function endless(answer: (page: string, response: ServerResponse) => void) {
    let next = 0
    return startRegistry([], {
      instead(_request, response) {
        answer(
          JSON.stringify({ servers: [listed('com.x/a')], metadata: { nextCursor: `${next++}` } }),
          response,
        )
        return true
      },
    })
  }

  test('T61 pages that come slowly end at the deadline of the whole search', async () => {
    const registry = await endless((page, response) => void setTimeout(() => response.end(page), 60))
    using person = personWith(registry.address)
    await expect(
      searchRegistry(['x'], { ...person.options, limit: 5, timeoutMs: 300 }),
    ).rejects.toMatchObject({ code: 'registry.failed', data: { reason: 'timeout' } })
  })

  test('T61 the pages of one search have a limit of bytes together; files of servers are not kept', async () => {
    const registry = await endless((page, response) => response.end(page + ' '.repeat(7 * 1024 * 1024)))
    using person = personWith(registry.address)
    await expect(searchRegistry(['x'], { ...person.options, limit: 5 })).rejects.toMatchObject({
      code: 'registry.failed',
      data: { reason: 'too-large' },
    })
    expect(registry.seen).toHaveLength(5)
    const small = await startRegistry([listed('com.x/a')])
    using other = personWith(small.address)
    const { servers } = await searchRegistry(['a'], { ...other.options, limit: 5 })
    expect(servers[0]).not.toHaveProperty('serverJson')
  })

  test('no server at the address; an abort', async () => {
    const registry = await startRegistry([], { instead: () => true })
    using person = personWith(registry.address)
    const abort = new AbortController()
    const searching = outcomeOf(searchRegistry(['x'], { ...person.options, limit: 5, signal: abort.signal }))
    await registry.arrived(1)
    abort.abort(new Error('enough'))
    expect(await searching).toEqual({ error: 'Error: enough' })
    await registry.stop()
    await expect(searchRegistry(['x'], { ...person.options, limit: 5 })).rejects.toMatchObject({
      code: 'registry.failed',
      message: expect.stringContaining('cannot be reached'),
      data: { reason: 'refused' },
    })
  })

  test('T61 a project cannot set the address, and a wrong address of the person reaches no registry', async () => {
    const [own, projects] = [
      await startRegistry([listed('com.x/a')]),
      await startRegistry([listed('com.evil/a')]),
    ]
    using person = personWith(own.address, { registry: projects.address })
    expect(names(await searchRegistry(['a'], { ...person.options, limit: 5 }))).toEqual(['com.x/a'])
    expect(projects.seen).toEqual([])
    for (const wrong of ['http://registry.example', 'https://me:pw@registry.example', 'file:///x', 'x', 5]) {
      using other = personWith(wrong)
      await expect(searchRegistry(['a'], { ...other.options, limit: 5 })).rejects.toMatchObject({
        code: 'config.invalid',
      })
    }
  })
})
