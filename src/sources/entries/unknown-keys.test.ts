import { expect, test } from 'vitest'
import { read } from '../../../test/support/read.ts'
import type { SourceId } from '../places.ts'

test.each<[SourceId, string, unknown, string]>([
  [
    'claude-code',
    '.mcp.json',
    { mcpServers: { x: { command: 'x', disabled: true } } },
    'Claude Code ignores "disabled": the server is on. This client has no such key: remove the entry.',
  ],
  [
    'cursor',
    '.cursor/mcp.json',
    { mcpServers: { x: { command: 'x', enabled: false } } },
    'Cursor ignores "enabled": the server is on. This client has no such key: remove the entry.',
  ],
  [
    'codex',
    '~/.codex/config.toml',
    '[mcp_servers.x]\ncommand = "x"\ndisabled = true\n',
    'Codex ignores "disabled": the server is on. Write "enabled": false.',
  ],
  [
    'roo-code',
    '.roo/mcp.json',
    { mcpServers: { x: { command: 'x', enabled: false } } },
    'Roo Code ignores "enabled": the server is on. Write "disabled": true.',
  ],
])('%s: a switch that the owner ignores says that the server is on', async (source, file, text, sentence) => {
  const { servers, diagnostics } = await read(source, { [file]: text })
  expect(servers['x']?.['enabled']).toBe(true)
  const found = diagnostics.filter(({ code }) => code === 'unknown-key')
  expect(found.map(({ severity, message, hint }) => [severity, message, hint].join(' '))).toEqual([
    `warn ${sentence}`,
  ])
})

test('a key that changes nothing is a note; one with a meaning elsewhere is a warning', async () => {
  const entry = { command: 'x', description: 'd', _comment: 'c', version: '1', category: 'a' }
  const { problems } = await read('claude-desktop', {
    '~/.config/Claude/claude_desktop_config.json': {
      mcpServers: { x: entry, y: { command: 'y', timeout: 5, disabledTools: ['t'], disabled: false } },
    },
  })
  expect(problems).toEqual([
    'info unknown-key /mcpServers/x/_comment',
    'info unknown-key /mcpServers/x/category',
    'info unknown-key /mcpServers/x/description',
    'info unknown-key /mcpServers/x/version',
    'info unknown-key /mcpServers/y/disabled',
    'warn unknown-key /mcpServers/y/disabledTools',
    'warn unknown-key /mcpServers/y/timeout',
  ])
})

test('VS Code: "gallery" and "version", which its marketplace writes, are known', async () => {
  const gallery = 'https://api.mcp.example'
  const { problems } = await read('vscode', {
    '.vscode/mcp.json': {
      servers: { x: { command: 'x', gallery, version: '1.2.0' }, y: { url: gallery, gallery: true } },
    },
  })
  expect(problems).toEqual([])
})
