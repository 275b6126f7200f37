import { expect, test } from 'vitest'
import { GrowingMarkdown, readMarkdown } from './markdown-nodes.ts'
import type { InlineNode } from './markdown-nodes.ts'

test('blocks and inline parts become data', () => {
  expect(
    readMarkdown('# Title\n\nSome **bold** `code`.\n\n```js\nlet a\n```\n\n- [x] done\n- [ ] open\n'),
  ).toEqual([
    { kind: 'heading', level: 1, children: ['Title'] },
    {
      kind: 'paragraph',
      children: ['Some ', { kind: 'strong', children: ['bold'] }, ' ', { kind: 'code', text: 'code' }, '.'],
    },
    { kind: 'code', language: 'js', text: 'let a' },
    {
      kind: 'list',
      items: [
        { isChecked: true, blocks: [{ kind: 'paragraph', children: ['done'] }] },
        { isChecked: false, blocks: [{ kind: 'paragraph', children: ['open'] }] },
      ],
    },
  ])
})

test('a table keeps its columns', () => {
  expect(readMarkdown('| a | b |\n| --- | ---: |\n| 1 | *2* |\n')).toEqual([
    {
      kind: 'table',
      header: [['a'], ['b']],
      rows: [[['1'], [{ kind: 'em', children: ['2'] }]]],
      align: [null, 'right'],
    },
  ])
})

function inlineOf(text: string): readonly InlineNode[] {
  const [block] = readMarkdown(text)
  return block?.kind === 'paragraph' ? block.children : []
}

test('T19 a link shows its whole address, and only http, https and mailto can be opened', () => {
  expect(inlineOf('[bank](https://evil.example/a?b)')).toEqual([
    {
      kind: 'link',
      children: ['bank'],
      href: 'https://evil.example/a?b',
      address: 'https://evil.example/a?b',
    },
  ])
  expect(inlineOf('<https://example.com/x>')).toEqual([
    { kind: 'link', children: ['https://example.com/x'], href: 'https://example.com/x' },
  ])
  // The address as a browser opens it: letters of other alphabets are no disguise.
  expect(inlineOf('[a](https://exаmple.com/)')).toMatchObject([{ address: 'https://xn--exmple-4nf.com/' }])
  for (const address of [
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    '/relative',
    'vbscript:x',
  ])
    expect(inlineOf(`[x](${address})`)).toEqual([{ kind: 'link', children: ['x'], address }])
})

test('T19 an image is a link with its host, and never an image', () => {
  expect(inlineOf('![cat](https://img.example/c.png?secret=1)')).toEqual([
    { kind: 'image', text: 'cat', href: 'https://img.example/c.png?secret=1', host: 'img.example' },
  ])
  expect(inlineOf('![](data:image/svg+xml,<svg>)')).toEqual([{ kind: 'image', text: '' }])
})

test('T19 HTML stays text', () => {
  expect(readMarkdown('<img src=x onerror=alert(1)>\n\na <b onclick=x>b</b>')).toEqual([
    { kind: 'plain', text: '<img src=x onerror=alert(1)>' },
    { kind: 'paragraph', children: ['a ', '<b onclick=x>', 'b', '</b>'] },
  ])
})

test.each([
  ['nested quotes', '>'.repeat(5000)],
  ['nested lists', '- '.repeat(3000)],
  ['emphasis', '_a_ '.repeat(20_000)],
  ['brackets', '['.repeat(50_000)],
  ['a long text', '**word** '.repeat(30_000)],
])('T19 %s beyond the limits of the parser are shown as they are', (_, text) => {
  const shown = JSON.stringify(readMarkdown(text))
  expect(shown).not.toMatch(/"kind":"(?:em|strong|quote|list|link)"/)
  expect(shown).toContain(text.trim().slice(0, 4000))
})

test('a text that grows keeps its complete blocks, and ends as the whole text does', () => {
  const text = 'One *two*.\n\n- a\n- b\n\n  c\n\n```\ncode\n\nmore\n```\n\nEnd'
  const growing = new GrowingMarkdown()
  const read = Array.from(text, (_, at) => growing.read(text.slice(0, at + 1)))
  expect(read.at(-1)).toEqual(readMarkdown(text))
  const first = read.at(-1)?.[0]
  expect(read.filter((blocks) => blocks.length > 1).every((blocks) => blocks[0] === first)).toBe(true)
  expect(growing.read('Another')).toEqual([{ kind: 'paragraph', children: ['Another'] }])
})

test('T17 characters that turn a text round are shown, so that an address reads as it is', () => {
  const text = '[sign in\u202E](https://evil.example/moc.knab)'
  const expected = [
    {
      kind: 'paragraph',
      children: [
        {
          kind: 'link',
          children: ['sign in\\u{202e}'],
          href: 'https://evil.example/moc.knab',
          address: 'https://evil.example/moc.knab',
        },
      ],
    },
  ]
  expect(readMarkdown(text)).toEqual(expected)
  expect(new GrowingMarkdown().read(text)).toEqual(expected)
})
