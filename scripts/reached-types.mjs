import { cpSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

const specifiers = /(?:\bfrom|\bimport)\s*\(?\s*['"](\.[^'"]+)['"]/g

/** Copies the types that a package's exports reach; the others describe files that are not in the package. */
export function copyReachedTypes({ exports }, from, to) {
  const copied = new Set()
  const open = Object.values(exports).flatMap(({ types }) => (types ? [relative('dist', types)] : []))
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (copied.has(file)) continue
    copied.add(file)
    cpSync(join(from, file), join(to, file))
    for (const [, specifier] of readFileSync(join(from, file), 'utf8').matchAll(specifiers))
      open.push(join(dirname(file), specifier.replace(/\.[jt]s$/, '.d.ts')))
  }
}
