import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isObject, valueAt } from '../../model/json.ts'
import type { Json } from '../../model/json.ts'
import type { Format, Path } from './doc.ts'
import { removeIn as removeJson, setIn as setJson } from './edit-json.ts'
import { removeIn as removeToml, setIn as setToml } from './edit-toml.ts'
import { removeIn as removeYaml, setIn as setYaml } from './edit-yaml.ts'
import { parseJsonc } from './jsonc.ts'
import { parseToml } from './toml.ts'
import { parseYaml } from './yaml.ts'
import { loadSamples } from '../../../test/support/samples.ts'

type EditFormat = Exclude<Format, 'markdown'>

const formats = {
  json: { parse: parseJsonc, setIn: setJson, removeIn: removeJson, comment: /(?<=^|\s)\/\/.*/g },
  toml: { parse: parseToml, setIn: setToml, removeIn: removeToml, comment: /(?<=^|\s)#.*/g },
  yaml: { parse: parseYaml, setIn: setYaml, removeIn: removeYaml, comment: /(?<=^|\s)#.*/g },
} as const

/** Every valid text of the samples, plus layouts that the samples do not have. */
const texts: readonly (readonly [string, EditFormat, string])[] = [
  ...loadSamples().flatMap(({ title, files }) =>
    Object.entries(files).flatMap(([path, text]) => {
      const format = formatOf(path)
      if (!format || formats[format].parse(text).errors.length > 0) return []
      return [[`${title} ${path}`, format, text] as const]
    }),
  ),
  ...Object.entries({
    'one line': '{"mcpServers":{"a":{"command":"x"}},"b":[1,2]}',
    'one line with spaces': '{ "mcpServers": { "a": { "command": "x" } }, "b": [1, 2] }',
    empty: '',
    'an empty object': '{}\n',
    'an empty map of servers': '{\n  "mcpServers": {}\n}\n',
    'null instead of servers': '{\n  "mcpServers": null\n}\n',
    'comments alone': '// nothing yet\n',
    'an object of comments': '{\n\t// nothing yet\n}\n',
    tabs: '{\n\t"mcpServers": {\n\t\t"a": {\n\t\t\t"command": "x"\n\t\t}\n\t}\n}',
    'Windows line breaks':
      '{\r\n    // one\r\n    "mcpServers": {\r\n        "a": { "command": "x" } // two\r\n    }\r\n}\r\n',
    'trailing commas': '{\n  "mcpServers": {\n    "a": { "command": "x", }, // about a\n  },\n}\n',
    'comments everywhere':
      '// top\n{\n  // above\n  "mcpServers": { // beside\n    "a": /* in */ { "command": "x" } /* c1 */ , // c2\n    // last\n    "z": {} // c3\n    // end\n  } // c4\n}\n// bottom\n',
    'a mark at the start': '\uFEFF{\n  "mcpServers": {}\n}\n',
    'the same key twice':
      '{\n  "mcpServers": { "a": { "command": "1" } },\n  "mcpServers": { "b": { "command": "2" } }\n}\n',
  }).map(([title, text]) => [title, 'json', text] as const),
  ...Object.entries({
    empty: '',
    'inline tables': 'mcp_servers = { a = { command = "x" } } # all\n',
    'a header with inline entries': '# one\n[mcp_servers]\na = { command = "x" } # two\n\n[other]\nb = 1\n',
    'dotted keys': 'mcp_servers.a.command = "x"\nmcp_servers.a.env.K = "v"\n\n[other]\nb = 1\n',
    'subtables alone': '[mcp_servers.a.env]\nK = "v"',
    'quoted names':
      '[mcp_servers."a b".env]\r\nK = "v" # 😀\r\n\r\n# about c\r\n[mcp_servers.c]\r\ncommand = "😀"\r\n',
    'array tables':
      '[[things]]\nx = 1\n\n[[things]]\nx = 2\n\n[mcp_servers.a] # here\n  command = "x" # there\n',
  }).map(([title, text]) => [title, 'toml', text] as const),
  ...Object.entries({
    empty: '',
    'comments alone': '# nothing yet\n',
    'an empty key': 'extensions:\nother: 1 # one\n',
    'an empty map': '# top\nextensions: {} # none\n\n# other\nother: 1\n',
    'flow maps': 'extensions: { a: { cmd: x, args: [1, 2] } } # all\n',
    'comments between':
      '# top\nextensions: # ext\n    # about a\n    a:\n        cmd: x # x\n        script: |\n            one\n            two\n    # about b\n    b:\n        cmd: y\n        # tail of b\n\n# tail\nlast: "q"',
    'a list': 'mcpServers:\n- name: a # a\n  command: x\n# between\n- name: b\n  command: y\n# end\n',
    'Windows line breaks': 'extensions:\r\n  a:\r\n    cmd: x # c\r\n',
  }).map(([title, text]) => [title, 'yaml', text] as const),
]

function formatOf(path: string): EditFormat | undefined {
  if (path.endsWith('.toml')) return 'toml'
  if (/\.ya?ml$/.test(path)) return 'yaml'
  return /\.jsonc?$/.test(path) ? 'json' : undefined
}

const word = fc.oneof(
  fc.constantFrom(
    'command',
    'a b',
    'x.y',
    'on',
    'null',
    '1',
    'ä😀',
    '"',
    '#',
    ': ',
    "it's",
    '- ',
    '//',
    'a\\b',
  ),
  fc.string({ minLength: 1 }),
)
const scalar = fc.oneof(word, fc.integer(), fc.boolean(), fc.constant(''))
/** JSON.parse of Node 24.21 reads every key of one character that needs an escape, such as a quote or a line break, as a backslash. */
const isMisread = (key: string) => key.length === 1 && JSON.stringify(key).length > 3
const entry = fc.dictionary(
  word.filter(
    (key) => key !== '__proto__' && key !== 'constructor' && key !== 'prototype' && !isMisread(key),
  ),
  fc.oneof(scalar, fc.array(scalar), fc.dictionary(fc.constantFrom('A', 'B_1', 'X-Y', 'a b'), fc.string())),
  { maxKeys: 4 },
)
const name = fc.constantFrom('new', 'brand.new', 'a', 'docs', 'my server', '0', 'ünï')

/** The paths that hold servers in this text, or would hold them. */
function rootsOf(format: EditFormat, text: string): readonly Path[] {
  const value = formats[format].parse(text).value
  const roots = ['mcpServers', 'servers', 'extensions', 'mcp', 'mcp_servers', 'other', 'b']
  const found = roots.filter((key) => isObject(valueAt(value, [key])) || valueAt(value, [key]) === undefined)
  return found.map((key) => [key])
}

function without(data: Json | undefined, path: Path): Json {
  const copy: Record<string, Json> = JSON.parse(JSON.stringify(data ?? {}))
  const parent = path
    .slice(0, -1)
    .reduce<Record<string, Json>>((at, key) => (at[key] ?? {}) as Record<string, Json>, copy)
  delete parent[path.at(-1) ?? '']
  return prune(copy)
}

/** Removes empty objects: a format may be unable to write them, and writing to a path may create them. */
function prune(value: Json): Json {
  if (!isObject(value)) return value
  const kept = Object.entries(value).map(([key, item]) => [key, prune(item)] as const)
  return Object.fromEntries(
    kept.filter(([, item]) => item !== null && (!isObject(item) || Object.keys(item).length > 0)),
  )
}

/** The part of a text that is not found, in order, in the edited one. Spaces, `{}` and `null` may be lost. */
function lostCharacters(text: string, after: string): string {
  const wanted = text.replaceAll(/\s|\{\}|\bnull\b/g, '')
  let found = 0
  for (const char of after) if (wanted.startsWith(char, found)) found += char.length
  return wanted.slice(found)
}

function plain(value: Json | undefined): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value))
}

