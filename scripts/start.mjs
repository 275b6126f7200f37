import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { buildIfNeeded } from './build-if-needed.mjs'
import { root } from './run.mjs'

// Builds if needed, then serves the page with the demo: `plugboard serve --demo`. With --smoke it uses everything once over HTTP, and ends.
const entry = join(root, 'dist/cli/plugboard.cjs')
buildIfNeeded()

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
