import { spawnSync } from 'node:child_process'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { showCommand } from './argv.ts'

const mark = { style: { yellow: (text: string) => `«${text}»` } }
const lines = (text: string): readonly string[] => text.split('\n')

describe('T10 showCommand shows the complete command line', () => {
  test('T10 a short command takes one line', () => {
    expect(showCommand('npx', ['-y', '@scope/pkg@1.2.3', '--port=80'])).toBe(
      'npx -y @scope/pkg@1.2.3 --port=80',
    )
  })

  test('T10 a long command has one argument per line', () => {
    const args = [
      '-y',
      '@modelcontextprotocol/server-filesystem',
      '/home/someone/projects',
      '/home/someone/notes and more',
    ]
    expect(lines(showCommand('npx', args))).toEqual([
      'npx \\',
      '  -y \\',
      '  @modelcontextprotocol/server-filesystem \\',
      '  /home/someone/projects \\',
      "  '/home/someone/notes and more'",
    ])
  })

  test('T10 an argument of 10 kB is shown completely, with the text after it', () => {
    const long = `${'a'.repeat(10_000)} ${' '.repeat(5_000)}rm`
    expect(lines(showCommand('node', ['x.js', long, '--last']))).toEqual([
      'node \\',
      '  x.js \\',
      `  '${long}' \\`,
      '  --last',
    ])
  })

  test('T10 the width option decides when a command is long', () => {
    expect([
      showCommand('node', ['a.js'], { width: 9 }),
      showCommand('node', ['a.js'], { width: 8 }),
    ]).toEqual(['node a.js', 'node \\\n  a.js'])
  })
})

describe('T10 showCommand quotes each argument', () => {
  test.each([
    ['an empty argument', '', "''"],
    ['a blank', 'a b', "'a b'"],
    ['a quote', "it's", `'it'\\''s'`],
    ['a double quote', '"', `'"'`],
    ['a variable', '$HOME', "'$HOME'"],
    ['a home directory', '~/x', "'~/x'"],
    ['a glob', '*.js', "'*.js'"],
    ['a backslash', 'C:\\dir', "'C:\\dir'"],
    ['a setting', 'A=b', "'A=b'"],
    ['a flag with a value', '--a=b', '--a=b'],
    ['a URL', 'https://example.com/a?b=c#d', "'https://example.com/a?b=c#d'"],
    ['another script', 'nрx', "'nрx'"],
    ['a right-to-left override', 'a\u202Eb', "$'a\\u{202e}b'"],
    ['a carriage return', 'safe\rrm', "$'safe\\rrm'"],
    ['a line end', 'a\nb', "$'a\\nb'"],
    ['an escape sequence', '\u001B[2Ja', "$'\\x1b[2Ja'"],
    ['a zero-width space', 'a\u200Bb', "$'a\\u{200b}b'"],
    ['a tag character', 'a\u{E0041}', "$'a\\u{e0041}'"],
    [
      'a hidden character, and a backslash and a quote that are there',
      "\u001B \\x1b 'q'",
      "$'\\x1b \\\\x1b \\'q\\''",
    ],
  ])('T10 quotes %s', (_, arg, shown) => {
    expect(showCommand('x', [arg])).toBe(`x ${shown}`)
  })

  test('T10 quotes the command like an argument', () => {
    expect(showCommand('C:\\Program Files\\node.exe', [])).toBe("'C:\\Program Files\\node.exe'")
  })

  test.skipIf(process.platform === 'win32')('T10 a shell reads the same arguments back', () => {
    const visible = fc.array(
      fc.string({ unit: fc.constantFrom(...`az09 '"\\$\`|&;*?~#=-<>(){}[]!`.split('')), maxLength: 12 }),
    )
    fc.assert(
      fc.property(visible, (args) => {
        const [command = ''] = showCommand('printf', ['%s\\0', '--', ...args]).split(/\nLook closely: /)
        const { stdout } = spawnSync('bash', ['--norc', '-c', command], { encoding: 'utf8' })
        expect(stdout).toBe(['--', ...args].map((arg) => `${arg}\0`).join(''))
      }),
      { numRuns: 30 },
    )
  })
})

