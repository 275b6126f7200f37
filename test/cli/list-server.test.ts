import { describe, expect, test } from 'vitest'
import { faultyServer } from '../../src/testing/faulty-server.ts'
import { createMachine } from '../support/programs/cli.ts'
import { machineWith, ownFile } from '../support/servers.ts'

const search = {
  name: 'search',
  description: 'Finds issues. Slowly.',
  inputSchema: {
    type: 'object',
    properties: { query: { type: 'string', description: 'words' }, limit: { type: 'number' } },
    required: ['query'],
  },
}

describe.concurrent('list NAME', () => {
  test('shows the server and the signatures of its tools, and starts no other', async () => {
    using machine = machineWith({})
    const other = faultyServer({ journal: machine.path('~/journal') })
    machine.write(ownFile, { mcpServers: { github: faultyServer({ tools: [search] }), other } })
    const { code, stdout, stderr } = await machine.run('list', 'github')
    expect({ code, stderr, other: machine.has('~/journal') }).toEqual({ code: 0, stderr: '', other: false })
    expect(stdout.split('\n')[0]).toMatch(/^SERVER +STATE/)
    expect(stdout).not.toContain('other')
    expect(stdout).toContain(
      [
        '',
        'github__search({',
        '  query: string  // words',
        '  limit?: number',
        '})',
        '  Finds issues.',
        '',
      ].join('\n'),
    )
    const listed = await machine.json<{
      tools: readonly { signature: string }[]
      servers: readonly object[]
    }>('list', 'github')
    expect(listed.servers).toHaveLength(1)
    expect(listed.tools.map(({ signature }) => signature.split('\n')[0])).toEqual(['github__search({'])
  })

  test('says why it lists no tools: they are hidden, or the server is switched off', async () => {
    using machine = machineWith({
      github: faultyServer({ tools: [search] }),
      off: { command: 'x', enabled: false },
    })
    machine.write('~/.config/plugboard/settings.json', { tools: ['off/*'] })
    const hidden = await machine.run('list', 'github')
    expect(hidden.stderr).toBe('1 tool is hidden here. No pattern of your settings admits it.\n')
    const off = await machine.run('list', 'off')
    expect(off.stderr).toBe(
      'It is switched off, so it offers no tools. See what decides that: plugboard why off\n',
    )
  })

  test('--no-start shows what is known; a server that cannot start is an error with the reason', async () => {
    using machine = machineWith({
      github: faultyServer({ tools: [search] }),
      gone: { command: 'no-such-program' },
    })
    const unknown = await machine.run('list', 'github', '--no-start')
    expect(unknown.code).toBe(0)
    expect(unknown.stderr).toContain('No server was started')
    const gone = await machine.run('list', 'gone')
    expect(gone.code).toBe(7)
    expect(gone.stdout).toContain('no-such-program')
    expect(gone.stderr).toContain('"gone" is missing here:')
  })

  test('a server of the project that is not trusted is not started', async () => {
    using machine = createMachine()
    const orders = faultyServer({ tools: [search], journal: machine.path('~/journal') })
    machine.write('.mcp.json', { mcpServers: { orders } })
    const { code, stdout, stderr } = await machine.run('list', 'orders')
    expect({ code, started: machine.has('~/journal') }).toEqual({ code: 0, started: false })
    expect(stdout).toContain('needs trust')
    expect(stderr).toContain('plugboard trust')
  })
})
