import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isKeyLine, readFields, toLines } from './agent-fields.ts'
import { readToolList } from './agent-tool-list.ts'

/** Reads the `tools` list of a front matter with these lines. */
function read(text: string) {
  const { fields, problem } = readFields(toLines(text))
  const field = fields.get('tools')
  if (problem || !field) return problem ?? 'no list'
  return readToolList(field)
}
const items = (text: string) => {
  const list = read(text)
  return typeof list === 'object' && 'items' in list ? list.items : list
}

describe('readToolList', () => {
  test.each<[string, readonly string[]]>([
    ['tools: [*]', ['*']],
    ['tools: [*, !web_*]', ['*', '!web_*']],
    ['tools: [view_file, grep, context7_*]', ['view_file', 'grep', 'context7_*']],
    ['tools: [!web_*]', ['!web_*']],
    ['tools:[a]', ['a']],
    ['tools : [ a ,b , ]', ['a', 'b']],
    ['tools: []', []],
  ])('B14 %s is read as written', (text, expected) => {
    expect(items(text)).toEqual(expected)
  })

  test.each<[string, string, readonly string[]]>([
    ['on several lines', 'tools: [\n  a, # first\n  !b_*,\n]', ['a', '!b_*']],
    ['with the bracket closed in the first column', 'tools: [\na,\nb\n]', ['a', 'b']],
    [
      'as "- item" lines',
      'tools:\n  - *\n  - !web_*\n\n  # note\n  - "a b/c"\nname: x',
      ['*', '!web_*', 'a b/c'],
    ],
    ['as "- item" lines without indentation', 'tools:\n- a\n- b # why', ['a', 'b']],
    ['separated by commas', 'tools: Read, Grep, mcp__github__*', ['Read', 'Grep', 'mcp__github__*']],
    ['separated by commas on several lines', 'tools: a,\n  b', ['a', 'b']],
    ['of one item', 'tools: *', ['*']],
    ['of one denial', 'tools: !x', ['!x']],
    ['quoted as a whole', 'tools: "a, !b"', ['a', '!b']],
    ['of quoted items', `tools: ["*", '!web_*', !"x", \`y\`]`, ['*', '!web_*', '!x', 'y']],
    [
      'with parentheses',
      'tools: Bash(git log:*), Agent(a, b), Read',
      ['Bash(git log:*)', 'Agent(a, b)', 'Read'],
    ],
    ['of refs', 'tools: [github/*, my%2Fserver/t]', ['github/*', 'my%2Fserver/t']],
    ['with a comment', 'tools: [a] # all of it', ['a']],
    ['under a capitalized, quoted key', '"Tools": [a]', ['a']],
    ['in an indented front matter', '  name: x\n  tools: [a]', ['a']],
  ])('a list may be written %s', (_what, text, expected) => {
    expect(items(text)).toEqual(expected)
  })

  test.each<[string, string, number, string]>([
    ['no value', 'tools:', 1, 'it is empty'],
    ['no value before the next key', 'tools:\nname: x', 1, 'it is empty'],
    ['no closing bracket', 'name: x\ntools: [a,\n  b', 2, 'the closing "]" is missing'],
    ['a missing item', 'tools: [a,,b]', 1, '",b" is not a list item'],
    ['no comma', 'tools: [a b]', 1, 'a comma is missing before "b"'],
    ['prose', 'tools: use grep first', 1, 'a comma is missing before "grep first"'],
    ['a space after the !', 'tools: [*, ! web_*]', 1, '"! web_*" is not a list item'],
    ['a tag', 'tools: !!seq [a]', 1, '"!!seq [a]" is not a list item'],
    ['a list in a list', 'tools: [[a]]', 1, '"[a]" is not a list item'],
    ['a map', 'tools: {a: true}', 1, '"{a: true}" is not a list item'],
    ['a pair in a list', 'tools: [a: true]', 1, 'a comma is missing before "true"'],
    ['text after the bracket', 'tools: [a] b', 1, 'the closing "]" is missing'],
    ['an item below the bracket', 'tools: [a]\n  - b', 2, 'this line belongs to no item'],
    ['an item below a plain value', 'tools: a\n- b', 2, 'this line belongs to no item'],
    ['an unclosed quote', 'tools: ["a]', 1, '"\\"a" is not a list item'],
    ['an escape', 'tools: ["\\x2a"]', 1, '"\\"\\\\x2a\\"" is not a list item'],
    ['an empty item', 'tools: [""]', 1, '"" is not a valid tool name'],
    ['a denial without a name', 'tools: ["*", "!"]', 1, '"!" is not a valid tool name'],
    ['a list in an item', 'tools: ["*", "!a, !b"]', 1, '"!a, !b" is not a valid tool name'],
    ['spaces in quotes', 'tools: ["*", "! a"]', 1, '"! a" is not a valid tool name'],
    ['hidden characters', 'tools: [*, !we\u200bb]', 1, '"!we\u200bb" is not a valid tool name'],
    ['a block of text', 'tools: |\n  a', 1, '"| a" is not a list item'],
    [
      'an item in another column',
      'tools:\n  - a\n    - b',
      3,
      'this is not a "- item" in the same column as the others',
    ],
    ['a map in its lines', 'tools:\n  a: true', 2, 'this is not a "- item" in the same column as the others'],
    ['two items on a line', 'tools:\n  - a\n  - b, c', 3, 'this line has more than one item'],
    ['no space after the dash', 'tools:\n  -a', 2, 'this is not a "- item" in the same column as the others'],
  ])('a list with %s is a problem with its line', (_what, text, line, problem) => {
    expect(read(text)).toEqual({ problem, line })
  })

  test.each<[string, string, number]>([
    ['a second list', 'tools: [*]\ntools: [a]', 2],
    ['a list indented below a value', 'description: x\n  tools: [a]', 2],
    ['a flow map around it', '{ tools: [a] }', 1],
    ['a complex key', 'name: x\n? tools\n: [a]', 2],
    ['an escaped key', 'name: x\n"to\\x6fls": [a]', 2],
    ['a merge key', 'name: x\n<<: *base', 2],
    ['no key at all', 'hello\ntools: [a]', 1],
    ['less indentation than above', '  name: x\ntools: [a]', 2],
    ['no space after the colon', 'name: x\ntools:a', 2],
  ])('front matter with %s is a problem, so no list is overlooked', (_what, text, line) => {
    expect(read(text)).toMatchObject({ line, problem: expect.any(String) })
  })

  test('a list inside another value is not the agent’s', () => {
    expect(read('mcp-servers:\n  git:\n    tools: ["*"]')).toBe('no list')
    expect(read('description: |\n  tools: [a]\nname: x')).toBe('no list')
  })
})

