import { describe, expect, test } from 'vitest'
import { resolveMcpConfig } from '../../src/adapters/dispatch.ts'
import { createPerson } from '../support/person.ts'
import { startDispatch, namesOf, serverWithTools } from './dispatch-support.ts'

const cwd = '/part/shop'
const own = `${cwd}/.dispatch/mcp.json`
const fallback = `${cwd}/opencode.json`

/** The example of the design document. */
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

describe('L6 resolveMcpConfig', () => {
  test('D8 D11 D12 reads the example of the design from .dispatch/mcp.json', async () => {
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

  test('D9 C2 reads opencode.json in the form of the design, if there is no .dispatch/mcp.json', async () => {
    expect(await resolved({ [fallback]: opencode })).toEqual({
      servers: [{ ...freecad, configSource: 'opencode.json' }],
      shadowed: false,
      codes: [],
    })
  })

  test('D10 C7 .dispatch/mcp.json is used alone, and opencode.json is reported as shadowed', async () => {
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
    ['not an object', '[]'],
    ['without a usable entry', { servers: { a: {} } }],
  ])('D10 a .dispatch/mcp.json that is %s still hides opencode.json', async (_, text) => {
    const { servers, shadowed } = await resolved({ [own]: text, [fallback]: opencode })
    expect({ servers, shadowed }).toEqual({ servers: [], shadowed: true })
  })

  test('D10 an opencode.json without servers is not reported as shadowed', async () => {
    const first = { servers: { freecad: { command: 'uvx' } } }
    for (const second of [{}, { mcp: {} }, { theme: 'dark' }])
      expect((await resolved({ [own]: first, [fallback]: second })).shadowed).toBe(false)
  })

  test('D10 D23 no server is built in, and no parent directory or other client is read', async () => {
    expect(
      await resolved({
        '/part/.dispatch/mcp.json': example,
        '/part/opencode.json': opencode,
        [`${cwd}/.mcp.json`]: { mcpServers: { a: { command: 'a' } } },
        [`${cwd}/.cursor/mcp.json`]: { mcpServers: { a: { command: 'a' } } },
      }),
    ).toEqual({ servers: [], shadowed: false, codes: [] })
  })

  test('D13 a disabled server is listed as disabled', async () => {
    const off = { servers: { freecad: { command: 'uvx', disabled: true } } }
    expect((await resolved({ [own]: off })).servers).toEqual([
      { id: 'freecad', command: ['uvx'], disabled: true, configSource: '.dispatch/mcp.json' },
    ])
  })

  test('C27 startupTimeout of an entry sets the time its server has to start', async () => {
    const entry = { command: 'uvx', startupTimeout: 90_000 }
    const person = createPerson({ '.dispatch/mcp.json': { servers: { freecad: entry } } })
    const { servers, diagnostics } = await person.discover({ preset: 'dispatch' })
    expect([servers.map(({ timeouts }) => timeouts), diagnostics]).toEqual([[{ startupMs: 90_000 }], []])
  })

  test('D12 headers are literal', async () => {
    const entry = { transport: 'http', url: 'https://a.example/mcp', headers: { 'X-Key': '${KEY}' } }
    expect((await resolved({ [own]: { servers: { a: entry } } })).servers).toEqual([
      { id: 'a', command: [], ...entry, configSource: '.dispatch/mcp.json' },
    ])
  })
})

describe('Dispatch extension: configuration', () => {
  test('D5 each working directory has its own servers', async () => {
    await using x = await startDispatch()
    const shop = x.project({ a: serverWithTools(['one']) }, 'shop')
    const site = x.project({ b: serverWithTools(['two']) }, 'site')
    expect(namesOf(await x.turn(shop))).toEqual(['a__one'])
    expect(namesOf(await x.turn(site))).toEqual(['b__two'])
    expect(namesOf(await x.turn(shop))).toEqual(['a__one'])
  })

  test('D9 D10 opencode.json is used until .dispatch/mcp.json exists', async () => {
    await using x = await startDispatch()
    const path = x.directory('shop', { 'opencode.json': { mcp: { b: serverWithTools(['two']) } } })
    expect(namesOf(await x.turn(path))).toEqual(['b__two'])
    expect(await x.service.status(path)).toEqual([{ id: 'b', state: 'connected', toolCount: 1 }])
    x.project({ a: serverWithTools(['one']) }, 'shop')
    expect(namesOf(await x.turn(path))).toEqual(['a__one'])
    await x.untilLogged('.dispatch/mcp.json is present, so the mcp key of opencode.json is not used.')
  })

  test('D13 a disabled server has a status and is not started', async () => {
    await using x = await startDispatch()
    const path = x.project({ a: { ...serverWithTools(['one']), disabled: true } })
    expect(namesOf(await x.turn(path))).toEqual([])
    expect(await x.service.status(path)).toEqual([{ id: 'a', state: 'disconnected', toolCount: 0 }])
    expect(x.pids).toEqual([])
  })

  test('D10 a problem of a file is logged once, and an unusable entry has a status', async () => {
    await using x = await startDispatch()
    const path = x.project({ a: serverWithTools(['one']), odd: { args: ['x'] } })
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
