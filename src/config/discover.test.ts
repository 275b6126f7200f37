import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { createPerson, home, pathOf, problems, project, servers, shortOf } from '../../test/support/person.ts'
import { explain } from './explain-server.ts'
import { discover } from './discover.ts'
import { knownSource } from './discover-options.ts'
import { HostError } from '../model/error.ts'
import { nodePlatform } from '../platform/node/node-platform.ts'

const settings = (value: object) => ({ '~/.config/plugboard/settings.json': value })
const user = '~/.config/plugboard/mcp.json'
const managed = '/etc/plugboard/managed-mcp.json'

/** The steps of D-16, highest first. Every step declares the same name. */
const steps: readonly (readonly [string, Record<string, unknown>])[] = [
  ['--config', { '/op/config.json': servers('a') }],
  ['PLUGBOARD_CONFIG', { '/op/env.json': servers('a') }],
  ['the managed file', { [managed]: servers('a') }],
  ['.mcp.json in the working directory', { 'web/app/.mcp.json': servers('a') }],
  ['mcp.json in the working directory', { 'web/app/mcp.json': servers('a') }],
  ['.mcp.json one folder up', { 'web/.mcp.json': servers('a') }],
  ['mcp.json one folder up', { 'web/mcp.json': servers('a') }],
  ['.mcp.json at the repository’s root', { '.mcp.json': servers('a') }],
  ['mcp.json at the repository’s root', { 'mcp.json': servers('a') }],
  ['the user’s own file', { [user]: servers('a') }],
  ['the first client turned on', { '~/.cursor/mcp.json': servers('a') }],
  ['the second client turned on', { '~/.codeium/windsurf/mcp_config.json': servers('a') }],
]

describe('D-16 discover: precedence', () => {
  const setting = settings({ sources: ['cursor', 'windsurf'] })
  const options = { config: '/op/config.json', trust: 'project' } as const
  const env = { PLUGBOARD_CONFIG: '/op/env.json' }
  const cwd = pathOf('web/app')

  test.each(steps.map(([name, files], index) => [name, files, index] as const))(
    '%s wins over every lower step',
    async (_name, files, index) => {
      const texts = Object.assign({}, setting, ...steps.slice(index).map(([, each]) => each))
      const { servers: found, shadowed } = await createPerson(texts, { env, cwd }).discover(options)
      const expected = steps.slice(index).flatMap(([, each]) => Object.keys(each))
      expect(found.map(({ origin }) => shortOf(origin.file))).toEqual(Object.keys(files))
      expect(shadowed.map(({ server }) => shortOf(server.origin.file))).toEqual(expected.slice(1))
    },
  )

  test('an exclusive managed file ends the search, for the project, the user and other clients', async () => {
    const texts = Object.assign({}, setting, ...steps.map(([, each]) => each), {
      [managed]: { ...servers('m'), exclusive: true },
      [user]: servers('a', 'u'),
      '~/.cursor/mcp.json': servers('a', 'c'),
    })
    const person = createPerson(texts, { env, cwd })
    expect(await person.inForce(options)).toEqual(['a /op/config.json', `m ${managed}`])
    expect(problems(await person.discover())).toEqual(
      [`info shadowed ${managed}/mcpServers/a`, `warn managed-exclusive ${managed}`].slice(1),
    )
  })

  test('a name that only one step declares is in force from there', async () => {
    const person = createPerson({
      '.mcp.json': servers('a', 'b'),
      'mcp.json': servers('b', 'c'),
      [user]: servers('c', 'd'),
    })
    const inForce = await person.inForce({ trust: 'project' })
    expect(inForce).toEqual(['a .mcp.json', 'b .mcp.json', 'c mcp.json', `d ${user}`])
  })

  test('clients rank in the order in which they were enabled', async () => {
    const texts = { '~/.cursor/mcp.json': servers('a'), '~/.codeium/windsurf/mcp_config.json': servers('a') }
    const [first, second] = ['cursor', 'windsurf']
    expect(await createPerson({ ...texts, ...settings({ sources: [first, second] }) }).inForce()).toEqual([
      'a ~/.cursor/mcp.json',
    ])
    expect(await createPerson({ ...texts, ...settings({ sources: [second, first] }) }).inForce()).toEqual([
      'a ~/.codeium/windsurf/mcp_config.json',
    ])
  })
})

