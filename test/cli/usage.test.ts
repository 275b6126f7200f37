import { describe, expect, test } from 'vitest'
import { readFileSync } from 'node:fs'
import { createMachine } from '../support/programs/cli.ts'
import { exitCodes } from '../../src/surfaces/cli/exit-codes.ts'

const commands = [
  'list',
  'why',
  'sources',
  'sources list',
  'sources enable',
  'sources disable',
  'add',
  'remove',
  'enable',
  'disable',
  'import',
  'export',
  'trust',
  'untrust',
  'test',
  'call',
  'request',
  'logs',
  'status',
  'cache clear',
  'completion',
  'help',
  'version',
]
const common = ['--json', '--quiet', '--preset', '--cwd', '--config', '--source', '--trust', '--scope']

describe.concurrent('help', () => {
  test('plugboard without arguments lists every command', async () => {
    using machine = createMachine()
    const { code, stdout, stderr } = await machine.run()
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const command of new Set(commands.map((words) => words.split(' ')[0] ?? '')))
      expect(stdout).toMatch(new RegExp(`^  ${command} +\\S`, 'm'))
  })

  test.each(commands.filter((command) => command !== 'sources'))(
    '%s --help lists its flags and the common ones',
    async (command) => {
      using machine = createMachine()
      const { code, stdout, stderr } = await machine.run(...command.split(' '), '--help')
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(common.filter((flag) => !stdout.includes(`${flag}]`))).toEqual([])
      expect(stdout).toContain(`plugboard ${command}`)
    },
  )

  test.each(['', ...commands])('%s --help fits into 80 columns', async (command) => {
    using machine = createMachine()
    const { stdout } = await machine.run(...command.split(' ').filter(Boolean), '--help')
    expect(stdout).toContain('USAGE\n')
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([])
  })

  test('wrapped descriptions are aligned with their first line', async () => {
    using machine = createMachine()
    expect((await machine.run('login', '--help')).stdout).toContain(
      [
        '     [--paste]       Paste the final address from a browser elsewhere, if this',
        '                     machine has none',
        '     [--device]      Enter a code on any device, if the issuer supports it',
      ].join('\n'),
    )
  })

  test.each([
    ['list', '[NAME]'],
    ['tools', '[PATTERN]'],
    ['presets', '[NAME]'],
    ['why', '<NAME>'],
    ['trust', '[NAME]...'],
    ['search', '<WORDS>...'],
    ['request', '<NAME> <METHOD> [JSON]'],
    ['agents', ''],
  ])('%s --help shows its arguments, including optional ones: %s', async (command, args) => {
    using machine = createMachine()
    const { stdout } = await machine.run(command, '--help')
    expect(stdout.split('\n')[1]).toBe(`  plugboard ${command} ${args}`.trimEnd())
  })

  test('sources --help lists its subcommands', async () => {
    using machine = createMachine()
    const { stdout } = await machine.run('sources', '--help')
    expect(stdout).toContain('enable')
    expect(stdout).toContain('disable')
  })

  test.each([
    ['gateway', 'serve'],
    ['skills', 'list'],
    ['store', 'status'],
  ])('%s --help shows the flags and arguments of %s, which runs by default', async (command, byDefault) => {
    using machine = createMachine()
    const [both, alone] = await Promise.all([
      machine.run(command, '--help'),
      machine.run(command, byDefault, '--help'),
    ])
    const sectionsOf = (text: string) =>
      text
        .trimEnd()
        .split('\n\n')
        .filter((section) => /^(?:FLAGS|ARGUMENTS)\n/.test(section))
    expect(sectionsOf(alone.stdout).length).toBeGreaterThan(0)
    expect(sectionsOf(both.stdout)).toEqual(sectionsOf(alone.stdout))
    expect(both.stdout).not.toContain('\n\n\n')
  })

  test('gateway --help names the flags of both transports, and not --scope, which it refuses', async () => {
    using machine = createMachine()
    const { stdout } = await machine.run('gateway', '--help')
    const flags = [...stdout.matchAll(/^ +\[--([a-z-]+)\]/gm)].map(([, name]) => name)
    expect(flags).toEqual(
      [
        'json',
        'quiet',
        'preset',
        'cwd',
        'config',
        'source',
        'trust',
        'stdio',
        'alone',
        'port',
        'view',
      ].concat(['search', 'host', 'tls-cert', 'tls-key', 'from', 'sessions']),
    )
    expect(stdout).toContain('plugboard gateway --port N')
  })

  test('--version and -v print the version of the package', async () => {
    using machine = createMachine()
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      version: string
    }
    for (const flag of ['--version', '-v'])
      expect(await machine.runWith({ from: 'dist' }, flag)).toEqual({
        code: 0,
        stdout: `${version}\n`,
        stderr: '',
      })
  })
})

