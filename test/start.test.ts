import { spawnSync } from 'node:child_process'
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { createMachine } from './support/programs/cli.ts'
import { outputOf } from './support/programs/program.ts'
import { machineWith } from './support/servers.ts'
import { faultyServer } from '../src/testing/faulty-server.ts'

const built = fileURLToPath(new URL('../dist/cli/plugboard.cjs', import.meta.url))
const server = { mcpServers: { a: { command: 'a' }, b: { url: 'https://b.example/mcp' } } }

/** The modules loaded when the command ends. The output goes to a file, because a pipe makes Node itself load sockets. */
function modulesOf(
  args: readonly string[],
  cwd: string,
  home: string,
  which = 'process.moduleLoadList',
): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'plugboard-start-'))
  try {
    const hook = join(folder, 'hook.cjs')
    const list = join(folder, 'modules.json')
    writeFileSync(
      hook,
      `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(list)}, JSON.stringify(${which})))`,
    )
    const output = openSync(join(folder, 'output'), 'w')
    const { status } = spawnSync(process.execPath, ['--require', hook, built, ...args], {
      cwd,
      env: { PATH: process.env['PATH'] ?? '', HOME: home },
      stdio: ['ignore', output, output],
    })
    expect(status).toBe(0)
    const loaded = JSON.parse(readFileSync(list, 'utf8')) as readonly string[] // a list of names
    return loaded.map((name) => name.replace(/^NativeModule /, ''))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const unwanted = /^(http|https|http2|net|tls|dns|dgram|child_process|worker_threads|perf_hooks|undici.*)$/

test.each([[['--version']], [['list']], [['list', '--json']], [['why', 'a']]])(
  'start: plugboard %j loads no module for network, child processes or timing',
  (args) => {
    using machine = createMachine({ '.mcp.json': server, '~/.cursor/mcp.json': server })
    const loaded = modulesOf(args, machine.project, machine.home)
    expect(loaded.length).toBeGreaterThan(20)
    expect(loaded.filter((name) => unwanted.test(name))).toEqual([])
  },
)

test.each([[['tools']], [['tools', 'find*', '--json']], [['search', 'find']], [['tool', 'x__find']]])(
  'start: plugboard %j of known servers loads no module for network, child processes or timing',
  async (args) => {
    const tools = [{ name: 'find', inputSchema: { type: 'object' } }]
    using machine = machineWith({ x: faultyServer({ tools }) })
    expect((await machine.run('tools')).code).toBe(0)
    expect(modulesOf(args, machine.project, machine.home).filter((name) => unwanted.test(name))).toEqual([])
  },
)

test('build: the start chunk contains no code for editing', () => {
  const text = readFileSync(new URL('../dist/cli/chunks/start.cjs', import.meta.url), 'utf8')
  expect({ edits: text.includes('stays off because of'), lists: text.includes('in force') }).toEqual({
    edits: false,
    lists: true,
  })
})

/** The chunks that a command loads besides its entry. */
function chunksOf(args: readonly string[], cwd: string, home: string): readonly string[] {
  const loaded = modulesOf(args, cwd, home, 'Object.keys(require.cache)')
  return loaded.filter((file) => file.includes('chunks')).map((file) => basename(file))
}

test('build: list loads only the start chunk, so startModules is complete', () => {
  using machine = createMachine({ '.mcp.json': server, 'mcp.json': server })
  expect(chunksOf(['list'], machine.project, machine.home)).toEqual(['start.cjs'])
})

test('build: tools of known servers loads only the start and host chunks', async () => {
  using machine = machineWith({
    x: faultyServer({ tools: [{ name: 'find', inputSchema: { type: 'object' } }] }),
  })
  expect((await machine.run('tools')).code).toBe(0)
  expect(chunksOf(['tools'], machine.project, machine.home)).toEqual(['start.cjs', 'host.cjs'])
})

test.each(['start', 'host'])('build: the chunk %s is pure ASCII', (chunk) => {
  const text = readFileSync(new URL(`../dist/cli/chunks/${chunk}.cjs`, import.meta.url), 'utf8')
  expect(text.match(/[^\0-\x7f]/)).toBeNull()
})

test('list: writes no file in an empty home', async () => {
  using machine = createMachine()
  await machine.run('list')
  const stdout = outputOf('find', [machine.home, '-newermt', '@0', '-type', 'f'])
  expect(stdout).toBe('')
})
