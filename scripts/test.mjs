import { run, runBeside } from './run.mjs'

// Everything a change must pass, the fastest checks first. What takes long for what it finds is in `npm run test:slow`.
await runBeside([
  // The build also compiles the page and the types of the package.
  [['scripts/build.mjs'], ['scripts/docs.mjs', ['--check']], ['vitest', ['run', '--root', 'web']], ['knip']],
  [['tsc', ['-p', 'tsconfig.json']], ['oxfmt', ['--check', '.']], ['oxlint']],
])
run('vitest', ['run', '--project=!slow', ...process.argv.slice(2)])
// Passing the official suite is the condition for having our own wire (ARCHITECTURE.md).
run('scripts/conformance.mjs', ['--probed'])
