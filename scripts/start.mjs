import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { root, run } from './run.mjs'

// Builds if needed, then demonstrates the main commands with two small sample servers and a third that is broken on purpose.
const entry = join(root, 'dist/cli/plugboard.cjs')
if (!existsSync(entry) || newest(join(root, 'src')) > statSync(entry).mtimeMs) run('scripts/build.mjs')

// A copy: a home directory inside a repository is not believed, because the repository could supply its settings (T54).
const home = mkdtempSync(join(tmpdir(), 'plugboard-start-'))
cpSync(join(root, 'examples/start'), home, { recursive: true })
const weather = spawn(process.execPath, [join(home, 'servers/weather.mjs')], {
  stdio: ['pipe', 'pipe', 'inherit'],
})

try {
  const [line] = await once(weather.stdout, 'data')
  const env = environment(String(line).trim())
  show('Three servers are declared; none is running yet.', ['list'], env)
  show(
    'Their tools, under names that every model accepts. The lists are stored, so the next run reads them from disk.',
    ['tools'],
    env,
  )
  show('One tool in detail.', ['tool', 'weather__forecast'], env)
  show(
    'A call. The values are converted to the types in the tool’s schema.',
    ['call', 'weather__forecast', 'city=Oslo', 'days=2'],
    env,
  )
  show(
    'A call to a program, which is started for it and stopped afterwards.',
    ['call', 'notes/search', 'text=milk'],
    env,
  )
  show('What is wrong with the broken server?', ['test', 'ledger'], env, 7)
  show(
    'A model that uses tools: here the demo model, which only matches words, with a sample server. With yours: plugboard models',
    ['run', '--demo', 'echo the message hello'],
    env,
  )
  console.log('\nYour own servers: node dist/cli/plugboard.cjs list')
} finally {
  weather.stdin.end()
  await once(weather, 'exit')
  rmSync(home, { recursive: true, force: true })
}

/** Uses nothing of the real home, so that the output is the same on every machine. */
function environment(port) {
  const { PATH, TERM, NO_COLOR, FORCE_COLOR, SystemRoot } = process.env
  return {
    PATH: `${dirname(process.execPath)}${delimiter}${PATH}`,
    HOME: home,
    USERPROFILE: home,
    WEATHER_PORT: port,
    TERM,
    NO_COLOR,
    FORCE_COLOR,
    SystemRoot,
  }
}

function show(sentence, args, env, expected = 0) {
  const line = args.map((arg) => (arg.includes(' ') ? `"${arg}"` : arg)).join(' ')
  console.log(`\n${sentence}\n$ plugboard ${line}`)
  const { status } = spawnSync(process.execPath, [entry, ...args], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env,
    cwd: join(home, 'project'),
  })
  if (status === expected) return
  process.exitCode = status || 1
  throw new Error(`plugboard ${args.join(' ')} ended with ${status}, not ${expected}`)
}

function newest(folder) {
  return Math.max(
    ...readdirSync(folder, { withFileTypes: true }).map((item) => {
      const path = join(folder, item.name)
      return item.isDirectory() ? newest(path) : statSync(path).mtimeMs
    }),
  )
}