describe('D-16 discover: folders of a project', () => {
  const everywhere = {
    '/.mcp.json': servers('root'),
    '~/.mcp.json': servers('home'),
    '~/src/.mcp.json': servers('above'),
    '.mcp.json': servers('shop'),
  }

  test('files are read up to the root of the repository and not beyond', async () => {
    const person = createPerson(everywhere, { cwd: pathOf('web/app') })
    expect(await person.inForce()).toEqual(['shop .mcp.json'])
  })

  test('without a repository only the working directory is read', async () => {
    const cwd = '/home/dana/notes/deep'
    const texts = { '~/notes/.mcp.json': servers('above'), '~/notes/deep/.mcp.json': servers('here') }
    expect(await createPerson({ ...everywhere, ...texts }, { cwd }).inForce()).toEqual([
      'here ~/notes/deep/.mcp.json',
    ])
  })

  test('the home directory is not a project', async () => {
    const texts = { ...everywhere, '~/.git/HEAD': '', [user]: servers('mine') }
    expect(await createPerson(texts, { cwd: home }).inForce()).toEqual([`mine ${user}`])
  })

  test('a repository in the home directory does not include the home directory itself', async () => {
    const texts = { ...everywhere, '~/.git/HEAD': '', '~/docs/.mcp.json': servers('docs') }
    expect(await createPerson(texts, { cwd: '/home/dana/docs' }).inForce()).toEqual(['docs ~/docs/.mcp.json'])
  })

  test('/ is not a project', async () => {
    expect(await createPerson({ ...everywhere, [user]: servers('mine') }, { cwd: '/' }).inForce()).toEqual([
      `mine ${user}`,
    ])
  })
})

describe('D-16 discover: an entry that several sources read', () => {
  const machine = createMachine()
  afterAll(() => machine.remove())

  test('a file that we and a client read shadows nothing', async () => {
    const person = createPerson({
      '.mcp.json': servers('a'),
      ...settings({ sources: ['claude-code', 'copilot-cli'] }),
    })
    const found = await person.discover()
    expect(found.servers.map(({ origin }) => origin.source)).toEqual(['plugboard'])
    expect(found.shadowed).toEqual([])
    expect(found.diagnostics.filter(({ server }) => server !== undefined)).toEqual([])
  })

  test('a problem in a file that several sources read is reported once', async () => {
    const sources = ['claude-code', 'copilot-cli', 'vscode'] as const
    const broken = createPerson({ '.mcp.json': '{', ...settings({ sources }) })
    expect(problems(await broken.discover()).filter((line) => line.includes('parse-error'))).toEqual([
      'error parse-error .mcp.json',
    ])
    const both = { mcpServers: { a: { command: 'x', url: 'https://a.example' } } }
    const refused = createPerson({
      '.mcp.json': both,
      ...settings({ sources: ['claude-code', 'factory-droid'] }),
    })
    expect(problems(await refused.discover()).filter((line) => line.includes('command-and-url'))).toEqual([
      'error command-and-url .mcp.json/mcpServers/a',
    ])
  })

  test('a link to a file that was already read adds nothing, within a source and between sources', async () => {
    machine.write('shop/mcp.json', servers('a', 'b'))
    symlinkSync('mcp.json', machine.at('shop/.mcp.json'))
    machine.write('.config/plugboard/settings.json', { sources: ['cursor'] })
    mkdirSync(machine.at('shop/.cursor'))
    symlinkSync('../mcp.json', machine.at('shop/.cursor/mcp.json'))
    const found = await machine.discover('shop')
    expect(found.servers.map(({ name, origin }) => [name, origin.file])).toEqual([
      ['a', machine.at('shop/.mcp.json')],
      ['b', machine.at('shop/.mcp.json')],
    ])
    expect([found.shadowed, found.diagnostics]).toEqual([[], []])
  })

  test('a project file named by --config has the authority "explicit"', async () => {
    const person = createPerson({ '.mcp.json': servers('a') })
    const found = await person.discover({ config: '.mcp.json' })
    expect(found.servers.map(({ origin }) => origin.authority)).toEqual(['explicit'])
    expect(found.shadowed).toEqual([])
  })
})

