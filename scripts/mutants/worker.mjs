import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startVitest } from 'vitest/node'

// A process that runs tests over sources with mutants: vitest with one fork, whose runner is `mutant-runner.mjs`.
const root = fileURLToPath(new URL('../..', import.meta.url))
const sources = new Map(
  Object.entries(JSON.parse(readFileSync(process.env.PLUGBOARD_MUTANTS_SOURCES, 'utf8'))),
)

const withMutants = {
  name: 'mutants',
  enforce: 'pre',
  transform: (code, id) => {
    const replaced = sources.get(id)
    return replaced === undefined ? undefined : { code: replaced, map: null }
  },
}

await startVitest(
  'test',
  [],
  {
    root,
    config: false,
    watch: false,
    include: ['scripts/mutants/driver.mjs'],
    runner: join(root, 'scripts/mutants/mutant-runner.mjs'),
    pool: 'forks',
    maxWorkers: 1,
    isolate: false,
    silent: true,
    update: 'none',
    testTimeout: 60_000,
    expect: { poll: { timeout: 10_000 } },
  },
  { plugins: [withMutants] },
)
