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
  [`${folder}/app/package.json`]: JSON.stringify({ main: 'lib/main' }),
  [`${folder}/app/lib/main.js`]: 'main()',
  [`${folder}/app/index.js`]: 'not the main one',
  [`${folder}/web/index.js`]: 'index()',
  [`${folder}/jobs/__init__.py`]: '',
  [`${folder}/jobs/__main__.py`]: 'main()',
  [`${folder}/jobs/once.py`]: 'once()',
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
    ['T133 a path without its ending', { command: 'node', args: ['./server'] }, ['server.js']],
    [
      'T133 a folder with its package.json',
      { command: 'node', args: ['./app'] },
      ['app/package.json', 'app/lib/main.js'],
    ],
    ['T133 a folder with an index', { command: 'node', args: ['web'] }, ['web/index.js']],
    ['T133 a folder of Python', { command: 'python3', args: ['jobs'] }, ['jobs/__main__.py']],
    [
      'T133 a module of Python that is a folder',
      { command: 'python3', args: ['-W', 'ignore', '-m', 'jobs'] },
      ['jobs/__init__.py', 'jobs/__main__.py'],
    ],
    [
      'T133 a module in a package of Python',
      { command: 'env', args: ['A=1', 'python3.12', '-um', 'jobs.once', 'server.js'] },
      ['jobs/__init__.py', 'jobs/once.py'],
    ],
    ['T133 a module that is not in the project', { command: 'python3', args: ['-m', 'http.server'] }, []],
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

describe('T03 what depends on the system, on variables and on the place of the project', () => {
  interface Machine {
    readonly os?: 'linux' | 'win32'
    readonly modes?: Readonly<Record<string, number>>
    readonly env?: Readonly<Record<string, string>>
    readonly folder?: string | undefined
    readonly realPath?: (path: string) => Promise<string>
    readonly files?: Readonly<Record<string, string>>
  }
  const stdio = { kind: 'stdio', args: [], env: {}, framing: 'auto', inheritEnv: false } as const

  async function readOn(
    given: Partial<Extract<Server['transport'], { kind: 'stdio' }>>,
    {
      os = 'linux',
      modes = {},
      env = { PATH: '/usr/bin' },
      realPath,
      files = machine,
      ...more
    }: Machine = {},
  ) {
    const platform = createFakePlatform({ files, env, os, uid: 1000 })
    const stat = async (at: string) => {
      const found = await platform.files.stat(at)
      return found && { ...found, mode: modes[at] ?? 0o755 }
    }
    const of = 'folder' in more ? more.folder : folder
    return readInstalledProgram(
      { transport: { ...stdio, command: 'node', ...given }, ...(of !== undefined && { folder: of }) },
      {
        platform: { ...platform, files: { ...platform.files, stat, ...(realPath && { realPath }) } },
        dirs: [folder],
      },
    )
  }

  test('a file of the PATH without the right to run it is no program', async () => {
    expect(await readOn({}, { modes: { '/usr/bin/node': 0o644 } })).toEqual({
      command: 'node',
      scripts: new Map(),
    })
    for (const mode of [0o100, 0o010, 0o001])
      expect(await readOn({}, { modes: { '/usr/bin/node': mode } })).toMatchObject({ path: '/usr/bin/node' })
  })

  test('a folder of the PATH that has the name of the program is not it', async () => {
    const files = { '/usr/local/bin/node/README': '', '/usr/bin/node': '' }
    const env = { PATH: '/usr/local/bin:/usr/bin' }
    expect(await readOn({}, { files, env })).toMatchObject({ path: '/usr/bin/node' })
  })

  test('on Windows a program has an ending, and needs no right to run it', async () => {
    const files = { '/usr/bin/node.cmd': '', '/usr/bin/node': '' }
    const modes = { '/usr/bin/node.cmd': 0o644 }
    expect(await readOn({}, { files, modes, os: 'win32' })).toMatchObject({ path: '/usr/bin/node.cmd' })
    expect(await readOn({}, { files, os: 'linux' })).toMatchObject({ path: '/usr/bin/node' })
  })

  test('a command or folder with a variable is not looked for', async () => {
    expect(await readOn({ command: '/usr/bin/${NAME}' }, { files: { '/usr/bin/${NAME}': '' } })).toEqual({
      command: '/usr/bin/${NAME}',
      scripts: new Map(),
    })
    expect(await readOn({ command: './server.js', cwd: '${HOME}/x' })).toEqual({
      command: './server.js',
      scripts: new Map(),
    })
    expect(await readOn({ args: ['server.js'], cwd: '~/shop' })).toMatchObject({ scripts: new Map() })
  })

  test('a path without a file has no place', async () => {
    expect(await readOn({ command: './gone.js' })).toMatchObject({ command: './gone.js' })
    expect(await readOn({ command: './gone.js' })).not.toHaveProperty('path')
  })

  test('a script that is a folder, is gone, or is a link out of the project is not hashed', async () => {
    expect(await readOn({ args: ['tools'] })).toMatchObject({ scripts: new Map() })
    expect(await readOn({ args: ['gone.js'] })).toMatchObject({ scripts: new Map() })
    const outside = async (path: string) => (path.endsWith('server.js') ? '/etc/passwd' : path)
    expect(await readOn({ args: ['server.js'] }, { realPath: outside })).toMatchObject({
      scripts: new Map(),
    })
    const above = async (path: string) => (path.endsWith('server.js') ? home : path)
    expect(await readOn({ args: ['server.js'] }, { realPath: above })).toMatchObject({ scripts: new Map() })
  })

  test('a file whose name begins with two dots is in the project', async () => {
    const files = { [`${folder}/..server.js`]: 'serve()' }
    expect(await readOn({ args: ['./..server.js'] }, { files })).toMatchObject({
      scripts: new Map([['..server.js', sha('serve()')]]),
    })
  })

  test('without a folder of its own, a server starts in the working directory, and nothing is in a project', async () => {
    const found = await readOn({ command: './server.js', args: ['./server.js'] }, { folder: undefined })
    expect(found).toEqual({
      command: './server.js',
      path: `${folder}/server.js`,
      scripts: new Map(),
    })
    const text = '${workspaceFolder}/server.js'
    expect(await readOn({ command: text }, { folder: undefined })).toEqual({
      command: text,
      scripts: new Map(),
    })
  })

  test('the cache is found by the variables that the server gets', async () => {
    const npx = { command: 'npx', args: ['@acme/tool'] }
    const cache = `${home}/cache`
    const env = { PATH: '/usr/bin', npm_config_cache: cache }
    const version = async (given: Parameters<typeof readOn>[0], machineOf: Machine = { env }) =>
      (await readOn({ ...npx, ...given }, machineOf)).version
    expect(await version({})).toBe('1.4.2')
    expect(await version({ passEnv: ['npm_config_cache'] })).toBe('1.9.0')
    expect(await version({ inheritEnv: true })).toBe('1.9.0')
    expect(await version({ env: { npm_config_cache: '${CACHE}' } })).toBe('1.4.2')
  })

  test('what a package is, is said with its runner', async () => {
    expect(await readOn({ command: 'npx', args: ['-y', '@acme/tool'] })).toMatchObject({
      package: { name: '@acme/tool', runner: 'npx', spec: '@acme/tool', isImage: false },
    })
    expect(await readOn({})).not.toHaveProperty('package')
  })
})
