import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { distantTestsOf, isOfRoutes } from './changed-tests.mjs'
import { runRelatedTests } from './related-tests.mjs'
import { root, run } from './run.mjs'
import { missingVersionRaise, readScannerRules } from './scanner-rules.mjs'

// A quick check of what changed since a commit (default: where this branch left main): types, format, lint, the version of
// the scanner's rules, the tests that import what changed or read it, the reference pages, and each route where one
// changed. `npm test` is the whole suite.
const started = performance.now()
const base = process.argv[2] ?? mergeBase()
const changed = [
  ...git('diff', '--name-only', '--no-renames', base),
  ...git('ls-files', '--others', '--exclude-standard'),
]
const present = changed.filter((file) => existsSync(join(root, file)))
console.log(`${changed.length} files changed since ${base.slice(0, 12)}`)
run('tsc', ['-p', 'tsconfig.json'])
const isRouteChanged = changed.some(isOfRoutes)
// The build looks at the types of the page too.
if (isRouteChanged) run('scripts/build.mjs')
else run('tsc', ['-p', 'web'])
run('oxfmt', ['--check', '.'])
run('oxlint')
if (changed.some((file) => file.startsWith('src/'))) await checkRulesVersion()
if (!(await runRelatedTests(present, distantTestsOf(changed)))) process.exit(1)
const ofPage = present.filter((file) => /^(?:web|src)\/.*\.(?:tsx?|css|json)$/.test(file))
if (ofPage.length > 0)
  run('vitest', ['related', '--run', '--root', 'web', ...ofPage.map((file) => join(root, file))])
// The pages come from tables in the source and from the titles of the tests.
if (changed.some((file) => /^(?:src|test|docs\/reference|scripts)\//.test(file)))
  run('scripts/docs.mjs', ['--check'])
if (isRouteChanged) run('scripts/start.mjs', ['--smoke'])
else console.log('\nNo route of serve changed: the routes were not tried')
console.log(`\nAll of it passed in ${((performance.now() - started) / 1000).toFixed(0)} s`)

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

async function checkRulesVersion() {
  const texts = sourcesAt(base)
  const before = await readScannerRules((path) => texts.get(path))
  const now = await readScannerRules((path) => readFileSync(join(root, path), 'utf8'))
  const problem = missingVersionRaise(before, now)
  if (problem === undefined) return
  console.error(`\n${problem}`)
  process.exit(1)
}

/** The texts of the source files of a commit, by their paths. */
function sourcesAt(commit) {
  const paths = git('ls-tree', '-r', '--name-only', commit, 'src').filter((path) => path.endsWith('.ts'))
  const output = execFileSync('git', ['cat-file', '--batch'], {
    cwd: root,
    input: paths.map((path) => `${commit}:${path}\n`).join(''),
    maxBuffer: Number.POSITIVE_INFINITY,
  })
  const texts = new Map()
  let at = 0
  for (const path of paths) {
    // A line with hash, type and size, then the text and a line break.
    const start = output.indexOf('\n', at) + 1
    const end = start + Number(output.toString('utf8', at, start).split(' ')[2])
    texts.set(path, output.toString('utf8', start, end))
    at = end + 1
  }
  return texts
}

function git(...args) {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean)
}