describe.concurrent('a usage error exits with 2, says what is wrong and creates no file', () => {
  test.each([
    [['lits'], 'No command registered for `lits`, did you mean `list`?\nSee: plugboard --help'],
    [['sorces'], 'No command registered for `sorces`, did you mean `sources`?\nSee: plugboard --help'],
    [['calll'], 'No command registered for `calll`, did you mean `call`?\nSee: plugboard --help'],
    [
      ['complation'],
      'No command registered for `complation`, did you mean `completion`?\nSee: plugboard --help',
    ],
    [['bogus'], 'No command registered for `bogus`\nSee: plugboard --help'],
    [
      ['remove', '-weather'],
      'No alias registered for -w. Put a name that begins with "-" after --, as the last word\nSee: plugboard remove --help',
    ],
    [['list', '--bad'], 'No flag registered for --bad\nSee: plugboard list --help'],
    [['frobnicate'], 'No command registered for `frobnicate`\nSee: plugboard --help'],
    [['list', '--jsn'], 'No flag registered for --jsn, did you mean --json?\nSee: plugboard list --help'],
    [['list', '--frobnicate'], 'No flag registered for --frobnicate\nSee: plugboard list --help'],
    [
      ['list', '--preset', 'omq'],
      'Expected "omq" to be one of (default|boocode|dispatch|omp), did you mean "omp"?\nSee: plugboard list --help',
    ],
    [['list', '--scope', 'team'], 'Expected "team" to be one of (user|project)\nSee: plugboard list --help'],
    [['list', '--cwd'], 'Expected input for flag --cwd\nSee: plugboard list --help'],
    [
      ['list', 'a', 'extra'],
      'Too many arguments, expected 1 but encountered "extra"\nSee: plugboard list --help',
    ],
    [['why'], 'Expected argument for NAME\nSee: plugboard why --help'],
    [['remove'], 'Expected argument for NAME\nSee: plugboard remove --help'],
    [['import'], 'Expected argument for CLIENT\nSee: plugboard import --help'],
    [['sources', 'enable'], 'Expected argument for ID\nSee: plugboard sources enable --help'],
    [['trust'], 'Name a server, or use --all.'],
    [['trust', 'a', '--all'], 'Name the servers or use --all, not both.'],
    [['trust', 'a', 'b', '--hash', 'x'], '--hash requires the name of exactly one server.'],
    [['test'], 'Name a server, or use --all.'],
    [['test', 'a', '--all'], 'Name the servers or use --all, not both.'],
    [
      ['test', 'a', '--timeout', '10'],
      'Failed to parse "10" for timeout: expected a number and a unit, such as 500ms, 10s or 1m\n' +
        'See: plugboard test --help',
    ],
    [['logs'], 'Expected argument for NAME\nSee: plugboard logs --help'],
    [
      ['logs', 'a', '--lines', 'all'],
      'Failed to parse "all" for lines: expected a number of lines\nSee: plugboard logs --help',
    ],
    [['request', 'a'], 'Expected argument for METHOD\nSee: plugboard request --help'],
    [
      ['request', 'a', 'ping', '[]'],
      `The parameters must be a JSON object.\nFor example: '{"key": "value"}'.`,
    ],
    [['call'], 'Expected at least 1 argument(s) for TOOL but found none\nSee: plugboard call --help'],
    [['call', 'a/b', 'k=v', '--args', '{}'], 'The arguments were given twice.'],
    [
      ['prompt', 'a/b', '--format', 'raw'],
      'Expected "raw" to be one of (text|json|markdown)\nSee: plugboard prompt --help',
    ],
    [['why', 'a', '--server', '--tool'], 'Use --server or --tool, not both.'],
    [
      ['search', 'x', '--limit', '0'],
      'Failed to parse "0" for limit: expected a number of at least 1\nSee: plugboard search --help',
    ],
    [['call', 'a/b', 'c'], '"c" is not an argument.\nWrite arguments as key=value, or as one JSON object.'],
    [['help', 'calll'], 'No command registered for `calll`, did you mean `call`?\nSee: plugboard --help'],
    [
      ['--frobnicate', 'list'],
      'Not a flag for every command: --frobnicate. Put it after the command: plugboard COMMAND --frobnicate\n' +
        'See: plugboard --help',
    ],
    [['cache', 'empty'], 'No command registered for `empty`. There are: clear\nSee: plugboard cache --help'],
    [
      ['gateway', 'foo'],
      'No command registered for `foo`. There are: serve, status, stop, logs, publish, rollback, versions\n' +
        'See: plugboard gateway --help',
    ],
    [
      ['gateway', 'statu'],
      'No command registered for `statu`, did you mean `status`?\nSee: plugboard gateway --help',
    ],
    [['keys', 'lst'], 'No command registered for `lst`, did you mean `list`?\nSee: plugboard keys --help'],
    [['keys', 'rotate'], 'Expected argument for NAME\nSee: plugboard keys rotate --help'],
    [['completion', 'tcsh'], 'There is no completion for "tcsh".\nUse one of bash, zsh, fish.'],
    [['sources', 'enable', 'plugboard'], 'plugboard is always on: it reads your own files.'],
    [['sources', 'disable', 'plugboard'], 'plugboard is always on: it reads your own files.'],
    ...['mcpb', 'registry-server-json', 'agent-plugins'].map((id): [string[], string] => [
      ['sources', 'enable', id],
      `${id} is not a client: its files are read only where you name them.\nTo add from a file: plugboard add --from FILE`,
    ]),
    [
      ['import', 'plugboard'],
      '"plugboard" is not a client to copy from or to.\nSee: plugboard sources --all',
    ],
  ])('%j', async (words, message) => {
    using machine = createMachine()
    expect(await machine.run(...words)).toEqual({ code: 2, stdout: '', stderr: `${message}\n` })
    expect(machine.files()).toEqual({})
  })

  test('--cwd with a missing folder', async () => {
    using machine = createMachine()
    expect(await machine.run('list', '--cwd', 'nowhere')).toEqual({
      code: 2,
      stdout: '',
      stderr: `There is no folder ${machine.path('nowhere')}.\n`,
    })
  })
})

