import { assert, array, property, string } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { splitArgv } from './split-argv.ts'

describe('T07 the command of --stdio is split without a shell', () => {
  test.each([
    ['npx -y @scope/server@1.0.0 .', ['npx', '-y', '@scope/server@1.0.0', '.']],
    ['  node  "my server.js"\t\'a  b\' ', ['node', 'my server.js', 'a  b']],
    ['x a\\ b "say \\"hi\\" \\$1 \\n" \'no \\ escape\'', ['x', 'a b', 'say "hi" $1 \\n', 'no \\ escape']],
    ['x --a="b c" \'\' ""', ['x', '--a=b c', '', '']],
    ['x $HOME `id` $(id) *.js ~', ['x', '$HOME', '`id`', '$(id)', '*.js', '~']],
    ['x "|" \\; \'&&\'', ['x', '|', ';', '&&']],
    ['x key=value', ['x', 'key=value']],
    ['x a\u00A0b\u3000c\nd', ['x', 'a\u00A0b\u3000c', 'd']],
    [
      'x https://h.example/?a=1&b=2 pkg@>=1.0 --paths=a;b',
      ['x', 'https://h.example/?a=1&b=2', 'pkg@>=1.0', '--paths=a;b'],
    ],
  ])('%j', (text, words) => {
    expect(splitArgv(text, 'linux')).toEqual(words)
  })

  test.each([
    ['C:\\tools\\npx.cmd -y pkg', ['C:\\tools\\npx.cmd', '-y', 'pkg']],
    [
      '"C:\\Program Files\\nodejs\\node.exe" D:\\srv\\main.js',
      ['C:\\Program Files\\nodejs\\node.exe', 'D:\\srv\\main.js'],
    ],
    ['"C:\\my dir\\" \'a "b"\'', ['C:\\my dir\\', 'a "b"']],
  ])('%j on Windows: a backslash is part of a path', (text, words) => {
    expect(splitArgv(text, 'win32')).toEqual(words)
  })

  test.each([
    ['', '--stdio needs a command.'],
    ['  ', '--stdio needs a command.'],
    ['""', '--stdio needs a command.'],
    ['x "open', 'The command of --stdio has a " that is not closed.'],
    ["x 'open", "The command of --stdio has a ' that is not closed."],
    ['x \\', 'The command of --stdio ends with a backslash.'],
    ['cat log | x', '--stdio starts no shell, so "|" has no meaning in it.'],
    ['cd a && x', '--stdio starts no shell, so "&&" has no meaning in it.'],
    ['cd a; x', '--stdio starts no shell, so ";" has no meaning in it.'],
    ['x 2>/dev/null', '--stdio starts no shell, so "2>" has no meaning in it.'],
    ['x >log', '--stdio starts no shell, so ">" has no meaning in it.'],
    ['x 2>&1', '--stdio starts no shell, so "2>&1" has no meaning in it.'],
    ['x&', '--stdio starts no shell, so "&" has no meaning in it.'],
    ['KEY=1 x', '--stdio begins with the variable KEY.'],
  ])('%j is refused', (text, message) => {
    expect(() => splitArgv(text, 'linux')).toThrow(expect.objectContaining({ code: 'usage', message }))
  })

  test('quoted words come back unchanged', () => {
    assert(
      property(array(string(), { minLength: 1 }), (words) => {
        const all = ['x', ...words]
        const line = all.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
        expect(splitArgv(line, 'linux')).toEqual(all)
      }),
    )
  })
})