describe('D-8 C30 discover: authority and trust', () => {
  const states = async (person: ReturnType<typeof createPerson>, options = {}) => {
    const { servers: found, trust } = await person.discover(options)
    return found.map((server) => [server.name, server.origin.authority, trust.get(server)])
  }

  test('T01 project servers are pending; explicit, managed and user servers are trusted', async () => {
    const person = createPerson(
      {
        '/op/config.json': servers('config'),
        '/op/env.json': servers('env'),
        [managed]: servers('managed'),
        '.mcp.json': servers('project'),
        [user]: servers('user'),
      },
      { env: { PLUGBOARD_CONFIG: '/op/env.json' } },
    )
    expect(await states(person, { config: '/op/config.json' })).toEqual([
      ['config', 'explicit', 'trusted'],
      ['env', 'explicit', 'trusted'],
      ['managed', 'managed', 'trusted'],
      ['project', 'project', 'pending'],
      ['user', 'user', 'trusted'],
    ])
  })

  test('a PLUGBOARD_CONFIG file inside the project has project authority and keeps its rank', async () => {
    const person = createPerson(
      { 'conf/mine.json': servers('a'), '.mcp.json': servers('a') },
      { env: { PLUGBOARD_CONFIG: 'conf/mine.json' } },
    )
    expect(await states(person)).toEqual([['a', 'project', 'pending']])
    expect(await person.inForce()).toEqual(['a conf/mine.json'])
  })

  test('trust: "project" applies to one call and writes nothing', async () => {
    const person = createPerson({ '.mcp.json': servers('a') })
    const before = new Map(person.files.texts)
    expect(await states(person, { trust: 'project' })).toEqual([['a', 'project', 'trusted']])
    expect(person.files.texts).toEqual(before)
    expect(await states(person)).toEqual([['a', 'project', 'pending']])
  })

  test.each([
    ['of the superproject, seen from a submodule', pathOf('lib/x'), pathOf('conf/mine.json'), 'project'],
    ['of a parent without a repository', '/srv/a/b', '/srv/a/.mcp.json', 'project'],
    ['of a folder beside the working directory', '/srv/a/b', '/srv/a/other/mine.json', 'explicit'],
    ['of the home directory', '/home/dana/notes', '/home/dana/mine.json', 'explicit'],
  ])('T55 a PLUGBOARD_CONFIG file %s', async (_, cwd, file, authority) => {
    const person = createPerson(
      { 'lib/.git': 'gitdir: ../.git/modules/lib', [file]: servers('a') },
      { cwd, env: { PLUGBOARD_CONFIG: file } },
    )
    const state = authority === 'project' ? 'pending' : 'trusted'
    expect(await states(person)).toEqual([['a', authority, state]])
  })

  test('T01 trust keys in a project file are ignored and reported', async () => {
    const entry = { command: 'x', trust: true, autoApprove: ['*'] }
    const found = await createPerson({ '.mcp.json': { mcpServers: { a: entry } } }).discover()
    expect([...found.trust.values()]).toEqual(['pending'])
    expect(problems(found).filter((line) => line.includes('self-trust'))).toEqual([
      'warn self-trust .mcp.json/mcpServers/a/trust',
      'warn self-trust .mcp.json/mcpServers/a/autoApprove',
    ])
  })
})

describe('T01 T06 discover: values of an untrusted entry', () => {
  const entry = {
    command: 'x',
    args: ['${WORD}'],
    envFile: '/tmp/${WORD}',
    env: { A: '!touch canary', B: '{file:/etc/passwd}' },
  }
  const env = { WORD: 'canary-value' }

  test('no command runs, no file is read, no value is expanded, not even for a preview', async () => {
    const asked: string[] = []
    const person = createPerson({ '.mcp.json': { mcpServers: { a: entry } } }, { env })
    const readText: typeof person.files.readText = (path, options) => {
      asked.push(path)
      return person.files.readText(path, options)
    }
    const stat: typeof person.files.stat = (path) => {
      asked.push(path)
      return person.files.stat(path)
    }
    const files = { ...person.files, readText, stat }
    const found = await person.discover({ preview: true, platform: { files } })
    expect(found.resolved).toEqual(new Map())
    expect(JSON.stringify([found.servers, found.diagnostics])).not.toContain('canary-value')
    expect(asked.filter((path) => path.includes('canary') || path === '/etc/passwd')).toEqual([])
  })

  test('trust: "project" resolves the path of the envFile', async () => {
    const { command } = entry
    const texts = { '.mcp.json': { mcpServers: { a: { command, envFile: '${CONF_DIR}/env' } } } }
    const person = createPerson(texts, { env: { CONF_DIR: '/tmp/conf' } })
    expect((await person.discover({ trust: 'project' })).diagnostics.map(({ message }) => message)).toEqual([
      'The envFile /tmp/conf/env does not exist.',
    ])
    expect((await person.discover()).diagnostics).toEqual([])
  })
})

