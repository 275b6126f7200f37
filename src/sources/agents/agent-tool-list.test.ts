import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readFields, toLines } from './agent-fields.ts'
import { readToolList } from './agent-tool-list.ts'

/** The list of a front matter with these lines. */
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

describe('a list of tools', () => {
  test.each<[string, readonly string[]]>([
    ['tools: [*]', ['*']],
    ['tools: [*, !web_*]', ['*', '!web_*']],
    ['tools: [view_file, grep, context7_*]', ['view_file', 'grep', 'context7_*']],
    ['tools: [!web_*]', ['!web_*']],
    ['tools:[a]', ['a']],
    ['tools : [ a ,b , ]', ['a', 'b']],
    ['tools: []', []],
  ])('B14 %s is legal as written', (text, expected) => {
    expect(items(text)).toEqual(expected)
  })

  test.each<[string, string, readonly string[]]>([
    ['over several lines', 'tools: [\n  a, # first\n  !b_*,\n]', ['a', '!b_*']],
    ['closed in the first column', 'tools: [\na,\nb\n]', ['a', 'b']],
    [
      'in "- item" lines',
      'tools:\n  - *\n  - !web_*\n\n  # note\n  - "a b/c"\nname: x',
      ['*', '!web_*', 'a b/c'],
    ],
    ['in "- item" lines without indent', 'tools:\n- a\n- b # why', ['a', 'b']],
    ['between commas', 'tools: Read, Grep, mcp__github__*', ['Read', 'Grep', 'mcp__github__*']],
    ['between commas over lines', 'tools: a,\n  b', ['a', 'b']],
    ['of one', 'tools: *', ['*']],
    ['of one denial', 'tools: !x', ['!x']],
    ['in quotes as a whole', 'tools: "a, !b"', ['a', '!b']],
    ['of quoted items', `tools: ["*", '!web_*', !"x", \`y\`]`, ['*', '!web_*', '!x', 'y']],
    [
      'with parentheses',
      'tools: Bash(git log:*), Agent(a, b), Read',
      ['Bash(git log:*)', 'Agent(a, b)', 'Read'],
    ],
    ['of refs', 'tools: [github/*, my%2Fserver/t]', ['github/*', 'my%2Fserver/t']],
    ['with a comment', 'tools: [a] # all of it', ['a']],
    ['in any case and quotes', '"Tools": [a]', ['a']],
    ['in an indented front matter', '  name: x\n  tools: [a]', ['a']],
  ])('may be %s', (_what, text, expected) => {
    expect(items(text)).toEqual(expected)
  })

  test.each<[string, string, number, string]>([
    ['nothing', 'tools:', 1, 'there is nothing in it'],
    ['nothing before the next key', 'tools:\nname: x', 1, 'there is nothing in it'],
    ['no end', 'name: x\ntools: [a,\n  b', 2, 'its "[" has no "]"'],
    ['a hole', 'tools: [a,,b]', 1, '",b" is no item of a list'],
    ['no comma', 'tools: [a b]', 1, 'a comma is missing before "b"'],
    ['prose', 'tools: use grep first', 1, 'a comma is missing before "grep first"'],
    ['a space after the !', 'tools: [*, ! web_*]', 1, '"! web_*" is no item of a list'],
    ['a tag', 'tools: !!seq [a]', 1, '"!!seq [a]" is no item of a list'],
    ['a list in a list', 'tools: [[a]]', 1, '"[a]" is no item of a list'],
    ['a map', 'tools: {a: true}', 1, '"{a: true}" is no item of a list'],
    ['a pair in a list', 'tools: [a: true]', 1, 'a comma is missing before "true"'],
    ['something behind it', 'tools: [a] b', 1, 'its "[" has no "]"'],
    ['something below it', 'tools: [a]\n  - b', 2, 'this line belongs to no item'],
    ['a list below a text', 'tools: a\n- b', 2, 'this line belongs to no item'],
    ['an open quote', 'tools: ["a]', 1, '"\\"a" is no item of a list'],
    ['an escape', 'tools: ["\\x2a"]', 1, '"\\"\\\\x2a\\"" is no item of a list'],
    ['an empty item', 'tools: [""]', 1, '"" cannot be the name of a tool'],
    ['a denial of nothing', 'tools: ["*", "!"]', 1, '"!" cannot be the name of a tool'],
    ['a list in an item', 'tools: ["*", "!a, !b"]', 1, '"!a, !b" cannot be the name of a tool'],
    ['spaces in quotes', 'tools: ["*", "! a"]', 1, '"! a" cannot be the name of a tool'],
    ['hidden characters', 'tools: [*, !we\u200bb]', 1, '"!we\u200bb" cannot be the name of a tool'],
    ['a block of text', 'tools: |\n  a', 1, '"| a" is no item of a list'],
    [
      'an item in another column',
      'tools:\n  - a\n    - b',
      3,
      'this is no "- item" in the column of the others',
    ],
    ['a map in its lines', 'tools:\n  a: true', 2, 'this is no "- item" in the column of the others'],
    ['two items on a line', 'tools:\n  - a\n  - b, c', 3, 'one item stands on each line'],
    ['no space after the dash', 'tools:\n  -a', 2, 'this is no "- item" in the column of the others'],
  ])('that has %s cannot be read, and says where', (_what, text, line, problem) => {
    expect(read(text)).toEqual({ problem, line })
  })

  test.each<[string, string, number]>([
    ['a second one', 'tools: [*]\ntools: [a]', 2],
    ['one indented below a value', 'description: x\n  tools: [a]', 2],
    ['a flow map around it', '{ tools: [a] }', 1],
    ['a complex key', 'name: x\n? tools\n: [a]', 2],
    ['an escaped key', 'name: x\n"to\\x6fls": [a]', 2],
    ['a merge', 'name: x\n<<: *base', 2],
    ['no key at all', 'hello\ntools: [a]', 1],
    ['less indent than above', '  name: x\ntools: [a]', 2],
    ['no space before its text', 'name: x\ntools:a', 2],
  ])('is never overlooked in a front matter with %s', (_what, text, line) => {
    expect(read(text)).toMatchObject({ line, problem: expect.any(String) })
  })

  test('one that belongs to something else is not the agent’s', () => {
    expect(read('mcp-servers:\n  git:\n    tools: ["*"]')).toBe('no list')
    expect(read('description: |\n  tools: [a]\nname: x')).toBe('no list')
  })
})

const name = fc
  .array(fc.constantFrom('a', 'B', '7', '_', '-', '.', '*', '/', '?', 'é'), { minLength: 1, maxLength: 8 })
  .map((chars) => chars.join(''))
const pattern = fc.tuple(fc.constantFrom('', '!'), name).map((parts) => parts.join(''))
const quoted = (quote: string) => (item: string) => `${quote}${item}${quote}`

/** A problem with its line; or, outside of quotes and comments, as many denials as the text has. */
function isHonest(text: string, list: ReturnType<typeof read>): boolean {
  if (typeof list !== 'object') return false
  if ('problem' in list) return list.problem !== '' && list.line >= 1 && list.line <= text.split('\n').length
  const lines = text.split(/\r?\n/).map((line) => line.replace(/(?:^|\s)#.*$/, ''))
  const marks = lines.join('').match(/!/g)?.length ?? 0
  const inside = list.items.join('').match(/!/g)?.length ?? 0
  return /["'`(]/.test(lines.join('')) || marks === inside
}

describe('T08 any list', () => {
  test('reads the same in every form it can be written in', () => {
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

  test('of any text is read, or is a problem on one of its lines: no denial is dropped from it', () => {
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

  test('of any length is done in time that grows with it', () => {
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