const name = fc
  .array(fc.constantFrom('a', 'B', '7', '_', '-', '.', '*', '/', '?', 'é'), { minLength: 1, maxLength: 8 })
  .map((chars) => chars.join(''))
const pattern = fc.tuple(fc.constantFrom('', '!'), name).map((parts) => parts.join(''))
const quoted = (quote: string) => (item: string) => `${quote}${item}${quote}`

/** Expects a problem with its line, or as many denials as the text has outside of quotes and comments. */
function isHonest(text: string, list: ReturnType<typeof read>): boolean {
  if (typeof list !== 'object') return false
  if ('problem' in list) return list.problem !== '' && list.line >= 1 && list.line <= text.split('\n').length
  const lines = linesOfFirstKey(text).map((line) => line.replace(/(?:^|\s)#.*$/, ''))
  const marks = lines.join('').match(/!/g)?.length ?? 0
  const inside = list.items.join('').match(/!/g)?.length ?? 0
  return /["'`(]/.test(lines.join('')) || marks === inside
}

/** The line of `tools:` and what follows it, up to the next key. */
function linesOfFirstKey(text: string): readonly string[] {
  const lines = text.split(/\r?\n/)
  const next = lines.findIndex((line, at) => at > 0 && isKeyLine(line))
  return next < 0 ? lines : lines.slice(0, next)
}

describe('T08 readToolList: any list', () => {
  test('is read the same from every form', () => {
    fc.assert(
      fc.property(fc.array(pattern, { minLength: 1, maxLength: 8 }), (list) => {
        const forms = [
          `tools: [${list.join(', ')}]`,
          `tools: [${list.join(',')}]`,
          `tools: [\n  ${list.join(',\n  ')},\n]`,
          `tools: [${list.map(quoted('"')).join(', ')}]`,
          `tools: [${list.map(quoted("'")).join(', ')}]`,
          `tools:\n${list.map((item) => `  - ${item}\n`).join('')}name: x`,
          `tools:\r\n${list.map((item) => `- '${item}'\r\n`).join('')}`,
          `tools: ${list.join(', ')}`,
          `tools: "${list.join(', ')}"`,
        ]
        expect(forms.map(items)).toEqual(forms.map(() => list))
      }),
    )
  })

  test('is read without losing a denial, or is a problem on one of its lines', () => {
    const marks = [
      '[',
      ']',
      '{',
      '}',
      ',',
      ' ',
      '\n',
      '\n  ',
      '- ',
      '#',
      ' #',
      '"',
      "'",
      '`',
      '!',
      '!!',
      '*',
      '&a',
    ]
    const words = [
      '|',
      'a',
      'b_*',
      '!c',
      ':',
      ': ',
      '\\',
      '(',
      ')',
      '\t',
      '\r\n',
      '\u200b',
      '---',
      '<<: ',
      '? ',
    ]
    const token = fc.constantFrom(...marks, ...words)
    fc.assert(
      fc.property(fc.array(token, { maxLength: 16 }), (tokens) => {
        const text = `tools: ${tokens.join('')}`
        expect(isHonest(text, read(text))).toBe(true)
      }),
      { numRuns: 5000 },
    )
  })

  test('is read in time that grows linearly with its length', () => {
    const bombs = [
      '['.repeat(200_000),
      '"'.repeat(200_001),
      `[${'a,'.repeat(200_000)}]`,
      `a${' '.repeat(200_000)}b`,
      '('.repeat(200_000),
      `a${'(a'.repeat(100_000)}`,
    ]
    const lists = bombs.map((bomb) => read(`tools: ${bomb}`))
    expect(lists.map((list) => typeof list === 'object' && 'items' in list)).toEqual([
      false,
      false,
      true,
      false,
      false,
      false,
    ])
  })
})
