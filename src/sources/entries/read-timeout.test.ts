import { describe, expect, test } from 'vitest'
import { read } from '../../../test/support/read.ts'

const file = '~/.config/plugboard/mcp.json'

describe('readTimeout: values beyond the safe integers', () => {
  test.each(['1e300', '9007199254740993'])('%s ms is reported and ignored', async (timeout) => {
    const text = `{ "mcpServers": { "a": { "command": "x", "timeout": ${timeout} } } }`
    const { servers, problems } = await read('plugboard', { [file]: text })
    expect(servers['a']).toMatchObject({ timeoutMs: null })
    expect(problems).toEqual(['warn out-of-range /mcpServers/a/timeout'])
  })

  test('seconds that overflow as milliseconds are reported and ignored', async () => {
    const { servers, problems } = await read('zed', {
      '~/.config/zed/settings.json': {
        context_servers: { a: { command: 'x', timeout: 1e306 }, b: { command: 'x', timeout: 30 } },
      },
    })
    expect(servers['b']).toMatchObject({ timeoutMs: 30_000 })
    expect(servers['a']).toMatchObject({ timeoutMs: null })
    expect(problems).toEqual(['warn out-of-range /context_servers/a/timeout'])
  })

  test('T08 the server stays usable, even if its client refuses values out of range', async () => {
    const { servers, problems } = await read('codex', {
      '~/.codex/config.toml': '[mcp_servers.a]\ncommand = "x"\ntool_timeout_sec = 1e300\n',
    })
    expect(servers['a']).toMatchObject({ timeoutMs: null })
    expect(problems).toEqual(['warn out-of-range /mcp_servers/a/tool_timeout_sec'])
  })
})
