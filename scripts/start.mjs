import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { root, run } from './run.mjs'

// Builds if needed, then shows the main job with two small servers of our own, and a third that is broken on purpose.
const entry = join(root, 'dist/cli/plugboard.cjs')
if (!existsSync(entry) || newest(join(root, 'src')) > statSync(entry).mtimeMs) run('scripts/build.mjs')

const home = join(root, 'examples/start')
const kept = mkdtempSync(join(tmpdir(), 'plugboard-start-'))
const weather = spawn(process.execPath, [join(home, 'servers/weather.mjs')], {
  stdio: ['pipe', 'pipe', 'inherit'],
})

try {
  const [line] = await once(weather.stdout, 'data')
  const env = environment(String(line).trim())
  say('Three servers are declared; nothing runs yet.', ['list'], env)
  say(
    'Their tools, under names that every model accepts. Each server is asked once; later this comes from disk.',
    ['tools'],
    env,
  )
  say('One of them.', ['tool', 'weather__forecast'], env)
  say(
    'A call, with the values made what the tool wants.',
    ['call', 'weather__forecast', 'city=Oslo', 'days=2'],
    env,
  )
  say(
    'And a text in a process that is started for it and ended again.',
    ['call', 'notes/search', 'text=milk'],
    env,
  )
  say('What is wrong with the broken one?', ['test', 'ledger'], env, 7)
  console.log('\nYour own servers: node dist/cli/plugboard.cjs list')
} finally {
  weather.stdin.end()
  await once(weather, 'exit')
  rmSync(kept, { recursive: true, force: true })
}

/** Nothing of the real home: the sample speaks for itself on every machine. */
function environment(port) {
  const { PATH, TERM, NO_COLOR, FORCE_COLOR, SystemRoot } = process.env
  return {
    PATH: `${dirname(process.execPath)}${delimiter}${PATH}`,
    HOME: home,
    USERPROFILE: home,
    XDG_STATE_HOME: join(kept, 'state'),
    XDG_CACHE_HOME: join(kept, 'cache'),
    WEATHER_PORT: port,
    TERM,
    NO_COLOR,
    FORCE_COLOR,
    SystemRoot,
  }
}

function say(sentence, args, env, expected = 0) {
  console.log(`\n${sentence}\n$ plugboard ${args.join(' ')}`)
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
