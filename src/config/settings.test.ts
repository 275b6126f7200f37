import { describe, expect, test } from 'vitest'
import { createPerson, home, pathOf } from '../../test/support/person.ts'
import { serverOf } from '../../test/support/server.ts'
import { readSettings, settingKeys, settingsFile, disableListed } from './settings.ts'

const file = pathOf('~/.config/plugboard/settings.json')
const nothing = { sources: [], disabledServers: [] }
/** A rule for servers of projects may be in it, so none of those starts. */
const unreadable = {
  ...nothing,
  gateway: { isDamaged: true },
  runners: { engines: {}, templates: {}, isDamaged: true },
}

const read = (content: unknown) =>
  readSettings(createPerson({ '~/.config/plugboard/settings.json': content }).platform)

describe('readSettings', () => {
  test('reads from the config directory, which XDG_CONFIG_HOME can move', () => {
    expect(settingsFile({ env: {}, home })).toBe(file)
    expect(settingsFile({ env: { XDG_CONFIG_HOME: '/cfg' }, home })).toBe('/cfg/plugboard/settings.json')
  })

  test('returns empty settings if there is no file', async () => {
    expect(await readSettings(createPerson({}).platform)).toEqual({ settings: nothing, diagnostics: [] })
  })

  test.each(['', ' \n'])('an empty file has no settings: %j', async (text) => {
    expect(await read(text)).toEqual({ settings: nothing, diagnostics: [] })
  })

  test('FI-94 a half-written file keeps its last good settings, and a complete one is used at once', async () => {
    const { platform, files } = createPerson({ '~/.config/plugboard/settings.json': { sources: ['cursor'] } })
    const lastGood = new Map<string, string>()
    const { settings } = await readSettings(platform, lastGood)
    files.texts.set(file, '{"sources": [')
    const half = await readSettings(platform, lastGood)
    expect(half.settings).toEqual(settings)
    expect(half.diagnostics).toMatchObject([
      {
        code: 'settings-invalid',
        hint: expect.stringContaining('stays in force') as string,
        origin: { line: 1 },
      },
    ])
    files.texts.set(file, '{}')
    expect(await readSettings(platform, lastGood)).toEqual({ settings: nothing, diagnostics: [] })
  })

  test('reads the preset, the sources in order, and disabled servers', async () => {
    const settings = { preset: 'omp', sources: ['windsurf', 'cursor'], disabledServers: ['a', 'b'] }
    expect(await read({ $schema: 'https://x.example', ...settings })).toEqual({ settings, diagnostics: [] })
  })

  test('allows comments', async () => {
    expect((await read('{\n  // mine\n  "sources": ["cursor"],\n}')).settings).toEqual({
      ...nothing,
      sources: ['cursor'],
    })
  })

  test.each<[unknown, number | undefined]>([
    [{ idleSeconds: 0 }, 0],
    [{ idleSeconds: 90 }, 90],
    [{ idleSeconds: -1 }, undefined],
    [{ idleSeconds: '5m' }, undefined],
    [[], undefined],
  ])('desk: %j gives %s', async (desk, idleSeconds) => {
    const { settings, diagnostics } = await read(JSON.stringify({ desk }))
    expect(settings.desk?.idleSeconds).toBe(idleSeconds)
    expect(diagnostics.length).toBe(idleSeconds === undefined ? 1 : 0)
  })

  test.each<[unknown, unknown, number]>([
    ['values', { rows: 'values' }, 0],
    [{ rows: 'values', sync: true }, { rows: 'values', sync: true }, 0],
    [{ sync: true }, { rows: 'on', sync: true }, 0],
    [{ rows: 'off', sync: false }, { rows: 'off' }, 0],
    ['all', { rows: 'on' }, 1],
    [{ rows: 'all', sync: true }, { rows: 'on', sync: true }, 1],
    [{ rows: 'off', sync: 'yes' }, { rows: 'off', sync: true }, 1],
    [{ rows: 'on', file: 'x' }, { rows: 'on' }, 1],
    [7, { rows: 'on' }, 1],
  ])(
    'T142 audit %j is a word or an object; a mistake is said and costs no row',
    async (audit, setting, mistakes) => {
      const { settings, diagnostics } = await read({ audit })
      expect([settings.audit, diagnostics.length]).toEqual([setting, mistakes])
    },
  )

  test('settingKeys describes every key', () => {
    expect(Object.keys(settingKeys).sort()).toEqual([
      'accept',
      'audit',
      'desk',
      'disabledServers',
      'endpoints',
      'gateway',
      'identityProviders',
      'labels',
      'model',
      'pinFiles',
      'preset',
      'readOnly',
      'registry',
      'rules',
      'runners',
      'sampling',
      'scan',
      'servers',
      'sources',
      'store',
      'tools',
      'trifecta',
      'views',
    ])
  })
})

