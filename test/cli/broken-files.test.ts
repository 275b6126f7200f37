import { chmodSync, chownSync, mkdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { faultyServer } from '../../src/testing/faulty-server.ts'
import { createMachine } from '../support/programs/cli.ts'
import { ownFile } from '../support/servers.ts'
import { inShell } from '../support/programs/shell.ts'

const works = faultyServer({
  tools: [{ name: 'go', inputSchema: { type: 'object' } }],
  on: { 'tools/call': { text: 'done' } },
})
const text = '{"mcpServers": {'
const sentence = '.mcp.json:1:17: '

function shop(more: Readonly<Record<string, unknown>> = {}) {
  return createMachine({ '.mcp.json': text, [ownFile]: { mcpServers: { good: works } }, ...more })
}

interface Document {
  readonly diagnostics?: readonly { readonly code: string; readonly file: string }[]
}

/** The exit codes: 1 if the result may be incomplete, 0 for what works, 5 for what may be in the broken file. */
const rows = [
  ['list', 1],
  ['tools', 1],
  ['tool good/go', 1],
  ['search go', 1],
  ['call good/go', 0],
  ['call other/go', 5],
  ['test good', 1],
  ['test --all', 1],
  ['doctor', 1],
  ['prompts', 1],
  ['resources', 1],
  ['why good', 1],
  ['trust --all', 1],
] as const

describe.concurrent('a config file that does not parse is named by every command that depends on it', () => {
  test.each(rows)('%s exits with %i and names file, line and column on stderr', async (line, expected) => {
    using machine = shop()
    const { code, stderr } = await machine.run(...line.split(' '))
    const severity = expected === 1 ? 'error' : 'warning'
    expect(stderr.split('\n').filter((each) => each.startsWith(`${severity}: ${sentence}`))).toHaveLength(1)
    expect(code).toBe(expected)
  })

  test.each(rows)('%s --json has it in "diagnostics"', async (line, expected) => {
    using machine = shop()
    const { code, stdout } = await machine.run(...line.split(' '), '--json')
    const { diagnostics = [] } = JSON.parse(stdout) as Document
    expect(diagnostics.filter(({ file }) => file === machine.path('.mcp.json'))).toEqual([
      expect.objectContaining({ code: 'parse-error', severity: 'error', line: 1, column: 17 }),
    ])
    expect(code).toBe(expected)
  })

  test('--quiet keeps the reason of a failure', async () => {
    using machine = shop()
    expect((await machine.run('tools', '--quiet')).stderr).toContain(`error: ${sentence}`)
    expect((await machine.run('call', 'good/go', '--quiet')).stderr).toBe('')
  })

  test('--scope user does not depend on a file of the project', async () => {
    using machine = shop()
    const { code, stderr } = await machine.run('tools', '--scope', 'user')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  })

  test.each(['enable', 'disable', 'remove', 'logs', 'login', 'untrust'])(
    '%s of a name that the broken file may declare names the file and its line',
    async (verb) => {
      using machine = shop()
      const { code, stderr } = await machine.run(verb, 'lost')
      expect(stderr).toMatch(/It may be declared in \S*\.mcp\.json:1, which cannot be used: /)
      expect(code).toBe(5)
    },
  )

  test.each(['list', 'tools', '/mcp reload'])(
    'the shell: %s reports it, and a piped line fails',
    async (line) => {
      using machine = shop()
      const { code, stderr } = await machine.runWith({ stdin: `${line}\n` })
      expect(stderr).toContain('.mcp.json:1:17: ')
      expect(code).toBe(1)
    },
  )

  test.each(['dispatch', 'boocode'])(
    'a wrong root key under --preset %s: list, tools and doctor report it',
    async (preset) => {
      const file = preset === 'dispatch' ? '.dispatch/mcp.json' : 'data/mcp.json'
      using machine = createMachine({ [file]: { mcp: { a: { command: 'x' } } } })
      for (const command of ['list', 'tools', 'doctor']) {
        const { code, stderr } = await machine.run(command, '--preset', preset)
        expect([command, code, stderr]).toEqual([command, 1, expect.stringContaining(`error: ${file}:2: `)])
      }
    },
  )

  test('a url that cannot be used is named by list, tools and doctor with its line', async () => {
    using machine = createMachine({ [ownFile]: { mcpServers: { a: { type: 'http', url: 'htp:/x' } } } })
    expect((await machine.run('list')).stderr).toContain('mcp.json:5: "a": The url is not a URL.')
    expect((await machine.run('tools')).stderr).toContain('"a" is missing here: The url is not a URL.')
    expect((await machine.run('doctor')).code).toBe(1)
  })
})

describe.concurrent('doctor ends with one line of totals', () => {
  test('servers that wait for trust count as not ready', async () => {
    using machine = shop({
      '.mcp.json': { mcpServers: { waiting: { command: 'never-run' } } },
      [ownFile]: { mcpServers: { good: works, off: { ...works, enabled: false }, bad: { command: 5 } } },
    })
    const { code, stdout } = await machine.run('doctor')
    expect(stdout.trimEnd().split('\n').at(-1)).toBe(
      '1 of 3 servers ready; not ready: 1 waiting for trust, 1 unusable; 1 off',
    )
    expect(code).toBe(1)
    machine.write(ownFile, { mcpServers: { good: works } })
    expect((await machine.run('doctor')).code).toBe(4)
    expect(await machine.json('doctor')).toMatchObject({ totals: { ready: 1, notReady: 1, brokenFiles: 0 } })
  })

  test('broken files are counted, also without any server', async () => {
    using machine = createMachine({ '.mcp.json': text })
    const { code, stdout } = await machine.run('doctor')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '0 of 0 servers ready; 1 file cannot be used\n' })
  })
})

