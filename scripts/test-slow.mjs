import { buildIfNeeded } from './build-if-needed.mjs'
import { run } from './run.mjs'

// What `npm test` leaves out because it takes long: the tests that are named `*.slow.test.ts`, how much of the source all tests
// reach (vitest counts it while they run), and the runs of the conformance suite whose entry declares its revision.
buildIfNeeded()
const projects = ['units', 'whole', 'slow'].map((name) => `--project=${name}`)
run('vitest', ['run', ...projects, '--coverage', ...process.argv.slice(2)])
run('scripts/conformance.mjs', ['--declared'])