describe('T09 setIn and removeIn on any layout', () => {
  test.each(texts)(
    '%s: a new entry is added, everything else is unchanged, comments are preserved (%s)',
    (_title, format, text) => {
      const { setIn, removeIn, comment } = formats[format]
      const parse = (content: string) => formats[format].parse(content.replace(/^\uFEFF/, ''))
      const before = parse(text).value
      fc.assert(
        fc.property(fc.constantFrom(...rootsOf(format, text)), name, entry, (root, key, value) => {
          const path = [...root, key]
          if (valueAt(before, path) !== undefined) return
          const after = setIn(text, path, value)
          const read = parse(after)
          expect(read.errors).toEqual([])
          expect(prune(plain(valueAt(read.value, path)) as Json)).toEqual(prune(value))
          expect(without(read.value, path)).toEqual(without(before, path))
          for (const found of text.match(comment) ?? []) expect(after).toContain(found)
          expect(lostCharacters(text, after)).toBe('')
          expect(without(parse(removeIn(after, path)).value, path)).toEqual(without(before, path))
        }),
        { numRuns: 25 },
      )
    },
  )
})

describe('T09 editing JSON', () => {
  test('a new entry goes below the last one, after its comment and with its indentation', () => {
    const text = '{\n\t// ours\n\t"mcpServers": {\n\t\t"a": { "command": "x" } // first\n\t\t// end\n\t}\n}\n'
    expect(setJson(text, ['mcpServers', 'b'], { command: 'y', args: ['-v'] })).toBe(
      '{\n\t// ours\n\t"mcpServers": {\n\t\t"a": { "command": "x" }, // first\n' +
        '\t\t"b": {\n\t\t\t"command": "y",\n\t\t\t"args": ["-v"]\n\t\t}\n\t\t// end\n\t}\n}\n',
    )
  })

  test('a one-line text stays on one line, with or without spaces', () => {
    expect(setJson('{"mcpServers":{"a":{"command":"x"}},"b":[1,2]}', ['mcpServers', 'n'], { url: 'u' })).toBe(
      '{"mcpServers":{"a":{"command":"x"},"n":{"url":"u"}},"b":[1,2]}',
    )
    expect(setJson('{ "mcpServers": {} }', ['mcpServers', 'n'], { url: 'u' })).toBe(
      '{ "mcpServers": { "n": { "url": "u" } } }',
    )
  })

  test('a new last member gets a trailing comma if the text has trailing commas', () => {
    expect(setJson('{\n  "a": 1,\n}\n', ['b'], 2)).toBe('{\n  "a": 1,\n  "b": 2,\n}\n')
  })

  test('a value is replaced in place, and its neighbors are unchanged', () => {
    const text = '{ "a": 1 ,  "b" :{"c":[ 1,2 ]}, "d": 3 }'
    expect(setJson(text, ['b', 'c'], 'x')).toBe('{ "a": 1 ,  "b" :{"c":"x"}, "d": 3 }')
  })

  test('line breaks, the byte order mark and a missing final line break are preserved', () => {
    expect(setJson('\uFEFF{\r\n  "a": 1\r\n}', ['b'], { c: true })).toBe(
      '\uFEFF{\r\n  "a": 1,\r\n  "b": {\r\n    "c": true\r\n  }\r\n}',
    )
  })

  test('removing an entry removes its comma and the comment on its line', () => {
    const text = '{\n  // about a\n  "a": 1, // a\n  "b": {\n    "c": 2\n  } // b\n}\n'
    expect(removeJson(text, ['a'])).toBe('{\n  // about a\n  "b": {\n    "c": 2\n  } // b\n}\n')
    expect(removeJson(text, ['b'])).toBe('{\n  // about a\n  "a": 1 // a\n}\n')
    expect(removeJson(text, ['b', 'c'])).toBe('{\n  // about a\n  "a": 1, // a\n  "b": {} // b\n}\n')
    expect(removeJson('{"a":1, "b":2, "c":3}', ['b'])).toBe('{"a":1, "c":3}')
  })

  test('of duplicate keys the effective one is changed, and all are removed', () => {
    const text = '{\n  "a": 1,\n  "a": 2\n}\n'
    expect(setJson(text, ['a'], 3)).toBe('{\n  "a": 1,\n  "a": 3\n}\n')
    expect(removeJson(text, ['a'])).toBe('{}\n')
  })

  test('an item of a list is added, replaced and removed', () => {
    expect(setJson('{ "l": [1, 2] }', ['l', 2], 3)).toBe('{ "l": [1, 2, 3] }')
    expect(setJson('{ "l": [1, 2] }', ['l', 0], 9)).toBe('{ "l": [9, 2] }')
    expect(removeJson('{ "l": [1, 2, 3] }', ['l', 0])).toBe('{ "l": [2, 3] }')
  })
})