describe('C8 D23 discover: other clients', () => {
  const texts = {
    '~/.cursor/mcp.json': servers('theirs'),
    '.vscode/mcp.json': { servers: { v: { command: 'v' } } },
    [user]: servers('mine'),
  }

  test('their files are found and not used', async () => {
    const found = await createPerson(texts).discover()
    expect(found.servers.map(({ name }) => name)).toEqual(['mine'])
    expect(found.others.map(({ source, file }) => [source, shortOf(file)])).toEqual([
      ['cursor', '~/.cursor/mcp.json'],
      ['vscode', '.vscode/mcp.json'],
    ])
  })

  test('opencode.json is a file of opencode, though Dispatch reads it too', async () => {
    const { others } = await createPerson({ 'opencode.json': { mcp: {} } }).discover()
    expect(others.map(({ source, file }) => [source, shortOf(file)])).toEqual([['opencode', 'opencode.json']])
  })

  test('an enabled client is used and not listed in others; its project servers are pending', async () => {
    const found = await createPerson({ ...texts, ...settings({ sources: ['vscode'] }) }).discover()
    expect(found.servers.map((server) => [server.name, found.trust.get(server)])).toEqual([
      ['mine', 'trusted'],
      ['v', 'pending'],
    ])
    expect(found.others.map(({ source }) => source)).toEqual(['cursor'])
  })

  test('the presets boocode and dispatch read only their own files, even with enabled clients', async () => {
    const person = createPerson({ ...texts, ...settings({ sources: ['cursor', 'vscode'] }) })
    expect(await person.inForce({ preset: 'boocode' })).toEqual([])
    expect(await person.inForce({ preset: 'dispatch' })).toEqual([])
  })

  test('the option sources replaces all other sources', async () => {
    const person = createPerson(texts)
    expect(await person.inForce({ sources: ['cursor'] })).toEqual(['theirs ~/.cursor/mcp.json'])
    expect(await person.inForce({ sources: ['plugboard', 'cursor'] })).toEqual([
      `mine ${user}`,
      'theirs ~/.cursor/mcp.json',
    ])
    expect((await person.discover({ sources: ['cursor'] })).others).toEqual([])
  })

  test('an unknown source is an error that suggests similar ones', async () => {
    const error = await createPerson({})
      .discover({ sources: ['cursr' as 'cursor'] })
      .catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(HostError)
    expect(error).toMatchObject({
      code: 'source.unknown',
      data: { source: 'cursr', near: ['cursor'] },
      message: 'There is no source "cursr".',
      hint: 'Did you mean cursor?',
    })
    expect(knownSource('cursor')).toBe('cursor')
  })
})

describe('discover: preset', () => {
  test('comes from the options, otherwise from the settings, otherwise "default"', async () => {
    const texts = { 'data/mcp.json': servers('b'), '.mcp.json': servers('a') }
    expect(await createPerson(texts).inForce()).toEqual(['a .mcp.json'])
    const person = createPerson({ ...texts, ...settings({ preset: 'boocode' }) })
    expect(await person.inForce()).toEqual(['b data/mcp.json'])
    expect(await person.inForce({ preset: 'default' })).toEqual(['a .mcp.json'])
  })
})

