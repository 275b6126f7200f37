import { describe, expect, test } from 'vitest'
import { faultyMachine, machineWith } from '../support/servers.ts'
import { faultyServer } from '../../src/testing/faulty-server.ts'

const tools = [{ name: 'find', inputSchema: { type: 'object' } }] as const

describe.concurrent('instructions of a server', () => {
  const said = faultyServer({ tools: [...tools], instructions: 'Ask find first.\u001b[2J' })
  const text = 'Ask find first.\n[hidden characters were removed: terminal codes]'

  test('tools --json and tool show them, with control characters escaped', async () => {
    using machine = machineWith({ x: said, y: faultyServer({ tools: [...tools] }) })
    // What is shown is the subject here, not what is held.
    machine.write('~/.config/plugboard/settings.json', { accept: 'off' })
    expect(await machine.json('tools')).toMatchObject({ instructions: [{ server: 'x', text }] })
    expect(await machine.json('tools', 'y__*')).not.toHaveProperty('instructions')
    expect(await machine.json('tool', 'x__find')).toMatchObject({ instructions: text })
    expect((await machine.run('tool', 'x__find')).stdout).toBe(
      `x__find()\n\nref      x/find\n\ncall it  plugboard call x__find\n\nserver instructions\n${text}\n`,
    )
  })
})

describe.concurrent('why: a tool that is not offered', () => {
  test('names the pattern or list of the entry that excludes it, with its place', async () => {
    const server = faultyServer({ tools: ['keep', 'drop', 'other'].map((name) => ({ ...tools[0], name })) })
    using machine = machineWith({
      denied: { ...server, deniedTools: ['dr*'] },
      listed: { ...server, allowedTools: ['keep'] },
    })
    await machine.run('tools')
    for (const word of ['denied__drop', 'denied/drop']) {
      const { code, stdout } = await machine.run('why', word)
      expect([code, stdout.split('\n').slice(0, 2)]).toEqual([0, ['denied__drop', '  ref     denied/drop']])
      expect(stdout).toContain('seen    no  The entry of "denied" excludes it: its pattern "dr*" denies it.')
      expect(stdout).toContain('runs    no  It is not offered.')
    }
    expect(await machine.json('why', 'listed/drop')).toMatchObject({
      tools: [
        {
          ref: 'listed/drop',
          visibility: {
            visible: false,
            reason: 'The entry of "listed" excludes it: its list of tools does not include it.',
          },
        },
      ],
    })
    expect((await machine.run('why', 'denied/nothing')).code).not.toBe(0)
  })
})

describe.concurrent('plugboard read', () => {
  test('D21 a URI that matches a template needs no --server', async () => {
    using machine = machineWith({
      pages: faultyServer({
        capabilities: { resources: {} },
        templates: [{ uriTemplate: 'page:///{name}', name: 'page' }],
      }),
      others: faultyServer({
        capabilities: { resources: {} },
        resources: [{ uri: 'note:///one', name: 'one' }],
      }),
    })
    expect(await machine.run('read', 'page:///intro')).toEqual({
      code: 0,
      stdout: 'page:///intro\n',
      stderr: '',
    })
    expect((await machine.run('resources')).stdout).toContain('page:///{name}')
    const { code, stderr } = await machine.run('read', 'page:///a/b')
    expect([code, stderr]).toEqual([
      5,
      'No server lists page:///a/b or a template for it.\n' +
        'Name its server: --server NAME. See what there is: plugboard resources\n',
    ])
  })

  test('a resource of several servers asks for --server', async () => {
    const server = faultyServer({
      capabilities: { resources: {} },
      resources: [{ uri: 'note:///one', name: 'one' }],
    })
    using machine = machineWith({ a: server, b: server })
    expect(await machine.run('read', 'note:///one')).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'a and b list note:///one.\n' +
        'Name its server: --server NAME. See what there is: plugboard resources\n',
    })
  })
})

describe.concurrent('plugboard prompt', () => {
  const greeter = { capabilities: { prompts: {} }, prompts: [{ name: 'greet' }] }

  test.each([
    ['nothing', 'There is no prompt "nothing".\nSee what there is: plugboard prompts\n'],
    ['gret', 'There is no prompt "gret".\nDid you mean greet?\n'],
    ['x/nothing', '"x" offers no prompt "nothing".\nSee what there is: plugboard prompts x\n'],
    ['x/gret', '"x" offers no prompt "gret".\nDid you mean x/greet?\n'],
  ])('%s is unknown and suggests the nearest', async (word, stderr) => {
    using machine = faultyMachine(greeter)
    expect(await machine.run('prompt', word)).toEqual({ code: 5, stdout: '', stderr })
    expect(await machine.json('prompt', word)).toMatchObject({ error: { code: 'prompt.unknown' } })
  })

  test('an unknown prompt or resource: names the servers that could not be asked', async () => {
    using machine = faultyMachine(greeter, { bad: { command: 'no-such' } })
    for (const words of [
      ['prompt', 'nothing'],
      ['read', 'x:///nothing'],
    ])
      expect(await machine.run(...words)).toMatchObject({
        code: 5,
        stderr: expect.stringMatching(/^warning: "bad" is missing here: /) as string,
      })
  })

  test('--format accepts the formats listed in help', async () => {
    using machine = faultyMachine(greeter)
    const { stdout } = await machine.run('prompt', '--help')
    expect(stdout).toMatch(/\[text\|json\|markdown\]/)
    expect(stdout).not.toContain('raw')
    expect(await machine.run('prompt', 'greet', '--format', 'raw')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('to be one of (text|json|markdown)') as string,
    })
  })
})

