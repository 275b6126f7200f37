import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import { rolldown } from 'rolldown'
import { parseSync } from 'rolldown/utils'

const entry = 'src/scan.ts'

/** The parts of a rule that only tests read. */
const exampleNames = ['hits', 'misses']

/**
 * Reads what decides the findings of the scanner: `parts` has the hash of each top-level statement that `src/scan.ts`
 * needs at run time, wherever it is, and its file. Paths, comments, types, formatting and examples are not part of it.
 * `read` returns the text of a file by its path in the repository.
 */
export async function readScannerRules(read) {
  const bundle = await rolldown({ input: entry, logLevel: 'silent', plugins: [readWith(read)] })
  const { output } = await bundle.generate({ format: 'esm' })
  await bundle.close()
  const parts = new Map()
  let version
  for (const [file, { code }] of Object.entries(output[0].modules)) {
    const { program } = parseSync(file, code ?? '')
    for (const statement of program.body) {
      const declared = versionIn(statement)
      if (declared === undefined) parts.set(hashOf(statement), file)
      else version = declared
    }
  }
  return { version, parts }
}

/** The sentence that the check fails with when the rules changed and their version did not; otherwise undefined. */
export function missingVersionRaise(before, now) {
  const [added, removed] = [missingIn(now, before), missingIn(before, now)]
  if (before.version !== now.version || added.length + removed.length === 0) return undefined
  const files = [...new Set([...added, ...removed])].toSorted()
  return `The rules of the scanner changed (${files.join(', ')}), and their version is still '${now.version}'. Raise rulesVersion in src/scan/rules-version.ts: stored findings are used as long as the version is the same.`
}

/** The files of those parts that the other rules do not have. */
function missingIn(rules, others) {
  return [...rules.parts].filter(([hash]) => !others.parts.has(hash)).map(([, file]) => file)
}

/** Every import of a file of ours is relative and has its ending, so a path is enough to find it. */
function readWith(read) {
  return {
    name: 'read',
    resolveId(id, importer) {
      if (importer === undefined) return id
      const isOurs = id.startsWith('.')
      return isOurs ? posix.join(posix.dirname(importer), id) : { id, external: true }
    },
    load: (id) => ({ code: read(id), moduleType: 'ts' }),
  }
}

function versionIn({ declarations = [] }) {
  return declarations.find(({ id }) => id.name === 'rulesVersion')?.init.value
}

function hashOf(statement) {
  return createHash('sha256').update(JSON.stringify(statement, withoutPlace)).digest('hex')
}

/** Leaves out positions, examples, and the numbers by which the bundler tells two names apart. */
function withoutPlace(key, value) {
  if (key === 'start' || key === 'end') return undefined
  if (typeof value === 'bigint') return String(value)
  if (value?.type === 'Property' && exampleNames.includes(value.key.name)) return undefined
  return value?.type === 'Identifier' ? value.name.replace(/\$\d+$/, '') : value
}
