import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createHost } from '../src/index.ts'
import type { HostOptions, JsonObject } from '../src/index.ts'
import { faultyServerFile } from '../src/testing/faulty-server.ts'
import { outputOf, succeeds } from './support/programs/program.ts'

const posix = process.platform !== 'win32'

function write(file: string, text: string | JsonObject, mode = 0o644): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, typeof text === 'string' ? text : JSON.stringify(text), { mode })
  chmodSync(file, mode)
}

/** A repository in which everything that a runner might take from it creates the file `canary`. */
function hostileProject() {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-lookup-')))
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }))
  const root = join(home, 'shop')
  const cwd = join(root, 'web')
  const canary = join(home, 'canary')
  const shell = `#!/bin/sh\necho "$0" >> '${canary}'\nexit 1\n`
  const script = `#!/usr/bin/env node\nrequire('fs').appendFileSync(${JSON.stringify(canary)}, __filename + '\\n')\n`
  mkdirSync(join(root, '.git'), { recursive: true })
  for (const folder of [root, cwd]) {
    write(join(folder, 'node_modules/tool/package.json'), {
      name: 'tool',
      version: '9.0.0',
      bin: { tool: 'cli.js' },
    })
    write(join(folder, 'node_modules/tool/cli.js'), script, 0o755)
    mkdirSync(join(folder, 'node_modules/.bin'))
    symlinkSync('../tool/cli.js', join(folder, 'node_modules/.bin/tool'))
    for (const name of ['node', 'sh', 'good']) write(join(folder, 'node_modules/.bin', name), shell, 0o755)
    write(join(folder, 'package.json'), {
      name: 'shop',
      version: '1.0.0',
      bin: { tool: 'evil.js' },
      scripts: { tool: './evil.sh' },
    })
    write(join(folder, 'evil.js'), script, 0o755)
    write(join(folder, 'evil.sh'), shell, 0o755)
    write(
      join(folder, '.npmrc'),
      `script-shell=./evil.sh\nnode-options=--require=${join(folder, 'evil.js')}\nregistry=http://127.0.0.1:1/\n`,
    )
    write(join(folder, 'bunfig.toml'), 'preload = ["./evil.js"]\n')
    write(join(folder, 'uv.toml'), 'index-url = "http://127.0.0.1:1/simple"\n')
    write(join(folder, 'mod/__main__.py'), `open(${JSON.stringify(canary)}, 'a').write(__file__)\n`)
  }
  return {
    home,
    root,
    cwd,
    ran: () => (existsSync(canary) ? readFileSync(canary, 'utf8') : 'nothing of the project'),
  }
}

/** Connects to a server of the person's own file. Its program writes its working directory and arguments to `~/ran`. */
async function start(
  home: string,
  cwd: string,
  entry: JsonObject,
  options: HostOptions & { readonly path?: string } = {},
) {
  const { path = process.env['PATH'], ...others } = options
  write(join(home, '.config/plugboard/mcp.json'), { mcpServers: { x: entry } })
  const host = await createHost({ cwd, platform: { home, env: { HOME: home, PATH: path } }, ...others })
  try {
    return await host.connect('x').then(
      () => 'connected',
      (error: { readonly message: string; readonly hint?: string }) => `${error.message} ${error.hint ?? ''}`,
    )
  } finally {
    await host.close()
  }
}

const serverText = (home: string) => `#!/usr/bin/env node
import('node:fs').then(({ writeFileSync }) => {
  writeFileSync(${JSON.stringify(join(home, 'ran'))}, JSON.stringify([process.cwd(), ...process.argv.splice(2)]))
  return import(${JSON.stringify(faultyServerFile)})
})
`

