import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root, run } from './run.mjs'

// A quick check of what changed since a commit (default: where this branch left main): types, format, lint, the
// architecture, the unit tests in the folders of the changed files, and what depends on them from afar: the sample
// configurations, the README and the reference pages. `npm test` is the whole suite.
const base = process.argv[2] ?? mergeBase()
const changed = [
  ...git('diff', '--name-only', '--diff-filter=d', base),
  ...git('ls-files', '--others', '--exclude-standard'),
]
run('tsc', ['-p', 'tsconfig.json'])
run('tsc', ['-p', 'web'])
run('oxfmt', ['--check', '.'])
run('oxlint')
const distant = distantTestsOf(changed)
const tests = [...unitTestsOf(changed), ...distant]
console.log(
  `\n${changed.length} files changed since ${base.slice(0, 12)}: ${tests.length} test files for them`,
)
run('vitest', ['run', 'test/architecture.test.ts', ...new Set(tests)])
if (changed.some((file) => file.startsWith('web/'))) run('vitest', ['run', '--root', 'web'])
// The pages come from tables in the source and from the titles of the tests.
if (changed.some((file) => /^(?:src|test|docs\/reference|scripts)\//.test(file)))
  run('scripts/docs.mjs', ['--check'])

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

/** Tests in test/ that depend on a changed file and need no build. */
function distantTestsOf(files) {
  const dependents = [
    [/^src\/(?:model|sources|config|testing)\/|^test\/(?:fixtures\/config-)?samples/, 'test/samples.test.ts'],
    [/^README\.md$|^src\/sources\/places\.ts$|^src\/surfaces\/cli\/arguments\//, 'test/readme.test.ts'],
    [/^src\/(?:sources|config|presets)\//, 'test/documents.test.ts'],
    [/\.(?:ts|mjs|md)$|^test\/requirements\.json$/, 'test/requirements.test.ts'],
  ]
  return dependents.filter(([pattern]) => files.some((file) => pattern.test(file))).map(([, test]) => test)
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
