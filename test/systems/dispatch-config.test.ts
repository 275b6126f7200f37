import { describe, expect, test } from 'vitest'
import { resolveMcpConfig } from '../../src/adapters/dispatch.ts'
import { createPerson } from '../support/person.ts'
import { dispatched, namesOf, offering } from './dispatch-support.ts'

const cwd = '/part/shop'
const own = `${cwd}/.dispatch/mcp.json`
const fallback = `${cwd}/opencode.json`

/** As the design shows it. */
const example = {
  servers: {
    freecad: { command: 'uvx', args: ['freecad-mcp'], env: { FREECAD_RPC_HOST: 'localhost' } },
    'chrome-devtools': { command: 'npx', args: ['chrome-devtools-mcp@latest'] },
    'remote-freecad': { transport: 'http', url: 'http://192.168.1.100:9876/mcp' },
  },
}
const opencode = { mcp: { freecad: { command: 'uvx', args: ['freecad-mcp'] } } }
const freecad = { id: 'freecad', command: ['uvx', 'freecad-mcp'] }

async function resolved(files: Readonly<Record<string, unknown>>) {
  const { servers, shadowed, diagnostics } = await resolveMcpConfig(cwd, {
    readFile: (path) => {
      const content = files[path]
      return content === undefined || typeof content === 'string' ? content : JSON.stringify(content)
    },
  })
  return { servers, shadowed, codes: diagnostics.map(({ code }) => code) }
}

describe('L6 the configuration of a working directory, from two texts', () => {
  test('D8 D11 D12 the first file as the design shows it', async () => {
    expect(await resolved({ [own]: example })).toEqual({
      servers: [
        { ...freecad, env: { FREECAD_RPC_HOST: 'localhost' }, configSource: '.dispatch/mcp.json' },
        {
          id: 'chrome-devtools',
          command: ['npx', 'chrome-devtools-mcp@latest'],
          configSource: '.dispatch/mcp.json',
        },
        {
          id: 'remote-freecad',
          command: [],
          transport: 'http',
          url: 'http://192.168.1.100:9876/mcp',
          configSource: '.dispatch/mcp.json',
        },
      ],
      shadowed: false,
      codes: [],
    })
  })

  test('D9 C2 the second file in the form the design gave it, where there is no first', async () => {
    expect(await resolved({ [fallback]: opencode })).toEqual({
      servers: [{ ...freecad, configSource: 'opencode.json' }],
      shadowed: false,
      codes: [],
    })
  })

  test('D10 C7 the whole first file wins, and the second is said to be shadowed', async () => {
    const second = { mcp: { other: { command: 'other' } } }
    expect(
      await resolved({ [own]: { servers: { freecad: { command: 'uvx' } } }, [fallback]: second }),
    ).toEqual({
      servers: [{ id: 'freecad', command: ['uvx'], configSource: '.dispatch/mcp.json' }],
      shadowed: true,
      codes: ['shadowed'],
    })
  })

  test.each([
    ['empty', ''],
    ['broken', '{ "servers": { "a": '],
    ['without servers', { servers: {} }],
    ['of another shape', '[]'],
    ['with nothing that can be used', { servers: { a: {} } }],
  ])('D10 a first file that is %s is still the first', async (_, text) => {
    const { servers, shadowed } = await resolved({ [own]: text, [fallback]: opencode })
    expect({ servers, shadowed }).toEqual({ servers: [], shadowed: true })
  })

  test('D10 a second file without servers is nothing to be shadowed', async () => {
    const first = { servers: { freecad: { command: 'uvx' } } }
    for (const second of [{}, { mcp: {} }, { theme: 'dark' }])
      expect((await resolved({ [own]: first, [fallback]: second })).shadowed).toBe(false)
  })

  test('D10 D23 nothing is built in, and nothing is looked for above or elsewhere', async () => {
    expect(
      await resolved({
        '/part/.dispatch/mcp.json': example,
        '/part/opencode.json': opencode,
        [`${cwd}/.mcp.json`]: { mcpServers: { a: { command: 'a' } } },
        [`${cwd}/.cursor/mcp.json`]: { mcpServers: { a: { command: 'a' } } },
      }),
    ).toEqual({ servers: [], shadowed: false, codes: [] })
  })

  test('D13 one that is disabled is there', async () => {
    const off = { servers: { freecad: { command: 'uvx', disabled: true } } }
    expect((await resolved({ [own]: off })).servers).toEqual([
      { id: 'freecad', command: ['uvx'], disabled: true, configSource: '.dispatch/mcp.json' },
    ])
  })

  test('C27 an entry may say how long its server takes to start', async () => {
    const entry = { command: 'uvx', startupTimeout: 90_000 }
    const person = createPerson({ '.dispatch/mcp.json': { servers: { freecad: entry } } })
    const { servers, diagnostics } = await person.discover({ preset: 'dispatch' })
    expect([servers.map(({ timeouts }) => timeouts), diagnostics]).toEqual([[{ startupMs: 90_000 }], []])
  })

  test('D12 headers stand for themselves', async () => {
    const entry = { transport: 'http', url: 'https://a.example/mcp', headers: { 'X-Key': '${KEY}' } }
    expect((await resolved({ [own]: { servers: { a: entry } } })).servers).toEqual([
      { id: 'a', command: [], ...entry, configSource: '.dispatch/mcp.json' },
    ])
  })
})

describe('in the extension', () => {
  test('D5 each working directory has its own servers', async () => {
    await using x = await dispatched()
    const shop = x.project({ a: offering(['one']) }, 'shop')
    const site = x.project({ b: offering(['two']) }, 'site')
    expect(namesOf(await x.turn(shop))).toEqual(['a__one'])
    expect(namesOf(await x.turn(site))).toEqual(['b__two'])
    expect(namesOf(await x.turn(shop))).toEqual(['a__one'])
  })

  test('D9 D10 the second file is used, until there is a first one', async () => {
    await using x = await dispatched()
    const path = x.directory('shop', { 'opencode.json': { mcp: { b: offering(['two']) } } })
    expect(namesOf(await x.turn(path))).toEqual(['b__two'])
    expect(await x.service.status(path)).toEqual([{ id: 'b', state: 'connected', toolCount: 1 }])
    x.project({ a: offering(['one']) }, 'shop')
    expect(namesOf(await x.turn(path))).toEqual(['a__one'])
    await x.untilLogged('.dispatch/mcp.json is present, so the mcp key of opencode.json is not used.')
  })

  test('D13 one that is disabled is shown and not started', async () => {
    await using x = await dispatched()
    const path = x.project({ a: { ...offering(['one']), disabled: true } })
    expect(namesOf(await x.turn(path))).toEqual([])
    expect(await x.service.status(path)).toEqual([{ id: 'a', state: 'disconnected', toolCount: 0 }])
    expect(x.pids).toEqual([])
  })

  test('D10 what is wrong with a file is logged once, and an entry that cannot be used has a status', async () => {
    await using x = await dispatched()
    const path = x.project({ a: offering(['one']), odd: { args: ['x'] } })
    await x.turn(path)
    await x.turn(path)
    const [, odd] = await x.service.status(path)
    expect(odd).toEqual({
      id: 'odd',
      state: 'error',
      error: expect.stringContaining('neither command nor url') as string,
      toolCount: 0,
    })
    expect(x.host.logs.filter(({ level }) => level === 'error')).toHaveLength(1)
  })
})
