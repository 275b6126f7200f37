import { describe, expect, test } from 'vitest'
import { createPerson, home, pathOf, project } from '../../test/support/person.ts'
import type { Platform } from '../platform/platform.ts'
import { memoryFiles } from '../testing/memory-files.ts'
import { believePlatform } from './believed-platform.ts'

/** What is believed of HOME and of the XDG variables, and the warnings. */
const believed = async (given: Partial<Platform>) => {
  const { platform, diagnostics } = await believePlatform({ os: 'linux', ...given })
  const { HOME, XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_CACHE_HOME, XDG_DATA_HOME } = platform.env
  const set = { HOME, XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_CACHE_HOME, XDG_DATA_HOME }
  return {
    home: platform.home,
    env: Object.fromEntries(Object.entries(set).filter(([, value]) => value !== undefined)),
    warnings: diagnostics.map(({ message }) => message),
  }
}

const account = (accountHome = '/root', canWrite = true) => ({
  account: () => ({ home: accountHome, canWrite }),
})
const repositories = (...paths: readonly string[]) => ({
  files: memoryFiles(Object.fromEntries(paths.map((path) => [`${path}/.git/HEAD`, '']))),
})

describe('T54 HOME', () => {
  test.each([
    ['outside the project', '/srv/shop', '/home/dana', ['/srv/shop']],
    ['of another account', '/srv/shop', '/tmp/other', ['/srv/shop']],
    ['above the project', '/srv/home/shop', '/srv/home', ['/srv/home/shop']],
    ['above a folder without a repository', '/srv/home/notes', '/srv/home', []],
    ['above a submodule', '/srv/home/shop/lib', '/srv/home', ['/srv/home/shop', '/srv/home/shop/lib']],
    [
      'with a repository that the working directory is not in',
      '/srv/shop',
      '/tmp/other',
      ['/tmp/other', '/srv/shop'],
    ],
    ['/', '/srv/shop', '/', ['/srv/shop']],
    ['that is the working directory, without a repository', '/tmp/fresh', '/tmp/fresh', []],
  ])('a HOME %s is believed', async (_, cwd, HOME, paths) => {
    expect(await believed({ cwd, env: { HOME }, ...repositories(...paths), ...account() })).toEqual({
      home: HOME,
      env: { HOME },
      warnings: [],
    })
  })

  test.each([
    ['a repository, as in a container', '/workspace', '/workspace', ['/workspace']],
    ['a repository around the working directory', '/workspace/web', '/workspace', ['/workspace']],
    ['a folder of the repository, by an .envrc', '/srv/shop/web', '/srv/shop/.home', ['/srv/shop']],
    ['a folder of the superproject', '/srv/shop/lib', '/srv/shop/.home', ['/srv/shop', '/srv/shop/lib']],
    ['below the working directory without a repository', '/srv/shop', '/srv/shop/.home', []],
    ['in node_modules of a parent', '/srv/shop', '/srv/node_modules/x', []],
    ['a relative path', '/srv/shop', '.home', ['/srv/shop']],
  ])('a HOME that is %s is replaced by the account’s, with one warning', async (_, cwd, HOME, paths) => {
    expect(await believed({ cwd, env: { HOME }, ...repositories(...paths), ...account() })).toEqual({
      home: '/root',
      env: { HOME: '/root' },
      warnings: [
        `HOME leads into the project (${HOME}) and is not used; the home directory of your account, /root, is used instead.`,
      ],
    })
  })

  test.each([
    ['dotfiles at ~, in a folder of it', '/home/dana/notes', ['/home/dana']],
    ['dotfiles at ~, in ~', '/home/dana', ['/home/dana']],
    ['a container whose account lives in the repository', '/home/dana/web', ['/home/dana']],
    ['a repository above ~', '/home/dana/notes', ['/home']],
    ['no repository, in ~', '/home/dana', []],
    ['no repository, above ~', '/home', []],
  ])('the account’s own HOME is believed: %s', async (_, cwd, paths) => {
    const env = { HOME: home }
    expect(await believed({ cwd, env, ...repositories(...paths), ...account(home) })).toEqual({
      home,
      env,
      warnings: [],
    })
  })

  test('a home directory that the program passes is believed wherever it is', async () => {
    const given = { cwd: '/srv/shop', env: { HOME: '/srv/shop' }, ...repositories('/srv/shop'), ...account() }
    expect(await believed({ ...given, home: '/srv/shop/.home' })).toMatchObject({
      home: '/srv/shop/.home',
      warnings: [],
    })
  })

  test('if the account’s home directory cannot be written, the warning says that nothing is kept', async () => {
    const given = { cwd: '/srv/shop', ...repositories('/srv/shop'), ...account('/nonexistent', false) }
    const found = await believed({ ...given, env: { HOME: '/srv/shop' } })
    expect(found.home).toBe('/nonexistent')
    expect(found.warnings).toEqual([
      'HOME leads into the project (/srv/shop) and is not used; the home directory of your account, /nonexistent, is used instead. ' +
        'It cannot be written, so nothing is kept: no settings, trust or logins.',
    ])
    expect(await believed({ ...given, env: {} })).toMatchObject({
      home: '/nonexistent',
      warnings: [
        'HOME is not set; the home directory of your account, /nonexistent, is used. ' +
          'It cannot be written, so nothing is kept: no settings, trust or logins.',
      ],
    })
  })

  test.each([{}, { HOME: '' }])('with %j the account’s home directory is used, never /', async (env) => {
    const { platform, diagnostics } = await believePlatform({
      cwd: '/srv/shop',
      env,
      ...account('/home/eve'),
    })
    expect([platform.home, diagnostics]).toEqual(['/home/eve', []])
  })

  test('the account is not asked for when no repository is around an ordinary HOME', async () => {
    const given = { cwd: '/home/dana/notes', env: { HOME: home }, ...repositories() }
    const asked = { account: () => Promise.reject(new Error('asked')) as never }
    expect((await believed({ ...given, ...asked })).home).toBe(home)
  })
})

