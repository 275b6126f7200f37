import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Server } from '../model/server.ts'
import { createFakePlatform } from '../testing/fake-platform.ts'
import { readInstalledProgram } from './installed-program.ts'

const home = '/home/dana'
const folder = `${home}/shop`

const machine: Readonly<Record<string, string>> = {
  '/usr/bin/npx': '',
  '/usr/bin/node': '',
  [`${folder}/server.js`]: 'serve()',
  [`${folder}/hook.mjs`]: 'hook()',
  [`${folder}/tools/run.sh`]: 'run',
  [`${folder}/data.db`]: 'rows',
  [`${folder}/bin/npx`]: 'not the real one',
  [`${home}/.npm/_npx/1/package.json`]: JSON.stringify({
    dependencies: { '@acme/tool': '^1.4.2' },
    _npx: { packages: ['@acme/tool'] },
  }),
  [`${home}/.npm/_npx/1/node_modules/@acme/tool/package.json`]: JSON.stringify({
    name: '@acme/tool',
    version: '1.4.2',
    bin: { 'acme-tool': 'a.js' },
  }),
  [`${home}/cache/_npx/1/package.json`]: JSON.stringify({
    dependencies: { '@acme/tool': '^1.9.0' },
    _npx: { packages: ['@acme/tool'] },
  }),
  [`${home}/cache/_npx/1/node_modules/@acme/tool/package.json`]: JSON.stringify({
    version: '1.9.0',
    bin: 'a.js',
  }),
  [`${home}/.local/share/uv/tools/acme-py/bin/acme-py`]: '',
  [`${home}/.local/share/uv/tools/acme-py/bin/python`]: '',
  [`${home}/.local/share/uv/tools/acme-py/lib/python3.12/site-packages/acme_py-2.0.1.dist-info/METADATA`]: '',
  ...uvEnvironment('a1b2c3d4', '0011223344', { 'acme-fresh': '0.4.0', 'acme-many': '1.0.0' }),
  ...uvEnvironment('a1b2c3d4', '5566778899', { 'acme-many': '1.1.0' }),
  [`${home}/.local/share/pipx/venvs/acme-pip/bin/acme-pip`]: '',
  [`${home}/.local/share/pipx/venvs/acme-pip/lib/python3.12/site-packages/acme_pip-3.1.dist-info/METADATA`]:
    '',
  [`${home}/.local/share/containers/storage/overlay-images/images.json`]: JSON.stringify([
    { id: '1', digest: `sha256:${'a'.repeat(64)}`, names: ['docker.io/acme/server:latest'] },
    { id: '2', digest: `sha256:${'b'.repeat(64)}`, names: ['localhost/built:1'] },
    { id: '3', digest: `sha256:${'c'.repeat(64)}` },
  ]),
  '/var/lib/docker/image/overlay2/repositories.json': JSON.stringify({
    Repositories: {
      'acme/server': {
        'acme/server:latest': 'sha256:1',
        'acme/server:old': 'sha256:2',
        [`acme/server@sha256:${'d'.repeat(64)}`]: 'sha256:1',
      },
    },
  }),
}

/** An environment in the cache of uvx, laid out as uv does; there the last folder is a link into `archive-v0`. */
function uvEnvironment(interpreter: string, packages: string, versions: Readonly<Record<string, string>>) {
  const environment = `${home}/.cache/uv/environments-v2/${interpreter}/${packages}`
  return Object.fromEntries(
    Object.entries(versions).flatMap(([name, version]) => [
      [`${environment}/bin/${name}`, ''],
      [
        `${environment}/lib/python3.12/site-packages/${name.replace('-', '_')}-${version}.dist-info/METADATA`,
        '',
      ],
    ]),
  )
}

interface Case {
  readonly command: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly path?: string
}

async function read({ command, args = [], env = {}, cwd, path = '/usr/bin' }: Case) {
  const platform = createFakePlatform({ files: machine, env: { PATH: path }, uid: 1000 })
  const transport: Server['transport'] = {
    kind: 'stdio',
    command,
    args,
    env,
    framing: 'auto',
    inheritEnv: false,
    ...(cwd !== undefined && { cwd }),
  }
  const files = {
    ...platform.files,
    // Files in memory have no mode bits: programs are those in a bin folder.
    stat: async (at: string) => {
      const stat = await platform.files.stat(at)
      return stat && { ...stat, mode: at.includes('/bin/') ? 0o755 : 0o644 }
    },
  }
  const found = await readInstalledProgram(
    { transport, folder },
    { platform: { ...platform, files }, dirs: [folder] },
  )
  const { package: owner, scripts, ...rest } = found
  return { ...rest, ...(owner && { package: owner.name }), scripts: Object.fromEntries(scripts) }
}

