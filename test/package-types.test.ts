import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

type Names = Readonly<Record<string, unknown>>
const { exports, dependencies, peerDependencies } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
) as {
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>
  readonly dependencies: Names
  readonly peerDependencies: Names
}

/** What the declarations in a file import. A name of a package has no white space, unlike what follows a key that ends in `import`. */
function importsIn(file: string): readonly string[] {
  const found = readFileSync(file, 'utf8').matchAll(/(?:\bfrom|\bimport)\s*\(?\s*['"]([^'"\s]+)['"]/g)
  return [...found].map(([, specifier]) => specifier ?? '')
}

const isPath = (specifier: string) => specifier.startsWith('.')
const toTypes = (path: string) => path.replace(/\.[jt]s$/, '.d.ts')
const files = readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.d.ts'))
  .map((name) => join(root, 'dist', name))

test('package: every file of types is that of an export, or another one imports it', () => {
  const exported = Object.values(exports).flatMap((each) => (typeof each === 'string' ? [] : [each.types]))
  const imported = files.flatMap((file) =>
    importsIn(file)
      .filter(isPath)
      .map((path) => toTypes(join(dirname(file), path))),
  )
  expect([...files].sort()).toEqual(
    [...new Set([...exported.map((path) => join(root, path)), ...imported])].sort(),
  )
})

test('package: its types name only packages that it depends on', () => {
  const known = [...Object.keys(dependencies), ...Object.keys(peerDependencies)]
  const others = files
    .flatMap(importsIn)
    .filter((name) => !isPath(name) && !name.startsWith('node:'))
    .filter((name) => !known.some((each) => name === each || name.startsWith(`${each}/`)))
  expect(others).toEqual([])
})
