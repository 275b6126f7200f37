import { statSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { faultyServer } from '../../src/testing/faulty-server.ts'
import { displayWidth } from '../../src/surfaces/terminal/width.ts'
import { createMachine } from '../support/programs/cli.ts'
import { shellPrompt, openShell } from '../support/programs/open-shell.ts'
import { renderScreen } from '../support/programs/screen.ts'
import { faultyMachine, machineWith, ownFile } from '../support/servers.ts'

const evil = '\u001B[2J\u001B[10A\u001B]52;c;AAAA\u0007\u009B31m\r\b\u202E\u200B\u{E0041}'
const forbidden = ['\u001B[2J', '\u001B[10A', '\u001B]52', '\u009B', '\b', '\u202E', '\u200B', '\u{E0041}']
const find = { name: 'find', description: 'Finds things.', inputSchema: { type: 'object' } }

describe.concurrent('shell: screen', () => {
  test('no line is wider than a terminal of 60 columns', async () => {
    using machine = machineWith({
      'a-server-with-a-long-name': { command: 'no-such-program' },
      x: faultyServer({ tools: [find] }),
    })
    const shell = await openShell(machine, { columns: 60 })
    await shell.see('1 tool')
    await shell.enter('/mcp list', 'x  ')
    await shell.enter('/help', '/quit')
    await shell.enter('/mcp status', 'since')
    expect(await shell.leave()).toBe(0)
    const wide = shell
      .shown()
      .split('\n')
      .filter((line) => !line.includes(shellPrompt))
      .map((line) => line.replace(/^.*\r/, ''))
      .filter((line) => displayWidth(line) > 60 && !line.includes('no-such-program'))
    expect(wide).toEqual([])
  })

  test('the screen keeps typed lines and results, and drops status lines and progress', async () => {
    using machine = machineWith({ x: faultyServer({ tools: [find] }) })
    const shell = await openShell(machine, { columns: 60 })
    await shell.see('1 tool')
    await shell.enter('/mcp status', 'tools')
    await shell.see(shellPrompt)
    shell.type('too')
    await shell.see('too')
    machine.write(ownFile, {
      mcpServers: { x: faultyServer({ tools: [find] }), gone: { command: 'no-such' } },
    })
    await shell.see('"gone" is new')
    await shell.see('1 failed (gone)')
    shell.type('ls\r')
    await shell.see('Finds things.')
    await shell.see(shellPrompt)
    expect(await shell.leave()).toBe(0)
    const lines = renderScreen(shell.raw(), 60).map((line) => line.replace(/\d\d:\d\d:\d\d/, '<time>'))
    expect(lines).toEqual([
      'Plugboard. /help for help, Tab to complete, Ctrl-D to exit.',
      'plugboard> /mcp status',
      'x  ready since <time>',
      '  MCP 2025-11-25; capabilities: tools',
      'A config file changed: "gone" is new.',
      'plugboard> tools',
      'TOOL     SERVER  DOES',
      'x__find  x       Finds things.',
      'warning: "gone" is missing here: "no-such" was not found in',
      'PATH. Install it, or put its full path into the entry: /mcp',
      'why gone',
      'Leaving.',
      '',
    ])
  })

  test('NO_COLOR disables colors', async () => {
    using machine = faultyMachine({ tools: [find] })
    const shell = await openShell(machine, { env: { NO_COLOR: '1' } })
    await shell.see('1 tool')
    await shell.enter('/mcp list', 'ready')
    await shell.enter('tools', 'Finds things.')
    expect(await shell.leave()).toBe(0)
    const escape = '\u001B'
    expect(shell.raw()).not.toMatch(new RegExp(`${escape}\\[[0-9;]*m`))
  })

  test('TERM=dumb: no control sequences are written, and Ctrl-C cancels a call', async () => {
    using machine = faultyMachine({
      tools: [find, { name: 'slow', inputSchema: { type: 'object' } }],
      on: { 'tools/call:slow': 'hang' },
    })
    const shell = await openShell(machine, { env: { TERM: 'dumb' } })
    await shell.enter('tools', 'Finds things.')
    shell.type('x__findd\u007F\r')
    await shell.see('"name":"find"')
    await shell.see(shellPrompt)
    shell.type('x__slow\r')
    await shell.see('\n')
    shell.type('\u0003')
    await shell.see('Cancelled.')
    await shell.see(shellPrompt)
    expect(await shell.leave()).toBe(0)
    expect(shell.raw()).not.toContain('\u001B')
  })

  test('T18 text from a server cannot move the cursor or hide text', async () => {
    using machine = faultyMachine({
      info: { name: `n${evil}`, version: evil },
      tools: [
        { name: 'good', description: `d${evil}`, inputSchema: { type: 'object' } },
        { name: `bad${evil}`, inputSchema: { type: 'object' } },
      ],
      on: {
        start: [{ stderr: `s${evil}\n` }, 'answer'],
        'tools/call:good': [
          { notify: { method: 'notifications/message', params: { level: 'error', data: evil } } },
          { text: `r${evil}` },
        ],
      },
    })
    // What is shown is the subject here, not what is held.
    machine.write('~/.config/plugboard/settings.json', { accept: 'off' })
    const shell = await openShell(machine, { columns: 200 })
    await shell.see('2 tools')
    await shell.enter('tools', 'x__good')
    await shell.enter('x__good', 'r\\x1b[2J')
    await shell.enter('/mcp test x', 'says it is')
    await shell.enter('/mcp logs x --follow', 's\\x1b[2J')
    shell.type('\u0003')
    await shell.see('Cancelled.')
    shell.type('x__\t')
    await shell.see('x__')
    shell.type('\t')
    await shell.see('x__good')
    shell.type('\u0003')
    await shell.see(shellPrompt)
    expect(await shell.leave()).toBe(0)
    for (const sequence of forbidden) expect(shell.raw()).not.toContain(sequence)
  })
})

describe.concurrent('shell: history', () => {
  const file = '~/.local/state/plugboard/history'

  test('is stored in a private file, without lines that contain secrets', async () => {
    using machine = createMachine()
    const shell = await openShell(machine)
    await shell.enter('help', 'Servers')
    await shell.enter('/mcp add a --url https://a.example/mcp --token t0psecretvalue --dry-run', shellPrompt)
    await shell.enter('x__find api_key=sk-1234567890abcdefghij', shellPrompt)
    await shell.enter('x__find {"password": "hunter2hunter2"}', shellPrompt)
    await shell.enter('tools', shellPrompt)
    expect(await shell.leave()).toBe(0)
    expect(machine.read(file)).toBe('help\ntools\n')
    expect(statSync(machine.path(file)).mode & 0o777).toBe(0o600)
  })

  test('is available in the next shell with the up arrow and Ctrl-R', async () => {
    using machine = faultyMachine({ tools: [find] })
    machine.write(file, 'x__find q=1\nx__find q=2\n/mcp list\n', 0o600)
    const shell = await openShell(machine)
    await shell.see('1 tool')
    shell.type('\u001B[A')
    await shell.see('/mcp list')
    shell.type('\u0003\u0012find')
    await shell.see('(find "find") x__find q=2')
    shell.type('\u0012')
    await shell.see('x__find q=1')
    shell.type('\r')
    await shell.see('"q":1')
    expect(await shell.leave()).toBe(0)
  })
})

describe.concurrent('shell: questions with TERM=dumb', () => {
  test('are plain lines: choices have numbers, Enter takes the default, and an invalid answer is asked again', async () => {
    using machine = faultyMachine({
      tools: [find],
      on: {
        'tools/call:find': {
          ask: [
            {
              method: 'elicitation/create',
              params: {
                message: 'Where to?',
                requestedSchema: {
                  type: 'object',
                  properties: {
                    city: { type: 'string', minLength: 2 },
                    nights: { type: 'integer', default: 2 },
                    extras: { type: 'array', items: { type: 'string', enum: ['bike', 'boat'] } },
                  },
                  required: ['city'],
                },
              },
            },
          ],
        },
      },
    })
    const shell = await openShell(machine, { env: { TERM: 'dumb' } })
    await shell.enter('x__find', '1) Answer it')
    await shell.see('Number [1]:')
    shell.type('9\r')
    await shell.see('Enter a number from 1 to 3.')
    shell.type('\r')
    await shell.see('city:')
    shell.type('B\r')
    await shell.see('At least 2 characters.')
    shell.type('Bern\r')
    await shell.see('nights (optional) [2]:')
    shell.type('\r')
    await shell.see('Numbers, separated by commas [none]:')
    shell.type('1,2\r')
    await shell.see('Send this to "x"? [Y/n]')
    shell.type('\r')
    await shell.see('"content":{"nights":2,"city":"Bern","extras":["bike","boat"]}')
    await shell.see(shellPrompt)
    expect(await shell.leave()).toBe(0)
    expect(shell.raw()).not.toContain('\u001B')
  })

  test('add: the wizard asks in plain lines, and Ctrl-C ends the wizard, not the shell', async () => {
    using machine = createMachine()
    const shell = await openShell(machine, { env: { TERM: 'dumb' } })
    await shell.enter('/mcp add', 'What is it called?')
    shell.type('docs\r')
    await shell.see('Number [1]:')
    shell.type('\u0003')
    await shell.see('Nothing was added.')
    await shell.see(shellPrompt)
    expect(await shell.leave()).toBe(0)
    expect(shell.raw()).not.toContain('\u001B')
  })
})
