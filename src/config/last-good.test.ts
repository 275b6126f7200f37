import { expect, test } from 'vitest'
import { parseText } from '../sources/formats/parse-text.ts'
import { keepLastGood } from './last-good.ts'
import type { FileChange, FileState } from './watch-files.ts'

const file = '/project/mcp.json'
const parse = (_path: string, text: string) => parseText(text, 'json')
const now = (text: string, path = file): FileChange => ({ path, state: { kind: 'text', text } })
const became = (state: FileState): FileChange => ({ path: file, state })

const good = '{"mcpServers": {}}'
const half = '{\n  "mcpServers": {'
const broken = {
  code: 'parse-error',
  severity: 'error',
  message: 'line 2, column 18: a closing "}" is missing here.',
  hint: 'Until this is corrected, what the file held before stays in force.',
  origin: { file, line: 2, column: 18 },
}

test('FI-70 half-written JSON keeps the last good text and says where it breaks; completed it counts', async () => {
  const first = await keepLastGood(new Map(), [now(good)], parse)
  const second = await keepLastGood(first, [now(half)], parse)
  const third = await keepLastGood(second, [now(`${half}}}`)], parse)
  expect([first, second, third].map((state) => state.get(file))).toEqual([
    { text: good },
    { text: good, problem: broken },
    { text: `${half}}}` },
  ])
})

test('a problem stays while other files change', async () => {
  const first = await keepLastGood(new Map(), [now(good), now(good, '/other.json')], parse)
  const second = await keepLastGood(first, [now(half)], parse)
  const third = await keepLastGood(second, [now('{}', '/other.json')], parse)
  expect(Object.fromEntries(third)).toEqual({
    [file]: { text: good, problem: broken },
    '/other.json': { text: '{}' },
  })
})

test('a text that never parsed has a problem and nothing to go on with', async () => {
  expect(await keepLastGood(new Map(), [now(half)], parse)).toEqual(new Map([[file, { problem: broken }]]))
})

test('a file that was emptied on the way to a new text does not drop its servers', async () => {
  const first = await keepLastGood(new Map(), [now(good)], parse)
  const second = await keepLastGood(first, [now('')], parse)
  expect(second.get(file)?.text).toBe(good)
})

test('a deleted file is gone, and an unreadable one is kept', async () => {
  const first = await keepLastGood(new Map(), [now(good)], parse)
  const unreadable = became({ kind: 'problem', problem: 'not-utf8', message: 'It is not UTF-8 text' })
  expect(await keepLastGood(first, [became({ kind: 'absent' })], parse)).toEqual(new Map())
  expect((await keepLastGood(first, [unreadable], parse)).get(file)).toEqual({
    text: good,
    problem: { ...broken, code: 'unreadable-file', message: 'It is not UTF-8 text', origin: { file } },
  })
})

test('the state before is left as it was', async () => {
  const first = await keepLastGood(new Map(), [now(good)], parse)
  await keepLastGood(first, [now(half)], parse)
  expect(first).toEqual(new Map([[file, { text: good }]]))
})
