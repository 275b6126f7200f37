import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
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

/**
 * Runs lists of programs side by side, the programs of a list one after the other until one fails. What a program prints is
 * shown when it has ended. If one has failed, the script exits with its code once all lists have ended.
 */
export async function runBeside(lists) {
  const failures = await Promise.all(
    lists.map(async (programs) => {
      for (const [program, args] of programs) {
        const code = await runQuietly(program, args)
        if (code !== 0) return { program, code }
      }
      return undefined
    }),
  )
  const failed = failures.filter((failure) => failure !== undefined)
  if (failed.length === 0) return
  console.error(`\nFailed: ${failed.map(({ program }) => program).join(', ')}`)
  process.exit(failed[0].code)
}

async function runQuietly(program, args = []) {
  const started = performance.now()
  const child = spawn(process.execPath, [resolveBin(program), ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const printed = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => printed.push(chunk))
  const [code] = await once(child, 'close')
  const label = [program, ...args].join(' ')
  console.log(`\n> ${label}`)
  process.stdout.write(Buffer.concat(printed))
  if (code === 0) console.log(`  ${((performance.now() - started) / 1000).toFixed(1)} s`)
  else console.error(`\n${label} failed`)
  return code ?? 1
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
