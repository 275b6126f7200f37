import { readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { cliFile, createMachine } from '../support/programs/cli.ts'
import type { ProgramResult, Machine } from '../support/programs/cli.ts'
import { everyVerb } from '../support/verbs.ts'

/**
 * The other tests of commands run the source in their own process. Here every command runs once from the build: it prints and
 * exits as the source does, and loads the large chunks of the table and no others. After a wanted change of the table:
 * `npx vitest run test/cli/dist.test.ts -u`.
 */
const rows = [
  ...everyVerb('orders', 'cursor'),
  ['--help'],
  ['call', '--help'],
  ['models', 'add', '--help'],
  ['no-such-command'],
].map((words) => [words.join(' '), words] as const)

const hook = fileURLToPath(new URL('../support/loaded-chunks.cjs', import.meta.url))
const chunks = join(dirname(cliFile), 'chunks')
const largeBytes = 100_000
const large = new Set(
  readdirSync(chunks)
    .filter((name) => name.endsWith('.cjs') && statSync(join(chunks, name)).size > largeBytes)
    .map((name) => name.slice(0, -'.cjs'.length)),
)
const table = new Map<string, string>()

describe.concurrent('every command from dist', () => {
  test.each(rows)('%s prints and exits as from source', async (title, words) => {
    using machine = shop()
    const options = { from: 'dist', nodeArgs: ['--require', hook], env: loadedFile(machine) } as const
    const built = await machine.runWith(options, ...words)
    const loaded = JSON.parse(machine.read('~/loaded.json')) as readonly string[] // written by the hook
    table.set(title, [built.code, ...loaded.filter((name) => large.has(name))].join(' '))
    using other = shop()
    expect(neutral(built, machine)).toEqual(neutral(await other.run(...words), other))
  })
})

test('every command from dist exits and loads chunks as the table says', async () => {
  const lines = rows.map(([title]) => `${title}: ${table.get(title)}\n`)
  await expect(lines.join('')).toMatchFileSnapshot('../fixtures/chunks/commands.txt')
})

const loadedFile = (machine: Machine) => ({ LOADED_CHUNKS: machine.path('~/loaded.json') })

function neutral({ code, stdout, stderr }: ProgramResult, { home }: Machine): ProgramResult {
  const text = (printed: string) => printed.replaceAll(home, '<home>').replace(/sha256:\w+/g, '<hash>')
  return { code, stdout: text(stdout), stderr: text(stderr) }
}

function shop() {
  return createMachine({
    '.mcp.json': { mcpServers: { orders: { command: 'orders-mcp', args: ['--port', '1'] } } },
    '~/.config/plugboard/mcp.json': {
      mcpServers: { docs: { type: 'http', url: 'http://127.0.0.1:9/mcp' } },
    },
    '~/.cursor/mcp.json': { mcpServers: { notes: { command: 'notes-mcp' } } },
    '~/.codex/config.toml': '[mcp_servers.tickets]\ncommand = "tickets-mcp"\n',
  })
}
