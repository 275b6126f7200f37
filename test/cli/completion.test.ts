import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commands } from '../../src/surfaces/cli/app.ts'
import { cliFile, createMachine } from '../support/programs/cli.ts'
import type { Machine } from '../support/programs/cli.ts'
import { runProgram } from '../support/programs/program.ts'

function shop(): Machine {
  return createMachine({
    '.mcp.json': { mcpServers: { orders: { command: 'x' }, 'order-archive': { command: 'x' } } },
    '~/.config/plugboard/mcp.json': { mcpServers: { docs: { command: 'x' } } },
  })
}

async function proposals(machine: Machine, ...words: readonly string[]): Promise<readonly string[]> {
  const { code, stdout, stderr } = await machine.run('__complete', '--', ...words)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout.split('\n').filter((line) => line !== '')
}

describe('completion proposals', () => {
  test.each([
    ['a command', ['li'], ['list']],
    ['one of several similar commands', ['en'], ['enable']],
    ['every command', [''], Object.keys(commands)],
    ['a subcommand', ['sources', 'en'], ['enable']],
    ['a flag', ['list', '--res'], ['--resolved']],
    ['the value of a flag', ['list', '--preset', 'b'], ['boocode']],
    ['the other value of a flag', ['list', '--scope', 'p'], ['project']],
    ['a server', ['why', 'ord'], ['orders', 'order-archive']],
    ['a server to trust', ['trust', 'orders', 'ord'], ['orders', 'order-archive']],
    ['a server to test', ['test', 'ord'], ['orders', 'order-archive']],
    ['a server whose tool is called', ['call', 'ord'], ['orders/', 'order-archive/']],
    ['a server whose cache is cleared', ['cache', 'clear', 'do'], ['docs']],
    ['a source of --source', ['list', '--source', 'cur'], ['cursor']],
    ['a source', ['sources', 'enable', 'claude-'], ['claude-desktop', 'claude-code']],
    ['a client', ['import', 'win'], ['windsurf']],
    ['sources enable: no bundles', ['sources', 'enable', 'mcp'], ['mcporter']],
    ['import: no bundles', ['import', 'mcp'], ['mcporter']],
    ['export: not our own files', ['export', 'plug'], []],
    ['a shell', ['completion', 'f'], ['fish']],
    ['nothing for an unknown server', ['why', 'zzz'], []],
  ])('%s', async (_what, words, expected) => {
    using machine = shop()
    expect(await proposals(machine, ...words)).toEqual(expected)
  })

  test('a broken config proposes nothing and prints no error', async () => {
    using machine = createMachine({ '.mcp.json': '{ broken' })
    expect(await proposals(machine, 'why', '')).toEqual([])
  })

  test('--cwd selects the folder whose servers are proposed', async () => {
    using machine = shop()
    machine.write('~/other/.mcp.json', { mcpServers: { elsewhere: { command: 'x' } } })
    expect(await proposals(machine, 'why', '--cwd', machine.path('~/other'), 'else')).toEqual(['elsewhere'])
  })
})

describe('completion scripts', () => {
  test.each([
    ['bash', 'complete -o default -F _plugboard plugboard'],
    ['zsh', '#compdef plugboard'],
    ['fish', 'complete -c plugboard'],
  ])('%s', async (shell, line) => {
    using machine = createMachine()
    const { code, stdout, stderr } = await machine.run('completion', shell)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain(line)
    expect(await machine.json('completion', shell)).toEqual({ shell, script: stdout.trimEnd() })
  })

  /** What bash proposes for a line, with the program in its PATH. */
  async function inBash(machine: Machine, ...words: readonly string[]): Promise<readonly string[]> {
    const folder = machine.path('~/bin')
    mkdirSync(folder, { recursive: true })
    writeFileSync(`${folder}/plugboard`, `#!/bin/sh\nexec "${process.execPath}" "${cliFile}" "$@"\n`)
    chmodSync(`${folder}/plugboard`, 0o755)
    const script = `source <(plugboard completion bash)
COMP_WORDS=(plugboard "$@"); COMP_CWORD=$#
COMP_LINE="plugboard $*"; COMP_POINT=\${#COMP_LINE}
_plugboard
printf '%s\\n' "\${COMPREPLY[@]}"
complete -p plugboard`
    const { stdout, stderr } = await runProgram('/bin/bash', ['-c', script, 'bash', ...words], {
      cwd: machine.project,
      env: { ...machine.env, PATH: `${folder}${delimiter}${machine.env['PATH'] ?? ''}` },
    })
    expect(stderr).toBe('')
    const lines = stdout.trimEnd().split('\n')
    expect(lines.at(-1)).toBe('complete -o default -F _plugboard plugboard')
    return lines.slice(0, -1)
  }

  test('the bash script works in bash', async () => {
    using machine = shop()
    expect(await inBash(machine, 'wh')).toEqual(['why', 'whoami'])
    expect(await inBash(machine, 'why', 'ord')).toEqual(['orders', 'order-archive'])
    expect(await inBash(machine, 'sources', 'enable', 'curs')).toEqual(['cursor'])
    expect(await inBash(machine, 'list', '--js')).toEqual(['--json'])
  })

  test('completing a hostile server name runs nothing', async () => {
    using machine = createMachine({
      '.mcp.json': {
        mcpServers: {
          'x$(touch canary)': { command: 'x' },
          'x`touch canary`': { command: 'x' },
          'x *': { command: 'x' },
        },
      },
    })
    await inBash(machine, 'why', 'x')
    expect(machine.has('canary')).toBe(false)
  })
})
