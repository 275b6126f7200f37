import { describe, expect, test } from 'vitest'
import { faultyMachine, machineWith } from '../support/servers.ts'
import { faultyServer } from '../../src/testing/faulty-server.ts'

const tools = [{ name: 'find', inputSchema: { type: 'object' } }] as const

describe.concurrent('what servers say about how to use them', () => {
  const said = faultyServer({ tools: [...tools], instructions: 'Ask find first.\u001b[2J' })
  const text = 'Ask find first.\n[hidden characters were removed: terminal codes]'

  test('tools --json and tool have it, and nothing in it steers a terminal', async () => {
    using machine = machineWith({ x: said, y: faultyServer({ tools: [...tools] }) })
    expect(await machine.json('tools')).toMatchObject({ instructions: [{ server: 'x', text }] })
    expect(await machine.json('tools', 'y__*')).not.toHaveProperty('instructions')
    expect(await machine.json('tool', 'x__find')).toMatchObject({ instructions: text })
    expect((await machine.run('tool', 'x__find')).stdout).toBe(
      `x__find()\n\nref      x/find\n\ncall it  plugboard call x__find\n\nits server says\n${text}\n`,
    )
  })
})

describe.concurrent('why a tool is not there', () => {
  test('the entry of its server leaves it out: the pattern or the list, and where it stands', async () => {
    const server = faultyServer({ tools: ['keep', 'drop', 'other'].map((name) => ({ ...tools[0], name })) })
    using machine = machineWith({
      denied: { ...server, deniedTools: ['dr*'] },
      listed: { ...server, allowedTools: ['keep'] },
    })
    await machine.run('tools')
    for (const word of ['denied__drop', 'denied/drop']) {
      const { code, stdout } = await machine.run('why', word)
      expect([code, stdout.split('\n').slice(0, 2)]).toEqual([0, ['denied__drop', '  ref     denied/drop']])
      expect(stdout).toContain(
        'seen    no  The entry of "denied" leaves it out: its pattern "dr*" denies it.',
      )
      expect(stdout).toContain('runs    no  It is not offered to anybody.')
    }
    expect(await machine.json('why', 'listed/drop')).toMatchObject([
      {
        ref: 'listed/drop',
        visibility: {
          visible: false,
          reason:
            'The entry of "listed" leaves it out: it lists the tools that are wanted, and not this one.',
        },
      },
    ])
    expect((await machine.run('why', 'denied/nothing')).code).not.toBe(0)
  })
})

describe.concurrent('plugboard read', () => {
  test('D21 an address of a template needs no --server', async () => {
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
      2,
      'Whose resource is page:///a/b? No server lists it or a template for it: name the server.\n',
    ])
  })
})

describe.concurrent('a large result', () => {
  test('D-10 is printed whole, and nothing is put into a file: that is for models', async () => {
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
  test('is the limit of the whole command: what was spent on the start is not there for the call', async () => {
    using machine = faultyMachine({
      tools: [...tools],
      on: {
        initialize: [{ wait: 300 }, 'answer'],
        'tools/list': [{ wait: 300 }, 'answer'],
        'tools/call': 'hang',
      },
    })
    const { code, stdout } = await machine.run('call', 'x/find', '--timeout', '3s', '--json')
    const { error } = JSON.parse(stdout) as { error: { code: string; message: string } }
    expect([code, error.code]).toEqual([9, 'call.timeout'])
    const [, waited] = /(\d+) ms/.exec(error.message) ?? []
    expect(Number(waited)).toBeLessThan(2401)
  })
})
