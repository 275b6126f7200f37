import { expect, test } from 'vitest'
import { memoryFiles } from '../../testing/memory-files.ts'
import type { Runner } from '../../model/runner/runner.ts'
import { boxTransport } from './box-transport.ts'
import type { BoxContext } from './box-transport.ts'

const home = '/home/dana'
const project = `${home}/shop`

const machine = {
  '/usr/bin/bwrap': '',
  '/usr/bin/podman': '',
  '/usr/bin/kubectl': '',
  '/usr/bin/node': '',
  [`${home}/.nvm/v22/bin/node22`]: '',
  [`${project}/src/a.js`]: '',
  [`${home}/.config/plugboard/settings.json`]: '',
  [`${home}/.npm/_npx/1/package.json`]: JSON.stringify({
    dependencies: { '@acme/tool': '^1.0.0' },
    _npx: { packages: ['@acme/tool@1.0.0'] },
  }),
  [`${home}/.npm/_npx/1/node_modules/@acme/tool/package.json`]: JSON.stringify({
    bin: { 'acme-tool': 'a.js' },
  }),
  [`${home}/.npm/_npx/1/node_modules/.bin/acme-tool`]: '',
  [`${home}/.local/share/uv/tools/acme-py/bin/acme-py`]: '',
  [`${home}/.local/share/uv/tools/acme-py/bin/python`]: '',
  [`${home}/.local/share/uv/tools/acme-py/lib/python3.12/site-packages/acme_py-2.0.dist-info/METADATA`]: '',
}

const bwrap = { kind: 'bwrap', read: ['.'], write: [], network: false } as const

function jail(argv: readonly string[]): Runner {
  return { kind: 'template', name: 'jail', template: { argv, env: 'none' } }
}

interface Case {
  readonly cwd?: string
  readonly runner?: Runner
  readonly command?: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly os?: 'linux' | 'darwin' | 'win32'
  readonly without?: string
  readonly links?: Readonly<Record<string, string>>
}

function start({
  runner = bwrap,
  command = 'node',
  args = ['src/a.js'],
  env = {},
  os = 'linux',
  without,
  links = {},
  cwd = project,
}: Case) {
  const texts = Object.fromEntries(Object.entries(machine).filter(([path]) => path !== without))
  const files = memoryFiles(texts)
  const outside = { PATH: `/usr/bin:${home}/.nvm/v22/bin`, HOME: home, LANG: 'C' }
  const context: BoxContext = {
    platform: {
      os,
      home,
      cwd: '/elsewhere',
      env: outside,
      uid: 1000,
      files: { ...files, realPath: async (path) => links[path] ?? path },
    },
    outside,
    own: [`${home}/.config/plugboard`],
    isLoader: (name) => name === 'LD_PRELOAD',
    newFolder: () => '/state/boxes/1',
  }
  return boxTransport(
    { name: 'a', folder: project },
    runner,
    { kind: 'stdio', framing: 'auto', command, args, env: { ...outside, ...env }, cwd },
    context,
  )
}

test('D-20 bwrap: the command follows the options; bwrap gets the path of the person and nothing of the entry', async () => {
  const { command, args, env, cwd, handed } = await start({
    env: { PATH: '/evil', A: 'b' },
    command: '/usr/bin/node',
  })
  expect({ command, env, cwd }).toEqual({
    command: 'bwrap',
    env: { PATH: `/usr/bin:${home}/.nvm/v22/bin` },
    cwd: '/',
  })
  expect(args.slice(-4)).toEqual(['3', '--', '/usr/bin/node', 'src/a.js'])
  expect(handed).toContain('--setenv\0A\0b\0')
  expect(handed).toContain('--setenv\0PATH\0/evil\0')
})

