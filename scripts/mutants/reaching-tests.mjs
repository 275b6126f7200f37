import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** What the tests of one mutant may take in all, and how many files they may be in. */
const most = { ms: 3000, files: 8 }

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
 * The tests that a mutant is tried with, by file: those that run its code, first the ones that noticed other mutants of its
 * source (`noticed`), then fast ones before slow ones and near ones before far ones. For what runs only when its module is loaded, those that run any code of that module, or load it directly.
 */
export function chooseTests(mutant, covered, noticed) {
  const reaching = covered.flatMap(({ file, tests, distances }) => {
    const distance = distances.get(mutant.file)
    if (distance === undefined) return []
    return tests
      .filter((test) => test.isGood && reaches(test, mutant, distance))
      .map((test) => ({ ...test, file, distance, pace: noticed.has(test.id) ? 0 : paceOf(test) }))
  })
  reaching.sort((a, b) => a.pace - b.pace || a.distance - b.distance || a.ms - b.ms)
  return [...limited(reaching)].map(([file, tests]) => ({
    file,
    ids: tests.map(({ id }) => id),
    timeoutMs: 5000 + 5 * Math.max(...tests.map(({ ms }) => ms)),
    ms: tests.reduce((sum, test) => sum + test.ms, 0),
    asked: Math.max(...tests.map(({ reached }) => reached.get(mutant.number) ?? 0)),
  }))
}

function reaches({ reached }, { number, isStatic, first, last }, distance) {
  if (!isStatic) return reached.has(number)
  return distance <= 2 || [...reached.keys()].some((each) => each >= first && each <= last)
}

/** A slow test walks over much and looks at little: it would use up the time of many that look closely. */
function paceOf({ ms }) {
  return ms <= 50 ? 1 : ms <= 300 ? 2 : 3
}

/** The first tests within the limits, by file. */
function limited(tests) {
  const byFile = new Map()
  let left = most.ms
  for (const test of tests) {
    if (left <= 0) break
    const chosen = byFile.get(test.file)
    if (!chosen && byFile.size === most.files) continue
    byFile.set(test.file, [...(chosen ?? []), test])
    left -= test.ms
  }
  return byFile
}