describe('D5 discover: working directory', () => {
  test('two folders of one repository have different servers', async () => {
    const person = createPerson({
      'cad/.dispatch/mcp.json': { servers: { freecad: { command: 'uvx', args: ['freecad-mcp'] } } },
      'web/.dispatch/mcp.json': { servers: { chrome: { command: 'npx', args: ['chrome-devtools-mcp'] } } },
      '.dispatch/mcp.json': { servers: { root: { command: 'r' } } },
    })
    const inFolder = async (folder: string) => {
      const found = await person.discover({ preset: 'dispatch', cwd: pathOf(folder) })
      return found.servers.map(({ name }) => name)
    }
    expect(await inFolder('cad')).toEqual(['freecad'])
    expect(await inFolder('web')).toEqual(['chrome'])
    expect(await inFolder('docs')).toEqual([])
  })
})

describe('O1 discover: names are claimed before entries are checked and disabled ones dropped', () => {
  const low = { '~/.omp/agent/mcp.json': servers('a') }

  test('a disabled higher declaration hides the lower one, and explain says so', async () => {
    const entry = { type: 'http', url: 'https://a.example', enabled: false }
    const person = createPerson({ ...low, '.omp/mcp.json': { mcpServers: { a: entry } } })
    const found = await person.discover({ preset: 'omp' })
    expect(found.servers.map(({ enabled, origin }) => [enabled, shortOf(origin.file)])).toEqual([
      [false, '.omp/mcp.json'],
    ])
    expect(found.diagnostics.map(({ message }) => message)).toEqual([
      `"a" is hidden by the project entry in ${pathOf('.omp/mcp.json')}, where it is off.`,
    ])
    expect(explain(found, 'a')).toMatchObject([
      {
        winner: { enabled: false },
        hidden: [{ server: { origin: { file: pathOf('~/.omp/agent/mcp.json') } } }],
        reason: 'Of 2 declarations, this one is in force: it is the nearest declaration of the project.',
      },
    ])
  })

  test('omp: an invalid higher declaration hides the lower one, and explain says so', async () => {
    const entry = { command: 'x', url: 'https://a.example' }
    const person = createPerson({ ...low, '.omp/mcp.json': { mcpServers: { a: entry } } })
    const found = await person.discover({ preset: 'omp' })
    expect(found.servers).toEqual([])
    expect(problems(found)).toEqual([
      'error command-and-url .omp/mcp.json/mcpServers/a',
      'info shadowed ~/.omp/agent/mcp.json/mcpServers/a',
    ])
    expect(explain(found, 'a')).toMatchObject([
      {
        reason: 'The declaration that claims this name cannot be used, and it still hides the others.',
        hidden: [{ by: { file: pathOf('.omp/mcp.json') } }],
      },
    ])
  })

  test('C7 default preset: an invalid declaration does not claim its name', async () => {
    const person = createPerson({
      '.mcp.json': { mcpServers: { a: { command: 'x', url: 'https://a.example' } } },
      [user]: servers('a'),
    })
    expect(await person.inForce()).toEqual([`a ${user}`])
  })
})

describe('L6 discover: shadowed', () => {
  test('lists each hidden server with the declaration that hides it', async () => {
    const person = createPerson({ '.mcp.json': servers('a'), [user]: servers('a') })
    const found = await person.discover({ trust: 'project' })
    expect(
      found.shadowed.map(({ server, by }) => [server.name, shortOf(server.origin.file), shortOf(by.file)]),
    ).toEqual([['a', user, '.mcp.json']])
  })

  test('is empty, as is everything else, without declarations', async () => {
    const { servers: none, shadowed, diagnostics, trust, others } = await createPerson({}).discover()
    expect([none, shadowed, diagnostics, trust, others]).toEqual([[], [], [], new Map(), []])
  })
})

