import { describe, expect, test } from 'vitest'
import { createMachine } from '../support/programs/cli.ts'
import type { Machine } from '../support/programs/cli.ts'
import { ownFile } from '../support/servers.ts'

async function shown(machine: Machine, ...words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await machine.run(...words)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
}

describe.concurrent('help and version as commands', () => {
  test.each([[[]], [['call']], [['sources', 'enable']], [['sources']]])(
    'help %j prints what --help prints',
    async (words) => {
      using machine = createMachine()
      expect(await shown(machine, 'help', ...words)).toBe(await shown(machine, ...words, '--help'))
    },
  )

  test('version prints what --version prints', async () => {
    using machine = createMachine()
    expect(await shown(machine, 'version')).toBe(await shown(machine, '--version'))
    expect(await machine.json('version')).toEqual({
      plugboard: (await shown(machine, '-v')).trim(),
      node: process.version,
    })
  })
})

describe.concurrent('flags in front of the command', () => {
  const shop = () => createMachine({ 'deep/.mcp.json': { mcpServers: { orders: { command: 'x' } } } })

  test.each([
    [
      ['--json', '--cwd', 'deep', 'list'],
      ['list', '--json', '--cwd', 'deep'],
    ],
    [
      ['--cwd=deep', 'why', 'orders'],
      ['why', 'orders', '--cwd=deep'],
    ],
    [
      ['--quiet', '--source', 'cursor', 'sources', 'list'],
      ['sources', 'list', '--source', 'cursor', '--quiet'],
    ],
    [
      ['--json', 'add', 'x', '--dry-run', '--', 'x-mcp', '--json'],
      ['add', 'x', '--dry-run', '--json', '--', 'x-mcp', '--json'],
    ],
    [
      ['--json', '--version'],
      ['version', '--json'],
    ],
    [['--quiet', '--help'], ['--help']],
  ])('%j means the same as %j', async (before, after) => {
    using machine = shop()
    const result = await machine.run(...before)
    expect(result).toEqual(await machine.run(...after))
    expect(result.code).toBe(0)
  })

  test('an error names the help of the command', async () => {
    using machine = shop()
    expect(await machine.run('--quiet', 'remove')).toEqual({
      code: 2,
      stdout: '',
      stderr: 'Expected argument for NAME\nSee: plugboard remove --help\n',
    })
  })

  test('are completed, and the command after them', async () => {
    using machine = shop()
    const proposals = async (...words: readonly string[]) =>
      (await shown(machine, '__complete', '--', ...words)).split('\n').filter(Boolean)
    expect(await proposals('--c')).toEqual(['--cwd', '--config'])
    expect(await proposals('--preset', 'o')).toEqual(['omp'])
    expect(await proposals('--json', 'why')).toEqual(['why'])
    expect(await proposals('--cwd', 'deep', 'why', 'o')).toEqual(['orders'])
    expect(await proposals('--json', 'sources', 'en')).toEqual(['enable'])
    expect(await proposals('help', 'comp')).toEqual(['completion'])
    expect(await proposals('help', 'sources', '')).toEqual(['list', 'enable', 'disable'])
  })
})

describe.concurrent('add NAME https://…', () => {
  test('adds the address as --url does', async () => {
    using machine = createMachine()
    await shown(machine, 'add', 'docs', 'https://docs.example.com/mcp', '--token', '${DOCS}')
    expect(JSON.parse(machine.read(ownFile))).toEqual({
      mcpServers: {
        docs: {
          type: 'http',
          url: 'https://docs.example.com/mcp',
          headers: { Authorization: 'Bearer ${DOCS}' },
        },
      },
    })
  })

  test.each([
    [
      ['add', 'https://docs.example.com/mcp'],
      'The server needs a name: plugboard add NAME https://docs.example.com/mcp',
    ],
    [['add', 'docs', 'https://a.example.com', '--', 'x'], 'Use either --url or -- <command...>, not both.'],
    [
      ['add', 'docs', 'https://a.example.com', 'more'],
      'Put the command after --: plugboard add docs -- https://a.example.com more',
    ],
  ])('%j is refused with the form that works', async (words, message) => {
    using machine = createMachine()
    expect(await machine.run(...words)).toEqual({ code: 2, stdout: '', stderr: `${message}\n` })
    expect(machine.files()).toEqual({})
  })
})