describe('T54 XDG variables', () => {
  const variables = ['XDG_CONFIG_HOME', 'XDG_STATE_HOME', 'XDG_CACHE_HOME', 'XDG_DATA_HOME'] as const
  const given = (env: Platform['env'], over: Partial<Platform> = {}) => {
    const { platform } = createPerson({ 'lib/.git': 'gitdir: ../.git/modules/lib' }, { env, ...over })
    return believed(platform)
  }

  test.each(variables)('%s that leads into the project is dropped, with one warning', async (name) => {
    for (const [cwd, value] of [
      [project, pathOf('.x')],
      [project, project],
      [project, 'relative'],
      [pathOf('lib'), pathOf('.x')],
      ['/srv/a/b', '/srv/a/b/.x'],
      ['/srv/a/b', '/srv/a/node_modules/x'],
    ] as const)
      expect(await given({ [name]: value }, { cwd })).toEqual({
        home,
        env: {},
        warnings: [
          `${name} (${value}) leads into the project and is not used: a project must not supply your settings or logins.`,
        ],
      })
  })

  test.each(variables)(
    'T131 %s in a parent without a repository is dropped: in a folder with a dot, and a folder beside',
    async (name) => {
      for (const value of ['/srv/a/.config', '/srv/a/.x/y', '/srv/a/x', '/srv/.config'])
        expect(await given({ [name]: value }, { cwd: '/srv/a/b' })).toMatchObject({
          env: {},
          warnings: [expect.stringContaining(`${name} (${value}) leads into the project`)],
        })
      for (const value of [`${home}/a/.config`, `${home}/a/x`])
        expect(await given({ [name]: value }, { cwd: `${home}/a/b` })).toMatchObject({ env: {} })
    },
  )

  test.each(variables)('%s elsewhere is believed', async (name) => {
    for (const [cwd, value] of [
      [project, '/srv/x'],
      [project, `${home}/.x`],
      [project, ''],
      ['/srv/a/b', '/srv/a/x/y'],
      ['/srv/a/b', '/etc/x'],
      [`${home}/notes`, `${home}/x`],
      [home, `${home}/x`],
    ] as const)
      expect(await given({ [name]: value }, { cwd })).toEqual({ home, env: { [name]: value }, warnings: [] })
  })

  test('the usual places are believed, also where the project contains them', async () => {
    const env = { XDG_CONFIG_HOME: `${home}/.config`, XDG_STATE_HOME: `${home}/.local/state` }
    expect(await given(env, { cwd: `${home}/.config` })).toEqual({ home, env, warnings: [] })
    expect(await given(env, { cwd: `${home}/.local` })).toEqual({ home, env, warnings: [] })
  })

  test('several variables share one warning', async () => {
    const found = await given({
      XDG_CONFIG_HOME: pathOf('.a'),
      XDG_STATE_HOME: pathOf('.b'),
      XDG_DATA_HOME: '/d',
    })
    expect(found).toEqual({
      home,
      env: { XDG_DATA_HOME: '/d' },
      warnings: [
        `XDG_CONFIG_HOME (${pathOf('.a')}), XDG_STATE_HOME (${pathOf('.b')}) lead into the project and are not used: ` +
          'a project must not supply your settings or logins.',
      ],
    })
  })

  test('with a HOME in the project, both are replaced, as seen from the account’s home directory', async () => {
    const env = { HOME: '/workspace', XDG_CONFIG_HOME: '/workspace/.config' }
    const found = await believed({ cwd: '/workspace', env, ...repositories('/workspace'), ...account() })
    expect(found).toMatchObject({ home: '/root', env: { HOME: '/root' } })
    expect(found.warnings).toHaveLength(2)
  })
})
