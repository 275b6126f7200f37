import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root, tryRun } from './run.mjs'

// Runs the property tests again and again for some minutes: fast-check begins each run with another seed, and prints the seed and
// the smallest input of a failure. `npm run test:fuzz [-- --minutes M]`.
const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } })
const end = performance.now() + Number(values.minutes) * 60_000
const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => join('src', file))
  .filter((file) => readFileSync(join(root, file), 'utf8').includes(`from 'fast-check'`))
let rounds = 0
do {
  const status = tryRun('vitest', ['run', '--project=units', '--reporter=dot', ...files])
  if (status !== 0) process.exit(status)
  rounds++
} while (performance.now() < end)
console.log(`\n${rounds} rounds of ${files.length} files passed.`)