test.each<[string, Case, string, string]>([
  [
    'a missing bwrap',
    { without: '/usr/bin/bwrap' },
    '"a" is not started: its runner bwrap is not installed.',
    'apt install bubblewrap',
  ],
  ['bwrap on macOS', { os: 'darwin' }, '"a" is not started: bwrap exists on Linux only.', 'podman or docker'],
  [
    'bwrap on Windows',
    { os: 'win32' },
    '"a" is not started: bwrap exists on Linux only.',
    'podman or docker',
  ],
  [
    'an undefined template',
    { runner: { kind: 'template', name: 'gvisor' } },
    '"a" is not started: your settings have no runner "gvisor".',
    '"runners" in your settings',
  ],
  [
    'a rule that cannot be read',
    { runner: { kind: 'template', name: 'project' } },
    '"a" is not started: your rule for servers of projects cannot be read.',
    '"runners.project" in your settings',
  ],
  [
    'a missing program of a template',
    {
      runner: { kind: 'template', name: 'jail', template: { argv: ['firejail', '{command}'], env: 'none' } },
    },
    '"a" is not started: its runner firejail is not installed.',
    'its full path',
  ],
  [
    'a missing docker',
    { runner: { ...bwrap, kind: 'docker', image: 'node' } },
    '"a" is not started: its runner docker is not installed.',
    'docs.docker.com',
  ],
])('T41 %s is a sentence, never a start without the box', async (_name, given, message, hint) => {
  await expect(start(given)).rejects.toMatchObject({
    code: 'runner.unavailable',
    message,
    hint: expect.stringContaining(hint),
  })
})

test.each<[string, Case, string]>([
  [
    'a folder that does not exist',
    { runner: { ...bwrap, read: ['no'] } },
    'The box of "a" opens no, which does not exist.',
  ],
  [
    'T55 a link of the project that leads out of it',
    { runner: { ...bwrap, read: ['src'] }, links: { [`${project}/src`]: `${home}/.ssh` } },
    `The box of "a" opens src, which leads to ${home}/.ssh.`,
  ],
  [
    'T55 such a link, written as an absolute path',
    { runner: { ...bwrap, read: [`${project}/src`] }, links: { [`${project}/src`]: `${home}/.ssh` } },
    `The box of "a" opens ${project}/src, which leads to ${home}/.ssh.`,
  ],
  [
    'T55 such a link, written below the home folder',
    { runner: { ...bwrap, write: ['~/shop/src'] }, links: { [`${project}/src`]: `${home}/.ssh` } },
    `The box of "a" opens ~/shop/src, which leads to ${home}/.ssh.`,
  ],
  [
    'a link to the sockets of services',
    { runner: { ...bwrap, read: ['~/.nvm'] }, links: { [`${home}/.nvm`]: '/run/user/1000' } },
    'The box of "a" opens ~/.nvm, which leads to /run/user/1000.',
  ],
  [
    'an interpreter whose installation would be the whole home folder',
    {
      command: 'uvx',
      args: ['acme-py'],
      links: { [`${home}/.local/share/uv/tools/acme-py/bin/python`]: `${home}/bin/python3` },
    },
    `The box of "a" would have to open ${home} for the interpreter of its package.`,
  ],
  [
    'T04 a command that the runner could read as an option',
    { runner: jail(['firejail', '{command}']), command: '--noprofile' },
    'The box of "a" cannot have the command --noprofile: its runner could read it as an option.',
  ],
  [
    'T04 a command that the runner could read as a variable',
    { runner: jail(['env', '{command}']), command: 'LD_PRELOAD=x.so' },
    'The box of "a" cannot have the command LD_PRELOAD=x.so: its runner could read it as an option.',
  ],
  [
    'T04 a folder that would be more than a folder inside of a word',
    { runner: jail(['kubectl', '-v', '{cwd}:/work', '{command}']), cwd: '/etc:/etc' },
    'The box of "a" cannot run in /etc:/etc: the argv of its runner has the folder inside of a word.',
  ],
  [
    'our own files',
    { runner: { ...bwrap, write: ['~/.config/plugboard'] } },
    'The box of "a" opens ~/.config/plugboard, which belongs to Plugboard.',
  ],
  [
    'a program outside of the box',
    { command: 'node22' },
    `The box of "a" does not have its program ${home}/.nvm/v22/bin/node22.`,
  ],
  [
    'T04 a NUL in a variable',
    { env: { A: 'b\0--bind\0/\0/' } },
    'The box of "a" cannot have the variable "A".',
  ],
  [
    'a variable of several lines in a container',
    { runner: { ...bwrap, kind: 'podman', image: 'node' }, env: { KEY: 'a\nb' } },
    'The box of "a" cannot have the variable KEY: podman takes variables of one line only.',
  ],
  [
    'T04 a variable that would act on the runner',
    {
      runner: { kind: 'template', name: 'k', template: { argv: ['kubectl', '{command}'], env: 'process' } },
      env: { LD_PRELOAD: './x.so' },
    },
    'The box of "a" cannot have the variable LD_PRELOAD, which would act on its runner too.',
  ],
])('T41 a box is refused: %s', async (_name, given, message) => {
  await expect(start(given)).rejects.toMatchObject({ code: 'config.invalid', message })
})