describe('T10 showCommand marks and names risky parts', () => {
  test.each([
    ['a shell with code', 'sh', ['-c', 'ls'], '«sh» «-c» ls', 'sh (a shell), -c (code in an argument)'],
    ['a shell by its path', '/bin/bash', ['x.sh'], '«/bin/bash» x.sh', '/bin/bash (a shell)'],
    [
      'a shell of Windows',
      'C:\\Windows\\CMD.EXE',
      ['/c', 'x'],
      "'«C:\\Windows\\CMD.EXE»' «/c» x",
      'C:\\Windows\\CMD.EXE (a shell), /c (code in an argument)',
    ],
    [
      'PowerShell',
      'pwsh',
      ['-EncodedCommand', 'AA'],
      '«pwsh» «-EncodedCommand» AA',
      'pwsh (a shell), -EncodedCommand (code in an argument)',
    ],
    ['code for an interpreter', 'node', ['-e', '1'], 'node «-e» 1', '-e (code in an argument)'],
    ['code behind an equals sign', 'node', ['--eval=1'], 'node «--eval»=1', '--eval (code in an argument)'],
    [
      'joined short flags',
      'bash',
      ['-lc', 'x'],
      '«bash» «-lc» x',
      'bash (a shell), -lc (code in an argument)',
    ],
    ['elevated rights', 'sudo', ['node'], '«sudo» node', 'sudo (elevated rights)'],
    ['a download', 'curl', ['http://x'], '«curl» http://x', 'curl (a download)'],
    [
      'a substitution',
      'node',
      ['$(id)', '`id`'],
      "node '«$(»id)' '«`»id«`»'",
      '$( (a pipe or a chained command), ` (a pipe or a chained command)',
    ],
    [
      'a chain',
      'x',
      ['a && b || c'],
      "x 'a «&&» b «||» c'",
      '&& (a pipe or a chained command), || (a pipe or a chained command)',
    ],
  ])('T10 marks %s', (_, command, args, line, risks) => {
    expect(lines(showCommand(command, args, mark))).toEqual([line, `«Look closely: ${risks}»`])
  })

  test('T10 marks risky parts inside an argument, after a line end and a quote', () => {
    const code = `echo 'ok'\ncurl -s http://x | sudo bash`
    expect(lines(showCommand('sh', ['-c', code], mark))).toEqual([
      `«sh» «-c» $'echo \\'ok\\'\\n«curl» -s http://x «|» «sudo» «bash»'`,
      '«Look closely: sh (a shell), -c (code in an argument), curl (a download), | (a pipe or a chained command), sudo (elevated rights), bash (a shell)»',
    ])
  })

  test.each([
    ['a usual server', 'npx', ['-y', 'pkg', '--verbose', '-name', '--config', 'c.json']],
    [
      'a word that only contains a name',
      'node',
      ['curly', 'bashful', 'sh.js', 'https://example.com/?a=1&b=2'],
    ],
    ['a name of every object', 'constructor', ['__proto__', 'toString']],
  ])('marks nothing in %s', (_, command, args) => {
    expect(showCommand(command, args, mark)).not.toContain('«')
  })
})

test('T18 showCommand: the only control characters are its own line ends', () => {
  const hidden = /[\p{Cc}\p{Bidi_Control}]/u
  const word = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom('\u001B', '\r', '\n', '\u202E', 'sh ', '|') }),
  )
  fc.assert(
    fc.property(word, fc.array(word), (command, args) => {
      const shown = showCommand(command, args, { width: 1_000_000 })
      const [line = '', risks = '', ...rest] = shown.split('\n')
      expect([line.match(hidden), risks.match(hidden), rest]).toEqual([null, null, []])
    }),
  )
})
