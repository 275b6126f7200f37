import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** What the tests of one mutant may take in all, and how many files they may be in: the nearest come first. */
const most = { ms: 2000, files: 5 }

const imported = /(?:import|export)\s+(?!type\b)[^'";]*?from\s+'(\.[^']+)'|import\(?\s*'(\.[^']+)'/g

/** How many imports lie between a test and each file that it loads; 0 for the test itself. */
export class ImportGraph {
  #root
  #imports = new Map()

  constructor(root) {
    this.#root = root
  }

  distancesFrom(test) {
    const distances = new Map([[test, 0]])
    for (const [file, distance] of distances)
      for (const next of this.#importsOf(file)) if (!distances.has(next)) distances.set(next, distance + 1)
    return distances
  }

  #importsOf(file) {
    const known = this.#imports.get(file)
    if (known) return known
    const path = join(this.#root, file)
    const source = /\.[cm]?[jt]s$/.test(file) && existsSync(path) ? readFileSync(path, 'utf8') : ''
    const found = [...source.matchAll(imported)].map(([, from, direct]) =>
      normalize(join(dirname(file), from ?? direct)),
    )
    this.#imports.set(file, found)
    return found
  }
}

/** Every test file in a folder. */
export function testFilesIn(root, folder) {
  return readdirSync(join(root, folder), { recursive: true })
    .map((name) => join(folder, name))
    .filter((file) => file.endsWith('.test.ts'))
    .sort()
}

/**
 * The tests that a mutant is tried with, by file: those that run its code, the nearest and fastest first. For what runs only
 * when its module is loaded, those that run any code of that module, or load it over the fewest files.
 */
export function chooseTests(mutant, covered, graph) {
  const options = []
  for (const { file, tests, distances } of covered) {
    const distance = distances.get(mutant.file)
    if (distance === undefined) continue
    const good = tests.filter(({ isGood }) => isGood)
    const reaching = mutant.isStatic
      ? staticallyReaching(mutant, good, distance)
      : good.filter((test) => test.reached.has(mutant.number))
    if (reaching.length === 0) continue
    const ms = reaching.reduce((sum, test) => sum + test.ms, 0)
    options.push({ file, distance, ms, tests: reaching })
  }
  options.sort((a, b) => a.distance - b.distance || a.ms - b.ms)
  return limited(options).map(({ file, tests }) => ({
    file,
    ids: tests.map(({ id }) => id),
    timeoutMs: 5000 + 5 * Math.max(...tests.map(({ ms }) => ms)),
    ms: tests.reduce((sum, test) => sum + test.ms, 0),
    asked: Math.max(...tests.map(({ reached }) => reached.get(mutant.number) ?? 0)),
  }))
}

function staticallyReaching({ first, last }, tests, distance) {
  if (distance <= 2) return tests
  return tests.filter(({ reached }) =>
    [...reached.keys()].some((number) => number >= first && number <= last),
  )
}

/** Within the limits; of the nearest file, at least the fastest tests. */
function limited(options) {
  const chosen = []
  let left = most.ms
  for (const option of options) {
    if (chosen.length === most.files || left <= 0) break
    const tests = []
    for (const test of option.tests.toSorted((a, b) => a.ms - b.ms)) {
      if (left <= 0) break
      tests.push(test)
      left -= test.ms
    }
    chosen.push({ ...option, tests })
  }
  return chosen
}
