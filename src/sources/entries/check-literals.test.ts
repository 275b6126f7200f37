import { describe, expect, test } from 'vitest'
import { createPerson } from '../../../test/support/person.ts'
import type { JsonObject } from '../../model/json.ts'
import type { SourceId } from '../places.ts'

/** Where a literal secret is pointed out, and how. */
async function pointedOut(entry: JsonObject, source: SourceId = 'plugboard') {
  const texts = {
    '~/.config/plugboard/mcp.json': { mcpServers: { a: entry } },
    '~/.config/opencode/opencode.json': { mcp: { a: entry } },
  }
  const { diagnostics } = await createPerson(texts).discover({ sources: [source] })
  return diagnostics
    .filter(({ code }) => code === 'plaintext-secret')
    .map(({ message, origin }) => [message, origin?.pointer])
}

describe('a literal secret is pointed out where it stands', () => {
  test.each([
    ['https://dana:hunter22@db.example/mcp', 'url password holds a literal secret.'],
    ['https://a.example/mcp?region=eu&api_key=abc123def', 'url api_key holds a literal secret.'],
  ])('in the address %s', async (url, message) => {
    expect(await pointedOut({ url })).toEqual([[message, '/mcpServers/a/url']])
  })

  test.each([
    'https://a.example/mcp',
    'https://dana@db.example/mcp',
    'https://dana:${DB_PASS}@db.example/mcp',
    'https://a.example/mcp?api_key=${KEY}&max_tokens=5',
    'unix:///tmp/a:b@c.sock#/mcp',
  ])('not in %s', async (url) => expect(await pointedOut({ url })).toEqual([]))

  test.each([
    [['--api-key', 'sk-abcdefgh'], 1, '--api-key'],
    [['--api-key=sk-abcdefgh'], 0, '--api-key'],
    [['run', '-e', 'GITHUB_TOKEN=ghp_abcdefgh', 'image'], 2, 'GITHUB_TOKEN'],
  ])('in the arguments %j', async (args, index, name) => {
    expect(await pointedOut({ command: 'x', args })).toEqual([
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
  ])('not in %s %s', async (...args) => expect(await pointedOut({ command: 'x', args })).toEqual([]))

  test('an argument of any length is looked at', async () => {
    const long = 'x'.repeat(8 * 1024 * 1024)
    expect(await pointedOut({ command: 'x', args: ['--script', long, '--token', long] })).toEqual([
      ['args --token holds a literal secret.', '/mcpServers/a/args/3'],
    ])
  })

  test('in a command that is one list', async () => {
    const entry = { type: 'local', command: ['x', '--token', 'abcdefgh1'] }
    expect(await pointedOut(entry, 'opencode')).toEqual([
      ['command --token holds a literal secret.', '/mcp/a/command/2'],
    ])
  })
})
