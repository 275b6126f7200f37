import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Cli } from '../../command-context.ts'
import { readPrompt } from './read-prompt.ts'

let folder = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'plugboard-prompt-'))
  writeFileSync(join(folder, 'task.md'), 'Do it.\n')
  writeFileSync(join(folder, 'dot.PNG'), Buffer.from([1, 2, 3]))
  writeFileSync(join(folder, 'zip.bin'), Buffer.from([0xff, 0, 1]))
  writeFileSync(join(folder, 'large.txt'), 'x'.repeat(1024 * 1024 + 1))
})

afterAll(() => rmSync(folder, { recursive: true }))

function read(words: readonly string[], stdin = '') {
  const cli = { process: { stdin: Readable.from([Buffer.from(stdin)]), stderr: { write: () => true } } }
  return readPrompt(cli as unknown as Cli, words, folder) // the part that prompts use
}

test.each<[string, readonly string[], string, unknown, string[]?]>([
  ['the words', ['Which', 'issues?'], 'not read', 'Which issues?'],
  ['stdin without words', [], 'From a pipe.', 'From a pipe.'],
  ['stdin for -', ['-'], 'From a pipe.', 'From a pipe.'],
  ['words before stdin', ['Sum up:', '-'], 'a\nb\n', [{ type: 'text', text: 'Sum up:\n\na\nb' }]],
  ['a file alone', ['@task.md'], '', 'Do it.\n'],
  [
    'attached files, each once, with a sign behind the name',
    ['See @task.md, and @task.md. @dot.PNG'],
    '',
    [
      { type: 'text', text: 'See @task.md, and @task.md. @dot.PNG' },
      { type: 'text', text: 'task.md:\n```\nDo it.\n```' },
      { type: 'image', mediaType: 'image/png', data: 'AQID' },
    ],
  ],
  [
    'files are not read from stdin',
    ['-', 'now'],
    'See @task.md',
    [{ type: 'text', text: 'now\n\nSee @task.md' }],
  ],
])('prompt: %s', async (_title, words, stdin, prompt) => {
  expect(await read(words, stdin)).toEqual({ prompt, unknown: [] })
})

test('prompt: words that are no files are named, a result is none', async () => {
  expect((await read(['Ask @ada about @result:r1 a@b.c'])).unknown).toEqual(['ada'])
  expect((await read(['See @task.md, ask @ada'])).unknown).toEqual(['ada'])
})

test.each<[string, readonly string[], RegExp]>([
  ['nothing', [], /^There is no prompt\.$/],
  ['blanks', ['  '], /^There is no prompt\.$/],
  ['a missing file alone', ['@none.md'], /^@none\.md is not a file\.$/],
  ['a folder', ['@.'], /^@\. is not a file\.$/],
  ['a large file', ['see @large.txt'], /^@large\.txt was not attached: it is larger than 256 KB/],
  ['a large file alone', ['@large.txt'], /^@large\.txt is larger than 1024 KiB\.$/],
  [
    'a file that is no text',
    ['see @zip.bin'],
    /^@zip\.bin was not attached: it is neither text nor an image/,
  ],
  ['a file that is no text alone', ['@zip.bin'], /^@zip\.bin is not text\.$/],
])('prompt: %s is refused with a sentence', async (_title, words, message) => {
  await expect(read(words)).rejects.toThrow(message)
})

test('prompt: more than 1 MiB on stdin is refused', async () => {
  await expect(read(['-'], 'x'.repeat(1024 * 1024 + 1))).rejects.toThrow(/larger than 1024 KiB/)
})