describe('T09 editing TOML', () => {
  const text =
    '# mine\nmodel = "m" # best\n\n[mcp_servers.a]\ncommand = "x" # run\n\n[mcp_servers.a.env]\nK = "v"\n\n# about b\n[mcp_servers.b]\nurl = "u"\n'

  test('a new server becomes a table at the end, with a subtable for each map in it', () => {
    expect(setToml(text, ['mcp_servers', 'c d'], { command: 'y', args: ['z'], env: { E: '"' } })).toBe(
      `${text}\n[mcp_servers."c d"]\ncommand = "y"\nargs = ["z"]\n\n[mcp_servers."c d".env]\nE = "\\""\n`,
    )
  })

  test('a key is changed in place, or added below its neighbors', () => {
    expect(setToml(text, ['mcp_servers', 'a', 'command'], 'z')).toBe(text.replace('"x"', '"z"'))
    expect(setToml(text, ['mcp_servers', 'a', 'enabled'], false)).toBe(
      text.replace('# run\n', '# run\nenabled = false\n'),
    )
    expect(setToml(text, ['mcp_servers', 'a', 'env', 'L'], 'w')).toBe(
      text.replace('K = "v"\n', 'K = "v"\nL = "w"\n'),
    )
    expect(setToml(text, ['effort'], 'high')).toBe(text.replace('# best\n', '# best\neffort = "high"\n'))
  })

  test('inline tables stay inline', () => {
    expect(setToml('s = { a = { x = 1 } } # s\n', ['s', 'b'], { y: 2 })).toBe(
      's = { a = { x = 1 }, b = { y = 2 } } # s\n',
    )
    expect(removeToml('s = { a = 1, b = 2 }\n', ['s', 'a'])).toBe('s = { b = 2 }\n')
  })

  test('removing a server removes its subtables and preserves the comments of others', () => {
    expect(removeToml(text, ['mcp_servers', 'a'])).toBe(
      '# mine\nmodel = "m" # best\n\n# about b\n[mcp_servers.b]\nurl = "u"\n',
    )
    expect(removeToml(text, ['mcp_servers', 'b'])).toBe(text.replace('\n[mcp_servers.b]\nurl = "u"\n', '\n'))
  })

  test('null is refused, because TOML cannot represent it', () => {
    expect(() => setToml('', ['a'], null)).toThrow('TOML cannot represent null.')
  })
})

