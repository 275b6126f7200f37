import { expect, test } from 'vitest'
import { read } from '../../../../test/support/read.ts'

const file = '.roo/mcp.json'
const url = 'https://a.example/mcp'

test('Roo Code: a url without a type, and keys of both transports are refused', async () => {
  const { names, problems } = await read('roo-code', {
    [file]: {
      mcpServers: {
        untyped: { url },
        both: { command: 'x', url, type: 'sse' },
        http: { url, type: 'http' },
        none: { disabled: false },
        bare: { type: 'streamable-http' },
        headers: { command: 'x', headers: { A: 'b' } },
        env: { type: 'sse', url, env: { A: 'b' } },
        fine: { type: 'streamable-http', url, headers: { A: 'b' } },
        command: { command: 'x' },
      },
    },
  })
  expect(names).toEqual(['fine', 'command'])
  expect(problems).toEqual([
    'error command-and-url /mcpServers/both',
    'error missing-endpoint /mcpServers/bare',
    'error missing-endpoint /mcpServers/none',
    'error unknown-transport /mcpServers/http/type',
    'error unsupported-in-client /mcpServers/env/env',
    'error unsupported-in-client /mcpServers/headers/headers',
    'error url-missing-type /mcpServers/untyped',
  ])
})

test('Roo Code: Streamable HTTP and SSE have no fallback', async () => {
  const { servers } = await read('roo-code', {
    [file]: { mcpServers: { a: { type: 'streamable-http', url }, b: { type: 'sse', url } } },
  })
  expect([servers['a'], servers['b']]).toMatchObject([{ transport: 'http' }, { transport: 'sse' }])
  expect(servers['a']).not.toHaveProperty('fallback')
})

test('Roo Code: a timeout outside 1 to 3600 seconds makes the entry unusable', async () => {
  const { servers, problems } = await read('roo-code', {
    [file]: {
      mcpServers: {
        zero: { command: 'x', timeout: 0 },
        ms: { command: 'x', timeout: 60_000 },
        fine: { command: 'x', timeout: 3600 },
      },
    },
  })
  expect(Object.keys(servers)).toEqual(['fine'])
  expect(problems).toEqual([
    'error out-of-range /mcpServers/ms/timeout',
    'error out-of-range /mcpServers/zero/timeout',
  ])
})

test('Roo Code: an unset variable becomes empty and is reported even if the server is off', async () => {
  const { servers, problems } = await read('roo-code', {
    [file]: {
      mcpServers: {
        on: { command: 'x', env: { A: '${env:UNSET}' } },
        off: { command: 'x', args: ['${env:ALSO_UNSET}'], disabled: true },
        literal: { command: 'x', args: ['${userHome}'] },
      },
    },
  })
  expect(servers['on']).toMatchObject({ resolved: { env: { A: '' } } })
  expect(servers['literal']).not.toHaveProperty('resolved')
  expect(problems).toEqual([
    'info no-expansion-in-client /mcpServers/literal/args/0',
    'warn missing-env /mcpServers/off/args/0',
    'warn missing-env /mcpServers/on/env/A',
  ])
})

test('Roo Code: own keys are known; unknown keys and approving every tool are reported', async () => {
  const { servers, problems } = await read('roo-code', {
    [file]: {
      mcpServers: {
        a: {
          command: 'x',
          cwd: '/srv',
          alwaysAllow: ['*'],
          watchPaths: ['dist'],
          disabledTools: ['rm'],
          autoApprove: ['y'],
        },
      },
    },
  })
  expect(servers['a']).toMatchObject({
    cwd: '/srv',
    autoApprove: ['*'],
    watch: ['dist'],
    deniedTools: ['rm'],
  })
  expect(problems).toEqual([
    'warn auto-approve-all /mcpServers/a/alwaysAllow',
    'warn unknown-key /mcpServers/a/autoApprove',
  ])
})

test('Roo Code: a refused project entry does not hide the user’s entry', async () => {
  const { servers, problems } = await read('roo-code', {
    [file]: { mcpServers: { a: { url } } },
    '~/.config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json': {
      mcpServers: { a: { command: 'mine' } },
    },
  })
  expect(servers['a']).toMatchObject({ command: 'mine' })
  expect(problems).toEqual(['error url-missing-type /mcpServers/a'])
})
