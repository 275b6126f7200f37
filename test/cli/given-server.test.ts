import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { faultyServer } from '../../src/testing/faulty-server.ts'
import type { FaultyHttp } from '../../src/testing/faulty-http.ts'
import { createMachine } from '../support/programs/cli.ts'
import { faultyAddress, machineWith, ownFile } from '../support/servers.ts'

const script = {
  capabilities: { tools: {}, prompts: {}, resources: {} },
  tools: [
    {
      name: 'echo',
      inputSchema: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
    },
  ],
  prompts: [{ name: 'greet' }],
  resources: [{ uri: 'note://one', name: 'one' }],
  results: {
    'prompts/get': { messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }] },
    'resources/read': { contents: [{ uri: 'note://one', text: 'first note' }] },
  },
} as const

/** A command line as a person would quote it. */
function lineOf(server: { readonly command: string; readonly args?: readonly string[] }): string {
  return [server.command, ...(server.args ?? [])]
    .map((word) => `'${word.replaceAll("'", `'\\''`)}'`)
    .join(' ')
}
const stdio = lineOf(faultyServer(script))

const uses: readonly (readonly [words: readonly string[], shown: string])[] = [
  [['call', 'echo', 'message=hi'], '"arguments":{"message":"hi"}'],
  [['call', 'echo(message: "hi")'], '"arguments":{"message":"hi"}'],
  [['tools'], '__echo'],
  [['tool', 'echo'], 'echo({'],
  [['search', 'echo'], '__echo'],
  [['test'], 'ok '],
  [['request', 'tools/list'], '"echo"'],
  [['request', 'tools/list', '{}'], '"echo"'],
  [['resources'], 'note://one'],
  [['read', 'note://one'], 'first note'],
  [['prompts'], '/greet'],
  [['prompt', 'greet'], 'Hello'],
]

describe('D-17 a server that the command line names', () => {
  let http: FaultyHttp
  beforeAll(async () => void (http = await faultyAddress(script)))
  afterAll(() => http.close())

  test.each(uses)('D-17 %j works with --stdio and --url without any config', async (words, shown) => {
    using machine = createMachine()
    for (const flags of [
      ['--stdio', stdio],
      ['--url', String(http.url)],
    ]) {
      const [command = '', ...rest] = words
      const { code, stdout, stderr } = await machine.run(command, ...flags, ...rest)
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toContain(shown)
    }
    expect(machine.has(ownFile)).toBe(false)
  })

  test('D-17 no declared server is used, and a project needs no trust for it', async () => {
    using machine = machineWith({ other: faultyServer(script) })
    machine.write('.mcp.json', { mcpServers: { more: faultyServer(script) } })
    const found = await machine.json<{ tools: readonly { server: string }[] }>('tools', '--stdio', stdio)
    expect(found.tools.map(({ server }) => server)).toEqual(['main'])
  })

  test('D-17 --env and --header reach the server, and ${VAR} is read as in a config', async () => {
    using machine = createMachine()
    const env = { ANY_MODE: 'of-the-person' }
    const program = lineOf(
      faultyServer({ tools: [{ name: 'environment', inputSchema: { type: 'object' } }] }),
    )
    const variables = ['--env', 'MODE=quiet', '--env', 'OTHER=${ANY_MODE}']
    const started = await machine.runWith({ env }, 'call', '--stdio', program, ...variables, 'environment')
    // The value of a variable is hidden in results, as for any server.
    expect(started.stdout).toContain('"MODE":"quiet","OTHER":"•••"')
    const header = ['--header', 'X-Mode=${ANY_MODE}']
    expect(await machine.runWith({ env }, 'tools', '--url', String(http.url), ...header)).toMatchObject({
      code: 0,
    })
    expect(await (await fetch(new URL('/journal', http.url))).text()).toContain('"x-mode":"of-the-person"')
  })

  test('D-17 --keep writes it into the person’s own file, from where it works', async () => {
    using machine = createMachine()
    const kept = await machine.run('call', '--stdio', stdio, '--keep', 'mine', 'echo', 'message=1')
    expect(kept).toMatchObject({
      code: 0,
      stderr: 'Kept as "mine" in ~/.config/plugboard/mcp.json. From now on: plugboard list mine\n',
    })
    const { command, args } = faultyServer(script)
    expect(JSON.parse(machine.read(ownFile))).toEqual({ mcpServers: { mine: { command, args } } })
    expect((await machine.run('call', 'mine', 'echo', 'message=2')).stdout).toContain('"message":"2"')
    const again = await machine.run('call', '--stdio', stdio, '--keep', 'mine', 'echo', 'message=3')
    expect(again).toMatchObject({ code: 6, stdout: '' })
    expect(again.stderr).toContain('Keep it under another name, or remove that one: plugboard remove mine')
  })

  test('T35 --keep warns of a secret that it writes in plain text', async () => {
    using machine = createMachine()
    const env = ['--env', 'API_TOKEN=ghp_0123456789abcdefghijklmnopqrstuvwxyz']
    const { stderr } = await machine.run('tools', '--stdio', stdio, ...env, '--keep', 'mine')
    expect(stderr).toContain('It holds a secret in plain text.')
    expect(stderr).not.toContain('ghp_')
  })

  test('D-17 a server that does not answer is not kept, and the hint needs no declaration', async () => {
    using machine = createMachine()
    const { code, stderr } = await machine.run('test', '--stdio', 'no-such-program x', '--keep', 'mine')
    expect(code).toBe(7)
    expect(stderr).toContain('"no-such-program" was not found in PATH.')
    expect(stderr).not.toContain('plugboard why')
    expect(machine.has(ownFile)).toBe(false)
  })

  test('D-17 a proposed command repeats --url', async () => {
    using machine = createMachine()
    const { code, stderr } = await machine.run('call', '--url', String(http.url), 'echo')
    expect(code).toBe(2)
    expect(stderr).toContain(`See its arguments: plugboard tool --url ${String(http.url)} server/echo`)
    const shown = await machine.run('tool', '--url', String(http.url), 'echo')
    expect(shown.stdout).toContain(`plugboard call --url ${String(http.url)} server__echo `)
  })

  test('D-17 hints name nothing that only a declared server has', async () => {
    using machine = createMachine()
    const exits = lineOf({ command: process.execPath, args: ['-e', 'process.exit(3)'] })
    const { stderr } = await machine.run('call', '--stdio', exits, 'echo')
    expect(stderr).not.toMatch(/See its output|in its entry|plugboard (?:list|logs|why)/)
    const other = await machine.run('call', '--url', String(http.url), 'ev', 'echo')
    expect(other).toEqual({
      code: 2,
      stdout: '',
      stderr: '--stdio and --url name the server; leave out "ev".\nIt is called "server" here.\n',
    })
  })

  test('D-17 a list from an address that fails exits as a call of it does, and says why in sentences', async () => {
    using machine = createMachine()
    const server = createServer((_, response) => response.writeHead(401).end()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo // it listens on a port
    const url = `http://127.0.0.1:${port}/mcp`
    expect((await machine.run('tools', '--url', url)).code).toBe(8)
    server.removeAllListeners('request').on('request', (_, response) => response.writeHead(404).end('{}'))
    const missing = await machine.run('tools', '--url', url)
    expect(missing.code).toBe(7)
    expect(missing.stderr).toContain('HTTP 404 (no content type, "{}"). Check that')
    server.close()
  })

  test.each([
    [['tools', '--stdio', 'x', '--url', 'https://x.example.com'], 'Use either --stdio or --url, not both.'],
    [['tools', '--keep', 'x'], '--keep requires --stdio or --url.'],
    [['tools', '--env', 'A=1'], '--env requires --stdio or --url.'],
    [['test', '--keep', 'x'], '--keep requires --stdio or --url.'],
    [['tools', '--url', 'https://x.example.com', '--env', 'A=1'], '--env requires --stdio.'],
    [['tools', '--stdio', 'x', '--header', 'A=1'], '--header requires --url.'],
    [['tools', '--stdio', 'x', '--scope', 'user'], '--stdio and --url name the server; leave out --scope.'],
    [['tools', '--url', 'ftp://x'], 'Invalid server config: "ftp://x" is neither http nor https.'],
    [['test', '--stdio', 'x', 'y'], '--stdio and --url name the server; leave out the name and --all.'],
    [
      ['call', '--stdio', 'a | b', 'echo'],
      `--stdio starts no shell, so "|" has no meaning in it.\nFor a command of a shell, name the shell: --stdio "sh -c '…'"`,
    ],
  ])('D-17 %j is refused', async (words, message) => {
    using machine = createMachine()
    expect(await machine.run(...words)).toEqual({ code: 2, stdout: '', stderr: `${message}\n` })
  })
})
