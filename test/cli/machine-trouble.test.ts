import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createMachine } from '../support/programs/cli.ts'
import { inShell } from '../support/programs/shell.ts'

describe.concurrent('operating system errors are one sentence without a stack', () => {
  const message = 'The working directory no longer exists.'
  const hint = 'Change to a folder that exists.'
  test.each([
    ['list', ''],
    ['list --json', `${JSON.stringify({ version: 1, error: { code: 'failed', message, hint } }, null, 2)}\n`],
  ])('a deleted working directory: %s', (words, stdout) => {
    using machine = createMachine()
    expect(inShell(machine, `mkdir gone && cd gone && rmdir ../gone && plugboard ${words}`)).toEqual({
      status: 1,
      stdout,
      stderr: `${message}\n${hint}\n`,
    })
  })

  test
    .runIf(existsSync('/dev/full'))
    .each([
      ['list'],
      ['--help'],
      ['--version'],
      ['-v'],
      ['sources', '--json'],
      ['completion', 'bash'],
      ['__complete', '--', 'l'],
    ])('a full disk: %s %s', (...words) => {
    using machine = createMachine()
    expect(inShell(machine, `plugboard ${words.join(' ')} > /dev/full 2> errors; `)).toMatchObject({
      status: 1,
    })
    expect(machine.read('errors')).toMatch(/The result could not be written: ENOSPC: [^\n]*\.\n$/)
    expect(machine.read('errors')).not.toMatch(/\n {4}at /)
  })
})

describe.concurrent('damaged files of our own', () => {
  const project = { '.mcp.json': { mcpServers: { orders: { command: 'x' } } } }

  test.each([['why', 'orders'], ['list']])(
    'FI-74 a damaged trust store: %s %s reports it and exits with 3',
    async (...words) => {
      using machine = createMachine(project)
      machine.write('~/.local/state/plugboard/trust.json', '{ broken', 0o600)
      const { code, stderr } = await machine.run(...words)
      expect(code).toBe(3)
      expect(stderr).toContain('The trust store cannot be used: it is not valid JSON.')
    },
  )

  test.each([['list'], ['why', 'orders'], ['sources', 'enable', 'cursor']])(
    'damaged settings: %s %s names the file and exits with 3',
    async (...words) => {
      using machine = createMachine({ ...project, '~/.config/plugboard/settings.json': '{ broken' })
      const { code, stderr } = await machine.run(...words)
      expect(code).toBe(3)
      expect(stderr).toContain('.config/plugboard/settings.json')
      expect(machine.read('~/.config/plugboard/settings.json')).toBe('{ broken')
    },
  )

  test('an unknown setting does not count as damage', async () => {
    using machine = createMachine({ ...project, '~/.config/plugboard/settings.json': { color: 1 } })
    expect((await machine.run('list')).code).toBe(0)
  })
})

describe.concurrent('a named config file that does not exist', () => {
  test('--config: list reports it and exits with 1', async () => {
    using machine = createMachine()
    const { code, stderr } = await machine.run('list', '--config', '/nope')
    expect({ code, problem: stderr.split('\n')[0] }).toEqual({
      code: 1,
      problem: 'error: /nope: /nope does not exist. [unreadable-file]',
    })
  })

  test('PLUGBOARD_CONFIG: list reports it and exits with 1', async () => {
    using machine = createMachine()
    const { code, stderr } = await machine.runWith({ env: { PLUGBOARD_CONFIG: '/nope' } }, 'list')
    expect({ code, problem: stderr.split('\n')[0] }).toEqual({
      code: 1,
      problem: 'error: /nope: /nope does not exist. [unreadable-file]',
    })
  })
})
