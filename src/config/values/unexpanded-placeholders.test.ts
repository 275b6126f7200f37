import { expect, test } from 'vitest'
import { read } from '../../../test/support/read.ts'
import type { SourceId } from '../../sources/places.ts'

const token = '${GITHUB_TOKEN}'
const url = 'https://a.example/mcp'
const literal =
  'This client expands no variables here: write the value itself, and make the file readable only by you.'

test.each<[SourceId, string, unknown, string]>([
  [
    'codex',
    '~/.codex/config.toml',
    `[mcp_servers.x]\ncommand = "x"\nenv = { GITHUB_TOKEN = "${token}" }\n`,
    'Codex passes variables on by name: env_vars = ["GITHUB_TOKEN"].',
  ],
  [
    'codex',
    '~/.codex/config.toml',
    `[mcp_servers.x]\nurl = "${url}"\nhttp_headers = { Authorization = "Bearer ${token}" }\n`,
    'Codex reads a bearer token from a variable: bearer_token_env_var = "GITHUB_TOKEN".',
  ],
  [
    'codex',
    '~/.codex/config.toml',
    `[mcp_servers.x]\nurl = "${url}"\nhttp_headers = { X-Api-Key = "${token}" }\n`,
    'Codex reads headers from variables: env_http_headers = { "X-Api-Key" = "GITHUB_TOKEN" }.',
  ],
  [
    'roo-code',
    '.roo/mcp.json',
    { mcpServers: { x: { command: 'x', env: { GITHUB_TOKEN: token } } } },
    'Write ${env:GITHUB_TOKEN}.',
  ],
  [
    'roo-code',
    '.roo/mcp.json',
    { mcpServers: { x: { command: 'x', args: ['--token', token] } } },
    'Write ${env:GITHUB_TOKEN}.',
  ],
  [
    'vscode',
    '.vscode/mcp.json',
    { servers: { x: { url: `${url}?api_key=${token}` } } },
    'Write ${env:GITHUB_TOKEN}.',
  ],
  [
    'zed',
    '~/.config/zed/settings.json',
    { context_servers: { x: { command: 'x', env: { GITHUB_TOKEN: token } } } },
    literal,
  ],
])('%s: a placeholder in a credential of %s is a warning with the form that works', async (...row) => {
  const [source, file, text, hint] = row
  const { diagnostics } = await read(source, { [file]: text }, { env: { GITHUB_TOKEN: 'g' } })
  expect(diagnostics.filter(({ code }) => code === 'no-expansion-in-client')).toMatchObject([
    {
      severity: 'warn',
      message: 'The client does not expand ${GITHUB_TOKEN}; the server gets this text as its credential.',
      hint,
    },
  ])
})

test('a placeholder elsewhere stays a note', async () => {
  const { problems } = await read('roo-code', {
    '.roo/mcp.json': { mcpServers: { x: { command: 'x', args: ['${FOLDER}'], env: { LEVEL: '${LEVEL}' } } } },
  })
  expect(problems).toEqual([
    'info no-expansion-in-client /mcpServers/x/args/0',
    'info no-expansion-in-client /mcpServers/x/env/LEVEL',
  ])
})
