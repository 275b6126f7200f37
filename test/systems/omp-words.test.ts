import { describe, expect, onTestFinished, test } from 'vitest'
import { ompWords } from '../../src/adapters/omp.ts'
import { createHost, HostError } from '../../src/index.ts'
import { serveMcp } from '../support/remote.ts'
import { serverWithTools, scripted } from '../support/tool-host.ts'
import { loadTools, ompMachine, userFile, withServers } from './omp-support.ts'
import type { OmpMachine } from './omp-support.ts'

/** The message and the hint of a failed connection to `x`. */
async function connectError({ project, platform }: OmpMachine): Promise<readonly (string | undefined)[]> {
  const host = await createHost({ preset: 'omp', lifecycle: 'on-demand', cwd: project, platform })
  onTestFinished(() => host.close())
  const error = await host.connect('x').then(undefined, (thrown: unknown) => thrown)
  return error instanceof HostError ? [error.message, error.hint] : []
}

describe('omp: messages', () => {
  test('O20 ompWords: has omp’s messages word for word', () => {
    expect(ompWords).toMatchObject({
      urlAndCommand: 'Use either --url or -- <command...>, not both.',
      tokenWithoutUrl: '--token requires --url (HTTP/SSE transport).',
      flowTimedOut: 'OAuth flow timed out. Please try again.',
    })
    expect([
      ompWords.invalidConfig(['a', 'b']),
      ompWords.alreadyExists('x', '/a/mcp.json'),
      ompWords.connectFailed('x', 'no'),
      ompWords.noEndpoints('x'),
      ompWords.oauthFailed('no'),
      ompWords.disabled('x'),
    ]).toEqual([
      'Invalid server config: a; b',
      'Server "x" already exists in /a/mcp.json',
      'Failed to connect to "x": no',
      'Authentication required for "x", but OAuth endpoints could not be discovered',
      'OAuth authentication failed: no',
      'Server "x" is disabled. Run /mcp enable x first.',
    ])
  })

  test('O20 connect: a disabled server gives omp’s message', async () => {
    expect(await connectError(withServers({ x: { command: 'x', enabled: false } }))).toEqual([
      'Server "x" is disabled. Run /mcp enable x first.',
      undefined,
    ])
  })

  test('O20 connect: the entry’s timeout also limits the start, and the hint says to increase it', async () => {
    const machine = withServers({
      x: scripted({ on: { initialize: 'hang', 'server/discover': 'hang' } }, { timeout: 300 }),
    })
    const expected = ['Failed to connect to "x": It did not get ready within 300 ms.', ompWords.timeoutHelp]
    expect(await connectError(machine)).toEqual(expected)
    expect(ompWords.timeoutHelp).toContain('increase "timeout"')
    expect((await loadTools(machine)).errors).toEqual([{ path: 'mcp:x', error: expected.join('\n') }])
  })

  test('O20 connect: a 401 or 403 gives omp’s message and hint', async () => {
    for (const code of [401, 403]) {
      const server = await serveMcp({ '*': ({ status }) => status(code) })
      const machine = withServers({ x: { type: 'http', url: server.url.href } })
      const [message, hint] = await connectError(machine)
      expect(message).toMatch(/^Failed to connect to "x": /)
      expect(message).toContain(String(code))
      expect(hint).toBe(ompWords.authHelp('x'))
      expect((await loadTools(machine)).errors).toEqual([{ path: 'mcp:x', error: `${message}\n${hint}` }])
    }
  })

  test('O20 connect: a program that cannot be started gives omp’s message', async () => {
    const [message] = await connectError(withServers({ x: { command: 'plugboard-test-no-such-program' } }))
    expect(message).toMatch(/^Failed to connect to "x": /)
  })
})

describe('command line with --preset omp', () => {
  const omp = ['--preset', 'omp'] as const

  test('O16 O20 add: refuses invalid input with omp’s messages, and writes nothing', async () => {
    const machine = ompMachine({ [userFile]: { mcpServers: { x: { command: 'x' } } } })
    const before = machine.read(userFile)
    const address = 'https://a.example.com/mcp'
    const stderr = async (...args: string[]) => (await machine.run('add', ...args)).stderr
    expect(await stderr('y', ...omp, '--url', address, '--', 'y')).toMatch(
      /^Use either --url or -- <command\.\.\.>, not both\.$/m,
    )
    expect(await stderr('y', ...omp, '--token', 't', '--', 'y')).toMatch(
      /^--token requires --url \(HTTP\/SSE transport\)\.$/m,
    )
    expect(await stderr('x', ...omp, '--', 'other')).toContain(
      `Server "x" already exists in ${machine.path(userFile)}`,
    )
    expect(await stderr('a b', ...omp, '--', 'other')).toMatch(/^Invalid server config: /)
    expect(machine.read(userFile)).toBe(before)
  })

  test('O16 test and call: fail with omp’s message and hint', async () => {
    const machine = withServers({
      off: { ...serverWithTools(['go']), enabled: false },
      slow: scripted({ on: { initialize: 'hang', 'server/discover': 'hang' } }, { timeout: 300 }),
    })
    expect((await machine.run('test', 'off', ...omp)).stderr).toContain(
      'Server "off" is disabled. Run /mcp enable off first.',
    )
    expect((await machine.run('call', 'off/go', ...omp)).stderr).toContain(
      'Server "off" is disabled. Run /mcp enable off first.',
    )
    const { stderr } = await machine.run('test', 'slow', ...omp)
    expect(stderr).toContain('Failed to connect to "slow": It did not get ready within 300 ms.')
    expect(stderr).toContain(ompWords.timeoutHelp)
    expect((await machine.run('enable', 'off', ...omp)).code).toBe(0)
    expect((await machine.run('test', 'off', ...omp)).code).toBe(0)
  })

  test('C11 O13 tools warns which of two tools with one name is not offered, and why explains it', async () => {
    const machine = withServers({
      'my-server': serverWithTools(['go']),
      'my.server': serverWithTools(['go']),
    })
    const { stdout, stderr } = await machine.run('tools', ...omp)
    expect([stdout.match(/mcp_my_server_go/g)?.length, stderr]).toEqual([
      1,
      'warning: my-server/go is not offered, because "mcp_my_server_go" is my.server/go.\n',
    ])
    const why = await machine.run('why', 'my-server/go', ...omp)
    expect(why.stdout).toContain(
      '"mcp_my_server_go" is my.server/go: of equal names only the last is offered.',
    )
  })

  test('O16 add: writes a new entry to ~/.omp/mcp.json', async () => {
    const machine = ompMachine()
    expect((await machine.run('add', 'mine', ...omp, '--', 'mine-mcp')).code).toBe(0)
    expect(JSON.parse(machine.read(userFile))).toEqual({
      mcpServers: { mine: { type: 'stdio', command: 'mine-mcp' } },
    })
  })
})
