import { run } from './run.mjs'

// Everything a change must pass, cheapest first.
run('tsc', ['-p', 'tsconfig.json'])
run('oxfmt', ['--check', '.'])
run('oxlint', [])
run('scripts/build.mjs')
run('scripts/docs.mjs', ['--check'])
run('knip', [])
run('vitest', ['run', '--coverage', ...process.argv.slice(2)])
// The official suite is why the wire may be ours (ARCHITECTURE.md).
run('scripts/conformance.mjs')
