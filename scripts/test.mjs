import { run } from './run.mjs'

// Everything a change must pass, the fastest check first. What takes long for what it finds is in `npm run test:slow`.
run('tsc', ['-p', 'tsconfig.json'])
run('tsc', ['-p', 'web'])
run('oxfmt', ['--check', '.'])
run('oxlint', [])
run('scripts/build.mjs')
run('scripts/docs.mjs', ['--check'])
run('knip', [])
run('vitest', ['run', '--root', 'web'])
run('vitest', ['run', '--project=!slow', ...process.argv.slice(2)])
// Passing the official suite is the condition for having our own wire (ARCHITECTURE.md).
run('scripts/conformance.mjs', ['--probed'])
