import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './run.mjs'

// Runs a program of an embedder on every runtime that is installed: Node, Bun and Deno.
const runtimes = {
  node: [],
  bun: ['run'],
  // No lock file, and the packages that are installed already.
  deno: ['run', '--allow-all', '--no-lock', '--node-modules-dir=manual'],
}

if (!existsSync(join(root, 'dist/index.js'))) {
  console.error('Run npm run build first.')
  process.exit(1)
}
const program = join(root, 'scripts/runtime-program.mjs')
for (const [runtime, flags] of Object.entries(runtimes)) {
  const { stdout, error } = spawnSync(runtime, ['--version'], { encoding: 'utf8' })
  if (error) {
    console.log(`${runtime}: not installed, skipped`)
    continue
  }
  // The servers run on Node, whatever the runtime of the host.
  const run = spawnSync(runtime, [...flags, program, process.execPath], {
    cwd: root,
    encoding: 'utf8',
    timeout: 60_000,
  })
  const isGood = run.status === 0 && run.stdout.endsWith('ok\n')
  console.log(`${runtime} ${stdout.split('\n')[0]}: ${isGood ? 'ok' : 'failed'}`)
  if (isGood) continue
  console.error(run.stdout + run.stderr)
  process.exitCode = 1
}