describe.concurrent('an empty result while a server could not be asked exits with 7', () => {
  test.each([['tools zzz'], ['search zzz'], ['resources'], ['prompts']])('%s', async (line) => {
    using machine = machineWith({ bad: { command: 'no-such' } })
    const { code, stderr } = await machine.run(...line.split(' '))
    expect([code, stderr]).toEqual([7, expect.stringContaining('warning: "bad" is missing here: ')])
    using whole = faultyMachine({ tools: [...tools] })
    expect((await whole.run(...line.split(' '))).code).toBe(0)
  })
})

describe.concurrent('--quiet', () => {
  test('hides notes and warnings; errors stay', async () => {
    using machine = faultyMachine({ tools: [...tools] }, { bad: { command: 'no-such' } })
    const { stdout } = await machine.run('tools')
    expect(await machine.run('tools', '--quiet')).toEqual({ code: 0, stdout, stderr: '' })
    expect(await machine.run('search', 'zzz', '--quiet')).toEqual({ code: 7, stdout: '', stderr: '' })
    expect(await machine.run('tool', 'fond', '--quiet')).toEqual({
      code: 5,
      stdout: '',
      stderr: 'There is no tool "fond".\nDid you mean x__find?\n',
    })
  })
})

describe.concurrent('a misspelled tool', () => {
  const find = faultyServer({ tools: [...tools, { ...tools[0], name: 'read_file' }] })

  test.each([
    ['tool', 'read_fil', 'x__read_file'],
    ['tool', 'raed_file', 'x__read_file'],
    ['call', 'fimd', 'x__find'],
  ])('%s %s: suggests by the part after the server name', async (command, word, meant) => {
    using machine = machineWith({ x: find })
    expect(await machine.run(command, word)).toEqual({
      code: 5,
      stdout: '',
      stderr: `There is no tool "${word}".\nDid you mean ${meant}?\n`,
    })
  })

  test.each([
    ['raed_file', 'Did you mean x__read_file?'],
    ['x__raed_file', 'Did you mean x__read_file?'],
    ['x__entirely_different', 'See what "x" offers: plugboard tools x'],
    ['y__list', 'If it is a tool of "y", connect to it: plugboard why y__list --tool'],
  ])('why %s gives the next step', async (word, hint) => {
    using machine = machineWith({ x: find })
    await machine.run('tools')
    machine.write('~/.config/plugboard/mcp.json', { mcpServers: { x: find, y: { command: 'no-such' } } })
    expect(await machine.run('why', word)).toEqual({
      code: 5,
      stdout: '',
      stderr: `No server "${word}" is declared here, and no tool of that name is known.\n${hint}\n`,
    })
  })
})

describe.concurrent('a large result', () => {
  test('D-10 is printed in full, and not moved to a file as for models', async () => {
    const text = `${'x'.repeat(99)}\n`.repeat(600)
    using machine = faultyMachine({ tools: [...tools], on: { 'tools/call': { text } } })
    const before = Object.keys(machine.files())
    const [plain, raw] = [
      await machine.run('call', 'x/find'),
      await machine.run('call', 'x/find', '--format', 'raw'),
    ]
    expect([plain.stdout.length, raw.stdout.length]).toEqual([text.length + 1, text.length])
    expect(await machine.json('call', 'x/find')).toEqual({ content: [{ type: 'text', text }] })
    const made = Object.keys(machine.files()).filter((name) => !before.includes(name))
    expect(made.filter((name) => name.includes('results'))).toEqual([])
  })
})

describe.concurrent('--timeout', () => {
  test('limits the whole command: time spent on the start is not available to the call', async () => {
    using machine = faultyMachine({
      tools: [...tools],
      on: {
        initialize: [{ wait: 300 }, 'answer'],
        'tools/list': [{ wait: 300 }, 'answer'],
        'tools/call': 'hang',
      },
    })
    const { code, stdout } = await machine.run('call', 'x/find', '--timeout', '8s', '--json')
    const { error } = JSON.parse(stdout) as { error: { code: string; message: string } }
    expect([code, error.code]).toEqual([9, 'call.timeout'])
    const [, waited] = /(\d+) ms/.exec(error.message) ?? []
    expect(Number(waited)).toBeLessThan(7401)
  })
})
