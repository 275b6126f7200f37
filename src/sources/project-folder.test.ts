import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { nodeFiles } from '../platform/node/files.ts'
import { memoryFiles } from '../testing/memory-files.ts'
import { findProject, isInProject, isProjectConfig } from './project-folder.ts'

const home = '/home/dana'

/** Files in memory: a repository in each of `repositories`. `.git` of the second one on is a file, as of a submodule. */
const filesOf = (repositories: readonly string[]) =>
  memoryFiles(
    Object.fromEntries(
      repositories.map((path, index) => [index === 0 ? `${path}/.git/HEAD` : `${path}/.git`, '']),
    ),
  )

const projectOf = async (cwd: string, ...repositories: readonly string[]) => {
  const { roots, parents } = await findProject({ cwd, home, files: filesOf(repositories) })
  return { roots, parents }
}

describe('T55 findProject', () => {
  test.each([
    ['the home directory', '/home/dana', [], [], []],
    ['above the home directory', '/home', [], [], []],
    ['the root', '/', [], [], []],
    ['a folder of the home directory', '/home/dana/notes', [], ['/home/dana/notes'], []],
    ['a folder in ~/.config', '/home/dana/.config/x', [], ['/home/dana/.config/x'], ['/home/dana/.config']],
    ['a folder elsewhere', '/srv/a/b', [], ['/srv/a/b'], ['/srv/a', '/srv']],
    ['the home of another user', '/home/dan/x', [], ['/home/dan/x'], ['/home/dan']],
    ['a repository', '/srv/a/b', ['/srv/a'], ['/srv/a'], []],
    ['a submodule', '/srv/a/lib/x', ['/srv/a', '/srv/a/lib'], ['/srv/a'], []],
    ['a repository in /', '/srv/a', ['/'], ['/srv/a'], ['/srv']],
    ['dotfiles at ~', '/home/dana', ['/home/dana'], [], []],
    ['a folder below dotfiles at ~', '/home/dana/a/b', ['/home/dana'], ['/home/dana/a/b'], ['/home/dana/a']],
    [
      'a repository below dotfiles at ~',
      '/home/dana/a/b',
      ['/home/dana', '/home/dana/a'],
      ['/home/dana/a'],
      [],
    ],
    ['a repository above ~', '/home/dana/a', ['/home'], ['/home/dana/a'], []],
    ['a path to be normalized', '/home/dana/a/../', [], [], []],
  ])('%s (%s, repositories %j)', async (_, cwd, repositories, roots, parents) => {
    expect(await projectOf(cwd, ...repositories)).toEqual({ roots, parents })
  })

  test('the result depends on repositories around the working directory only, and never covers the home directory', async () => {
    const folder = fc
      .array(fc.constantFrom('home', 'dana', 'srv', 'a'), { maxLength: 4 })
      .map((names) => `/${names.join('/')}`)
    await fc.assert(
      fc.asyncProperty(folder, fc.array(folder, { maxLength: 4 }), async (cwd, repositories) => {
        const files = filesOf(repositories)
        const project = await findProject({ cwd, home, files })
        const around = repositories.filter(
          (path) =>
            `${cwd}/`.startsWith(`${path}/`) && !`${home}/`.startsWith(`${path === '/' ? '' : path}/`),
        )
        const outermost = around.sort((a, b) => a.length - b.length)[0]
        const isHome = `${home}/`.startsWith(cwd === '/' ? cwd : `${cwd}/`)
        expect(project.roots).toEqual(isHome ? [] : [outermost ?? cwd])
        expect(await isInProject(home, project, files)).toBe(false)
        expect(await isInProject(dirname(home), project, files)).toBe(false)
        expect(await isInProject(cwd, project, files)).toBe(!isHome)
        for (const path of project.own) expect(await isInProject(path, project, files)).toBe(false)
      }),
    )
  })
})

