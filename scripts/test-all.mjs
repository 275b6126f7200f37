import { execFileSync } from 'node:child_process'
import { root, tryRun } from './run.mjs'

// Everything: `npm test`, `npm run test:slow`, and what looks for what no test names. It goes on after a failure, and ends with a
// table of its steps for one commit. `npm run test:all`.
const steps = [
  ['scripts/test.mjs'],
  ['scripts/test-slow.mjs'],
  ['scripts/gateway-conformance.mjs'],
  ['scripts/test-real.mjs'],
  ['scripts/fuzz.mjs', '--minutes', '8'],
  ['scripts/soak.mjs', '--minutes', '3'],
  ['scripts/soak-gateway.mjs', '--minutes', '3'],
  ['scripts/mutants.mjs'],
]
const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
const changes = git('status', '--porcelain') === '' ? '' : ', with uncommitted changes'
const rows = steps.map(([script, ...args]) => {
  const began = performance.now()
  const status = tryRun(script, args)
  return {
    words: [script, ...args].join(' '),
    status,
    seconds: Math.round((performance.now() - began) / 1000),
  }
})
console.log(`\nCommit ${git('rev-parse', '--short=12', 'HEAD')}${changes}, Node ${process.version}`)
for (const { words, status, seconds } of rows)
  console.log(`${status === 0 ? 'passed' : 'FAILED'} ${String(seconds).padStart(5)} s  ${words}`)
process.exitCode = rows.every(({ status }) => status === 0) ? 0 : 1
