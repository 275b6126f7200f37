import { describe, expect, test } from 'vitest'
import { createPerson, home, pathOf } from '../../test/support/person.ts'
import { serverOf } from '../../test/support/server.ts'
import { readSettings, settingKeys, settingsFile, switchOff } from './settings.ts'

const file = pathOf('~/.config/plugboard/settings.json')
const nothing = { sources: [], disabledServers: [] }

const read = (content: unknown) =>
  readSettings(createPerson({ '~/.config/plugboard/settings.json': content }).platform)

describe('settings', () => {
  test('are in the config directory, which a variable may move', () => {
    expect(settingsFile({ env: {}, home })).toBe(file)
    expect(settingsFile({ env: { XDG_CONFIG_HOME: '/cfg' }, home })).toBe('/cfg/plugboard/settings.json')
  })

  test('that are not there are empty', async () => {
    expect(await readSettings(createPerson({}).platform)).toEqual({ settings: nothing, diagnostics: [] })
  })

  test('have a preset, sources in their order, and servers that are off', async () => {
    const settings = { preset: 'omp', sources: ['windsurf', 'cursor'], disabledServers: ['a', 'b'] }
    expect(await read({ $schema: 'https://x.example', ...settings })).toEqual({ settings, diagnostics: [] })
  })

  test('may have comments', async () => {
    expect((await read('{\n  // mine\n  "sources": ["cursor"],\n}')).settings).toEqual({
      ...nothing,
      sources: ['cursor'],
    })
  })

  test('every key is described', () => {
    expect(Object.keys(settingKeys).sort()).toEqual([
      'disabledServers',
      'preset',
      'readOnly',
      'rules',
      'servers',
      'sources',
      'tools',
    ])
  })
})

describe('settings that cannot be used are said with their place, and the rest counts', () => {
  const messages = async (content: unknown) => {
    const { settings, diagnostics } = await read(content)
    return {
      settings,
      said: diagnostics.map(({ code, severity, message, origin }) => [
        code,
        severity,
        message,
        origin?.pointer,
      ]),
    }
  }

  test.each([
    [
      'a source that does not exist',
      { sources: ['cursor', 'nobody'] },
      { ...nothing, sources: ['cursor'] },
      'sources',
      'names "nobody", which is not a source; see plugboard sources.',
    ],
    [
      'sources that are no list',
      { sources: 'cursor' },
      nothing,
      'sources',
      'must be a list of strings; it is ignored.',
    ],
    [
      'a list of something else',
      { disabledServers: [1] },
      nothing,
      'disabledServers',
      'must be a list of strings; it is ignored.',
    ],
    [
      'an unknown preset',
      { preset: 'mine' },
      nothing,
      'preset',
      'is one of default, boocode, dispatch, omp; it is ignored.',
    ],
    [
      'an unknown key',
      { colour: 'red', disabledServers: ['a'] },
      { ...nothing, disabledServers: ['a'] },
      'colour',
      'is not a setting; it is ignored.',
    ],
    ['what every object has', { toString: 1 }, nothing, 'toString', 'is not a setting; it is ignored.'],
  ])('%s', async (_what, content, settings, key, message) => {
    expect(await messages(content)).toEqual({
      settings,
      said: [['settings-invalid', 'error', `Settings: "${key}" ${message}`, `/${key}`]],
    })
  })

  test('a broken file has a line', async () => {
    const { settings, diagnostics } = await read('{\n  "sources": [,\n}')
    expect(settings).toEqual(nothing)
    expect(diagnostics).toMatchObject([{ code: 'settings-invalid', origin: { file, line: 2 } }])
  })

  test('a file that holds no object', async () => {
    expect(await messages('[]')).toEqual({
      settings: nothing,
      said: [['settings-invalid', 'error', 'Settings: must hold an object', undefined]],
    })
  })

  test('a file that cannot be read', async () => {
    const person = createPerson({})
    const readText: typeof person.files.readText = async () => ({
      kind: 'problem',
      problem: 'not-a-file',
      message: 'it is a folder',
    })
    expect(await readSettings({ ...person.platform, files: { ...person.files, readText } })).toEqual({
      settings: nothing,
      diagnostics: [
        {
          code: 'settings-invalid',
          severity: 'error',
          message: 'Settings: it is a folder',
          origin: { file },
        },
      ],
    })
  })
})

describe('disabledServers', () => {
  test('switches a server off that its own file cannot, and says where that was decided', async () => {
    const person = createPerson({
      '~/.config/plugboard/settings.json': { sources: ['zed'], disabledServers: ['a', 'off'] },
      '~/.config/plugboard/mcp.json': {
        mcpServers: { a: { command: 'x' }, b: { command: 'x' }, off: { command: 'x', enabled: false } },
      },
    })
    const { servers } = await person.discover()
    expect(servers.map(({ name, enabled, disabledBy }) => [name, enabled, disabledBy])).toEqual([
      ['a', false, `${file}#/disabledServers`],
      ['b', true, undefined],
      ['off', false, undefined],
    ])
  })
})

describe('servers that the settings switch off', () => {
  const { platform } = createPerson({})
  const by = `${file}#/disabledServers`
  const settings = (...disabledServers: readonly string[]) => ({ sources: [], disabledServers })

  test('nothing in the list: the same servers', () => {
    const servers = [serverOf('a')]
    expect(switchOff(servers, settings(), platform)).toBe(servers)
  })

  test('a server of the list is off by the settings; one that is off already keeps its own reason', () => {
    const [a, b, c] = [
      serverOf('a'),
      serverOf('b', { enabled: false, disabledBy: '/x.json#/off' }),
      serverOf('c'),
    ]
    expect(switchOff([a, b, c], settings('a', 'b'), platform)).toEqual([
      { ...a, enabled: false, disabledBy: by },
      b,
      c,
    ])
  })

  test('an id and a hash that are worked out on demand survive', () => {
    const server = Object.defineProperty({ ...serverOf('a') }, 'id', { get: () => 'a-1', enumerable: true })
    expect(switchOff([server], settings('a'), platform)[0]?.id).toBe('a-1')
  })
})
