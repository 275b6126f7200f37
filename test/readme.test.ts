import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { namedOnly, sourceIds } from '../src/sources/places.ts'
import { notClients } from '../src/surfaces/cli/arguments/positionals.ts'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')

test('README: the numbers of clients and sources match the table of places', () => {
  const clients = sourceIds.filter((id) => id !== 'sep-2633' && !notClients.includes(id)).length
  expect(readme).toContain(`those of ${clients} other clients`)
  expect(readme).toContain(`reading ${sourceIds.length} sources`)
  expect(readme).toContain(
    `${clients} clients’ files, our own, a proposed common file (SEP-2633), and ${namedOnly.size} things to add from`,
  )
})

test('notClients: lists our own source and the sources that are read only when named', () => {
  expect([...notClients].sort()).toEqual(['plugboard', ...namedOnly].sort())
})

test('package: links of README, the guides and the reference pages lead to files that are in the package', () => {
  const root = fileURLToPath(new URL('..', import.meta.url))
  const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly files: readonly string[]
  }
  const pages = [
    'README.md',
    'GLOSSARY.md',
    'CHANGELOG.md',
    'SECURITY.md',
    // The page of requirements names our tests, which are not in the package.
    ...['docs/guide', 'docs/reference'].flatMap((folder) =>
      readdirSync(join(root, folder)).map((name) => `${folder}/${name}`),
    ),
  ].filter((page) => !page.endsWith('/requirements.md'))
  const broken = pages.flatMap((page) => {
    const text = readFileSync(join(root, page), 'utf8')
    const targets = [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, target = '']) => target)
    return targets.filter((target) => {
      if (/^[a-z]+:/.test(target)) return false
      const path = join(page, '..', target)
      return !existsSync(join(root, path)) || !files.includes(path.split('/')[0]!)
    })
  })
  expect(broken).toEqual([])
})
