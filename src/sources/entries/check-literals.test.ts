import { describe, expect, test } from 'vitest'
import { createPerson } from '../../../test/support/person.ts'
import type { JsonObject } from '../../model/json.ts'
import type { SourceId } from '../places.ts'

/** The message and pointer of each report of a literal secret. */
async function literalsIn(entry: JsonObject, source: SourceId = 'plugboard') {
  const texts = {
    '~/.config/plugboard/mcp.json': { mcpServers: { a: entry } },
    '~/.config/opencode/opencode.json': { mcp: { a: entry } },
  }
  const { diagnostics } = await createPerson(texts).discover({ sources: [source] })
  return diagnostics
    .filter(({ code }) => code === 'plaintext-secret')
    .map(({ message, origin }) => [message, origin?.pointer])
}

describe('checkLiterals', () => {
  test.each([
    ['https://dana:hunter22@db.example/mcp', 'url password holds a literal secret.'],
    ['https://a.example/mcp?region=eu&api_key=abc123def', 'url api_key holds a literal secret.'],
  ])('reports the literal secret in the url %s', async (url, message) => {
    expect(await literalsIn({ url })).toEqual([[message, '/mcpServers/a/url']])
  })

  test.each([
    'https://a.example/mcp',
    'https://dana@db.example/mcp',
    'https://dana:${DB_PASS}@db.example/mcp',
    'https://a.example/mcp?api_key=${KEY}&max_tokens=5',
    'unix:///tmp/a:b@c.sock#/mcp',
  ])('reports nothing for the url %s', async (url) => expect(await literalsIn({ url })).toEqual([]))

  test.each([
    [['--api-key', 'sk-abcdefgh'], 1, '"--api-key"'],
    [['--api-key=sk-abcdefgh'], 0, '"--api-key"'],
    [['-k', 'abc123def456ghi789'], 1, '"-k"'],
    [['--header=X-Api-Key: k3x9q7'], 0, 'X-Api-Key'],
    [['https://h.example/?api_key=k3x9q7'], 0, 'api_key'],
    [['--connection-string', 'Server=h;User=a;Password=My$ecret1;'], 1, '"--connection-string"'],
    [['run', '-e', 'GITHUB_TOKEN=ghp_abcdefgh', 'image'], 2, 'GITHUB_TOKEN'],
  ])('reports the literal secret in the arguments %j', async (args, index, name) => {
    expect(await literalsIn({ command: 'x', args })).toEqual([
      [`args ${name} holds a literal secret.`, `/mcpServers/a/args/${index}`],
    ])
  })

  test.each([
    ['--api-key', '${API_KEY}'],
    ['--token-file', '/run/secrets/token'],
    ['--token', '~/.token'],
    ['--token', '--verbose'],
    ['--max-tokens', '4096000'],
    ['-e', 'GITHUB_TOKEN', 'ghcr.io/github/github-mcp-server'],
    ['--secret-name', 'prod-database'],
    ['--use-token', 'true'],
  ])('reports nothing for the arguments %s %s', async (...args) =>
    expect(await literalsIn({ command: 'x', args })).toEqual([]),
  )

  test('checks arguments of any length', async () => {
    const long = 'k7'.repeat(4 * 1024 * 1024)
    expect(await literalsIn({ command: 'x', args: ['--script', long, '--token', long] })).toEqual([
      ['args "--token" holds a literal secret.', '/mcpServers/a/args/3'],
    ])
  })

  test('reports a literal secret in a command that is one list', async () => {
    const entry = { type: 'local', command: ['x', '--token', 'abcdefgh1'] }
    expect(await literalsIn(entry, 'opencode')).toEqual([
      ['command "--token" holds a literal secret.', '/mcp/a/command/2'],
    ])
  })
})
