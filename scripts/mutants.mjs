import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { instrument } from './mutants/instrument.mjs'
import { groups, otherTests } from './mutants/groups.mjs'
import { ImportGraph, chooseTests, testFilesIn } from './mutants/reaching-tests.mjs'
import { printReport } from './mutants/report.mjs'
import { Workers } from './mutants/workers.mjs'
import { root } from './run.mjs'

// Turns decisions of the source around, one at a time, and counts how many of these mutants a test notices.
//
// 1. Each source file becomes one text that contains all of its mutants (mutants/instrument.mjs, by the table in
//    mutants/mutations.mjs). `globalThis.mutant(number)` says at each place which one is in force, so no mutant has to be
//    compiled or loaded by itself.
// 2. Every test file that loads one of these sources runs once without a mutant. That says which tests run which mutants.
// 3. Each mutant is tried with the tests that run it, the nearest first, until one fails. A few processes do that, each with
//    vitest in it, whose modules stay loaded (mutants/mutant-runner.mjs). A failure counts if the same test passes again
//    without the mutant. A mutant that does not end is noticed by the number of its calls, else its process is ended.
//
// Stryker does the same, but needs a newer Node.js than the oldest one that Plugboard runs on, and starts a run of vitest
// for each mutant.

const help = `Usage: npm run test:mutants [-- OPTIONS]

  --group NAME   only this group (several times for more): ${groups.map(({ name }) => name).join(', ')}
  --required     only the groups that have a least figure
  --files PATH   only sources whose path begins with this (several times for more)
  --list         print the mutants and run nothing
  --keep         keep the folder with the instrumented sources and the output of the processes
  --help

Exit code 1: a group is below its least figure.`

const { values: options } = parseArgs({
  options: {
    group: { type: 'string', multiple: true, default: [] },
    files: { type: 'string', multiple: true, default: [] },
    required: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

if (options.help) {
  console.log(help)
  process.exit()
}
const unknown = options.group.filter((name) => !groups.some((each) => each.name === name))
if (unknown.length > 0) {
  console.error(`There is no group ${unknown.join(', ')}.\n\n${help}`)
  process.exit(2)
}

const started = performance.now()
const { mutants, codes } = instrumentAll()
if (mutants.length === 0) {
  console.error('No source has a mutant.')
  process.exit(2)
}
if (options.list) printReport({ mutants, isListed: true })
else process.exitCode = (await judgeAll()) ? 0 : 1

function instrumentAll() {
  const mutants = []
  const codes = {}
  for (const group of groups) {
    if (options.group.length > 0 && !options.group.includes(group.name)) continue
    if (options.required && group.least === undefined) continue
    for (const file of sourcesOf(group)) {
      const made = instrument(file, readFileSync(join(root, file), 'utf8'), mutants.length + 1)
      const [first, last] = [mutants.length + 1, mutants.length + made.mutants.length]
      mutants.push(...made.mutants.map((each) => ({ ...each, group: group.name, first, last })))
      codes[join(root, file)] = made.code
    }
  }
  return { mutants, codes }
}

function sourcesOf({ folder }) {
  const isWanted = (file) =>
    options.files.length === 0 || options.files.some((start) => file.startsWith(start))
  return readdirSync(join(root, folder), { recursive: true })
    .map((name) => join(folder, name))
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && isWanted(file))
    .filter((file) => statSync(join(root, file)).isFile())
    .sort()
}

async function judgeAll() {
  const folder = mkdtempSync(join(tmpdir(), 'plugboard-mutants-'))
  mkdirSync(join(folder, 'home'))
  const sources = join(folder, 'sources.json')
  writeFileSync(sources, JSON.stringify(codes))
  const workers = new Workers({ folder, sources })
  await workers.open()
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => {
      workers.close()
      console.log('\nInterrupted: these are the mutants that were tried.')
      report(mutants.filter(({ outcome }) => outcome !== undefined))
      process.exit(130)
    })
  try {
    const count = Math.max(availableParallelism(), 2)
    const graph = new ImportGraph(root)
    const covered = await cover(workers, graph, count)
    await judge(workers, covered, count)
    return report(mutants)
  } finally {
    workers.close()
    if (options.keep) console.log(`\nKept: ${folder}`)
    else rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** Runs the tests that load a mutated source, and finds out which mutants each of them reaches. */
async function cover(workers, graph, count) {
  const files = new Set(mutants.map(({ file }) => file))
  const others = groups
    .filter(({ name }) => mutants.some(({ group }) => group === name))
    .flatMap(({ name }) => otherTests[name] ?? [])
  const tests = [...testFilesIn(root, 'src'), ...new Set(others)]
    .map((file) => ({ file, distances: graph.distancesFrom(file) }))
    .filter(({ distances }) => [...distances.keys()].some((file) => files.has(file)))
  console.log(`${mutants.length} mutants in ${files.size} files, ${tests.length} test files load them`)
  const covered = []
  await workers.run(tests, {
    count,
    limitOf: () => 180_000,
    toMessage: ({ file }) => ({ kind: 'cover', file: join(root, file) }),
    onResult: ({ file, distances }, answer) => {
      const failed = answer?.tests.filter(({ isGood }) => !isGood) ?? []
      if (!answer || failed.length > 0)
        console.log(`not used: ${answer ? `${failed.length} tests in ` : ''}${file}`)
      const found = (answer?.tests ?? []).map((test) => ({ ...test, reached: new Map(test.reached) }))
      // What runs before the first test, or while its file is loaded, cannot be switched afterwards.
      for (const number of answer?.loaded ?? []) mutants[number - 1].isStatic = true
      covered.push({ file, distances, tests: found })
    },
  })
  console.log(`  ${secondsSince(started)} s until it is known which tests reach which mutants`)
  return covered
}

async function judge(workers, covered, count) {
  /** By source, the tests that noticed a mutant of it: they look closely at what it does. */
  const noticed = new Map(mutants.map(({ file }) => [file, new Set()]))
  let done = 0
  await workers.run(mutants, {
    count,
    limitOf: ({ tests }) => 20_000 + 6 * tests.reduce((sum, { ms }) => sum + ms, 0),
    toMessage: (mutant) => {
      mutant.startedAt = performance.now()
      mutant.tests = chooseTests(mutant, covered, noticed.get(mutant.file))
      if (mutant.tests.length === 0) return undefined
      const files = mutant.tests.map(({ file, ...rest }) => ({ ...rest, file: join(root, file) }))
      return { kind: 'judge', number: mutant.number, isStatic: mutant.isStatic, files }
    },
    onResult: (mutant, answer) => {
      mutant.outcome = mutant.tests.length === 0 ? 'not reached' : (answer?.outcome ?? 'timed out')
      mutant.ms = performance.now() - mutant.startedAt
      if (answer?.by !== undefined) noticed.get(mutant.file).add(answer.by)
      if (++done % 200 === 0) console.log(`  ${done} of ${mutants.length}, ${secondsSince(started)} s`)
    },
  })
}

function report(tried) {
  return printReport({ mutants: tried, seconds: (performance.now() - started) / 1000 })
}

function secondsSince(start) {
  return ((performance.now() - start) / 1000).toFixed(0)
}
