import { mkdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createMachine } from '../support/programs/cli.ts'
import type { Machine } from '../support/programs/cli.ts'
import { openTerminal } from '../support/programs/terminal.ts'
import { everyVerb, withFlags } from '../support/verbs.ts'

/** Control sequences and invisible characters. */
const attacks = {
  color: '\u001B[31mred',
  clear: '\u001B[2J\u001B[H',
  clipboard: '\u001B]52;c;ZXZpbA==\u0007',
  title: '\u001B]0;owned\u0007',
  link: '\u001B]8;;https://evil.example\u001B\\click',
  unterminated: '\u001B]52;c;AAAA',
  report: '\u001BP$q"p\u001B\\',
  c1: '\u009B31m\u009D52;c;AAAA\u009C',
  back: 'safe\rreal',
  backspace: 'abc\b\b\bxyz',
  vertical: 'a\u000B\u000Cb',
  null: 'a\u0000b',
  delete: 'a\u007Fb',
  override: '\u202Egpj.exe',
  isolate: '\u2066hidden\u2069',
  zeroWidth: 'pay\u200Bpal\uFEFF',
  tags: '\u{E0001}\u{E0041}\u{E0042}\u{E007F}',
  separator: 'a\u2028b\u2029c',
  fill: '\u3164\u115F',
  selector: 'a\uFE0F\u{E0100}',
}
const hidden = /(?![\n\t])[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]/u

function hiddenIn(text: string): string | undefined {
  return hidden.exec(text)?.[0]
}

function hostile(attack: string): Machine {
  const machine = createMachine()
  const entry = {
    command: `run${attack}`,
    args: [attack, `--flag=${attack}`],
    env: { [`K${attack}`]: attack, VALUE: `!tool ${attack}`, UNSET: '${NOT_SET}' },
    cwd: attack,
    description: attack,
    title: attack,
    [attack]: attack,
  }
  const remote = {
    type: 'http',
    url: `http://evil.example/${attack}`,
    headers: { 'X-A': attack },
    headersCommand: attack,
  }
  const broken = { command: 5, url: attack, type: attack }
  machine.write('.mcp.json', {
    mcpServers: { local: entry, remote, [`name${attack}`]: entry, [`broken${attack}`]: broken },
    [attack]: attack,
  })
  machine.write('~/.config/plugboard/mcp.json', { mcpServers: { local: entry } })
  machine.write('~/.cursor/mcp.json', { mcpServers: { local: entry, [`cursor${attack}`]: entry } })
  machine.write(
    '~/.codex/config.toml',
    `[mcp_servers.x]\ncommand = ${JSON.stringify(`a${attack}`).replaceAll('\u007F', '\\u007f')}\nbroken =\n`,
  )
  machine.write('~/.config/plugboard/settings.json', { sources: ['cursor', 'codex', attack], [attack]: 1 })
  return machine
}

/** All of them in one text, without NUL: the system does not allow it in arguments and file names. */
const everything = Object.values(attacks).join(' ')
const withoutNull = everything.replaceAll('\u0000', '')

const verbs = [
  ...everyVerb('local', 'cursor'),
  ['why', `name${withoutNull}`],
  ['why', 'remote'],
  ['trust', 'remote'],
  ['import', 'cursor', '--dry-run', '--force'],
].map((words) => [words.join(' '), words] as const)

const commandLines = [
  [withoutNull],
  ['list', withoutNull],
  ['list', `--${withoutNull}`],
  ['list', '--preset', withoutNull],
  ['list', '--source', withoutNull],
  ['list', '--cwd', withoutNull],
  ['list', '--config', withoutNull],
  ['why', withoutNull],
  ['remove', withoutNull],
  ['trust', withoutNull],
  ['untrust', withoutNull],
  ['sources', 'enable', withoutNull],
  ['import', withoutNull],
  ['completion', withoutNull],
  ['add', withoutNull, '--', 'x'],
  ['add', 'x', '--dry-run', '--', withoutNull],
  ['add', 'x', '--url', withoutNull],
  ['add', 'x', '--type', withoutNull, '--url', 'https://x.example.com'],
  ['add', 'x', '--json', `{${withoutNull}`],
  ['add', '--from', withoutNull],
]

describe.concurrent('T18 no control or invisible character gets through', () => {
  test.each(Object.entries(attacks))('%s', async (_name, attack) => {
    using machine = hostile(attack)
    const { stdout, stderr } = await machine.run('list')
    expect(hiddenIn(stdout + stderr)).toBe(undefined)
    expect((await machine.run('list', '--json')).stdout).toContain('run')
  })

  test.each(verbs)('%s', async (_title, words) => {
    using machine = hostile(everything)
    const { stdout, stderr } = await machine.run(...words)
    expect(hiddenIn(stdout + stderr)).toBe(undefined)
  })

  test.each(['list --resolved', 'why local', 'sources --all', 'trust local', 'import cursor --dry-run'])(
    '%s --json parses to the original text',
    async (line) => {
      using machine = hostile(everything)
      const { stdout, stderr } = await machine.run(...line.split(' '), '--json')
      expect(hiddenIn(stdout + stderr)).toBe(undefined)
      JSON.parse(stdout)
    },
  )

  test.each(commandLines)('%j', async (...words) => {
    using machine = createMachine({ '.mcp.json': { mcpServers: { orders: { command: 'x' } } } })
    const { stdout, stderr } = await machine.run(...words)
    expect(hiddenIn(stdout + stderr)).toBe(undefined)
  })

  test.each([attacks.clear, attacks.clipboard, attacks.back, attacks.override])(
    'a folder and file named %j',
    async (attack) => {
      using machine = createMachine()
      const folder = machine.path(`~/${attack.replaceAll('/', '')}`)
      mkdirSync(`${folder}/.git`, { recursive: true })
      machine.write(`~/${attack.replaceAll('/', '')}/.mcp.json`, {
        mcpServers: { a: { command: 'x' }, b: { url: 1 } },
      })
      machine.write(
        `~/.continue/mcpServers/${attack.replaceAll('/', '')}.yaml`,
        'mcpServers:\n  - name: c\n    command: x\n',
      )
      for (const words of [
        ['list'],
        ['why', 'a'],
        ['trust', 'a'],
        ['sources'],
        ['disable', 'a'],
        ['remove', 'a'],
      ]) {
        const { stdout, stderr } = await machine.runWith(
          { cwd: machine.home },
          ...withFlags(words, '--cwd', folder, '--source', 'continue', '--source', 'plugboard'),
        )
        expect({ words, hidden: hiddenIn(stdout + stderr) }).toEqual({ words, hidden: undefined })
      }
    },
  )

  test.each(['list', 'why local', 'sources', 'trust local', 'export vscode --trust', 'import cursor'])(
    '%s, in a terminal: only our own colors get through',
    async (line) => {
      using machine = hostile(everything)
      const terminal = openTerminal(machine, line.split(' '), { declines: true, columns: 120 })
      await terminal.ended
      const through = Object.entries(attacks).filter(([, attack]) => terminal.raw().includes(attack))
      expect(through).toEqual([])
      expect(hiddenIn(terminal.shown().replaceAll('\r', ''))).toBe(undefined)
    },
  )
})
