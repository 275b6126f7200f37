import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { hideSecrets } from './hide-secrets.ts'

test.each([
  ['JSON', '  "API_KEY": "hush-hush",', '  "API_KEY": "•••",'],
  [
    'JSON on one line',
    '{"a":{"token":"hush","port":"1"},"secret":"hush"}',
    '{"a":{"token":"•••","port":"1"},"secret":"•••"}',
  ],
  ['a quote in the value', '"password": "a\\"b"', '"password": "•••"'],
  ['TOML', "api_key = 'hush' # mine", "api_key = '•••' # mine"],
  ['an inline table', 'env = { TOKEN = "hush", A = "1" }', 'env = { TOKEN = "•••", A = "1" }'],
  ['YAML', '  SHOP_TOKEN: hush', '  SHOP_TOKEN: •••'],
  ['quoted YAML', '  SHOP_TOKEN: "hush"', '  SHOP_TOKEN: "•••"'],
  ['a header', '"Authorization": "Bearer hush"', '"Authorization": "•••"'],
  ['arguments', '"args": ["--token", "hush", "--port", "1"]', '"args": ["--token", "•••", "--port", "1"]'],
  ['arguments, one per line', '  "--token",\n  "hush",\n  "x"', '  "--token",\n  "•••",\n  "x"'],
  ['arguments in YAML', '  - --token\n  - hush\n  - x', '  - --token\n  - •••\n  - x'],
  ['one argument', '["--token=hush"]', '["--token=•••"]'],
  ['one argument in YAML', '- --token=hush', '- --token=•••'],
  ['a command in a value', '"A": "!vault read --token hush",', '"A": "!vault read --token •••",'],
  ['a URL', '"url": "https://a.example/?api_key=hush&b=1"', '"url": "https://a.example/?api_key=•••&b=1"'],
  [
    'credentials in a URL, but nothing after its quote',
    '{"a":"https://u:hush@a.example/","b":"http://h:80","c":"@scope/x","d":"?token=","e":"x"}',
    '{"a":"https://u:•••@a.example/","b":"http://h:80","c":"@scope/x","d":"?token=","e":"x"}',
  ],
  [
    'a URL before another value',
    '["https://h:80","@scope/x","https://a.example/?token=hush","y"]',
    '["https://h:80","@scope/x","https://a.example/?token=•••","y"]',
  ],
  ['a quoted option', `sh -c "x --token='hush' --b"`, `sh -c "x --token='•••' --b"`],
  [
    'a private key',
    'k: |\n  -----BEGIN PRIVATE KEY-----\n  abc\n  -----END PRIVATE KEY-----\nz: 1',
    'k: |\n  •••\n•••\n•••\nz: 1',
  ],
])('T35 hideSecrets: %s', (_what, text, hidden) => {
  expect(hideSecrets(text)).toBe(hidden)
})

test.each([
  '"TOKEN": "${TOKEN}"',
  'token = "{env:TOKEN}"',
  '"max_tokens": "5"',
  '["--port", "1"]',
  '- --verbose\n- x',
])('hideSecrets keeps %s', (text) => {
  expect(hideSecrets(text)).toBe(text)
})

test('hideSecrets never changes the number of lines', () => {
  const piece = fc.constantFrom(
    '"token": "x"',
    '\n',
    '- --token',
    ' ',
    '-----BEGIN PRIVATE KEY-----',
    "'",
    '"',
    '=',
    'secret: y',
    '--key=',
    '\\',
  )
  fc.assert(
    fc.property(
      fc.array(piece).map((pieces) => pieces.join('')),
      (text) => {
        expect(hideSecrets(text).split('\n')).toHaveLength(text.split('\n').length)
      },
    ),
  )
})