describe('T09 editing YAML', () => {
  const text =
    '# mine\nextensions: # all\n    # about a\n    a:\n        cmd: \'x\' # run\n        args: [1,  2]\n\n# tail\nlast: "q"\n'

  test('a new entry goes below the last one; quotes, spaces and comments are preserved', () => {
    expect(setYaml(text, ['extensions', 'b'], { cmd: 'y', on: true })).toBe(
      text.replace('2]\n', '2]\n    b:\n        cmd: y\n        on: true\n'),
    )
  })

  test('a value is changed in place', () => {
    expect(setYaml(text, ['extensions', 'a', 'cmd'], 'z')).toBe(text.replace("'x'", 'z'))
    expect(setYaml(text, ['extensions', 'a', 'args'], ['n'])).toBe(text.replace('[1,  2]', '["n"]'))
  })

  test('a name that other parsers read as a merge is quoted', () => {
    expect(setYaml('e:\n  a: 1\n', ['e', '<<'], { b: '<<' })).toBe('e:\n  a: 1\n  "<<":\n    b: "<<"\n')
    expect(setYaml('e: { a: 1 }\n', ['e', '<<'], 2)).toBe('e: { a: 1, "<<": 2 }\n')
  })

  test('removing the last entry leaves an empty map', () => {
    expect(removeYaml('# mine\ne:\n  a:\n    b: 1\n# tail\n', ['e', 'a'])).toBe('# mine\ne: {}\n# tail\n')
  })

  test('a text that cannot be edited by lines is serialized again, with its comments', () => {
    const compact = '- a: 1 # one\n  b: 2\n- c: 3\n'
    expect(removeYaml(compact, [0, 'a'])).toBe('- b: 2\n- c: 3\n')
  })
})

describe('edits that are refused', () => {
  test.each([
    ['json', '{\n  "a": 1\n  "b": 2\n}\n', 'line 3, column 3: a comma is missing here.'],
    ['toml', 'a = 1\n[b\n', 'line 2, column 3'],
    ['yaml', 'a:\n  b: 1\n c: 2\n', 'line 3, column'],
  ] as const)('O21 %s with an error: its line and column are named', (format, text, message) => {
    const { setIn, removeIn } = formats[format]
    for (const edit of [() => setIn(text, ['x'], 1), () => removeIn(text, ['a'])]) {
      expect(edit).toThrow(
        expect.objectContaining({ code: 'config.invalid', message: expect.stringContaining(message) }),
      )
    }
  })

  test('a scalar parent is not turned into an object', () => {
    expect(() => setJson('{\n  "mcpServers": "none"\n}', ['mcpServers', 'a'], {})).toThrow(
      'line 2, column 3: /mcpServers is not an object.',
    )
  })

  test('a YAML value that aliases refer to is not edited', () => {
    expect(() => setYaml('a: &x\n  k: 1\nb: *x\n', ['a', 'k'], 2)).toThrow('cannot be edited safely')
    expect(() => setYaml('a: &x\n  k: 1\nb: *x\n', ['b', 'k'], 2)).toThrow('cannot be edited safely')
  })

  test('a key that could set a prototype is not written', () => {
    expect(() => setJson('{}', ['mcpServers', '__proto__'], { command: 'x' })).toThrow(
      'cannot be edited safely',
    )
  })

  test('removing an absent key changes nothing', () => {
    for (const { removeIn } of Object.values(formats)) expect(removeIn('# x\n'.slice(4), ['a', 'b'])).toBe('')
  })
})

test('T09 editing YAML: an anchor that an alias uses is not removed', () => {
  const text = 'extensions:\n  a: &a\n    cmd: x\n  b:\n    <<: *a\n  c: *a\n'
  expect(() => removeYaml(text, ['extensions', 'a'])).toThrow(
    'this place is written in a way that cannot be edited safely',
  )
})
