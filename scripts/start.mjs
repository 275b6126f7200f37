import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { root, run } from './run.mjs'

// Builds if needed, then shows a bundled sample home: what is in force, why, and a small server of its own at work.
const entry = join(root, 'dist/cli/plugboard.cjs')
if (!existsSync(entry) || newest(join(root, 'src')) > statSync(entry).mtimeMs) run('scripts/build.mjs')

const home = join(root, 'examples/home')
const cwd = join(root, 'examples/home/shop')
const kept = mkdtempSync(join(tmpdir(), 'plugboard-start-'))
// Nothing of the real home: the sample speaks for itself on every machine.
const env = {
  PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
  XDG_STATE_HOME: join(kept, 'state'),
  XDG_CACHE_HOME: join(kept, 'cache'),
  HOME: home,
  USERPROFILE: home,
  TERM: process.env.TERM,
  NO_COLOR: process.env.NO_COLOR,
}

const shown = [['list'], ['why', 'files'], ['test', 'notes'], ['call', 'notes/search', 'text=milk']]
try {
  for (const args of shown) show(args)
} finally {
  rmSync(kept, { recursive: true, force: true })
}
console.log('\nYour own servers: node dist/cli/plugboard.cjs list')

function show(args) {
  console.log(`\n$ plugboard ${args.join(' ')}`)
  const { status } = spawnSync(process.execPath, [entry, ...args, '--cwd', cwd], {
    stdio: 'inherit',
    env,
    cwd,
  })
  if (status === 0) return
  process.exitCode = status ?? 1
  throw new Error(`plugboard ${args.join(' ')} ended with ${status}`)
}

function newest(folder) {
  return Math.max(
    ...readdirSync(folder, { withFileTypes: true }).map((item) => {
      const path = join(folder, item.name)
      return item.isDirectory() ? newest(path) : statSync(path).mtimeMs
    }),
  )
}
