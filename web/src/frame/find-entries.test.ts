import { expect, test } from 'vitest'
import { findEntries } from './find-entries.ts'

const entry = (group: string, name: string, about = '') => ({ group, name, about, run: () => undefined })
const entries = [
  entry('Places', 'Tools'),
  entry('Servers', 'github', 'ready · npx github-mcp'),
  entry('Tools', 'github__create_issue', 'Opens an issue'),
  entry('Tools', 'files__read', 'Reads a file of a GitHub checkout'),
  entry('Commands', 'Restart github'),
]
const namesOf = (text: string) => findEntries(entries, text).map(({ name }) => name)

test('without words everything but tools is offered', () => {
  expect(namesOf('  ')).toEqual(['Tools', 'github', 'Restart github'])
})

test('all words must match; a name that begins with them comes first, a description last', () => {
  expect(namesOf('git')).toEqual(['github', 'github__create_issue', 'Restart github', 'files__read'])
  expect(namesOf('issue github')).toEqual(['github__create_issue'])
  expect(namesOf('restart git')).toEqual(['Restart github'])
  expect(namesOf('github nothing')).toEqual([])
})

test('what is called so comes before what only begins so: a tool by its own name too', () => {
  const found = findEntries(
    [
      entry('Conversations', 'wipe path /tmp/x'),
      { ...entry('Tools', 'nested__wipe', 'Removes a file'), alias: 'wipe' },
      entry('Conversations', 'Wipe it'),
    ],
    'wipe',
  )
  expect(found.map(({ group }) => group)).toEqual(['Tools', 'Conversations', 'Conversations'])
})

test('10,000 tools: the limit holds', () => {
  const many = Array.from({ length: 10_000 }, (_, at) => entry('Tools', `server__tool_${at}`))
  expect(findEntries(many, 'tool')).toHaveLength(40)
})
