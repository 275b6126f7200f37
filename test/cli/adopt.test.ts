import { statSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, test } from 'vitest'
import { createMachine, parseDocument } from '../support/programs/cli.ts'
import { parseChecked } from '../support/json-schema.ts'
import type { Machine } from '../support/programs/cli.ts'
import { echoServer } from '../support/gateway.ts'
import { openTerminal } from '../support/programs/terminal.ts'

const own = '~/.config/plugboard/mcp.json'
const cursor = '~/.cursor/mcp.json'
const codex = '~/.codex/config.toml'
const secret = 'ghp_16C7e42F292c6912E7710c838347Ae178B4a'

/** A machine with two clients that use the same server. */
function desk(): Machine {
  const { command, args } = echoServer()
  const text = JSON.stringify(
    {
      mcpServers: {
        echo: { command, args, env: { API_TOKEN: secret } },
      },
    },
    undefined,
    4,
  )
  return createMachine(
    {
      [cursor]: `// mine\n${text}\n`,
      [codex]: `# mine\n[mcp_servers.echo] # one\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\nenv = { API_TOKEN = "${secret}" }\ndisabled_tools = ["hang"]\n`,
    },
    { from: 'dist' },
  )
}

/** What the files of the clients and ours hold, without the record of adoptions. */
const visible = (machine: Machine) =>
  Object.fromEntries(Object.entries(machine.files()).filter(([file]) => !file.includes('.local/state')))

