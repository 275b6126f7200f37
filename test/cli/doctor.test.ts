import { describe, expect, test } from 'vitest'
import { createMachine, parseDocument } from '../support/programs/cli.ts'
import { everything } from '../support/servers.ts'
import { openTerminal } from '../support/programs/terminal.ts'
import { faultyServer } from '../../src/testing/faulty-server.ts'

interface Examined {
  readonly name: string
  readonly health: string
  readonly next: string
  readonly program?: string
  readonly failures: readonly { readonly text: string }[]
  readonly connection?: { readonly counts?: object; readonly error?: { readonly code: string } }
}

interface Examinations {
  readonly servers: readonly Examined[]
}

const token = 'sk-live-0123456789abcdef'
const dying = faultyServer({
  on: {
    'server/discover': [{ stderr: `no luck with ${token}` }, { exit: 3 }],
    initialize: [{ stderr: `no luck with ${token}` }, { exit: 3 }],
  },
})

function clinic() {
  return createMachine({
    '.mcp.json': { mcpServers: { project: { command: 'never-run' }, twice: { command: 'never-run' } } },
    '~/.config/plugboard/mcp.json': {
      mcpServers: {
        well: everything,
        gone: { command: 'no-such-program-mcp' },
        dying: { ...dying, env: { API_TOKEN: token } },
        off: { command: 'off-mcp', enabled: false },
        'bad entry': { command: 5 },
        twice: { command: 'hidden-mcp' },
      },
    },
  })
}

describe.concurrent('plugboard doctor', () => {
  test('gives the health and the next command of every server, independent of the others', async () => {
    using machine = clinic()
    const { servers: found } = await machine.json<Examinations>('doctor')
    expect(found.map(({ name, health, next }) => [name, health, next])).toEqual([
      ['project', 'needs trust', 'plugboard trust project'],
      ['well', 'ok', "plugboard tools 'well/*'"],
      ['gone', 'broken', 'plugboard why gone'],
      ['dying', 'broken', 'plugboard logs dying'],
      ['off', 'off', 'plugboard enable off'],
      ['twice', 'broken', 'plugboard why twice'],
      ['bad entry', 'unusable', "plugboard why 'bad entry'"],
    ])
    const [well] = found.filter(({ name }) => name === 'well')
    expect(well?.connection?.counts).toEqual({ tools: 13, resources: 7, resourceTemplates: 2, prompts: 4 })
    expect(well?.program).toBe(everything.command)
    expect(await machine.json('status')).toEqual({ hosts: [] })
  })

  test('--json has the same trust hash as list --json', async () => {
    using machine = clinic()
    const examined = await machine.json<{
      readonly servers: readonly [{ readonly server: { readonly hash: string } }]
    }>('doctor', 'project')
    const [found] = examined.servers
    const { servers } = await machine.json<{ servers: readonly { name: string; hash?: string }[] }>('list')
    expect(found.server.hash).toBe(servers.find(({ name }) => name === 'project')?.hash)
    expect((await machine.run('trust', 'project', '--hash', found.server.hash)).code).toBe(0)
  })

  test('wraps sentences between words in 60 columns', async () => {
    using machine = clinic()
    const terminal = openTerminal(machine, ['doctor', 'twice'], { columns: 60 })
    await terminal.ended
    expect(terminal.shown()).toMatch(/^It is in force while the [^\n]*\n {2}\S[^\n]*\n {2}\S/m)
    expect(terminal.shown()).toContain('mcp.json:30 (user,\n               plugboard)\n')
    await machine.run('test', 'dying')
    const failures = openTerminal(machine, ['doctor', 'dying', '--no-start'], { columns: 60 })
    await failures.ended
    expect(failures.shown()).toMatch(/exit: The server ended with exit\n {2}code 3\.\n/)
  })

  test('draws a block: declaration, hidden ones, program, era and step times', async () => {
    using machine = clinic()
    const { code, stdout } = await machine.run('doctor', 'well')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^well {2}ok\n/)
    expect(stdout).toMatch(/^ {2}declared in {2}~\/\.config\/plugboard\/mcp\.json:3 \(user, plugboard\)$/m)
    expect(stdout).toMatch(/^ {2}speaks {7}MCP 2025-11-25/m)
    expect(stdout).toMatch(
      /^ {2}took {9}\d+ ms \(queued \d+, resolving \d+, starting \d+, greeting \d+, listing \d+\)$/m,
    )
    expect((await machine.run('doctor', 'twice')).stdout).toMatch(/^waits for your trust, then in force$/m)
  })

  test('lists failures of earlier runs with their codes, without secrets', async () => {
    using machine = clinic()
    await machine.run('test', 'dying')
    const { code, stdout, stderr } = await machine.run('doctor', 'dying', '--no-start', '--json')
    const { servers } = parseDocument(stdout) as Examinations
    const [dead] = servers
    expect({ code, health: dead?.health }).toEqual({ code: 0, health: 'not started' })
    expect(dead?.failures.map(({ text }) => text)).toEqual(['exit: The server ended with exit code 3.'])
    expect(stdout + stderr).not.toContain(token)
  })

  test('--bundle writes a private file without secrets or the home folder, and never overwrites', async () => {
    using machine = clinic()
    const first = await machine.run('doctor', '--bundle', 'report.json')
    const report = machine.read('report.json')
    expect(first.code).toBe(0)
    expect(machine.mode('report.json')).toBe(0o600)
    expect(report).not.toContain(token)
    expect(report).not.toContain(machine.home)
    expect((JSON.parse(report) as { servers: readonly Examined[] }).servers.map(({ name }) => name)).toEqual([
      'project',
      'well',
      'gone',
      'dying',
      'off',
      'twice',
      'bad entry',
    ])
    const second = await machine.run('doctor', '--bundle', 'report.json')
    expect([second.code, machine.read('report.json')]).toEqual([2, report])
  })

  test('an undeclared name is rejected; a broken server determines the exit code', async () => {
    using machine = clinic()
    expect((await machine.run('doctor', 'wel')).code).toBe(5)
    expect((await machine.run('doctor', 'gone')).code).toBe(7)
    expect((await machine.run('doctor', 'project')).code).toBe(4)
  })
})
