import { describe, expect, test } from 'vitest'
import { createPerson } from '../../../test/support/person.ts'
import type { SourceId } from '../../sources/places.ts'
import { toListing } from '../listing.ts'

describe('T08 T43 discover: a hostile entry does not stop the others', () => {
  test.each<[string, SourceId, string, string]>([
    [
      'a number of 1e400',
      'claude-code',
      '.mcp.json',
      '{"mcpServers":{"good":{"command":"a"},"bad":{"command":"a","z":1e400}}}',
    ],
    [
      'an infinite timeout',
      'claude-code',
      '.mcp.json',
      '{"mcpServers":{"good":{"command":"a"},"bad":{"command":"a","timeout":1e999}}}',
    ],
    [
      'a timeout that overflows in milliseconds',
      'codex',
      '~/.codex/config.toml',
      '[mcp_servers.good]\ncommand = "a"\n[mcp_servers.bad]\ncommand = "a"\ntool_timeout_sec = 1e306\n',
    ],
  ])('%s', async (_what, source, file, text) => {
    const person = createPerson({ [file]: text })
    const found = await person.discover({ sources: [source], preview: true })
    expect(found.servers.map(({ name }) => name).sort()).toEqual(['bad', 'good'])
    expect(JSON.stringify(toListing(found))).toContain('"good"')
  })

  test.each<[string, SourceId, string, (text: string) => object]>([
    ['{', 'opencode', 'opencode.json', (text) => ({ mcp: { a: { type: 'local', command: ['a', text] } } })],
    ['${', 'claude-code', '.mcp.json', (text) => ({ mcpServers: { a: { command: 'a', args: [text] } } })],
    ['$(', 'crush', 'crush.json', (text) => ({ mcp: { a: { type: 'stdio', command: 'a', args: [text] } } })],
  ])('an argument of 2 MB of %s', async (opener, source, file, entryOf) => {
    const text = opener.repeat(1_900_000 / opener.length)
    const found = await createPerson({ [file]: entryOf(text) }).discover({ sources: [source], preview: true })
    expect(found.servers).toHaveLength(1)
    expect(JSON.stringify(toListing(found)).length).toBeGreaterThan(0)
  })
})
