import { expect, test } from 'vitest'
import type { ToolRow } from '../../../../src/client.ts'
import { listTools, meantWord, refAt } from './find-tools.ts'
import { oneLine } from './one-line.ts'

const tool = (server: string, name: string, more: Partial<ToolRow> = {}): ToolRow => ({
  ref: `${server}/${name}`,
  name: `${server}__${name}`,
  tool: name,
  server,
  summary: '',
  tokens: 100,
  isReadOnly: false,
  marks: [],
  hash: '',
  ...more,
})
const tools = [
  tool('github', 'create_issue', { summary: 'Opens an issue', tokens: 700 }),
  tool('github', 'list_issues', { isReadOnly: true, tokens: 900 }),
  tool('files', 'read_text', { isReadOnly: true, summary: 'Reads a file' }),
]
const all = { words: '', server: '', kind: 'all', order: 'name' } as const
const names = (rows: ReturnType<typeof listTools>) =>
  rows.map((row) => (row.kind === 'server' ? `${row.server} ${row.count}` : row.item.tool))

test('without words the tools stand under their servers', () => {
  expect(names(listTools(tools, all))).toEqual([
    'github 2',
    'create_issue',
    'list_issues',
    'files 1',
    'read_text',
  ])
})

test('every word must be found; names count more than summaries', () => {
  expect(names(listTools(tools, { ...all, words: 'issue' }))).toEqual(['create_issue', 'list_issues'])
  expect(names(listTools(tools, { ...all, words: 'github LIST' }))).toEqual(['list_issues'])
  expect(names(listTools(tools, { ...all, words: 'file' }))).toEqual(['read_text'])
  expect(names(listTools(tools, { ...all, words: 'issue zebra' }))).toEqual([])
})

test('server, kind and cost narrow and order the list', () => {
  expect(names(listTools(tools, { ...all, server: 'files' }))).toEqual(['files 1', 'read_text'])
  expect(names(listTools(tools, { ...all, kind: 'writes' }))).toEqual(['github 1', 'create_issue'])
  expect(names(listTools(tools, { ...all, order: 'cost' }))).toEqual([
    'list_issues',
    'create_issue',
    'read_text',
  ])
})

test('a misspelled word names the one that was probably meant', () => {
  expect(meantWord(tools, 'isue')).toBe('issue')
  expect(meantWord(tools, 'issue')).toBeUndefined()
})

test('a signature fits in one line', () => {
  const signature = 'add({\n  a: string // the first\n  b?: {\n    c: number\n  }\n})'
  expect(oneLine(signature)).toBe('add({ a: string, b?: { c: number } })')
  expect(oneLine('list()')).toBe('list()')
})

test('an address with the name of a tool marks the same row as its ref', () => {
  expect(refAt(tools, 'files__read_text')).toBe('files/read_text')
  expect(refAt(tools, 'files/read_text')).toBe('files/read_text')
  expect(refAt(tools, 'gone__tool')).toBe('gone__tool')
  expect(refAt([], undefined)).toBeUndefined()
})
