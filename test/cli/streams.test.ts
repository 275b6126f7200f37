import { describe, expect, test } from 'vitest'
import { cliFile, createMachine } from '../support/programs/cli.ts'
import { runProgram } from '../support/programs/program.ts'
import { inShell } from '../support/programs/shell.ts'
import { openTerminal } from '../support/programs/terminal.ts'

const many = Object.fromEntries(
  Array.from({ length: 500 }, (_, index) => [
    `server-${index}`,
    { command: `program-${index}`, args: ['x'.repeat(200)] },
  ]),
)
const few = Object.fromEntries(Object.entries(many).slice(0, 20))
const problems = {
  '~/.config/plugboard/mcp.json': { mcpServers: { good: { command: 'good-mcp' }, bad: { command: 5 } } },
}

describe('the result goes to stdout, everything else to stderr', () => {
  test('list: the table is on stdout, problems and next steps on stderr', async () => {
    using machine = createMachine(problems)
    machine.write('~/.cursor/mcp.json', { mcpServers: { notes: { command: 'notes-mcp' } } })
    const { stdout, stderr } = await machine.run('list')
    expect(stdout).toBe(
      [
        'SERVER  STATE  KIND   COMMAND OR URL  DECLARED IN',
        'good    on     stdio  good-mcp        ~/.config/plugboard/mcp.json (user)',
        '',
      ].join('\n'),
    )
    expect(stderr).toMatch(/^error: ~\/\.config\/plugboard\/mcp\.json:\d+: "bad"/)
    expect(stderr).toContain(
      'Other clients have 1 file not in use: cursor. Turn one on: plugboard sources enable cursor\n',
    )
  })

  test('list: a problem names its server once', async () => {
    using machine = createMachine(problems)
    const { stderr } = await machine.run('list')
    for (const line of stderr.split('\n')) expect(line.split('"bad"').length).toBeLessThanOrEqual(2)
  })

  test('notes are printed by why, not by list', async () => {
    using machine = createMachine({
      'mcp.json': { mcpServers: { orders: { command: 'project-orders' } } },
      '.mcp.json': { mcpServers: { orders: { command: 'my-orders' } } },
    })
    const listed = await machine.run('list')
    expect(listed.stderr).not.toContain('note:')
    expect(listed.stderr).toContain(
      '1 declaration hidden by another of the same name. See: plugboard why NAME',
    )
    expect((await machine.run('why', 'orders')).stdout).toContain('note: mcp.json:3: "orders" is hidden by')
  })

  test('list without any server proposes a first step', async () => {
    using machine = createMachine()
    expect(await machine.run('list')).toEqual({
      code: 0,
      stdout: 'No MCP servers are in force here.\n',
      stderr: 'Add one: plugboard add NAME -- command args…\n',
    })
  })
})

describe('a reader that closes the pipe', () => {
  test.each([['list'], ['list', '--json'], ['sources', '--json', '--all']])(
    '%s %s | head -1 ends silently',
    async (...words) => {
      using machine = createMachine({ '~/.config/plugboard/mcp.json': { mcpServers: many } })
      const { stdout } = await runProgram(
        '/bin/bash',
        [
          '-c',
          'set -o pipefail; "$@" 2>"$HOME/stderr" | head -1; echo "${PIPESTATUS[0]}"',
          'x',
          process.execPath,
          cliFile,
          ...words,
          '--quiet',
        ],
        {
          cwd: machine.project,
          env: machine.env,
        },
      )
      expect(stdout.split('\n')).toHaveLength(3)
      expect(stdout).toMatch(/\n0\n$/)
      expect(machine.read('~/stderr')).toBe('')
    },
  )

  test.each(['--version', '-v', '--help', '__complete -- l', 'completion bash'])(
    'plugboard %s | true ends silently',
    (words) => {
      using machine = createMachine()
      const line = `plugboard ${words} 2>"$HOME/stderr" | true; echo "\${PIPESTATUS[0]}"`
      const { stdout } = inShell(machine, line)
      expect([stdout, machine.read('~/stderr')]).toEqual(['0\n', ''])
    },
  )
})

describe('colors', () => {
  const escape = '\u001B['

  test.each([
    ['in a terminal', {}, true],
    ['none with NO_COLOR', { NO_COLOR: '1' }, false],
    ['none in a dumb terminal', { TERM: 'dumb' }, false],
  ])('%s', async (_title, env, colored) => {
    using machine = createMachine(problems)
    const terminal = openTerminal(machine, ['list'], { env })
    expect(await terminal.ended).toBe(0)
    expect(terminal.raw().includes(escape)).toBe(colored)
  })

  test.each([
    ['none through a pipe', {}, false],
    ['through a pipe with FORCE_COLOR', { FORCE_COLOR: '1' }, true],
  ])('%s', async (_title, env, colored) => {
    using machine = createMachine(problems)
    const { stdout, stderr } = await machine.runWith({ env }, 'list')
    expect((stdout + stderr).includes(escape)).toBe(colored)
    const json = await machine.runWith({ env }, 'list', '--json')
    expect(json.stdout.includes(escape)).toBe(false)
  })
})

describe('width', () => {
  test.each([30, 40, 60, 80, 120])(
    'list: in a terminal of %i columns no line of the table is wider',
    async (columns) => {
      using machine = createMachine({ '~/.config/plugboard/mcp.json': { mcpServers: few } })
      const terminal = openTerminal(machine, ['list', '--quiet'], { columns, env: { NO_COLOR: '1' } })
      expect(await terminal.ended).toBe(0)
      expect(
        terminal
          .shown()
          .split('\n')
          .filter((line) => line.length > columns),
      ).toEqual([])
      expect(terminal.shown()).toContain('server-19')
    },
  )

  test('list: through a pipe nothing is cut', async () => {
    using machine = createMachine({ '~/.config/plugboard/mcp.json': { mcpServers: many } })
    const { stdout } = await machine.runWith({ env: { COLUMNS: '40' } }, 'list')
    expect(stdout).toContain(`program-499 ${'x'.repeat(200)}`)
  })
})
