import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createPerson, pathOf, project } from '../../test/support/person.ts'
import type { Os, Platform } from '../platform/platform.ts'
import { placesOf, sourceIds } from '../sources/places.ts'
import type { World } from '../sources/source.ts'
import { createWorld } from './world.ts'

const dirsOf = async (cwd: string, texts: Record<string, string> = {}, over: Partial<Platform> = {}) =>
  (await createWorld(createPerson(texts, { cwd, ...over }).platform)).dirs

describe('D-16 createWorld: directories of the project', () => {
  test('from the working directory up to the repository’s root, nearest first', async () => {
    expect(await dirsOf(pathOf('web/app'))).toEqual([pathOf('web/app'), pathOf('web'), project])
    expect(await dirsOf(project)).toEqual([project])
  })

  test('a submodule or worktree, where .git is a file, is a repository of its own', async () => {
    expect(await dirsOf(pathOf('lib/x'), { 'lib/.git': 'gitdir: ../.git/modules/lib' })).toEqual([
      pathOf('lib/x'),
      pathOf('lib'),
    ])
  })

  test('only the working directory without a repository', async () => {
    expect(await dirsOf('/home/dana/notes/deep')).toEqual(['/home/dana/notes/deep'])
    expect(await dirsOf('/srv/app')).toEqual(['/srv/app'])
  })

  test('never the home directory and never /', async () => {
    const texts = { '~/.git/HEAD': '', '/.git/HEAD': '' }
    expect(await dirsOf('/home/dana', texts)).toEqual([])
    expect(await dirsOf('/', texts)).toEqual([])
    expect(await dirsOf('/home/dana/notes', texts)).toEqual(['/home/dana/notes'])
    expect(await dirsOf('/srv/app', texts)).toEqual(['/srv/app'])
  })

  test('a home directory with a trailing slash is recognized', async () => {
    expect(await dirsOf('/home/dana', {}, { home: '/home/dana/' })).toEqual([])
  })

  test('the working directory is normalized', async () => {
    expect(await dirsOf('/home/dana/src/shop/web/../')).toEqual([project])
  })
})

test('createWorld: contains exactly the facts of the platform and the given options', async () => {
  const { platform } = createPerson({})
  expect(await createWorld(platform, { config: 'x.json', strictType: true })).toEqual({
    os: 'linux',
    home: '/home/dana',
    cwd: project,
    env: {},
    systemRoot: '/',
    dirs: [project],
    config: 'x.json',
    strictType: true,
  })
  expect(Object.keys(await createWorld(platform))).not.toContain('config')
})

describe('placesOf: files of every client', () => {
  const systems: Readonly<Record<Os, Pick<World, 'home' | 'cwd' | 'systemRoot'>>> = {
    linux: { home: '/home/dana', cwd: '/home/dana/shop', systemRoot: '/' },
    darwin: { home: '/Users/dana', cwd: '/Users/dana/shop', systemRoot: '/' },
    win32: { home: 'C:\\Users\\dana', cwd: 'C:\\Users\\dana\\shop', systemRoot: 'C:\\' },
  }
  const variables = [
    'XDG_CONFIG_HOME',
    'XDG_DATA_HOME',
    'APPDATA',
    'LOCALAPPDATA',
    'CODEX_HOME',
    'CLAUDE_CONFIG_DIR',
    'COPILOT_HOME',
    'GOOSE_PATH_ROOT',
    'CLINE_DIR',
  ]
  const env = fc.record(
    Object.fromEntries(variables.map((name) => [name, fc.constantFrom('', '/moved', undefined)])),
    { requiredKeys: [] },
  )
  const worldOf = (os: Os, more: Partial<World> = {}): World => ({
    os,
    ...systems[os],
    env: {},
    dirs: [systems[os].cwd],
    ...more,
  })

  test.each(
    sourceIds.flatMap((id) => (['linux', 'darwin', 'win32'] as const).map((os) => [id, os] as const)),
  )('%s on %s has places, and each is an absolute path', (id, os) => {
    fc.assert(
      fc.property(env, fc.constantFrom([systems[os].cwd], []), (found, dirs) => {
        const places = placesOf(id, worldOf(os, { env: found, dirs }))
        const needsProject = placesOf(id, worldOf(os, { dirs: [] })).length === 0
        expect(places.length > 0 || needsProject).toBe(true)
        for (const { path, root, scope, role } of places) {
          expect([path, root, scope, role].join(' ')).not.toMatch(/undefined|null|\[object/)
          expect(/^(?:\/|[A-Z]:[\\/])/.test(path)).toBe(true)
        }
      }),
      { numRuns: 20 },
    )
  })

  test.each([
    ['claude-desktop', 'linux', '/home/dana/.config/Claude/claude_desktop_config.json'],
    ['claude-desktop', 'darwin', '/Users/dana/Library/Application Support/Claude/claude_desktop_config.json'],
    ['vscode', 'darwin', '/Users/dana/Library/Application Support/Code/User/mcp.json'],
    ['vscode', 'linux', '/home/dana/.config/Code/User/mcp.json'],
    ['zed', 'darwin', '/Users/dana/.config/zed/settings.json'],
    ['plugboard', 'darwin', '/Library/Application Support/Plugboard/managed-mcp.json'],
    ['plugboard', 'linux', '/etc/plugboard/managed-mcp.json'],
    ['gemini-cli', 'darwin', '/Library/Application Support/GeminiCli/settings.json'],
  ] as const)('%s on %s includes %s', (id, os, path) => {
    expect(placesOf(id, worldOf(os)).map((place) => place.path)).toContain(path)
  })

  test.each([
    ['claude-desktop', 'AppData[\\\\/]Roaming[\\\\/]Claude[\\\\/]claude_desktop_config.json'],
    ['vscode', 'AppData[\\\\/]Roaming[\\\\/]Code[\\\\/]User[\\\\/]mcp.json'],
    ['goose', 'AppData[\\\\/]Roaming[\\\\/]Block[\\\\/]goose[\\\\/]config[\\\\/]config.yaml'],
    ['claude-code', 'Program Files[\\\\/]ClaudeCode[\\\\/]managed-mcp.json'],
    ['plugboard', 'Program Files[\\\\/]Plugboard[\\\\/]managed-mcp.json'],
  ] as const)('%s on Windows includes a path that ends with %s', (id, pattern) => {
    const paths = placesOf(id, worldOf('win32')).map((place) => place.path)
    expect(paths.some((path) => new RegExp(`${pattern}$`).test(path))).toBe(true)
  })

  test('APPDATA moves files on Windows, XDG_CONFIG_HOME on Linux, neither on macOS', () => {
    const moved = { APPDATA: '/moved', XDG_CONFIG_HOME: '/moved' }
    const first = (os: Os) => placesOf('claude-desktop', worldOf(os, { env: moved }))[0]?.path
    expect([first('win32'), first('linux'), first('darwin')]).toEqual([
      '/moved/Claude/claude_desktop_config.json',
      '/moved/Claude/claude_desktop_config.json',
      '/Users/dana/Library/Application Support/Claude/claude_desktop_config.json',
    ])
  })

  test.each(['', 'relative'])('XDG_CONFIG_HOME=%j counts as unset', (value) => {
    const places = placesOf('plugboard', worldOf('linux', { env: { XDG_CONFIG_HOME: value } }))
    expect(places.at(-1)?.path).toBe('/home/dana/.config/plugboard/mcp.json')
  })
})
