import { readFileSync } from 'node:fs'
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
