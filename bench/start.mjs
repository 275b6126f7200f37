import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

// The start of the command line as a ratio to bare `node -e 0` in the same run: best of several rounds, CPU and wall time.
const root = fileURLToPath(new URL('..', import.meta.url))
const cli = join(root, 'dist/cli/plugboard.cjs')
const rounds = Number(process.argv[2] ?? 15)
const temp = mkdtempSync(join(tmpdir(), 'plugboard-bench-'))

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
// The first run stores the tools on disk.
note({ cpu: [], wall: [] }, [cli, 'tools'], known)

const cases = [
  { title: '--version', budget: 1.3, args: [cli, '--version'], home: few },
  { title: 'list, 10 servers in 3 files', budget: 2, args: [cli, 'list'], home: few },
  { title: 'tools, 10 servers known from disk', budget: 2.2, args: [cli, 'tools'], home: known },
  { title: 'list, 1,000 servers in JSON', budget: 4.5, args: [cli, 'list'], home: manyJson },
  {
    title: 'list, 1,000 servers in TOML',
    budget: 4.5,
    args: [cli, 'list', '--source', 'codex'],
    home: manyToml,
  },
  {
    title: 'list, 1,000 servers in TOML with a dotted key',
    budget: undefined,
    args: [cli, 'list', '--source', 'codex'],
    home: wholeToml,
  },
  {
    title: 'list, 1,000 servers in YAML',
    budget: undefined,
    args: [cli, 'list', '--source', 'goose'],
    home: manyYaml,
  },
]

const bare = { cpu: [], wall: [] }
const measured = cases.map(() => ({ cpu: [], wall: [] }))
for (let round = 0; round < rounds; round++) {
  note(bare, ['-e', '0'], few)
  for (const [index, { args, home: folder }] of cases.entries()) note(measured[index], args, folder)
}
rmSync(temp, { recursive: true, force: true })

const base = { cpu: Math.min(...bare.cpu), wall: Math.min(...bare.wall) }
console.log(
  `node ${process.version}, ${rounds} rounds, bare node: ${base.cpu.toFixed(0)} ms CPU, ${base.wall.toFixed(0)} ms wall\n`,
)
console.log('| case | CPU × | wall × | budget × |\n| --- | --- | --- | --- |')
let over = false
for (const [index, { title, budget }] of cases.entries()) {
  const cpu = Math.min(...measured[index].cpu) / base.cpu
  const wall = Math.min(...measured[index].wall) / base.wall
  over ||= budget !== undefined && (cpu > budget || wall > budget)
  console.log(`| ${title} | ${cpu.toFixed(2)} | ${wall.toFixed(2)} | ${budget ?? '–'} |`)
}
if (over) console.log('\nOver budget.')

/** Measures one run with bash's `time`: it reports the kernel's figures for the child alone and loads nothing into it. */
function note(into, args, folder) {
  const script = 'TIMEFORMAT="%3R %3U %3S"; time "$@" >/dev/null 2>"$0"'
  const { status, stderr } = spawnSync(
    'bash',
    ['-c', script, join(temp, 'stderr'), process.execPath, ...args],
    {
      cwd: join(folder, 'project'),
      env: { PATH: process.env.PATH, HOME: folder },
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