describe('T55 isInProject', () => {
  const inProject = async (cwd: string, path: string, ...repositories: readonly string[]) => {
    const files = filesOf(repositories)
    const project = await findProject({ cwd, home, files })
    return [await isInProject(path, project, files), await isProjectConfig(path, project, files)]
  }
  const yes = [true, true]
  const no = [false, false]
  const asConfig = [false, true]

  test.each([
    ['/srv/a/b', '/srv/a/b/bin', yes],
    ['/srv/a/b', '/srv/a/b', yes],
    ['/srv/a/b', '/srv/a/bin/tool', no],
    ['/srv/a/b', '/srv/a/bin/x/y', no],
    ['/srv/a/b', '/srv/a/node_modules/.bin', yes],
    ['/srv/a/b', '/srv/node_modules', yes],
    ['/srv/a/b', '/node_modules/.bin', no],
    ['/srv/a/b', '/srv/a/.venv/bin', yes],
    ['/srv/a/b', '/srv/a/.mcp.json', asConfig],
    ['/srv/a/b', '/srv/a/.vscode/mcp.json', asConfig],
    ['/srv/a/b', '/srv/mcp.json', asConfig],
    ['/srv/a/b', '/srv/other/mcp.json', no],
    ['/srv/a/b', '/mcp.json', no],
    ['/home/dana/a/b', '/home/dana/node_modules/.bin', no],
    ['/home/dana/a/b', '/home/dana/a/node_modules/.bin', yes],
    ['/home/dana', '/home/dana/node_modules/.bin', no],
    ['/home/dana', '/home/dana/.mcp.json', no],
  ])('without a repository in %s: %s', async (cwd, path, expected) => {
    expect(await inProject(cwd, path)).toEqual(expected)
  })

  test.each([
    ['/srv/a/lib/x', '/srv/a/tools/bin', yes],
    ['/srv/a/lib/x', '/srv/node_modules/.bin', no],
    ['/srv/a/lib/x', '/srv/.mcp.json', no],
    ['/srv/a/lib/x', '/srv/ab', no],
  ])('in a submodule, %s: %s', async (cwd, path, expected) => {
    expect(await inProject(cwd, path, '/srv/a', '/srv/a/lib')).toEqual(expected)
  })

  test.each(['.config', '.local/state', '.cache', '.local/share'])(
    'our usual place under the home directory never counts: ~/%s',
    async (folder) => {
      const usual = join(home, folder, 'plugboard')
      for (const cwd of [usual, join(usual, 'x'), dirname(usual)]) {
        expect(await inProject(cwd, join(usual, 'mcp.json'))).toEqual(no)
        expect(await inProject(cwd, join(usual, 'mcp.json'), dirname(usual))).toEqual(no)
      }
      expect(await inProject(dirname(usual), `${usual}2/mcp.json`)).toEqual(yes)
    },
  )
})

describe('T55 links', () => {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-project-')))
  afterAll(() => rmSync(top, { recursive: true }))
  const at = (...path: readonly string[]) => join(top, ...path)
  const folder = (...path: readonly string[]) => mkdirSync(at(...path), { recursive: true })
  folder('home/.config')
  folder('home/repo/.git')
  folder('home/repo/sub')
  folder('home/repo/dotfiles/plugboard')
  folder('srv/other/.git')
  writeFileSync(at('home/repo/sub/.git'), 'gitdir: ../.git/modules/sub')
  symlinkSync(at('home/repo/sub'), at('home/link'))
  symlinkSync(at('srv/other'), at('home/repo/vendor'))
  symlinkSync(at('home'), at('me'))
  symlinkSync(at('home/repo/dotfiles/plugboard'), at('home/.config/plugboard'))
  const find = (cwd: string, homeFolder = 'home') =>
    findProject({ cwd: at(cwd), home: at(homeFolder), files: nodeFiles })

  test('a working directory behind a link belongs to the repository that it leads to', async () => {
    expect(await find('home/link')).toMatchObject({ roots: [at('home/repo')], parents: [] })
  })

  test('a link from one repository into another belongs to both', async () => {
    const { roots } = await find('home/repo/vendor')
    expect([...roots].sort()).toEqual([at('home/repo'), at('srv/other')])
  })

  test('a home directory behind a link is recognized', async () => {
    expect((await find('home', 'me')).roots).toEqual([])
    expect((await find('me', 'home')).roots).toEqual([])
    expect((await find('me/repo', 'me')).roots).toEqual([at('home/repo')])
  })

  test('a path behind a link is where the link leads, also if it does not exist yet', async () => {
    const project = await find('home/repo')
    expect(await isInProject(at('me/link/new'), project, nodeFiles)).toBe(true)
    expect(await isInProject(at('home/repo/vendor/new'), project, nodeFiles)).toBe(false)
  })

  test('our own folder may be a link into the repository of a person’s dotfiles', async () => {
    const project = await find('home/repo')
    expect(await isInProject(at('home/.config/plugboard/mcp.json'), project, nodeFiles)).toBe(false)
    expect(await isInProject(at('home/repo/dotfiles/other'), project, nodeFiles)).toBe(true)
  })
})
