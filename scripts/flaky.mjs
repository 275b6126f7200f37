import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from './run.mjs'

// Finds tests that do not have the same result each time: runs the suite, or some files, several times beside processes
// that keep the processor busy.
const help = `npm run test:flaky -- [--files FILE...] [--runs N] [--load N] [--json]

Runs the tests several times beside busy processes, and names those with different results.

  --files FILE...  only these test files; the default is the whole suite
  --runs N         how often; the default is 3
  --load N         how many busy processes run meanwhile; the default is 8
  --json           the result as JSON; the output of the tests is not shown
  --help           this text

Exits with 0 when all tests passed in every run, otherwise with 1.
`
/** How many of the slowest tests are listed. */
const mostSlow = 10

const options = readOptions()
const directory = mkdtempSync(join(tmpdir(), 'plugboard-flaky-'))
const load = startLoad(options.load)
let vitest
let stopSignal
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => stop(name))
process.on('exit', removeAll)
if (load.length > 0) console.error(`${load.length} busy processes: ${load.map(({ pid }) => pid).join(' ')}`)
const runs = []
for (let number = 1; number <= options.runs; number++) runs.push(await runTests(number))
const result = compare(runs)
console.log(options.json ? JSON.stringify(result, null, 2) : describe(result))
process.exit(result.isStable ? 0 : 1)

function readOptions() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      files: { type: 'string', multiple: true, default: [] },
      runs: { type: 'string', default: '3' },
      load: { type: 'string', default: '8' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(help)
    process.exit(0)
  }
  const count = (name, least) => {
    const number = Number(values[name])
    if (Number.isInteger(number) && number >= least) return number
    console.error(`--${name} takes a whole number from ${least}: ${values[name]}`)
    process.exit(2)
  }
  return {
    files: [...values.files, ...positionals],
    runs: count('runs', 1),
    load: count('load', 0),
    json: values.json,
  }
}

/** Busy processes. Each reads its input, which ends with this process, however that ends. */
function startLoad(count) {
  const busy = `process.stdin.on('end', () => process.exit()).resume()
    const work = () => { for (const end = Date.now() + 20; Date.now() < end; ); setImmediate(work) }
    work()`
  return Array.from({ length: count }, () =>
    spawn(process.execPath, ['-e', busy], { stdio: ['pipe', 'ignore', 'ignore'] }),
  )
}

/** Runs the tests once. The result of each has its file and title as key. */
async function runTests(number) {
  const file = join(directory, `${number}.json`)
  const reporters = ['--reporter=json', `--outputFile.json=${file}`]
  if (!options.json) reporters.push('--reporter=dot')
  const started = performance.now()
  vitest = spawn(
    process.execPath,
    [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--retry=0', ...reporters, ...options.files],
    { stdio: ['ignore', options.json ? 'ignore' : 'inherit', 'inherit'] },
  )
  const [code] = await once(vitest, 'exit')
  if (stopSignal) process.exit(128 + constants.signals[stopSignal])
  const tests = readTests(file)
  const seconds = Math.round((performance.now() - started) / 1000)
  console.error(`run ${number} of ${options.runs}: ${tests.size} tests in ${seconds} s, ended with ${code}`)
  return { number, code, tests }
}

function readTests(file) {
  const tests = new Map()
  if (!existsSync(file)) return tests
  for (const { name, status, message, assertionResults } of JSON.parse(readFileSync(file, 'utf8'))
    .testResults) {
    const path = relative(process.cwd(), name)
    const titles = new Map()
    for (const { ancestorTitles, title, status: state, duration = 0, failureMessages } of assertionResults) {
      const words = [path, ...ancestorTitles, title].join(' > ')
      // A test of a table may have the title of another one.
      const count = (titles.get(words) ?? 0) + 1
      titles.set(words, count)
      const key = count === 1 ? words : `${words} (${count})`
      tests.set(key, { state, ms: Math.round(duration), reason: firstLine(failureMessages?.[0]) })
    }
    // The file itself fails when it cannot be loaded, or after its tests.
    const isItself = status === 'failed' && assertionResults.every((test) => test.status !== 'failed')
    if (isItself) tests.set(path, { state: 'failed', ms: 0, reason: firstLine(message) })
  }
  return tests
}

function firstLine(text = '') {
  return text.trim().split('\n')[0]
}

function compare(all) {
  const keys = [...new Set(all.flatMap(({ tests }) => [...tests.keys()]))].toSorted()
  const tests = keys.map((test) => {
    const found = all.map((each) => each.tests.get(test))
    const states = found.map((each) => each?.state ?? 'missing')
    const reasons = [...new Set(found.map((each) => each?.reason).filter(Boolean))]
    const times = found.filter(Boolean).map(({ ms }) => ms)
    return { test, states, reasons, leastMs: Math.min(...times), mostMs: Math.max(...times) }
  })
  const unstable = tests.filter(({ states }) => new Set(states).size > 1)
  const failing = tests.filter(({ states }) => states.every((state) => state === 'failed'))
  // An error outside of the tests, or no test at all.
  const broken = all
    .filter(({ code, tests: found }) => code !== 0 && ![...found.values()].some(isFailed))
    .map(({ number, code }) => ({ run: number, code }))
  return {
    isStable: unstable.length + failing.length + broken.length === 0,
    runs: all.length,
    load: options.load,
    tests: tests.length,
    unstable: unstable.map(({ test, states, reasons }) => ({ test, states, reasons })),
    failing: failing.map(({ test, reasons }) => ({ test, reasons })),
    broken,
    slowest: tests
      .toSorted((a, b) => b.mostMs - a.mostMs)
      .slice(0, mostSlow)
      .map(({ test, leastMs, mostMs }) => ({ test, leastMs, mostMs })),
  }
}

function isFailed({ state }) {
  return state === 'failed'
}

function describe({ isStable, runs: count, load: busy, tests, unstable, failing, broken, slowest }) {
  const seconds = (ms) => (ms / 1000).toFixed(1)
  const reasonLines = (reasons) => reasons.map((reason) => `    ${reason}`)
  return [
    `\n${tests} ${tests === 1 ? 'test' : 'tests'}, ${count} times beside ${busy} busy processes`,
    ...(isStable ? ['All passed each time.'] : []),
    ...section(
      'Different results',
      unstable.flatMap(({ test, states, reasons }) => [
        `  ${test}: ${states.join(', ')}`,
        ...reasonLines(reasons),
      ]),
    ),
    ...section(
      'Failed each time',
      failing.flatMap(({ test, reasons }) => [`  ${test}`, ...reasonLines(reasons)]),
    ),
    ...section(
      'Failed without a failed test',
      broken.map(({ run, code }) => `  run ${run} ended with ${code}`),
    ),
    ...section(
      'The slowest, from their fastest to their slowest run',
      slowest.map(({ test, leastMs, mostMs }) => `  ${seconds(leastMs)}–${seconds(mostMs)} s  ${test}`),
    ),
  ].join('\n')
}

function section(title, lines) {
  return lines.length > 0 ? [`${title}:`, ...lines] : []
}

/** Ends the tests first: they end the processes that they started. */
function stop(name) {
  stopSignal = name
  vitest.kill(name)
}

function removeAll() {
  for (const each of load) each.kill('SIGKILL')
  rmSync(directory, { recursive: true, force: true })
}