describe.concurrent('settings', () => {
  test('sources disable without a settings file writes nothing', async () => {
    using machine = shop({ '.mcp.json': {} })
    const before = machine.files()
    expect((await machine.run('sources', 'disable', 'cursor')).code).toBe(0)
    expect(machine.files()).toEqual(before)
  })

  test('an empty settings file hides no tool', async () => {
    using machine = shop({
      '.mcp.json': {},
      '~/.config/plugboard/settings.json': '',
      '.plugboard/settings.json': '\n',
    })
    const { code, stdout, stderr } = await machine.run('tools')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('good__go')
  })
})

describe.concurrent('a folder without permission is a sentence, never a stack trace', () => {
  const uid = process.getuid?.() === 0 ? 4242 : undefined
  const commands = [
    'list',
    'tools',
    'doctor --no-start',
    'add a -- b',
    'sources',
    'untrust a',
    'trust --all',
    'status',
  ]

  function locked() {
    const machine = createMachine()
    mkdirSync(machine.path('closed/inner'), { recursive: true })
    if (uid !== undefined) chownSync(machine.home, uid, uid)
    chmodSync(machine.path('closed'), uid === undefined ? 0o000 : 0o700)
    return machine
  }

  test.each(commands)('%s with --cwd below it, and with a home below it', async (line) => {
    using machine = locked()
    const user = uid === undefined ? {} : { uid }
    const [words, inner] = [line.split(' '), machine.path('closed/inner')]
    const [first = '', ...rest] = words
    // `run` rejects if a stack trace was printed.
    const below = await machine.runWith(user, first, '--cwd', inner, ...rest)
    expect(below).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`The folder ${inner} cannot be used`) as string,
    })
    const homeless = await machine.runWith({ ...user, env: { HOME: inner } }, ...words)
    expect(homeless.stderr).not.toMatch(/\n {4}at /)
    chmodSync(machine.path('closed'), 0o700)
  })

  test('a deleted working directory: tools, call and doctor', () => {
    using machine = createMachine()
    for (const command of ['tools', 'call a/b', 'doctor', 'test a'])
      expect(
        inShell(machine, `mkdir gone && cd gone && rmdir ../gone && plugboard ${command}`),
      ).toMatchObject({
        status: 1,
        stderr: 'The working directory no longer exists.\nChange to a folder that exists.\n',
      })
  })
})

describe.concurrent('what is known', () => {
  test('tools knows afterwards what test has listed', async () => {
    using machine = shop({ '.mcp.json': {} })
    expect((await machine.run('tools', '--no-start')).stdout).toBe('')
    await machine.run('test', 'good')
    expect((await machine.run('tools', '--no-start')).stdout).toContain('good__go')
  })

  test('tools and test NAME both say why a declared server cannot be used', async () => {
    using machine = createMachine({ [ownFile]: { mcpServers: { bad: { command: 5 } } } })
    const why = '"command" must be a string, not 5.'
    expect((await machine.run('tools')).stderr).toContain(`"bad" is missing here: ${why}`)
    expect(await machine.run('test', 'bad')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`"bad" cannot be used: ${why}`) as string,
    })
  })

  test.concurrent.each(['tools', 'search nothing', 'doctor', 'test --all'])(
    '%s --timeout shows what is there by then, and names the server that is missing',
    async (line) => {
      const hangs = { command: process.execPath, args: ['-e', 'setInterval(() => {}, 1000)'] }
      using machine = createMachine({ [ownFile]: { mcpServers: { good: works, hangs } } })
      await machine.run('test', 'good')
      const { code, stdout, stderr } = await machine.run(...line.split(' '), '--timeout', '8s')
      expect(stdout).toContain(line.startsWith('search') ? '' : 'good')
      expect(stdout + stderr).toMatch(/"hangs" (?:is missing here|did not get ready)|connect to "hangs"/)
      expect(code).toBe(9)
      const { stdout: json } = await machine.run(...line.split(' '), '--timeout', '8s', '--json')
      expect(JSON.parse(json)).not.toHaveProperty('error')
    },
  )
})