test('T21 sampling: limits are read; without a readable limit servers get no answer', async () => {
  const sampling = { requestsPerMinute: 2, tokensPerDay: 500 }
  expect((await read({ sampling })).settings.sampling).toEqual(sampling)
  expect((await read({})).settings).not.toHaveProperty('sampling')
  for (const wrong of [5, { requests: 1 }, { maxTokens: '9' }, { tokensPerDay: -1 }]) {
    const { settings, diagnostics } = await read({ sampling: wrong })
    expect(settings.sampling).toEqual({ requestsPerMinute: 0 })
    expect(diagnostics[0]?.message).toMatch(/^Settings: "sampling" must be an object with numbers/)
  }
})

describe('readSettings: an invalid setting is reported with its place, and the rest is used', () => {
  const messages = async (content: unknown) => {
    const { settings, diagnostics } = await read(content)
    return {
      settings,
      found: diagnostics.map(({ code, severity, message, origin }) => [
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
      'sources that are not a list',
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
      'must be one of default, boocode, dispatch, omp; it is ignored.',
    ],
    [
      'an unknown key',
      { colour: 'red', disabledServers: ['a'] },
      { ...nothing, disabledServers: ['a'] },
      'colour',
      'is not a setting; it is ignored.',
    ],
    [
      'a key that every object inherits',
      { toString: 1 },
      nothing,
      'toString',
      'is not a setting; it is ignored.',
    ],
  ])('%s', async (_what, content, settings, key, message) => {
    expect(await messages(content)).toEqual({
      settings,
      found: [['settings-invalid', 'error', `Settings: "${key}" ${message}`, `/${key}`]],
    })
  })

  test('a syntax error is reported with its line', async () => {
    const { settings, diagnostics } = await read('{\n  "sources": [,\n}')
    expect(settings).toEqual(unreadable)
    expect(diagnostics).toMatchObject([{ code: 'settings-invalid', origin: { file, line: 2 } }])
  })

  test('a file that is not an object is reported', async () => {
    expect(await messages('[]')).toEqual({
      settings: unreadable,
      found: [['settings-invalid', 'error', 'Settings: must be a JSON object.', undefined]],
    })
  })

  test('an unreadable file is reported', async () => {
    const person = createPerson({})
    const readText: typeof person.files.readText = async () => ({
      kind: 'problem',
      problem: 'not-a-file',
      message: 'it is a folder',
    })
    expect(await readSettings({ ...person.platform, files: { ...person.files, readText } })).toEqual({
      settings: unreadable,
      diagnostics: [
        {
          code: 'settings-invalid',
          severity: 'error',
          message: 'Settings: it is a folder.',
          hint: 'Until this is fixed, no client is turned on and no tool is offered.',
          origin: { file },
        },
      ],
    })
  })
})

describe('discover: disabledServers', () => {
  test('disables listed servers and names the settings file as the reason', async () => {
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

describe('disableListed', () => {
  const { platform } = createPerson({})
  const by = `${file}#/disabledServers`
  const settings = (...disabledServers: readonly string[]) => ({ sources: [], disabledServers })

  test('returns the same servers for an empty list', () => {
    const servers = [serverOf('a')]
    expect(disableListed(servers, settings(), platform)).toBe(servers)
  })

  test('disables a listed server; one that is already off keeps its own reason', () => {
    const [a, b, c] = [
      serverOf('a'),
      serverOf('b', { enabled: false, disabledBy: '/x.json#/off' }),
      serverOf('c'),
    ]
    expect(disableListed([a, b, c], settings('a', 'b'), platform)).toEqual([
      { ...a, enabled: false, disabledBy: by },
      b,
      c,
    ])
  })

  test('keeps an id that is computed by a getter', () => {
    const server = Object.defineProperty({ ...serverOf('a') }, 'id', { get: () => 'a-1', enumerable: true })
    expect(disableListed([server], settings('a'), platform)[0]?.id).toBe('a-1')
  })
})