describe('O21 T08 discover: bad files', () => {
  test('broken JSON is a diagnostic with its place, and the other files load', async () => {
    const found = await createPerson({
      '.mcp.json': '{ "mcpServers": {\n  "a": { "command": } } }',
      [user]: servers('b'),
    }).discover()
    expect(found.servers.map(({ name }) => name)).toEqual(['b'])
    expect(found.diagnostics).toMatchObject([
      { code: 'parse-error', severity: 'error', origin: { file: pathOf('.mcp.json') } },
    ])
    expect(found.diagnostics[0]?.message).toMatch(/^line 2, column \d+: /)
  })

  test('invalid settings are reported and do not stop the discovery', async () => {
    const found = await createPerson({
      [user]: servers('b'),
      ...settings({ sources: ['nobody'], preset: 7, colour: 'red' }),
    }).discover()
    expect(found.servers.map(({ name }) => name)).toEqual(['b'])
    expect(problems(found)).toEqual([
      'error settings-invalid ~/.config/plugboard/settings.json/sources',
      'error settings-invalid ~/.config/plugboard/settings.json/preset',
      'error settings-invalid ~/.config/plugboard/settings.json/colour',
    ])
  })

  test('a directory or bytes that are not UTF-8 in place of a config file are reported', async () => {
    const machine = createMachine()
    mkdirSync(machine.at('shop/.mcp.json'), { recursive: true })
    writeFileSync(machine.at('shop/mcp.json'), Buffer.from([0x7b, 0xff, 0xfe]))
    machine.write('.config/plugboard/mcp.json', servers('mine'))
    const found = await machine.discover('shop')
    expect(found.servers.map(({ name }) => name)).toEqual(['mine'])
    expect(found.diagnostics.map(({ code, message }) => [code, message])).toEqual([
      ['unreadable-file', `${machine.at('shop/.mcp.json')} is not a regular file.`],
      ['unreadable-file', `${machine.at('shop/mcp.json')} is not UTF-8 text.`],
    ])
    machine.remove()
  })
})

describe('T03 discover: packages without an exact version', () => {
  test.each([
    ['npx', ['-y', 'foo'], 1],
    ['npx', ['-y', '@scope/foo@latest', '--port', '1'], 1],
    ['npx', ['--package', 'foo', 'foo-cli'], 1],
    ['uvx', ['foo-mcp'], 0],
    ['uvx', ['--from', 'git-mcp>=1', 'git-mcp'], 1],
    ['docker', ['run', '--rm', '-i', '-e', 'TOKEN', 'ghcr.io/acme/mcp:1.2'], 5],
    ['pnpm', ['dlx', 'foo@^1.0.0'], 1],
  ])('%s %j is reported', async (command, args, index) => {
    const found = await createPerson({ [user]: { mcpServers: { a: { command, args } } } }).discover()
    expect(problems(found)).toEqual([`info unpinned-package ${user}/mcpServers/a/args/${index}`])
  })

  test.each([
    ['npx', ['-y', '@scope/foo@1.2.3']],
    ['npx', ['-y', './local.js']],
    ['uvx', ['foo-mcp==2.4.1']],
    ['uvx', ['foo-mcp@2.4.1']],
    ['docker', ['run', '-i', `acme/mcp@sha256:${'0'.repeat(64)}`]],
    ['docker', ['compose', 'up']],
    ['node', ['server.js']],
    ['npm', ['start']],
    ['npx', ['${PACKAGE:-foo@1.0.0}']],
  ])('%s %j is not reported', async (command, args) => {
    const found = await createPerson({ [user]: { mcpServers: { a: { command, args } } } }).discover()
    expect(found.diagnostics).toEqual([])
  })

  test('a command that is a list is checked too', async () => {
    const entry = { command: ['npx', '-y', 'foo'] }
    const found = await createPerson({ [user]: { mcpServers: { a: entry } } }).discover()
    expect(problems(found)).toEqual([`info unpinned-package ${user}/mcpServers/a/command/2`])
  })
})

/** A home in a temporary folder, for tests with real links and modes. */
function createMachine() {
  const root = mkdtempSync(join(tmpdir(), 'plugboard-discover-'))
  const at = (path: string) => join(root, path)
  mkdirSync(at('shop/.git'), { recursive: true })
  return {
    at,
    write(path: string, content: unknown) {
      mkdirSync(join(at(path), '..'), { recursive: true })
      writeFileSync(at(path), JSON.stringify(content))
    },
    discover: (cwd: string) =>
      discover({ platform: nodePlatform({ home: root, cwd: at(cwd), env: {}, systemRoot: at('system') }) }),
    remove: () => rmSync(root, { recursive: true }),
  }
}

test('discover: uses this machine if no platform is given', async () => {
  const { servers: found } = await discover({ sources: [], cwd: project })
  expect(found).toEqual([])
})
