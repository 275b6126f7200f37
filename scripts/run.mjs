import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

/** Runs a program from node_modules with this Node. If it fails, the whole script exits with its code. */
export function run(program, args = [], options = {}) {
  const status = tryRun(program, args, options)
  if (status !== 0) process.exit(status)
}

/** Runs a program from node_modules with this Node and returns its exit code. */
export function tryRun(program, args = [], options = {}) {
  const label = [program, ...args].join(' ')
  console.log(`\n> ${label}`)
  const started = performance.now()
  const result = spawnSync(process.execPath, [resolveBin(program), ...args], {
    cwd: root,
    stdio: 'inherit',
    ...options,
  })
  if (result.status === 0) console.log(`  ${((performance.now() - started) / 1000).toFixed(1)} s`)
  else console.error(`\n${label} failed`)
  return result.status ?? 1
}

const bins = {
  tsc: 'typescript/bin/tsc',
  vitest: 'vitest/vitest.mjs',
  oxlint: 'oxlint/bin/oxlint',
  oxfmt: 'oxfmt/bin/oxfmt',
  knip: 'knip/bin/knip.js',
}

function resolveBin(program) {
  const path = bins[program] ? join(root, 'node_modules', bins[program]) : join(root, program)
  if (!existsSync(path)) {
    console.error(`${path} is missing: run npm ci first`)
    process.exit(1)
  }
  return path
}
