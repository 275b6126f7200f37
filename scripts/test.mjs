import { run } from './run.mjs'

// Everything a change must pass, fastest check first.
run('tsc', ['-p', 'tsconfig.json'])
run('oxfmt', ['--check', '.'])
run('oxlint', [])
run('scripts/build.mjs')
run('scripts/docs.mjs', ['--check'])
run('knip', [])
run('vitest', ['run', '--coverage', ...process.argv.slice(2)])
// Passing the official suite is the condition for having our own wire (ARCHITECTURE.md).
run('scripts/conformance.mjs')
