import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root, run } from './run.mjs'

// A quick check of what changed since a commit (default: where this branch left main): types, format, lint, the
// architecture, and the unit tests in the folders of the changed files. `npm test` is the whole suite.
const base = process.argv[2] ?? mergeBase()
const changed = [
  ...git('diff', '--name-only', '--diff-filter=d', base),
  ...git('ls-files', '--others', '--exclude-standard'),
]
run('tsc', ['-p', 'tsconfig.json'])
run('oxfmt', ['--check', '.'])
run('oxlint')
const tests = unitTestsOf(changed)
console.log(
  `\n${changed.length} files changed since ${base.slice(0, 12)}: ${tests.length} test files beside them`,
)
run('vitest', ['run', 'test/architecture.test.ts', ...tests])

/** Where HEAD left main; the last commit when HEAD is main itself and nothing is uncommitted. */
function mergeBase() {
  const main = ['origin/main', 'main'].find(
    (name) => git('branch', '--all', '--list', name, `remotes/${name}`).length > 0,
  )
  const [found] = main ? git('merge-base', 'HEAD', main) : []
  const [head] = git('rev-parse', 'HEAD')
  const isClean = git('status', '--porcelain').length === 0
  return found === undefined || (found === head && isClean) ? 'HEAD~1' : found
}

/** Changed unit tests, and every unit test in the folder of a changed source file. */
function unitTestsOf(files) {
  const folders = new Set(files.filter((file) => /^src\/.*\.m?ts$/.test(file)).map((file) => dirname(file)))
  const beside = [...folders]
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`))
  return beside.filter((file) => file.endsWith('.test.ts'))
}

function git(...args) {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean)
}
