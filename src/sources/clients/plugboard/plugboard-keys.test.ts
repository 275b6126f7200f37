import { expect, test } from 'vitest'
import { read } from '../../../../test/support/read.ts'
import type { plugboardKeys } from './plugboard-keys.ts'

const samples: Readonly<Record<keyof typeof plugboardKeys, unknown>> = {
  type: 'stdio',
  transport: 'stdio',
  command: 'run',
  args: ['a'],
  env: { A: 'b' },
  environment: { A: 'b' },
  passEnv: ['A'],
  inheritEnv: true,
  envFile: '.env',
  cwd: '/srv',
  framing: 'ndjson',
  url: 'https://a.example/mcp',
  serverUrl: 'https://a.example/mcp',
  httpUrl: 'https://a.example/mcp',
  headers: { A: 'b' },
  headersCommand: 'print-headers',
  caFile: 'authority.pem',
  auth: { type: 'oauth' },
  enabled: true,
  disabled: false,
  timeout: 5000,
  startupTimeout: 5000,
  startupTimeoutMs: 5000,
  idleStopMs: 5000,
  allowedTools: ['a'],
  deniedTools: ['a'],
  title: 'A',
  description: 'A',
  lifecycle: 'eager',
  restart: 'never',
  stateful: true,
  runner: { use: 'bwrap', read: ['.'] },
  protocol: 'legacy',
}

test.each(Object.entries(samples))('plugboard: the documented key "%s" is read', async (key, value) => {
  const endpoint = /url|header|caFile/i.test(key) ? { url: 'https://a.example/mcp' } : { command: 'run' }
  const { problems } = await read('plugboard', {
    '~/.config/plugboard/mcp.json': { mcpServers: { a: { ...endpoint, [key]: value } } },
  })
  expect(problems.filter((problem) => problem.includes('unknown-key'))).toEqual([])
})

test('plugboard: a misspelled key gets a suggestion', async () => {
  const { diagnostics } = await read('plugboard', {
    '~/.config/plugboard/mcp.json': { mcpServers: { a: { command: 'run', alowedTools: ['x'] } } },
  })
  expect(diagnostics.map(({ code, hint }) => ({ code, hint }))).toEqual([
    { code: 'unknown-key', hint: 'Did you mean "allowedTools"?' },
  ])
})
