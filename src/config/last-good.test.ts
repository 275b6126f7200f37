import { expect, test } from 'vitest'
import { parseText } from '../sources/formats/parse-text.ts'
import { updateLastGood } from './last-good.ts'
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
  hint: 'Until this is fixed, the previous content of the file stays in force.',
  origin: { file, line: 2, column: 18 },
}

test('FI-70 updateLastGood: half-written JSON keeps the last good text with a diagnostic, until it is complete', async () => {
  const first = await updateLastGood(new Map(), [now(good)], parse)
  const second = await updateLastGood(first, [now(half)], parse)
  const third = await updateLastGood(second, [now(`${half}}}`)], parse)
  expect([first, second, third].map((state) => state.get(file))).toEqual([
    { text: good },
    { text: good, problem: broken },
    { text: `${half}}}` },
  ])
})

test('updateLastGood: a problem stays while other files change', async () => {
  const first = await updateLastGood(new Map(), [now(good), now(good, '/other.json')], parse)
  const second = await updateLastGood(first, [now(half)], parse)
  const third = await updateLastGood(second, [now('{}', '/other.json')], parse)
  expect(Object.fromEntries(third)).toEqual({
    [file]: { text: good, problem: broken },
    '/other.json': { text: '{}' },
  })
})

test('updateLastGood: a file that never parsed has a problem and no text', async () => {
  expect(await updateLastGood(new Map(), [now(half)], parse)).toEqual(new Map([[file, { problem: broken }]]))
})

test('updateLastGood: a file that is empty during a rewrite keeps its last text', async () => {
  const first = await updateLastGood(new Map(), [now(good)], parse)
  const second = await updateLastGood(first, [now('')], parse)
  expect(second.get(file)?.text).toBe(good)
})

test('updateLastGood: a deleted file is dropped, an unreadable one keeps its last text', async () => {
  const first = await updateLastGood(new Map(), [now(good)], parse)
  const unreadable = became({ kind: 'problem', problem: 'not-utf8', message: 'It is not UTF-8 text' })
  expect(await updateLastGood(first, [became({ kind: 'absent' })], parse)).toEqual(new Map())
  expect((await updateLastGood(first, [unreadable], parse)).get(file)).toEqual({
    text: good,
    problem: { ...broken, code: 'unreadable-file', message: 'It is not UTF-8 text', origin: { file } },
  })
})

test('updateLastGood: does not change the previous state', async () => {
  const first = await updateLastGood(new Map(), [now(good)], parse)
  await updateLastGood(first, [now(half)], parse)
  expect(first).toEqual(new Map([[file, { text: good }]]))
})
