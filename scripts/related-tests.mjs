import { readFileSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { createVitest } from 'vitest/node'
import { isInProcess, nearestFirst } from './changed-tests.mjs'
import { root } from './run.mjs'

/** How many related unit tests run: a change of the model relates to hundreds, and the check should end in a minute. */
const mostUnitTests = 80

/** Each test of `test/` loads the package anew, about a second. They run when there are no more of them than this. */
const mostWholeTests = 8

/**
 * Runs the tests that import a changed file, as `vitest related` finds them, and `distant` ones. Of `test/`, only tests that
 * start no process are looked at. Says what it leaves out, and returns whether all passed.
 */
export async function runRelatedTests(changed, distant) {
  const vitest = await createVitest('test', {
    watch: false,
    root,
    related: changed.map((file) => join(root, file)),
    // Otherwise package.json would relate to every test.
    forceRerunTriggers: [],
    silent: 'passed-only',
  })
  try {
    await vitest.standalone()
    const related = byFile(await vitest.getRelevantTestSpecifications(['src/', ...quickTests()]))
    const chosen = choose([...related.keys()], changed)
    report({
      changed,
      distant,
      chosen,
      leftOut: [...related.keys()].filter((file) => !chosen.includes(file) && !distant.includes(file)),
    })
    const read = byFile(await vitest.globTestSpecifications(distant))
    const specifications = new Map([...chosen.map((file) => [file, related.get(file)]), ...read])
    if (specifications.size === 0) return true
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications([...specifications.values()])
    return unhandledErrors.length === 0 && testModules.every((module) => module.ok())
  } finally {
    await vitest.close()
  }
}

function byFile(specifications) {
  return new Map(specifications.map((each) => [relative(root, each.moduleId).replaceAll('\\', '/'), each]))
}

/** The tests of `test/` that start no process and need no build. */
function quickTests() {
  const read = (file) => readFileSync(join(root, file), 'utf8')
  return readdirSync(join(root, 'test'), { recursive: true })
    .map((file) => `test/${file.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.test.ts') && !file.includes('/node_modules/'))
    .filter((file) => isInProcess(file, read))
}

/** A changed test always runs. */
function choose(related, changed) {
  const units = related.filter((file) => file.startsWith('src/'))
  const whole = related.filter((file) => !file.startsWith('src/'))
  return [
    ...nearestFirst(units, changed).slice(0, mostUnitTests),
    ...(whole.length > mostWholeTests ? whole.filter((file) => changed.includes(file)) : whole),
  ]
}

function report({ changed, distant, chosen, leftOut }) {
  console.log(`${chosen.length} test files import what changed, ${distant.length} read it`)
  list('Left out, because more tests import what changed than run in a minute', leftOut)
  const slow = changed.filter((file) => /^test\/.*\.test\.ts$/.test(file) && !chosen.includes(file))
  list('Changed, and not run here: they start processes, or need a build', slow)
  console.log('Other tests of test/ that start processes or need a build are part of npm test')
}

function list(title, files) {
  if (files.length > 0) console.log(`${title} (${files.length}):\n  ${files.join('\n  ')}`)
}
