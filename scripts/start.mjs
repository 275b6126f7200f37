import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { root, run } from './run.mjs'

// Builds if needed, then shows what `list` and `why` say about a bundled sample home.
const entry = join(root, 'dist/cli/plugboard.cjs')
if (!existsSync(entry) || newest(join(root, 'src')) > statSync(entry).mtimeMs) run('scripts/build.mjs')

const home = join(root, 'examples/home')
const cwd = join(root, 'examples/home/shop')
// Nothing of the real home: the sample speaks for itself on every machine.
const env = {
  PATH: process.env.PATH,
  HOME: home,
  USERPROFILE: home,
  TERM: process.env.TERM,
  NO_COLOR: process.env.NO_COLOR,
}

for (const args of [['list'], ['why', 'files']]) {
  console.log(`\n$ plugboard ${args.join(' ')}`)
  const { status } = spawnSync(process.execPath, [entry, ...args, '--cwd', cwd], {
    stdio: 'inherit',
    env,
    cwd,
  })
  if (status !== 0) process.exit(status ?? 1)
}
console.log('\nYour own servers: node dist/cli/plugboard.cjs list')

function newest(folder) {
  return Math.max(
    ...readdirSync(folder, { withFileTypes: true }).map((item) => {
      const path = join(folder, item.name)
      return item.isDirectory() ? newest(path) : statSync(path).mtimeMs
    }),
  )
}