describe.concurrent('exit codes', () => {
  test('match the documented table', () => {
    const codes = Object.entries(exitCodes).map(([name, { code }]) => [name, code])
    expect(codes).toEqual([
      ['ok', 0],
      ['failed', 1],
      ['usage', 2],
      ['damaged', 3],
      ['untrusted', 4],
      ['unknown', 5],
      ['conflict', 6],
      ['unavailable', 7],
      ['login', 8],
      ['timeout', 9],
      ['refused', 10],
      ['outcomeUnknown', 11],
      ['denied', 12],
      ['limit', 13],
      ['findings', 14],
      ['differs', 15],
      ['internal', 70],
      ['hungUp', 129],
      ['cancelled', 130],
      ['terminated', 143],
    ])
  })

  test.each([
    [['list', 'ordrs'], 'No server "ordrs" is in force here.\nDid you mean orders?'],
    [['why', 'ordrs'], 'No server "ordrs" is declared here.\nDid you mean orders?'],
    [['remove', 'ordrs'], 'No server "ordrs" is declared.\nDid you mean orders?'],
    [['enable', 'nothing'], 'No server "nothing" is declared.\nSee: plugboard list'],
    [['disable', 'nothing'], 'No server "nothing" is declared.\nSee: plugboard list'],
    [['trust', 'ordrs'], 'No server "ordrs" is in force here.\nDid you mean orders?'],
    [['untrust', 'orders'], '"orders" was not trusted.\nSee: plugboard list'],
    [['sources', 'enable', 'curser'], 'There is no source "curser".\nDid you mean cursor?'],
    [['import', 'curser'], 'There is no source "curser".\nDid you mean cursor?'],
    [['export', 'curser'], 'There is no source "curser".\nDid you mean cursor?'],
    [['test', 'ordrs'], 'No server "ordrs" is in force here.\nDid you mean orders?'],
    [['call', 'ordrs/find'], 'No server "ordrs" is in force here.\nDid you mean orders?'],
    [['request', 'ordrs', 'ping'], 'No server "ordrs" is in force here.\nDid you mean orders?'],
    [['logs', 'ordrs'], 'No server "ordrs" is in force here.\nDid you mean orders?'],
    [['cache', 'clear', 'ordrs'], 'No server "ordrs" is in force here.\nDid you mean orders?'],
    [['import', 'cursor', '--only', 'nope'], 'There is no server "nope" to copy.'],
  ])('%j exits with 5 for an unknown name', async (words, message) => {
    using machine = createMachine({ '.mcp.json': { mcpServers: { orders: { command: 'orders-mcp' } } } })
    expect(await machine.run(...words)).toEqual({ code: 5, stdout: '', stderr: `${message}\n` })
  })

  test('add exits with 6 for a taken name, 1 for a file that cannot be written', async () => {
    using machine = createMachine({ '.mcp.json': { mcpServers: { orders: { command: 'orders-mcp' } } } })
    expect((await machine.run('add', 'orders', '--scope', 'project', '--', 'x')).code).toBe(6)
    machine.write('.mcp.json', '{ broken')
    expect((await machine.run('add', 'more', '--scope', 'project', '--', 'x')).code).toBe(1)
    expect(machine.read('.mcp.json')).toBe('{ broken')
  })
})
