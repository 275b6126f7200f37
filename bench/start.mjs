import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

// The start of the command line as a ratio to bare `node -e 0` in the same run: best of several rounds, CPU and wall time.
// node bench/start.mjs [ROUNDS] [NODE...]: with this Node, or with each of these. Both sides get the same small environment. With
// other Nodes, both load a file that makes the temporary home that of the account: compiled code is stored in no other.
const root = fileURLToPath(new URL('..', import.meta.url))
const cli = join(root, 'dist/cli/plugboard.cjs')
const [, , roundsText = '15', ...otherNodes] = process.argv
const rounds = Number(roundsText)
const nodes = otherNodes.length > 0 ? otherNodes : [process.execPath]
const temp = mkdtempSync(join(tmpdir(), 'plugboard-bench-'))
const account = otherNodes.length > 0 ? ['--require', join(root, 'test/support/account.cjs')] : []

const few = home('few', (write) => {
  write('.config/plugboard/mcp.json', json(names(4, 'user')))
  write('project/.mcp.json', json(names(3, 'dot')))
  write('project/mcp.json', json(names(3, 'plain')))
})
const manyJson = home('json', (write) => write('.config/plugboard/mcp.json', json(names(1000, 's'))))
const manyToml = home('toml', (write) => write('.codex/config.toml', toml(names(1000, 's'))))
// Has one statement that the quick TOML reader leaves to the full parser.
const wholeToml = home('whole-toml', (write) =>
  write('.codex/config.toml', `features.web_search = true\n${toml(names(1000, 's'))}`),
)
const manyYaml = home('yaml', (write) => write('.config/goose/config.yaml', yaml(names(1000, 's'))))

const known = home('known', (write) => write('.config/plugboard/mcp.json', knownServers(10)))
const callable = home('callable', (write) => write('.config/plugboard/mcp.json', quickServer()))
const telling = home('telling', (write) =>
  write('.config/plugboard/mcp.json', quickServer('The order was sent to the customer on Monday.')),
)

const cases = [
  { title: '--version', times: 1.3, args: ['--version'], home: few },
  { title: 'list, 10 servers in 3 files', times: 2, args: ['list'], home: few },
  { title: 'tools, 10 servers known from disk', times: 2.3, args: ['tools'], home: known },
  {
    title: 'call, a program in a shell',
    overMs: 60,
    args: ['call', 'quick__echo', 'text=a'],
    home: callable,
  },
  {
    title: 'the same with a sentence as its result, which is scanned',
    overMs: 75,
    args: ['call', 'quick__echo', 'text=a'],
    home: telling,
  },
  { title: 'list, 1,000 servers in JSON', times: 4.5, args: ['list'], home: manyJson },
  { title: 'list, 1,000 servers in TOML', times: 4.5, args: ['list', '--source', 'codex'], home: manyToml },
  {
    title: 'list, 1,000 servers in TOML with a dotted key',
    args: ['list', '--source', 'codex'],
    home: wholeToml,
  },
  { title: 'list, 1,000 servers in YAML', args: ['list', '--source', 'goose'], home: manyYaml },
]

console.log(nodes.map(table).join('\n\n'))
rmSync(temp, { recursive: true, force: true })

function table(node) {
  const bare = { cpu: [], wall: [] }
  const measured = cases.map(() => ({ cpu: [], wall: [] }))
  // The first runs store tools and, on another Node than the build's, compiled code.
  for (const { args, home: folder } of cases) note({ cpu: [], wall: [] }, node, [cli, ...args], folder)
  for (let round = 0; round < rounds; round++) {
    note(bare, node, ['-e', '0'], few)
    for (const [index, { args, home: folder }] of cases.entries())
      note(measured[index], node, [cli, ...args], folder)
  }
  const base = { cpu: Math.min(...bare.cpu), wall: Math.min(...bare.wall) }
  const rows = cases.map((each, index) => row(each, measured[index], base))
  const { stdout: version } = spawnSync(node, ['--version'], { encoding: 'utf8' })
  return [
    `node ${version.trim()}, ${rounds} rounds, bare node: ${base.cpu.toFixed(0)} ms CPU, ${base.wall.toFixed(0)} ms wall\n`,
    '| case | CPU × | wall × | CPU, ms over bare node | at most |\n| --- | --- | --- | --- | --- |',
    ...rows.map(({ text }) => text),
    ...(rows.some(({ isOver }) => isOver) ? ['\nOver budget.'] : []),
  ].join('\n')
}

