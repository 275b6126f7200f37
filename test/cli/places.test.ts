import { createHash } from 'node:crypto'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { LoginStore } from '../../src/login/login-store.ts'
import { Redactor } from '../../src/model/secrets/redactor.ts'
import { nodePlatform } from '../../src/platform/node/node-platform.ts'
import { faultyServer } from '../../src/testing/faulty-server.ts'
import { cliFile, createMachine } from '../support/programs/cli.ts'
import type { ListOutput, Machine } from '../support/programs/cli.ts'
import { ownFile } from '../support/servers.ts'
import { runProgram, succeeds } from '../support/programs/program.ts'

const tool = (name: string) => ({ name, description: name, inputSchema: { type: 'object' } })
const code = /\[directory-in-project\]/g

/** The four variables, each naming a folder below `root`. */
const xdgIn = (root: string) => ({
  XDG_CONFIG_HOME: join(root, 'config'),
  XDG_STATE_HOME: join(root, 'state'),
  XDG_CACHE_HOME: join(root, 'cache'),
  XDG_DATA_HOME: join(root, 'data'),
})

/** Folders for the variables: in the project, in its superproject as seen from a submodule, and elsewhere. */
const places = [
  ['in the project', 'shop/.x', 'shop', false],
  ['in the superproject', 'shop/.x', 'shop/lib', false],
  ['in a folder without a repository', 'notes/.x', 'notes', false],
  ['elsewhere', 'other/.x', 'shop', true],
] as const

const machineWithFolders = (files: Readonly<Record<string, unknown>> = {}) =>
  createMachine({ 'lib/.git': 'gitdir: ../.git/modules/lib\n', '~/notes/x': '', ...files })

const put = (file: string, value: unknown) => {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, JSON.stringify(value))
}

const namesIn = ({ servers }: ListOutput) => servers.map(({ name }) => name)

