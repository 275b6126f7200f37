import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { discover } from '../discover.ts'
import { addDeclaration, removeDeclaration } from './declarations.ts'
import { nodePlatform } from '../../platform/node/node-platform.ts'
import type { Platform } from '../../platform/platform.ts'
import { childEnv } from '../../platform/child-env.ts'
import { createWorld } from '../world.ts'

function machine(files: Readonly<Record<string, string>>) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-links-')))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const at = (path: string) => join(root, path)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(at(path)), { recursive: true })
    writeFileSync(at(path), text)
  }
  const platform = (over: Partial<Platform> = {}) =>
    nodePlatform({ os: 'linux', home: at('home'), cwd: at('project'), env: {}, systemRoot: at('x'), ...over })
  return { at, platform }
}

const config = (name: string) => JSON.stringify({ mcpServers: { [name]: { command: 'run' } } })

test('D-16 createWorld: a home directory behind a link is not a project', async () => {
  const { at, platform } = machine({ 'home/.git/HEAD': '', 'home/notes/x': '' })
  symlinkSync(at('home'), at('house'))
  const dirs = async (home: string, cwd: string) =>
    (await createWorld(platform({ home: at(home), cwd: at(cwd) }))).dirs
  expect(await dirs('house', 'home')).toEqual([])
  expect(await dirs('home', 'house')).toEqual([])
  expect(await dirs('house', 'home/notes')).toEqual([at('home/notes')])
})

test('T04 createWorld: a folder of PATH that links into the project is left out', async () => {
  const { at, platform } = machine({ 'project/node_modules/.bin/git': '', 'tools/git': '', 'home/x': '' })
  symlinkSync(at('project'), at('link'))
  const folders = [at('link/node_modules/.bin'), at('tools'), at('project/bin')]
  const pathFrom = async (cwd: string) => {
    const env = { PATH: folders.join(':') }
    return childEnv(await createWorld(platform({ cwd: at(cwd), env })))['PATH']
  }
  expect(await pathFrom('project')).toBe(at('tools'))
  expect(await pathFrom('link')).toBe(at('tools'))
})

test('T01 addDeclaration: an edit of the project does not follow a link to a user file', async () => {
  const own = 'home/.config/plugboard/mcp.json'
  const { at, platform } = machine({ 'project/.git/HEAD': '', [own]: config('mine') })
  symlinkSync(at(own), at('project/.mcp.json'))
  const options = { platform: platform(), scope: 'project' } as const
  const refusal = {
    code: 'config.unwritable',
    message: `${at('project/.mcp.json')} is a link to ${at(own)}, which is not in the project.`,
  }
  const server = { name: 'new', transport: { kind: 'stdio', command: 'x' } } as const
  await expect(addDeclaration(server, options)).rejects.toMatchObject(refusal)
  await expect(removeDeclaration('mine', options)).rejects.toMatchObject(refusal)
  expect(readFileSync(at(own), 'utf8')).toBe(config('mine'))
})

test('addDeclaration: a link within the project is followed', async () => {
  const { at, platform } = machine({ 'project/.git/HEAD': '', 'project/shared/mcp.json': '{}', 'home/x': '' })
  symlinkSync(at('project/shared/mcp.json'), at('project/.mcp.json'))
  const server = { name: 'new', transport: { kind: 'stdio', command: 'x' } } as const
  await addDeclaration(server, { platform: platform(), scope: 'project' })
  expect(readFileSync(at('project/shared/mcp.json'), 'utf8')).toContain('"new"')
})

test('discover: an unreadable --config file is not reported as missing', async () => {
  const { at, platform } = machine({ 'project/x': '', 'home/x': '' })
  symlinkSync(at('project/loop.json'), at('project/loop.json'))
  const messages = async (name: string) =>
    (await discover({ platform: platform(), config: name })).diagnostics.map(({ message }) => message)
  expect(await messages('loop.json')).toEqual([expect.stringContaining('cannot be read: ELOOP')])
  expect(await messages('none.json')).toEqual([`${at('project/none.json')} does not exist.`])
})