describe.concurrent('adopt and release', () => {
  test('without a terminal the plan is shown without secrets, and nothing is written', async () => {
    using machine = desk()
    const before = machine.files()
    const { code, stdout, stderr } = await machine.run('adopt', 'cursor')
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' })
    expect(stderr).toContain('+         "plugboard": {')
    expect(stderr).toContain('those of "echo" are echo__*')
    expect(stderr).toContain(
      'error: Nothing was written: there is no terminal to ask in. Add --yes to write it.\n',
    )
    expect(stderr).not.toContain(secret)
    expect(machine.files()).toEqual(before)
  })

  test('a yes in the terminal writes it', async () => {
    using machine = desk()
    const terminal = openTerminal(machine, ['adopt', 'cursor'])
    // The terminal breaks the question into lines.
    const files = [
      '.config/plugboard/mcp.json',
      'settings.json',
      'mcp.json.before-plugboard',
      'adoptions.json',
    ]
    for (const file of ['Write', ...files]) await terminal.see(file)
    await terminal.see('?')
    terminal.type('y\r')
    expect(await terminal.ended).toBe(0)
    expect(machine.read(cursor)).toContain('"plugboard"')
  })

  test('the entry in the client’s file starts a gateway that offers the moved servers, and no other tools', async () => {
    using machine = desk()
    const { code } = await machine.run('adopt', '--all', '--yes')
    expect(code).toBe(0)
    expect(machine.read(own).match(/"echo"/g)).toHaveLength(1)
    expect(statSync(join(machine.home, '.config/plugboard/mcp.json')).mode & 0o777).toBe(0o600)
    expect(statSync(join(machine.home, '.cursor/mcp.json.before-plugboard')).mode & 0o777).toBe(0o600)
    const { mcpServers } = JSON.parse(machine.read(cursor).replace('// mine\n', '')) as {
      mcpServers: { plugboard: { command: string; args: string[] } }
    }
    const toolsOf = async ({ command, args }: { command: string; args: string[] }) => {
      const client = new Client({ name: 'cursor', version: '1.0.0' })
      const { env, project: cwd } = machine
      await client.connect(new StdioClientTransport({ command, args, env: { ...env }, cwd }))
      const { tools } = await client.listTools()
      const answer = await client.callTool({ name: 'echo__echo', arguments: { text: 'hi' } })
      await client.close()
      expect(answer.isError ?? false).toBe(false)
      return tools.map(({ name }) => name)
    }
    const ofCursor = await toolsOf(mcpServers.plugboard)
    expect(ofCursor).toContain('echo__hang')
    const [, command = '', args = ''] =
      /\[mcp_servers\.plugboard\]\ncommand = "(.*)"\nargs = (\[.*\])/.exec(machine.read(codex)) ?? []
    const ofCodex = await toolsOf({ command, args: JSON.parse(args) as string[] })
    expect(ofCodex).toEqual(ofCursor.filter((name) => name !== 'echo__hang'))
    await machine.run('gateway', 'stop')
  })

  test('adopt --all, then release --all: every file has its bytes again', async () => {
    using machine = desk()
    const before = visible(machine)
    const { stdout } = await machine.run('adopt', '--all', '--yes', '--json')
    expect(parseDocument(stdout)).toMatchObject({
      clients: [{ client: 'cursor' }, { client: 'codex' }],
      failed: [],
    })
    expect(visible(machine)).not.toEqual(before)
    const { code, stderr } = await machine.run('release', '--all', '--yes')
    expect([code, stderr]).toEqual([0, ''])
    expect(visible(machine)).toEqual(before)
  })

  test('adopt --all names each client whose servers all stay, and says nothing of the gateway in the others', async () => {
    const own = { command: 'npx', args: ['plugboard', 'gateway'] }
    using machine = createMachine({
      '~/.claude.json': '{ "mcpServers": { "a": {}',
      '~/.codeium/windsurf/mcp_config.json': { mcpServers: { own } },
      '~/.cursor/mcp.json': { mcpServers: { files: { command: 'files' }, own } },
    })
    const { code, stdout } = await machine.run('adopt', '--all', '--yes', '--json')
    const { clients, failed } = parseChecked(['adopt'], stdout) as {
      readonly clients: readonly { readonly client: string; readonly stays: readonly object[] }[]
      readonly failed: readonly object[]
    }
    expect([code, clients.map(({ client }) => client)]).toEqual([0, ['cursor']])
    expect(clients[0]?.stays).toEqual([
      { name: 'own', file: machine.path('~/.cursor/mcp.json'), reason: 'It starts Plugboard itself.' },
    ])
    expect(failed).toEqual([
      { client: 'claude-code', reason: expect.stringContaining('The file has an error in line 1') },
    ])
  })

  test('adopt --all --dry-run plans the clients together, as the real run does', async () => {
    using machine = desk()
    const [before, dry] = [machine.files(), await machine.run('adopt', '--all', '--dry-run', '--json')]
    expect(machine.files()).toEqual(before)
    const { clients } = parseDocument(dry.stdout) as { clients: unknown }
    expect(clients).toMatchObject([
      { client: 'cursor', moved: [{ as: 'echo', isShared: false }] },
      { client: 'codex', moved: [{ as: 'echo', isShared: true }] },
    ])
    const real = await machine.run('adopt', '--all', '--yes', '--json')
    expect(parseDocument(real.stdout)).toMatchObject({ clients })
  })

  test('list says that an entry starts Plugboard itself, and doctor names the adopted client', async () => {
    using machine = desk()
    await machine.run('adopt', 'cursor', '--yes')
    const listed = await machine.run('list', '--source', 'cursor')
    expect(listed.stderr).toContain('mcp.json: "plugboard" starts Plugboard itself and is not loaded.')
    const doctor = await machine.run('doctor', '--no-start')
    expect(doctor.stderr).toContain('Cursor is adopted: it uses echo through the gateway (')
    await machine.run('remove', 'plugboard', '--source', 'cursor')
    const after = await machine.run('doctor', '--no-start', '--json')
    expect(parseDocument(after.stdout)).toMatchObject({
      adopted: [{ client: 'cursor', servers: ['echo'], files: [{ isConnected: false }] }],
    })
  })

  test('usage: one client or --all', async () => {
    using machine = desk()
    for (const words of [['adopt'], ['adopt', 'cursor', '--all'], ['release'], ['adopt', 'plugboard']])
      expect((await machine.run(...words)).code).toBe(2)
    const none = await machine.run('release', '--all')
    expect([none.code, none.stderr]).toEqual([5, 'There is nothing to release: no client is adopted.\n'])
    expect((await machine.run('adopt', 'zed')).code).toBe(5)
  })
})
