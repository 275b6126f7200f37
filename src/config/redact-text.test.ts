import { describe, expect, test } from 'vitest'
import { redactArguments, redactCommand, redactText, redactWords } from './redact-text.ts'

describe('T35 redactText', () => {
  test.each([
    ['a literal under a secret name', 'hunter2', 'PASSWORD', '•••'],
    ['a reference under a secret name', '${TOKEN}', 'TOKEN', '${TOKEN}'],
    ['a text under another name', 'dev', 'MODE', 'dev'],
    ['an empty text', '', 'TOKEN', ''],
    ['a token by its form', `ghp_${'a'.repeat(30)}`, '', '•••'],
    ['a bearer', 'Bearer abcdefghijkl', '', 'Bearer •••'],
    ['a password in an address', 'https://me:pass@a.example/x', '', 'https://me:•••@a.example/x'],
    [
      'a secret in a query',
      'https://a.example/?api_key=abc&page=2',
      '',
      'https://a.example/?api_key=•••&page=2',
    ],
    [
      'a secret in a query in JSON',
      '{"u":"https://a/?token=abc","x":"y"}',
      '',
      '{"u":"https://a/?token=•••","x":"y"}',
    ],
    [
      'a secret in a query in doubly quoted JSON',
      '"{\\"u\\":\\"https://a/?token=abc\\"}"',
      '',
      '"{\\"u\\":\\"https://a/?token=•••\\"}"',
    ],
    [
      'a secret in a query in single quotes',
      "see 'https://a/?token=abc' now",
      '',
      "see 'https://a/?token=•••' now",
    ],
    [
      'a secret in a query that contains a quote',
      "https://a/?password=it's-me&x=1",
      '',
      'https://a/?password=•••&x=1',
    ],
    [
      'a password in a connection string',
      'Server=h;Password=My$ecret1;Database=x',
      'DB',
      'Server=h;Password=•••;Database=x',
    ],
    ['a random value under a weak name', 'abc123def456ghi789', 'KEY', '•••'],
    ['a reference in a query', 'https://a.example/?token=${T}', '', 'https://a.example/?token=${T}'],
  ])('%s', (_what, text, key, shown) => {
    expect(redactText(text, key)).toBe(shown)
  })
})

test('T43 redactText: a million question marks take linear time', () => {
  const text = `=${'?'.repeat(1_000_000)}`
  expect(redactText(text)).toBe(text)
})

describe('T35 redactArguments', () => {
  test.each([
    [
      ['--token', 'abc', '--port', '80'],
      ['--token', '•••', '--port', '80'],
    ],
    [
      ['--token=abc', '--port=80'],
      ['--token=•••', '--port=80'],
    ],
    [
      ['--api-key', '--verbose'],
      ['--api-key', '--verbose'],
    ],
    [
      ['--token', '${TOKEN}'],
      ['--token', '${TOKEN}'],
    ],
    [
      ['-y', 'server@1.0.0'],
      ['-y', 'server@1.0.0'],
    ],
    [
      ['token', 'abc'],
      ['token', 'abc'],
    ],
    [[`--x=sk-${'a'.repeat(20)}`], ['--x=•••']],
    [
      ['--key', 'abc123def456ghi789'],
      ['--key', '•••'],
    ],
    [
      ['-k', 'abc123def456ghi789', '--sort-key', 'name'],
      ['-k', '•••', '--sort-key', '•••'],
    ],
    [
      ['run', '-e', 'GITHUB_TOKEN=ghp_k3x9', '-e', 'MODE=dev'],
      ['run', '-e', 'GITHUB_TOKEN=•••', '-e', 'MODE=dev'],
    ],
    [
      ['--header', 'X-Api-Key: k3x9', '--header=Cookie: k3x9'],
      ['--header', 'X-Api-Key: •••', '--header=Cookie: •••'],
    ],
    [
      ['--dsn', 'Server=h;Password=My$ecret1;Pwd=k3x9;', '--dsn=Server=h;Password=k3x9;Pwd=k3x8'],
      ['--dsn', 'Server=h;Password=•••;Pwd=•••;', '--dsn=Server=h;Password=•••;Pwd=•••'],
    ],
    [
      ['host=h user=dana password=k3x9 dbname=x', 'npm_8dKq2vXw9RtZ1mNbP4sYcL7hJ3fGe5aU6iTo'],
      ['host=h user=dana password=••• dbname=x', '•••'],
    ],
    [
      ['-c', 'login --password hush && run'],
      ['-c', 'login --password ••• && run'],
    ],
  ])('%j', (args, shown) => {
    expect(redactArguments(args)).toEqual(shown)
  })
})

describe('T35 redactWords: a command line in a text', () => {
  test.each([
    ['The value runs "vault read --token hush".', 'The value runs "vault read --token •••".'],
    ['run --password "two words" now', 'run --password "•••" now'],
    ["run --password 'two words' now", "run --password '•••' now"],
    ['{"a": "run --token \\"hush\\""}', '{"a": "run --token \\"•••\\""}'],
    ['run --token "a\\"b c" now', 'run --token "•••" now'],
    ['["--token", "a b"] and "c"', '["--token", "a b"] and "c"'],
    ['run --token $(pass show x)', 'run --token $(pass show x)'],
    ['run --token --verbose', 'run --token --verbose'],
  ])('%s', (text, shown) => {
    expect(redactWords(text)).toBe(shown)
  })
})

test('T35 redactCommand: the quick test misses nothing that the full redaction masks', () => {
  const secrets = [
    'ghp_0123456789abcdefghij0123',
    'sk-0123456789abcdef0123',
    'AKIAABCDEFGHIJKLMNOP',
    'xoxb-0123456789-abc',
  ]
  const lines: readonly (readonly string[])[] = [
    ...secrets.map((secret) => [secret]),
    ...['--token', '--api-key', '--password', '-secret', '--db-pass', '--cookie'].map((option) => [
      option,
      'value-123',
    ]),
    ['--access-token=value-123'],
    ['-k', 'abc123def456ghi789'],
    ['--header', 'Cookie: k3x9'],
    ['Server=h;AccountKey=k3x9'],
    ['npm_8dKq2vXw9RtZ1mNbP4sYcL7hJ3fGe5aU6iTo'],
    ['tvly-8dKq2vXw9RtZ1mNb'],
    ['https://user:value-123@host.example/path'],
    ['https://host.example/?api_key=value-123'],
    ['Authorization: Bearer value-1234567890'],
  ]
  for (const args of lines) {
    const long = [redactText('run'), ...redactArguments(args)].join(' ')
    expect(redactCommand('run', args)).toBe(long)
    expect(long).toContain('•••')
  }
  expect(redactCommand('npx', ['-y', 'files-mcp@1.0.0', '.'])).toBe('npx -y files-mcp@1.0.0 .')
})