test('T41 our own folders inside of an opened one are empty in the box', async () => {
  const { args } = await start({ runner: { ...bwrap, write: ['~'] } })
  const words = args.join(' ')
  expect(words).toContain(`--bind ${home} ${home}`)
  expect(words.indexOf(`--tmpfs ${home}/.config/plugboard`)).toBeGreaterThan(words.indexOf(`--bind ${home} `))
})

test('T41 folders between a writable one and our own are mount points, so that they cannot be renamed', async () => {
  const { args } = await start({ runner: { ...bwrap, write: ['~'] } })
  const words = args.join(' ')
  const pinned = words.indexOf(`--bind ${home}/.config ${home}/.config`)
  expect(pinned).toBeGreaterThan(words.indexOf(`--bind ${home} `))
  expect(pinned).toBeLessThan(words.indexOf(`--tmpfs ${home}/.config/plugboard`))
})

test.each<[string, readonly string[], string, readonly string[]]>([
  [
    'npx',
    ['-y', '@acme/tool@1.0.0', '--flag'],
    `${home}/.npm/_npx/1/node_modules/.bin/acme-tool`,
    ['--flag'],
  ],
  [
    'npx',
    ['-p', '@acme/tool@1.0.0', 'acme-tool', 'x'],
    `${home}/.npm/_npx/1/node_modules/.bin/acme-tool`,
    ['x'],
  ],
  [
    'npm',
    ['exec', '--yes', '--package=@acme/tool@1.0.0', '--', 'acme-tool'],
    `${home}/.npm/_npx/1/node_modules/.bin/acme-tool`,
    [],
  ],
  ['uvx', ['acme-py==2.0', 'x'], `${home}/.local/share/uv/tools/acme-py/bin/acme-py`, ['x']],
  ['uv', ['tool', 'run', 'acme-py@2.0'], `${home}/.local/share/uv/tools/acme-py/bin/acme-py`, []],
])(
  'D-20 %s %j runs the fetched program, from a folder that the box only reads',
  async (command, args, program, rest) => {
    const words = (await start({ command, args })).args
    expect(words.slice(words.indexOf('--') + 1)).toEqual([program, ...rest])
    const folder = program.slice(0, program.search(/\/(?:node_modules|bin)\//))
    expect(words.join(' ')).toContain(`--ro-bind ${folder} ${folder}`)
  },
)

test.each([
  [
    'npx',
    ['-y', '@acme/tool@2.0.0'],
    '@acme/tool@2.0.0',
    'npm exec --yes --package=@acme/tool@2.0.0 -- true',
  ],
  ['uvx', ['acme-py==3.0'], 'acme-py==3.0', 'uv tool install acme-py==3.0'],
  ['pipx', ['run', 'acme-py'], 'acme-py', 'pipx install acme-py'],
])(
  'D-20 %s %j: a package that is not there is a sentence with the command that fetches it',
  async (command, args, name, fetch) => {
    await expect(start({ command, args })).rejects.toMatchObject({
      message: `The box of "a" has no network for packages, and ${name} was not fetched before.`,
      hint: `Fetch it outside of the box: ${fetch}`,
    })
  },
)

test('D-20 podman: the variables of this machine stay outside, those of the entry are in a private file', async () => {
  const { command, args, env, container } = await start({
    runner: { ...bwrap, kind: 'podman', image: 'node:22' },
    env: { API_TOKEN: 'canary' },
  })
  expect({ command, env }).toMatchObject({ command: 'podman', env: { HOME: home } })
  expect(env).not.toHaveProperty('API_TOKEN')
  expect(args.join(' ')).not.toContain('canary')
  expect(args.slice(-3)).toEqual(['node:22', 'node', 'src/a.js'])
  expect(container).toMatchObject({ engine: 'podman', cidFile: '/state/boxes/1/cid' })
})