function row({ title, times, overMs }, { cpu, wall }, base) {
  const ratios = { cpu: Math.min(...cpu) / base.cpu, wall: Math.min(...wall) / base.wall }
  const over = Math.min(...cpu) - base.cpu
  const limit = times !== undefined ? `×${times}` : overMs !== undefined ? `${overMs} ms` : '–'
  return {
    text: `| ${title} | ${ratios.cpu.toFixed(2)} | ${ratios.wall.toFixed(2)} | ${over.toFixed(0)} | ${limit} |`,
    isOver:
      ratios.cpu > (times ?? Infinity) || ratios.wall > (times ?? Infinity) || over > (overMs ?? Infinity),
  }
}

/** Measures one run with bash's `time`: it reports the kernel's figures for the child alone and loads nothing into it. */
function note(into, node, args, folder) {
  const script = 'TIMEFORMAT="%3R %3U %3S"; time "$@" >/dev/null 2>"$0"'
  const { status, stderr } = spawnSync(
    'bash',
    ['-c', script, join(temp, 'stderr'), node, ...account, ...args],
    {
      cwd: join(folder, 'project'),
      env: { PATH: process.env.PATH, HOME: folder, ACCOUNT_HOME: folder },
      encoding: 'utf8',
    },
  )
  const [wall, user, system] = stderr.trim().split('\n').at(-1).split(' ').map(Number)
  if (status !== 0)
    throw new Error(
      `${args.join(' ')} ended with ${status}: ${readFileSync(join(temp, 'stderr'), 'utf8').slice(0, 500)}`,
    )
  into.wall.push(wall * 1000)
  into.cpu.push((user + system) * 1000)
}

function home(name, fill) {
  const folder = join(temp, name)
  mkdirSync(join(folder, 'project/.git'), { recursive: true })
  fill((path, text) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  })
  return folder
}

function names(count, prefix) {
  return Array.from({ length: count }, (_, index) => `${prefix}${index}`)
}

function json(list) {
  return JSON.stringify(
    {
      mcpServers: Object.fromEntries(
        list.map((name) => [
          name,
          { command: 'npx', args: ['-y', `${name}-mcp@1.0.0`], env: { MODE: '${MODE:-fast}' } },
        ]),
      ),
    },
    null,
    2,
  )
}

function knownServers(count) {
  const args = [join(root, 'examples/start/servers/notes.mjs')]
  return JSON.stringify({
    mcpServers: Object.fromEntries(
      names(count, 'n').map((name) => [name, { command: process.execPath, args }]),
    ),
  })
}

function quickServer(...texts) {
  const quick = { command: 'sh', args: [join(root, 'bench/servers/quick.sh'), ...texts] }
  return JSON.stringify({ mcpServers: { quick } })
}

function toml(list) {
  return list
    .map(
      (name) =>
        `[mcp_servers.${name}]\ncommand = "npx"\nargs = ["-y", "${name}-mcp@1.0.0"]\nenv = { MODE = "fast" }\n`,
    )
    .join('\n')
}

function yaml(list) {
  const entry = (name) =>
    `  ${name}:\n    type: stdio\n    name: ${name}\n    cmd: npx\n    args: ["-y", "${name}-mcp@1.0.0"]\n    enabled: true\n    timeout: 60\n`
  return `extensions:\n${list.map(entry).join('')}`
}
