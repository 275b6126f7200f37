import { readFileSync, readdirSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { idPattern, readRequirements } from '../scripts/requirements.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const requirements = readRequirements(root)

const files = ['src', 'test', 'docs', 'bench', 'scripts', 'README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md']
  .flatMap((name) => filesAt(join(root, name)))
  // Encoded weights may contain letters and digits that look like an id.
  .filter((file) => /\.(?:ts|mjs|md)$/.test(file) && !/(?:requirements\.md|learned-weights\.ts)$/.test(file))

test('every id that code, tests or docs use is a row of docs/reference/requirements.md', () => {
  expect(files.length).toBeGreaterThan(900)
  const unknown = files.flatMap((file) =>
    idsIn(file)
      .filter((id) => !(id in requirements))
      .map((id) => `${relative(root, file)}: ${id}`),
  )
  expect(unknown).toEqual([])
})

test('every row is one sentence', () => {
  const wrong = Object.entries(requirements).filter(
    ([, sentence]) => !sentence.endsWith('.') || sentence.includes('\n'),
  )
  expect(wrong.map(([id]) => id)).toEqual([])
})

function idsIn(file: string): readonly string[] {
  return readFileSync(file, 'utf8').match(idPattern) ?? []
}

function filesAt(path: string): readonly string[] {
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path)
    .filter((name) => name !== 'fixtures' && name !== 'node_modules')
    .flatMap((name) => filesAt(join(path, name)))
}