describe.each(places)('T54 XDG variables that lead to a folder %s', (_, folder, from, isBelieved) => {
  const at = (machine: Machine, path: string) => join(machine.home, path)
  const run = (machine: Machine, ...args: readonly string[]) =>
    machine.runWith({ env: xdgIn(at(machine, folder)), cwd: at(machine, from) }, ...args)
  const list = async (machine: Machine) =>
    JSON.parse((await run(machine, 'list', '--json')).stdout) as ListOutput

  test('a planted settings file with a preset runs nothing', async () => {
    using machine = machineWithFolders()
    const canary = at(machine, 'canary')
    put(at(machine, `${folder}/config/plugboard/settings.json`), { preset: 'boocode' })
    put(at(machine, `${from}/data/mcp.json`), {
      mcpServers: { evil: { type: 'stdio', command: '/bin/sh', args: ['-c', `touch ${canary}`] } },
    })
    const { stderr } = await run(machine, 'tools')
    expect([existsSync(canary), stderr.match(code)?.length ?? 0]).toEqual(isBelieved ? [true, 0] : [false, 1])
  })

  test('a planted mcp.json of the user is not read, and the user’s own is', async () => {
    using machine = machineWithFolders({ [ownFile]: { mcpServers: { own: { command: 'run' } } } })
    put(at(machine, `${folder}/config/plugboard/mcp.json`), { mcpServers: { evil: { command: 'run' } } })
    expect(namesIn(await list(machine))).toEqual([isBelieved ? 'evil' : 'own'])
  })

  test('a planted login is not listed', async () => {
    using machine = machineWithFolders()
    const store = new LoginStore({
      platform: { ...nodePlatform(), env: { PLUGBOARD_CREDENTIALS: 'file' } },
      directory: at(machine, `${folder}/state/plugboard/logins`),
      redactor: new Redactor(),
      warn: () => undefined,
    })
    const server = 'https://mcp.example/'
    await store.write({
      server,
      issuer: 'https://issuer.example',
      account: 'default',
      tokens: { access: 'planted-token', type: 'Bearer', issuedAt: 1, scopes: [] },
      client: { id: 'client', method: 'none' },
      grant: 'authorization_code',
      tokenEndpoint: 'https://issuer.example/token',
      asked: [],
      since: 1,
    })
    const { stdout } = await run(machine, 'whoami', '--json')
    expect(stdout.includes(server)).toBe(isBelieved)
  })

  test('a planted catalog is not offered', async () => {
    const faulty = faultyServer({ tools: [tool('honest')] })
    using machine = machineWithFolders({ [ownFile]: { mcpServers: { x: faulty } } })
    const cache = at(machine, '.cache/plugboard')
    await machine.run('tools')
    const planted = at(machine, `${folder}/cache/plugboard`)
    cpSync(cache, planted, { recursive: true })
    for (const file of filesBelow(planted)) {
      const [head = '', rest = ''] = readFileSync(file, 'utf8').split(/(?<=^\{"sum":"[\da-f]{64}",)/)
      const poisoned = rest.replaceAll('honest', 'poison')
      const sum = createHash('sha256').update(poisoned).digest('hex')
      writeFileSync(file, head.replace(/[\da-f]{64}/, sum) + poisoned)
    }
    // The user's own file, wherever the variables lead.
    const own = { ...xdgIn(at(machine, folder)), XDG_CONFIG_HOME: at(machine, '.config') }
    const { stdout } = await machine.runWith({ env: own, cwd: at(machine, from) }, 'tools')
    expect(stdout).toContain(isBelieved ? 'x__poison' : 'x__honest')
  })

  test('logs, started programs and caches are not written there, and programs do not see the variables', async () => {
    const { command, args } = faultyServer({ tools: [tool('honest')] })
    using machine = machineWithFolders()
    const seen = at(machine, 'seen')
    const script = 'env > "$0"; echo hello >&2; exec "$@"'
    const x = { command: '/bin/sh', args: ['-c', script, seen, command, ...args] }
    machine.write(ownFile, { mcpServers: { x } })
    const own = { ...xdgIn(at(machine, folder)), XDG_CONFIG_HOME: at(machine, '.config') }
    const { code: exit } = await machine.runWith({ env: own, cwd: at(machine, from) }, 'tools')
    expect(exit).toBe(0)
    expect(existsSync(at(machine, folder))).toBe(isBelieved)
    expect(existsSync(at(machine, '.local/state/plugboard/logs'))).toBe(!isBelieved)
    const variables = readFileSync(seen, 'utf8')
    expect(variables.includes('XDG_STATE_HOME=')).toBe(isBelieved)
    expect(variables).toContain('XDG_CONFIG_HOME=')
  })
})

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
}

