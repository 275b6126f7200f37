import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { root, run } from './run.mjs'

// Builds if needed, then serves the page with the demo: `plugboard serve --demo`. With --smoke it uses everything once over HTTP, and ends.
const entry = join(root, 'dist/cli/plugboard.cjs')
const page = join(root, 'dist/page/index.html')
const sources = Math.max(newest(join(root, 'src')), newest(join(root, 'web')))
if (!existsSync(entry) || !existsSync(page) || sources > statSync(entry).mtimeMs) run('scripts/build.mjs')

const args = process.argv.slice(2)
process.exitCode = args.includes('--smoke') ? await smoke() : await serve(args)

/** The signals of a terminal reach both; the server ends first. */
async function serve(flags) {
  const child = spawn(process.execPath, [entry, 'serve', '--demo', ...flags], { stdio: 'inherit' })
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(name, () => name !== 'SIGINT' && child.kill(name))
  const [code] = await once(child, 'exit')
  return code ?? 1
}

async function smoke() {
  const { smokeTest } = await import('./smoke.mjs')
  return smokeTest()
}

function newest(folder) {
  return Math.max(
    0,
    ...readdirSync(folder, { withFileTypes: true }).map((item) => {
      const path = join(folder, item.name)
      if (item.name === 'node_modules') return 0
      return item.isDirectory() ? newest(path) : statSync(path).mtimeMs
    }),
  )
}