/** A registry on this machine that offers the package `tool`, and the person's settings that name it. */
async function serveRegistry(home: string): Promise<void> {
  const folder = join(home, 'packed')
  const manifest = { name: 'tool', version: '1.0.0', bin: { tool: 'cli.js' } }
  write(join(folder, 'package/package.json'), manifest)
  write(join(folder, 'package/cli.js'), serverText(home), 0o755)
  outputOf('tar', ['czf', join(folder, 'tool.tgz'), '-C', folder, 'package'])
  const bytes = readFileSync(join(folder, 'tool.tgz'))
  const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`
  const server = createServer((request, response) => {
    if (request.url?.endsWith('.tgz')) return response.end(bytes)
    if (request.url !== '/tool') return response.writeHead(404).end('{}')
    const dist = { tarball: `http://${request.headers.host}/tool/-/tool-1.0.0.tgz`, integrity }
    const versions = { '1.0.0': { ...manifest, dist } }
    return response.end(JSON.stringify({ name: 'tool', 'dist-tags': { latest: '1.0.0' }, versions }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo // it listens on a port
  write(
    join(home, '.npmrc'),
    `registry=http://127.0.0.1:${port}/\nupdate-notifier=false\naudit=false\nfund=false\n`,
  )
}

const npxScript = realpathSync(outputOf('sh', ['-c', 'command -v npx']).trim())
const has = (program: string) => succeeds(program, ['--version'])
const reason = (program: string) => (has(program) ? '' : ` (skipped: this machine has no ${program})`)

describe.skipIf(!posix)('T51 a person’s own server in a hostile project', () => {
  test.each([
    ['npx', { command: 'npx', args: ['-y', 'tool', '.', 'a b'] }],
    ['npx with a version', { command: 'npx', args: ['-y', 'tool@1.0.0', '.', 'a b'] }],
    ['npm exec', { command: 'npm', args: ['exec', '-y', '--', 'tool', '.', 'a b'] }],
    ['env npx', { command: 'env', args: ['A=1', 'npx', '-y', 'tool', '.', 'a b'] }],
    ['npx by its script', { command: 'node', args: [npxScript, '-y', 'tool', '.', 'a b'] }],
  ])(
    '%s runs the registry’s package, in the working directory, with its arguments',
    async (_title, entry) => {
      const { home, cwd, ran } = hostileProject()
      await serveRegistry(home)
      expect(await start(home, cwd, entry)).toBe('connected')
      expect(ran()).toBe('nothing of the project')
      expect(JSON.parse(readFileSync(join(home, 'ran'), 'utf8'))).toEqual([cwd, '.', 'a b'])
    },
  )

  test.skipIf(!has('pnpm'))(`pnpm dlx runs the registry’s package${reason('pnpm')}`, async () => {
    const { home, cwd, ran } = hostileProject()
    await serveRegistry(home)
    expect(await start(home, cwd, { command: 'pnpm', args: ['dlx', 'tool', '.'] })).toBe('connected')
    expect(ran()).toBe('nothing of the project')
    expect(JSON.parse(readFileSync(join(home, 'ran'), 'utf8'))).toEqual([cwd, '.'])
  })

  test.skipIf(!has('bun'))(`bun runs a file without the project’s preload${reason('bun')}`, async () => {
    const { home, cwd, ran } = hostileProject()
    write(join(home, 'server.mjs'), serverText(home))
    expect(await start(home, cwd, { command: 'bun', args: [join(home, 'server.mjs')] })).toBe('connected')
    expect(ran()).toBe('nothing of the project')
  })

  test.skipIf(!has('python3')).each([
    ['python3', '-m', 'mod'],
    ['python3', '-X', 'utf8', '-m', 'mod'],
    ['python3', '-bW', 'ignore', '-mmod'],
    ['env', '-u', 'A', 'B=1', 'env', 'python3', '-m', 'mod'],
    ['timeout', '-k', '1', '20s', 'nice', '-n', '1', 'python3', '-m', 'mod'],
  ])(`%s %s %s … does not find a module of the project${reason('python3')}`, async (command, ...args) => {
    const { home, cwd, ran } = hostileProject()
    const failure = await start(home, cwd, { command, args })
    expect(failure).toContain('"x"')
    expect(ran()).toBe('nothing of the project')
  })

  test.each([
    ['pnpm', 'dlx', 'tool'],
    ['pnpx', 'tool'],
    ['yarn', 'dlx', 'tool'],
    ['pnpm', '-C', tmpdir(), 'start'],
  ])('%s %s %s … does not let Corepack read the project', async (command, ...args) => {
    const { home, cwd } = hostileProject()
    const text = `#!/bin/sh\n[ "$1" = --version ] && echo 4.9.2 && exit\nenv > '${home}/seen'\n`
    write(join(home, 'bin', command), text, 0o755)
    const path = [join(home, 'bin'), process.env['PATH']].join(':')
    await start(home, cwd, { command, args }, { path })
    const seen = readFileSync(join(home, 'seen'), 'utf8')
    expect(seen).toContain('COREPACK_ENABLE_PROJECT_SPEC=0\n')
    expect(seen).toContain('COREPACK_ENV_FILE=0\n')
  })

  test('yarn dlx of Yarn 1, which would run a script of that name, is refused', async () => {
    const { home, cwd } = hostileProject()
    write(join(home, 'bin/yarn'), '#!/bin/sh\necho 1.22.22\n', 0o755)
    const path = [join(home, 'bin'), process.env['PATH']].join(':')
    const failure = await start(home, cwd, { command: 'yarn', args: ['dlx', 'tool'] }, { path })
    expect(failure).toContain('yarn runs code of the project, unless it is Yarn 2 or later')
  })

  test.skipIf(!has('uv'))(`uv run does not use the project${reason('uv')}`, async () => {
    const { home, cwd, ran } = hostileProject()
    await start(home, cwd, { command: 'uv', args: ['run', '--offline', 'python', '-m', 'mod'] })
    expect(ran()).toBe('nothing of the project')
  })

  test('a name is not found in the node_modules/.bin of the project and its parents on PATH', async () => {
    const { home, root, cwd, ran } = hostileProject()
    const folders = [join(cwd, 'node_modules/.bin'), join(root, 'node_modules/.bin'), 'node_modules/.bin']
    const path = [...folders, process.env['PATH']].join(':')
    for (const env of [{}, { PATH: '/opt/none:${PATH}' }])
      expect(await start(home, cwd, { command: 'good', env }, { path })).toContain(
        '"good" was not found in PATH',
      )
    expect(ran()).toBe('nothing of the project')
  })

  test('a submodule’s superproject and, without a repository, a parent’s node_modules are left out of PATH', async () => {
    const { home, root, cwd, ran } = hostileProject()
    const path = [join(root, 'node_modules/.bin'), process.env['PATH']].join(':')
    mkdirSync(join(cwd, '.git'))
    expect(await start(home, cwd, { command: 'good' }, { path })).toContain('was not found')
    rmSync(join(cwd, '.git'), { recursive: true })
    rmSync(join(root, '.git'), { recursive: true })
    expect(await start(home, cwd, { command: 'good' }, { path })).toContain('was not found')
    expect(ran()).toBe('nothing of the project')
  })

  test.each([
    ['a relative command', { command: './evil.sh' }, './evil.sh would be a program of the project'],
    [
      'npx of a folder',
      { command: 'npx', args: ['-y', './node_modules/tool'] },
      'would be a program of the project',
    ],
    ['bunx', { command: 'bunx', args: ['tool'] }, 'bunx takes programs from the project’s node_modules'],
    ['bun x', { command: 'bun', args: ['x', 'tool'] }, 'bun takes programs from the project’s node_modules'],
    [
      'a script of bun',
      { command: 'bun', args: ['run', 'tool'] },
      'bun takes scripts and programs from the project',
    ],
    [
      'pnpm exec',
      { command: 'pnpm', args: ['exec', 'tool'] },
      'pnpm runs programs and scripts of the project',
    ],
    ['npm run', { command: 'npm', args: ['run', 'tool'] }, 'npm runs the scripts of the project'],
    ['yarn', { command: 'yarn', args: ['tool'] }, 'yarn runs programs and scripts of the project'],
    [
      'a bare module of node',
      { command: 'node', args: ['--import', 'tool', '/x.mjs'] },
      'node would load "tool"',
    ],
    [
      'a shell that calls npx',
      { command: 'sh', args: ['-c', 'npx -y tool'] },
      'sh may run programs of the project',
    ],
    ...[
      'python3 -X utf8 -mmod',
      'exec ./evil.sh',
      '/usr/bin/npx -y tool',
      'node --no-warnings -r tool /x.js',
    ].map((text): [string, JsonObject, string] => [
      `a shell that calls ${text}`,
      { command: 'bash', args: ['-lc', text] },
      'bash may run programs of the project',
    ]),
    [
      'a text of env that calls npx',
      { command: 'env', args: ['-S', 'npx -y tool'] },
      'may run programs of the project',
    ],
    [
      'a loader of node, spelled with an underscore',
      { command: 'node', args: ['--experimental_loader', 'tool', '/x.mjs'] },
      'node would load "tool"',
    ],
    [
      'a module of node after an option with a value',
      { command: 'node', args: ['-C', 'dev', '-r', 'tool', '/x.mjs'] },
      'node would load "tool"',
    ],
    [
      'code of node that loads a module',
      { command: 'node', args: ['-e', 'require("fs"); require("tool")'] },
      'node would load "tool"',
    ],
    [
      'an env file of node, which may set NODE_OPTIONS',
      { command: 'node', args: ['/x.mjs', '--env-file', '.env'] },
      'node would take NODE_OPTIONS from the project’s .env',
    ],
    [
      'a script of node',
      { command: 'node', args: ['--run', 'tool'] },
      'node would run a script of the project',
    ],
    [
      'bunx whose server has an option --cwd',
      { command: 'bunx', args: ['tool', '--cwd', '/'] },
      'bunx takes programs from the project’s node_modules',
    ],
    [
      'npm run whose script gets an option --prefix',
      { command: 'npm', args: ['run', 'tool', '--', '--prefix', '/'] },
      'npm runs the scripts of the project',
    ],
    [
      'uv run of a name that is a folder of the project, whose server has an option --directory',
      { command: 'uv', args: ['run', '--with', 'mod', 'mod', '--directory', '/'] },
      'uv would run the project’s "mod"',
    ],
    [
      'uvx of a folder',
      { command: 'uvx', args: ['--from', '.', 'tool'] },
      '. would be a program of the project',
    ],
    [
      'pipx run of a name that is a file of the project',
      { command: 'pipx', args: ['run', 'evil.js'] },
      'pipx takes a file of the project',
    ],
    [
      'corepack',
      { command: 'corepack', args: ['pnpm', 'dlx', 'tool'] },
      'corepack runs the package manager that the project names',
    ],
  ])('%s is refused, with what to write instead', async (_title, entry, why) => {
    const { home, cwd, ran } = hostileProject()
    const failure = await start(home, cwd, entry)
    expect(failure).toContain('"x" is not started in this project')
    expect(failure).toContain(why)
    expect(failure).toMatch(/In its entry, write .*; or declare it in the project’s own file/)
    expect(ran()).toBe('nothing of the project')
  })

  test('a program that runs npx with secrets, and a command of a value, run nothing of the project', async () => {
    const { home, cwd, ran } = hostileProject()
    await serveRegistry(home)
    write(join(home, 'bin/op'), '#!/bin/sh\nshift 2\nexec "$@"\n', 0o755)
    const op = { command: join(home, 'bin/op'), args: ['run', '--', 'npx', '-y', 'tool', '.'] }
    expect(await start(home, cwd, op)).toBe('connected')
    for (const command of ['npx -y tool', 'python3 -W ignore -m mod', './evil.sh', 'npm run tool'])
      await start(home, cwd, { command: 'true', env: { A: `!${command}` } })
    expect(ran()).toBe('nothing of the project')
  })

  test('T54 what its environment lists does not lead into the project either', async () => {
    const { home, cwd } = hostileProject()
    write(join(home, 'show'), `#!/bin/sh\nenv > '${join(home, 'env')}'\n`, 0o755)
    write(join(home, '.config/plugboard/mcp.json'), { mcpServers: { x: { command: join(home, 'show') } } })
    const own = { HOME: home, PATH: `${join(cwd, 'node_modules/.bin')}:/usr/bin:/bin` }
    const env = { ...own, XDG_CONFIG_DIRS: `${cwd}/xdg:/etc/xdg`, SHELL: join(cwd, 'evil.sh') }
    const host = await createHost({ cwd, platform: { home, env } })
    await host.connect('x').catch(() => undefined)
    await host.close()
    const lines = readFileSync(join(home, 'env'), 'utf8').split('\n')
    expect(lines).toEqual(expect.arrayContaining(['PATH=/usr/bin:/bin', 'XDG_CONFIG_DIRS=/etc/xdg']))
    expect(lines.filter((line) => line.startsWith('SHELL='))).toEqual([])
  })

  test('a package that only the project has is not found, and the failure says what to write', async () => {
    const { home, cwd, ran } = hostileProject()
    await serveRegistry(home)
    write(join(cwd, 'node_modules/mine/package.json'), { name: 'mine', version: '1.0.0' })
    const failure = await start(home, cwd, { command: 'npx', args: ['-y', 'mine'] })
    expect(failure).toContain('"mine" is also installed in')
    expect(failure).toContain('declare "x" in the project’s own file, or write its full path')
    expect(ran()).toBe('nothing of the project')
  })
})

describe.skipIf(!posix)('T51 what stays as it is', () => {
  test('outside a project, and with a cwd outside of it, a relative command is started', async () => {
    const { home, cwd } = hostileProject()
    write(join(home, 'tools/run'), serverText(home), 0o755)
    expect(await start(home, cwd, { command: './run', cwd: join(home, 'tools') })).toBe('connected')
    expect(await start(home, home, { command: './tools/run' })).toBe('connected')
  })

  test('a shell that first changes to a folder outside the project may use relative paths and runners', async () => {
    const { home, cwd } = hostileProject()
    write(join(home, 'tools/run'), serverText(home), 0o755)
    const args = ['-c', `cd ${join(home, 'tools')} && exec ./run`]
    expect(await start(home, cwd, { command: 'sh', args })).toBe('connected')
  })

  test('options of a server that look like those of Node.js are its own', async () => {
    const { home, cwd } = hostileProject()
    const file = join(home, 'server.mjs')
    write(file, serverText(home))
    const args = ['--no-warnings', file, '-r', 'tool', '--import', 'tool']
    expect(await start(home, cwd, { command: 'node', args })).toBe('connected')
  })

  test('a file that the operator names may use the project', async () => {
    const { home, cwd } = hostileProject()
    write(join(cwd, 'run'), serverText(home), 0o755)
    write(join(cwd, 'named.json'), { mcpServers: { x: { command: './run' } } })
    expect(await start(home, cwd, {}, { config: join(cwd, 'named.json') })).toBe('connected')
  })

  test('a trusted entry of the project finds the project’s packages', async () => {
    const { home, cwd, ran } = hostileProject()
    write(join(cwd, '.mcp.json'), { mcpServers: { x: { command: 'npx', args: ['tool'] } } })
    await start(home, cwd, { command: 'false' }, { trust: 'project' })
    expect(ran()).not.toBe('nothing of the project')
  })

  test.each(['default', 'omp', 'dispatch', 'boocode'] as const)(
    'the preset %s starts a server in the working directory, and relative arguments keep their meaning',
    async (preset) => {
      const { home, cwd } = hostileProject()
      write(join(home, 'server.mjs'), serverText(home))
      const entry = { command: 'node', args: [join(home, 'server.mjs'), '.'] }
      const config = join(home, 'named.json')
      write(
        config,
        preset === 'dispatch'
          ? { servers: { x: { transport: 'stdio', ...entry } } }
          : { mcpServers: { x: entry } },
      )
      expect(await start(home, cwd, {}, { preset, config })).toBe('connected')
      expect(JSON.parse(readFileSync(join(home, 'ran'), 'utf8'))).toEqual([cwd, '.'])
    },
  )
})

/** Stand-ins for wrappers that this machine may not have: each runs what comes after as many words as it takes. */
function wrappersIn(home: string): string {
  const words = { flock: 1, unshare: 1, nsenter: 2, taskset: 2, prlimit: 1, strace: 1, chrt: 1, proxy: 0 }
  for (const [name, count] of Object.entries(words))
    write(join(home, 'bin', name), `#!/bin/sh\nshift ${count}\nexec "$@"\n`, 0o755)
  return [join(home, 'bin'), process.env['PATH']].join(':')
}

describe.skipIf(!posix)('T130 a runner behind another program, in a hostile project', () => {
  test.each(
    [
      ['flock', './lock', 'npx', '-y', 'tool', '.', 'a b'],
      ['unshare', '--user', 'npx', 'tool', '.', 'a b'],
      ['nsenter', '-t', '1', 'npx', 'tool', '.', 'a b'],
      ['taskset', '-c', '0', 'npx', '-y', 'tool', '.', 'a b'],
      ['prlimit', '--nofile=9', 'npx', 'tool', '.', 'a b'],
      ['strace', '-f', 'npx', 'tool', '.', 'a b'],
      ['chrt', '1', 'env', 'A=1', 'npx', '-y', 'tool', '.', 'a b'],
      ['proxy', 'npx', '-y', 'tool', '.', 'a b'],
      ['proxy', 'node', npxScript, '-y', 'tool', '.', 'a b'],
      ['find', '.', '-maxdepth', '0', '-exec', 'npx', '-y', 'tool', '.', 'a b', ';'],
    ].map((words) => [words]),
  )('T130 %j runs the registry’s package, in the working directory', async ([command = '', ...args]) => {
    const { home, cwd, ran } = hostileProject()
    await serveRegistry(home)
    const entry = { command, args, env: { npm_config_yes: 'true' } }
    await start(home, cwd, entry, { path: wrappersIn(home) })
    expect(ran()).toBe('nothing of the project')
    expect(JSON.parse(readFileSync(join(home, 'ran'), 'utf8'))).toEqual([cwd, '.', 'a b'])
  })

  test.each<readonly [readonly string[], string]>([
    [['strace', '-f', 'bunx', 'tool'], 'bunx takes programs from the project’s node_modules'],
    [['flock', '/tmp/l', 'npm', 'run', 'tool'], 'npm runs the scripts of the project'],
    [['flock', '/tmp/l', '-c', 'npx tool'], 'npx tool may run programs of the project'],
    [['watch', '-n', '9', 'npx tool'], 'watch may run programs of the project'],
    [['flock', '/tmp/l', './evil.sh'], './evil.sh would be a program of the project'],
    [['find', '.', '-exec', './evil.sh', ';'], './evil.sh would be a program of the project'],
    [['proxy', 'pnpm', 'exec', 'tool'], 'pnpm runs programs and scripts of the project'],
    [['taskset', '1', 'node', '--import', 'tool', '/x.mjs'], 'node would load "tool"'],
  ])('T130 %j is refused', async ([command = '', ...args], why) => {
    const { home, cwd, ran } = hostileProject()
    expect(await start(home, cwd, { command, args }, { path: wrappersIn(home) })).toContain(why)
    expect(ran()).toBe('nothing of the project')
  })

  test.skipIf(!has('python3'))(
    `T130 strace … python3 -m does not find a module of the project${reason('python3')}`,
    async () => {
      const { home, cwd, ran } = hostileProject()
      const entry = { command: 'strace', args: ['-f', 'python3', '-m', 'mod'] }
      await start(home, cwd, entry, { path: wrappersIn(home) })
      expect(ran()).toBe('nothing of the project')
    },
  )

  const openEnded: readonly (readonly [readonly string[], string])[] = [
    [['make', 'mcp'], 'make runs what the project’s Makefile says'],
    [['flock', '/tmp/l', 'make', 'mcp'], 'make runs what the project’s Makefile says'],
    [['sh', '-c', 'exec make mcp'], 'sh runs what a file of the project says'],
    [['find', '.', '-name', 'evil.sh', '-exec', '{}', ';'], 'find runs the programs that it finds'],
  ]

  test.each(openEnded)('T130 %j is asked once for each project', async ([command = '', ...args], why) => {
    const { home, cwd } = hostileProject()
    write(join(cwd, 'Makefile'), 'mcp:\n\ttrue\n')
    const path = wrappersIn(home)
    const refused = await start(home, cwd, { command, args }, { path })
    expect(refused).toContain(why)
    expect(refused).toContain('allow it for this project with the input "project-programs" (yes)')
    const asked: unknown[] = []
    const answer = (answerText: string) => ({
      path,
      answers: (_: unknown, input: { readonly id: string }) => {
        asked.push(input.id)
        return Promise.resolve(answerText)
      },
    })
    expect(await start(home, cwd, { command, args }, answer('no'))).toContain(
      'is not started in this project',
    )
    expect(await start(home, cwd, { command, args }, answer('yes'))).not.toContain('is not started in this')
    expect(await start(home, cwd, { command, args }, { path })).not.toContain(
      'is not started in this project',
    )
    expect(asked).toEqual(['project-programs', 'project-programs'])
    const other = join(home, 'other')
    mkdirSync(join(other, '.git'), { recursive: true })
    write(join(other, 'Makefile'), 'mcp:\n\ttrue\n')
    expect(await start(home, other, { command, args }, { path })).toContain('is not started in this project')
  })

  test.each([
    [['make', '-C', tmpdir(), 'mcp']],
    [['make', '-f', '/opt/Makefile', 'mcp']],
    [['proxy', 'true', '--allow', 'npx', '--allow', 'bun', 'deno']],
    [['proxy', 'true', '--runtime', 'node', '@acme/bun', 'make']],
    [['docker', 'run', '-i', 'node:22', 'npx', '-y', 'tool']],
  ])('T130 %j is started as it is', async ([command = '', ...args]) => {
    const { home, cwd } = hostileProject()
    write(join(cwd, 'Makefile'), 'mcp:\n\ttrue\n')
    const path = wrappersIn(home)
    const seen = `#!/bin/sh\nprintf '%s\\n' "$PWD" "$@" > '${home}/words'\n`
    write(join(home, 'bin', command), seen, 0o755)
    await start(home, cwd, { command, args }, { path })
    expect(readFileSync(join(home, 'words'), 'utf8').trim().split('\n')).toEqual([cwd, ...args])
  })
})