describe('T54 HOME', () => {
  const evil = { mcpServers: { evil: { command: 'run' } } }
  const planted = (machine: Machine, folder: string) => {
    put(join(machine.project, folder, '.config/plugboard/mcp.json'), evil)
    return join(machine.project, folder)
  }
  const isAccount = userInfo().homedir

  test.each([
    ['the repository, as in a container', '.', '.'],
    ['a subfolder, by an .envrc', 'sub', 'sub'],
    ['a subfolder, seen from a submodule', 'sub', 'lib'],
  ])('a HOME that is %s: the account’s home counts, with one warning', async (_, folder, from) => {
    using machine = machineWithFolders()
    const HOME = planted(machine, folder)
    const options = { env: { HOME }, cwd: join(machine.project, from) }
    const shown = await machine.runWith(options, 'list')
    expect(shown.stdout).not.toContain('evil')
    expect(shown.stderr.match(code)).toHaveLength(1)
    expect(shown.stderr).toContain(
      `warning: HOME leads into the project (${HOME}) and is not used; the home directory of your account, ${isAccount}, is used instead.`,
    )
    const found = JSON.parse((await machine.runWith(options, 'list', '--json')).stdout) as ListOutput
    expect(namesIn(found)).not.toContain('evil')
    expect(found.diagnostics.filter((each) => each.code === 'directory-in-project')).toHaveLength(1)
    for (const command of ['status', 'tools'])
      expect((await machine.runWith(options, command)).stderr.match(code)).toHaveLength(1)
    expect((await machine.runWith(options, 'status', '--quiet')).stderr).not.toMatch(code)
  })

  test('any other HOME is believed, also of a folder that is no account’s home', async () => {
    using machine = machineWithFolders({ [ownFile]: { mcpServers: { own: { command: 'run' } } } })
    for (const cwd of [machine.home, join(machine.home, 'notes'), machine.project]) {
      const { stdout, stderr } = await machine.runWith({ cwd }, 'list')
      expect(stdout).toContain('own')
      expect(stderr).not.toMatch(code)
    }
  })

  describe.skipIf(process.getuid?.() !== 0)('of other accounts', () => {
    test('if the account’s home cannot be written, a sentence says so, nothing is kept, and servers work', async () => {
      using machine = machineWithFolders({
        '.mcp.json': { mcpServers: { x: faultyServer({ tools: [tool('honest')] }) } },
      })
      chmodSync(machine.home, 0o755)
      const HOME = planted(machine, 'sub')
      chmodSync(HOME, 0o777)
      // The account nobody of most systems; without an entry the result is the same.
      const before = machine.files()
      const shown = await machine.runWith({ env: { HOME }, uid: 65534 }, 'tools', '--trust')
      expect(shown.stdout).toContain('x__honest')
      expect(shown.stderr.match(code)).toHaveLength(1)
      expect(shown.stderr).toContain(
        'It cannot be written, so nothing is kept: no settings, trust or logins.',
      )
      expect(machine.files()).toEqual(before)
    })

    test('without HOME the account’s home is used, never /', async () => {
      using machine = machineWithFolders()
      const env = { HOME: '' }
      const { stderr } = await machine.runWith({ env, uid: 65534 }, 'add', 'x', '--', '/bin/true')
      expect(stderr).toMatch(/\/nonexistent\/|\/home\/|\/var\//)
      expect(stderr).not.toContain(' /.config')
    })
  })
})

/** Whether a command can run with its own file of accounts. */
const canChangeAccounts = succeeds('unshare', ['-m', 'sh', '-c', 'mount --bind /dev/null /etc/passwd'])

describe.skipIf(!canChangeAccounts)('T54 T55 the account’s own HOME', () => {
  /** Runs with an account whose home directory is the machine's. */
  const runAs = async (machine: Machine, cwd: string, ...args: readonly string[]) => {
    const accounts = join(machine.home, '..', 'passwd')
    writeFileSync(accounts, `root:x:0:0:root:${machine.home}:/bin/sh\n`)
    const script = 'mount --bind "$0" /etc/passwd && exec "$@"'
    const { code, stdout, stderr } = await runProgram(
      'unshare',
      ['-m', 'sh', '-c', script, accounts, process.execPath, cliFile, ...args],
      { cwd, env: machine.env },
    )
    expect(code).toBe(0)
    return { stdout, stderr }
  }
  const own = { [ownFile]: { mcpServers: { own: { command: 'run' } } } }

  test('a repository of dotfiles at ~, or a container whose account lives in the repository: everything works', async () => {
    using machine = machineWithFolders(own)
    mkdirSync(join(machine.home, '.git'))
    for (const cwd of [machine.home, join(machine.home, 'notes'), machine.project]) {
      const { stdout, stderr } = await runAs(machine, cwd, 'list')
      expect(stdout).toContain('own')
      expect(stderr).not.toMatch(code)
    }
  })

  test('without HOME, the account’s home is used', async () => {
    using machine = machineWithFolders(own)
    const { HOME: _, ...env } = machine.env
    const { stdout } = await runAs({ ...machine, env }, machine.project, 'list')
    expect(stdout).toContain('own')
  })
})
