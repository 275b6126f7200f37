import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createHost } from '../src/index.ts'
import type { HostOptions, JsonObject } from '../src/index.ts'
import { faultyServerFile } from '../src/testing/faulty-server.ts'

/** A program that leaves a file beside itself and is a server. */
const program = `import { writeFileSync } from 'node:fs'
writeFileSync(new URL('ran', import.meta.url), process.cwd())
await import(${JSON.stringify(faultyServerFile)})
`

/** A repository whose root and whose `vendor/x` both have a `server.mjs`. */
function repository(): { readonly root: string; readonly inner: string; readonly home: string } {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-folder-')))
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }))
  const root = join(home, 'shop')
  const inner = join(root, 'vendor/x')
  mkdirSync(inner, { recursive: true })
  mkdirSync(join(root, '.git'))
  for (const folder of [root, inner]) writeFileSync(join(folder, 'server.mjs'), program)
  return { root, inner, home }
}

function write(file: string, value: JsonObject | string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value))
}

async function connect(home: string, options: HostOptions): Promise<void> {
  const host = await createHost({
    trust: async () => true,
    platform: { home, env: { HOME: home, PATH: process.env['PATH'] } },
    ...options,
  })
  try {
    await host.connect('x')
  } finally {
    await host.close()
  }
}

/** The folders whose program ran. */
function ranIn(...folders: readonly string[]): readonly string[] {
  return folders.filter((folder) => existsSync(join(folder, 'ran')))
}

const entry = { command: 'node', args: ['./server.mjs'] }
const typed = { type: 'stdio', ...entry }
const local = { type: 'local', command: ['node', './server.mjs'] }
const standard = { mcpServers: { x: entry } }

const files: readonly (readonly [string, string, JsonObject | string])[] = [
  ['plugboard', '.mcp.json', standard],
  ['plugboard', 'mcp.json', standard],
  ['claude-code', '.mcp.json', standard],
  ['vscode', '.vscode/mcp.json', { servers: { x: typed } }],
  ['vscode', '.mcp.json', standard],
  ['visual-studio', '.vs/mcp.json', { servers: { x: typed } }],
  ['cursor', '.cursor/mcp.json', standard],
  ['oh-my-pi', '.omp/mcp.json', standard],
  ['oh-my-pi', '.claude/mcp.json', standard],
  ['gemini-cli', '.gemini/settings.json', standard],
  ['codex', '.codex/config.toml', '[mcp_servers.x]\ncommand = "node"\nargs = ["./server.mjs"]\n'],
  ['opencode', 'opencode.json', { mcp: { x: local } }],
  ['opencode', '.opencode/opencode.json', { mcp: { x: local } }],
  ['zed', '.zed/settings.json', { context_servers: { x: { source: 'custom', ...entry } } }],
  ['roo-code', '.roo/mcp.json', standard],
  ['kilo-code', '.kilo/kilo.json', { mcp: { x: local } }],
  ['kiro', '.kiro/settings/mcp.json', standard],
  ['junie', '.junie/mcp/mcp.json', standard],
  ['copilot-cli', '.github/mcp.json', { mcpServers: { x: { ...typed, tools: ['*'] } } }],
  ['warp', '.warp/.mcp.json', standard],
  ['factory-droid', '.factory/mcp.json', { mcpServers: { x: typed } }],
  ['qwen-code', '.qwen/settings.json', standard],
  ['crush', '.crush.json', { mcp: { x: typed } }],
  ['mcporter', 'config/mcporter.json', standard],
  ['pi', '.pi/mcp.json', standard],
]

test.each(files)(
  'T52 %s: a relative path in %s is bound to the folder of the project that holds it',
  async (source, file, content) => {
    const { root, inner, home } = repository()
    write(join(root, file), content)
    await connect(home, { cwd: inner, sources: [source as 'plugboard'] })
    expect(ranIn(root, inner)).toEqual([root])
  },
)

test('T52 dispatch: a relative path is bound to the cwd of the turn', async () => {
  const { root, inner, home } = repository()
  const config = { servers: { x: { transport: 'stdio', ...entry } } }
  write(join(root, '.dispatch/mcp.json'), config)
  write(join(inner, '.dispatch/mcp.json'), config)
  await connect(home, { cwd: inner, preset: 'dispatch' })
  expect(ranIn(root, inner)).toEqual([inner])
})

test('T52 a relative command, a relative cwd and ${workspaceFolder} are bound to the folder of the file', async () => {
  const entries: readonly (readonly ['plugboard' | 'cursor', string, JsonObject])[] = [
    ['plugboard', '.mcp.json', { command: './run' }],
    ['plugboard', '.mcp.json', { command: 'node', args: ['../../server.mjs'], cwd: 'vendor/x' }],
    ['cursor', '.cursor/mcp.json', { command: 'node', args: ['${workspaceFolder}/server.mjs'] }],
  ]
  for (const [source, file, own] of entries) {
    const { root, inner, home } = repository()
    write(join(root, file), { mcpServers: { x: own } })
    for (const folder of [root, inner])
      writeFileSync(join(folder, 'run'), `#!/bin/sh\nexec node "${folder}/server.mjs"\n`, { mode: 0o755 })
    await connect(home, { cwd: inner, sources: [source] })
    expect([own, ranIn(root, inner)]).toEqual([own, [root]])
  }
})

test('T52 envFile and a !command are read and run in the folder of the file', async () => {
  const { root, inner, home } = repository()
  writeFileSync(
    join(root, 'server.mjs'),
    program.replace('process.cwd()', '`${process.env.A} ${process.env.B}`'),
  )
  for (const [folder, text] of [
    [root, 'root'],
    [inner, 'inner'],
  ] as const) {
    writeFileSync(join(folder, '.env'), `A=${text}\n`)
    writeFileSync(join(folder, 'b'), text)
  }
  write(join(root, '.mcp.json'), { mcpServers: { x: { ...entry, envFile: '.env', env: { B: '!cat b' } } } })
  await connect(home, { cwd: inner })
  expect(readFileSync(join(root, 'ran'), 'utf8')).toBe('root root')
})

test('T52 a link to a trusted file does not run the program beside the link', async () => {
  const { root, inner, home } = repository()
  write(join(root, '.mcp.json'), standard)
  symlinkSync('../../.mcp.json', join(inner, '.mcp.json'))
  mkdirSync(join(inner, '.git'))
  await connect(home, { cwd: inner })
  expect(ranIn(root, inner)).toEqual([root])
})

test('T52 a file that the operator names keeps the working directory', async () => {
  const { root, inner, home } = repository()
  write(join(root, 'named.json'), standard)
  await connect(home, { cwd: inner, config: join(root, 'named.json') })
  expect(ranIn(root, inner)).toEqual([inner])
})