const sha = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`

describe('T03 packages: the version that is installed now, from files only', () => {
  const digest = (digit: string) => `sha256:${digit.repeat(64)}`
  const cases: readonly (readonly [string, Case, string | undefined])[] = [
    ['npx', { command: 'npx', args: ['-y', '@acme/tool'] }, '1.4.2'],
    ['npm exec', { command: 'npm', args: ['exec', '@acme/tool'] }, '1.4.2'],
    ['npx behind env', { command: 'env', args: ['A=1', 'npx', '-y', '@acme/tool'] }, '1.4.2'],
    [
      'npx with the cache of the entry',
      { command: 'npx', args: ['@acme/tool'], env: { npm_config_cache: `${home}/cache` } },
      '1.9.0',
    ],
    ['npx with an exact version', { command: 'npx', args: ['@acme/tool@0.9.0'] }, '0.9.0'],
    ['npx with a package that was never fetched', { command: 'npx', args: ['@acme/other'] }, undefined],
    ['uvx', { command: 'uvx', args: ['acme-py'] }, '2.0.1'],
    ['uv tool run', { command: 'uv', args: ['tool', 'run', '--from', 'acme-py', 'acme-py'] }, '2.0.1'],
    ['pipx run', { command: 'pipx', args: ['run', 'acme-pip'] }, '3.1'],
    ['uvx with what its cache has', { command: 'uvx', args: ['acme-fresh'] }, '0.4.0'],
    [
      'uvx with a program of another name in the cache',
      { command: 'uvx', args: ['--from', 'acme-fresh', 'acme-many'] },
      '0.4.0',
    ],
    ['uvx with two versions in its cache', { command: 'uvx', args: ['acme-many'] }, undefined],
    ['uvx with an exact one of two versions', { command: 'uvx', args: ['acme-many==1.1.0'] }, '1.1.0'],
    [
      'uvx with another cache',
      { command: 'uvx', args: ['acme-fresh'], env: { UV_CACHE_DIR: `${home}/none` } },
      undefined,
    ],
    ['uvx with a tool that is not installed', { command: 'uvx', args: ['acme-other'] }, undefined],
    ['podman', { command: 'podman', args: ['run', '-i', 'acme/server'] }, digest('a')],
    [
      'podman with an image that was built here',
      { command: 'podman', args: ['run', '-i', 'built:1'] },
      digest('b'),
    ],
    [
      'podman with an image that is not there',
      { command: 'podman', args: ['run', '-i', 'other/server'] },
      undefined,
    ],
    ['docker', { command: 'docker', args: ['run', '-i', '--rm', 'acme/server'] }, digest('d')],
    [
      'docker with a tag without a digest',
      { command: 'docker', args: ['run', 'acme/server:old'] },
      undefined,
    ],
  ]
  test.each(cases)('%s', async (_title, given, version) => {
    expect((await read(given)).version).toBe(version)
  })
})

describe('T03 scripts: the files of the project that are run', () => {
  const cases: readonly (readonly [string, Case, readonly string[]])[] = [
    ['node', { command: 'node', args: ['server.js'] }, ['server.js']],
    ['a path', { command: 'node', args: ['./server.js', './data.db'] }, ['server.js']],
    ['from another folder', { command: 'node', args: ['../server.js'], cwd: 'tools' }, ['server.js']],
    [
      'options with values',
      { command: 'node', args: ['--import', './hook.mjs', '--conditions', 'x', 'server.js'] },
      ['hook.mjs', 'server.js'],
    ],
    ['the folder of an editor', { command: 'node', args: ['${workspaceFolder}/server.js'] }, ['server.js']],
    ['the command itself', { command: './tools/run.sh' }, ['tools/run.sh']],
    ['behind env', { command: 'env', args: ['A=1', 'node', 'server.js'] }, ['server.js']],
    ['a shell', { command: 'bash', args: ['tools/run.sh', 'server.js'] }, ['tools/run.sh']],
    ['bun run', { command: 'bun', args: ['run', 'server.js'] }, ['server.js']],
    ['code on the command line', { command: 'node', args: ['-e', 'x', 'server.js'] }, []],
    ['a module', { command: 'python3', args: ['-m', 'server.js'] }, []],
    ['a program that is no interpreter', { command: 'sqlite-server', args: ['data.db'] }, []],
    ['a file outside of the project', { command: 'node', args: ['/usr/bin/npx'] }, []],
    ['a variable', { command: 'node', args: ['${HOME}/server.js'] }, []],
  ]
  test.each(cases)('%s', async (_title, given, names) => {
    const expected = names.map((name) => [name, sha(machine[`${folder}/${name}`] ?? '')])
    expect((await read(given)).scripts).toEqual(Object.fromEntries(expected))
  })
})

describe('T03 commands: the same text on every machine, and where it is on this one', () => {
  test('a program outside of the project is its name', async () => {
    expect(await read({ command: 'node' })).toEqual({ command: 'node', path: '/usr/bin/node', scripts: {} })
  })
  test('a path outside of the project is as written', async () => {
    expect(await read({ command: '/usr/bin/node' })).toMatchObject({
      command: '/usr/bin/node',
      path: '/usr/bin/node',
    })
  })
  test('a program in the project is its path there', async () => {
    expect(await read({ command: `${folder}/tools/run.sh` })).toMatchObject({ command: './tools/run.sh' })
  })
  test('a folder of the project in PATH is not searched', async () => {
    expect(await read({ command: 'npx', path: `${folder}/bin:/usr/bin` })).toMatchObject({
      command: 'npx',
      path: '/usr/bin/npx',
    })
  })
  test('a program that is not found has no path', async () => {
    expect(await read({ command: 'nothing' })).toEqual({ command: 'nothing', scripts: {} })
  })
  test('an address runs nothing', async () => {
    const platform = createFakePlatform()
    const transport = { kind: 'http', url: 'https://example.com/mcp', headers: {} } as const
    expect(await readInstalledProgram({ transport }, { platform, dirs: [] })).toEqual({ scripts: new Map() })
  })
})
