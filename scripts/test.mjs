import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { root, run, tryRun } from './run.mjs'

/** More failed files than this are not repeated: a busy machine disturbs one or two tests, a defect disturbs many. */
const mostRepeated = 3

// Everything a change must pass, fastest check first.
run('tsc', ['-p', 'tsconfig.json'])
run('tsc', ['-p', 'web'])
run('oxfmt', ['--check', '.'])
run('oxlint', [])
run('scripts/build.mjs')
run('scripts/docs.mjs', ['--check'])
run('knip', [])
run('vitest', ['run', '--root', 'web'])
runSuite(process.argv.slice(2))
// Passing the official suite is the condition for having our own wire (ARCHITECTURE.md).
run('scripts/conformance.mjs')

/**
 * Runs the suite. A few files that fail in it are run once more, alone: the tests start hundreds of processes, and a
 * machine that stands still for seconds makes a limit of the product expire. A file that fails alone fails the run; one
 * that passes alone is named as unstable at the end of the output, and its cause is a defect to be mended.
 */
function runSuite(args) {
  const directory = mkdtempSync(join(tmpdir(), 'plugboard-failed-'))
  const list = join(directory, 'files.json')
  const reporters = ['--reporter=default', '--reporter=./scripts/failed-files.mjs']
  const env = { ...process.env, PLUGBOARD_FAILED_FILES: list }
  const status = tryRun('vitest', ['run', '--coverage', ...reporters, ...args], { env })
  const failed = status === 0 ? [] : readFailed(list)
  rmSync(directory, { recursive: true })
  if (status === 0) return
  // Without a failed file the coverage is below its thresholds, or vitest itself failed.
  if (failed.length === 0 || failed.length > mostRepeated) process.exit(status)
  console.log(`\nOnce more, alone: ${failed.join(', ')}`)
  run('vitest', ['run', '--no-file-parallelism', ...failed])
  console.log(`\nUNSTABLE, failed in the whole run and passed alone: ${failed.join(', ')}`)
}

function readFailed(list) {
  try {
    return JSON.parse(readFileSync(list, 'utf8')).map((file) => relative(root, file))
  } catch {
    return []
  }
}
