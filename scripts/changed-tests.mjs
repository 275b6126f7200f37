import { dirname, posix } from 'node:path'

// Which tests a quick check runs for changed files. Imports are followed by vitest; here is what they do not say.

/** Tests that depend on files that they read, or on tables far below what they import. They need no build. */
const distantTests = [
  [/^src\//, 'test/architecture.test.ts'],
  [/^src\//, 'test/cli-messages.test.ts'],
  [/^src\/|^package\.json$|^ARCHITECTURE\.md$/, 'test/dependencies.test.ts'],
  [/^src\/(?:model|sources|config|testing)\/|^test\/(?:fixtures\/config-)?samples/, 'test/samples.test.ts'],
  [
    /^(?:README|GLOSSARY|CHANGELOG|SECURITY)\.md$|^docs\/(?:guide|reference)\/|^src\/sources\/places\.ts$|^src\/surfaces\/cli\/arguments\/|^package\.json$/,
    'test/readme.test.ts',
  ],
  [
    /^src\/(?:sources|config|presets)\/|\.test\.ts$|^(?:README|ARCHITECTURE|GLOSSARY)\.md$|^docs\/guide\/|^package\.json$|^scripts\/test\.mjs$/,
    'test/documents.test.ts',
  ],
  [/\.(?:ts|mjs|md)$|^test\/requirements\.json$/, 'test/requirements.test.ts'],
  [/^src\/scan\/|^test\/fixtures\/scanner\//, 'test/scanner-quality.slow.test.ts'],
]

export function distantTestsOf(changed) {
  return distantTests
    .filter(([pattern]) => changed.some((file) => pattern.test(file)))
    .map(([, test]) => test)
}

/** Whether a file is part of the routes of `serve`, which `scripts/smoke.mjs` uses once each. */
export function isOfRoutes(file) {
  return (
    /^src\/(?:surfaces\/(?:api|server|demo)|client)\/|^src\/client\.ts$|^scripts\/smoke\.mjs$/.test(file) &&
    !file.endsWith('.test.ts')
  )
}

/** What only tests write that start a process, or that read the built package. */
const outsideWords =
  /node:child_process|node-pty|playwright|\bexecPath\b|['"`/]dist[/'"`]|testing\.ts'|testing\/(?:faulty|hostile|shifty|thief)|surfaces\/demo/

/**
 * Whether a test of `test/` runs in its own process and needs no build, so that it is quick: neither it nor a helper beside
 * it writes one of those words. `read` returns the text of a file by its path.
 */
export function isInProcess(file, read, seen = new Set()) {
  seen.add(file)
  const text = read(file)
  if (outsideWords.test(text)) return false
  return [...text.matchAll(/^(?:import|export|\})[^'\n]* from '(\.[^']+)'/gm)]
    .map(([, path]) => posix.join(dirname(file), path))
    .filter((path) => path.startsWith('test/') && !seen.has(path))
    .every((path) => isInProcess(path, read, seen))
}

/** The tests ordered by how many folders of their path they share with a changed file, the nearest first. */
export function nearestFirst(tests, changed) {
  const distance = new Map(tests.map((test) => [test, Math.min(...changed.map((file) => steps(test, file)))]))
  return tests.toSorted((a, b) => distance.get(a) - distance.get(b) || (a < b ? -1 : 1))
}

/** How many steps up and down lead from one file to the other; a test of the same name is nearest. */
function steps(test, file) {
  if (test === file || test === file.replace(/\.ts$/, '.test.ts')) return 0
  const [from, to] = [test.split('/'), file.split('/')]
  const shared = from.findIndex((part, index) => part !== to[index])
  return from.length + to.length - 2 * shared
}
