import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { attachFiles } from './attach-files.ts'

const outside = mkdtempSync(join(tmpdir(), 'plugboard-attach-'))
const cwd = join(outside, 'project')
mkdirSync(join(cwd, 'src'), { recursive: true })
writeFileSync(join(cwd, 'src/a.ts'), 'const a = 1\n')
writeFileSync(join(cwd, 'fence.md'), '````\nx\n````')
writeFileSync(join(cwd, 'with blank.txt'), 'b')
writeFileSync(join(cwd, 'dot.png'), 'png')
writeFileSync(join(cwd, 'data.bin'), Buffer.from([0xff, 0xfe, 0]))
writeFileSync(join(cwd, 'big.txt'), 'x'.repeat(300_000))
writeFileSync(join(outside, 'secret.txt'), 'secret')
symlinkSync(join(outside, 'secret.txt'), join(cwd, 'link.txt'))
afterAll(() => rmSync(outside, { recursive: true }))

describe('chat: @file', () => {
  test('adds the text of a file after the prompt, in a fence that the file cannot end', () => {
    expect(attachFiles('Explain @src/a.ts, and @fence.md.', cwd)).toEqual({
      prompt: [
        { type: 'text', text: 'Explain @src/a.ts, and @fence.md.' },
        { type: 'text', text: 'src/a.ts:\n```\nconst a = 1\n```' },
        { type: 'text', text: 'fence.md:\n`````\n````\nx\n````\n`````' },
      ],
      attached: ['src/a.ts', 'fence.md'],
      problems: [],
      unknown: [],
    })
  })

  test('adds an image as an image, and a name with blanks in quotes', () => {
    const { prompt, attached } = attachFiles('@dot.png @"with blank.txt" @dot.png', cwd)
    expect(attached).toEqual(['dot.png', 'with blank.txt'])
    expect(prompt[1]).toEqual({ type: 'image', mediaType: 'image/png', data: 'cG5n' })
  })

  test('a word that names no file stays text; so does a result', () => {
    const text = 'Ask @anna about @result:3 and me@example.com'
    expect(attachFiles(text, cwd)).toEqual({ prompt: text, attached: [], problems: [], unknown: ['anna'] })
  })

  test('a file outside of the folder is refused, also behind a link; so are folders, binary and large files', () => {
    expect(attachFiles('@../secret.txt', cwd, { isAnywhere: true }).attached).toEqual(['../secret.txt'])
    const { prompt, problems } = attachFiles('@../secret.txt @link.txt @src @data.bin @big.txt', cwd)
    expect(prompt).toBe('@../secret.txt @link.txt @src @data.bin @big.txt')
    expect(problems).toEqual([
      '@../secret.txt was not attached: it is outside of the folder of this conversation.',
      '@link.txt was not attached: it is outside of the folder of this conversation.',
      '@src was not attached: it is not a file.',
      '@data.bin was not attached: it is neither text nor an image.',
      '@big.txt was not attached: it is larger than 256 KB. Let the model read it with a tool.',
    ])
  })
})
