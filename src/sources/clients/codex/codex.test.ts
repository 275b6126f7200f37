import { describe, expect, test } from 'vitest'
import { home, project, read } from '../../../../test/support/read.ts'

const user = '~/.codex/config.toml'
const mine = '.codex/config.toml'

test('Codex: a command is stdio and a url is Streamable HTTP without a fallback', async () => {
  const { servers, problems } = await read('codex', {
    [user]: `
      [mcp_servers.a]
      command = "a-mcp"
      [mcp_servers.b]
      url = "https://b.example/mcp"
    `,
  })
  expect(servers['a']).toMatchObject({ transport: 'stdio', command: 'a-mcp' })
  expect(servers['b']).toMatchObject({ transport: 'http', url: 'https://b.example/mcp' })
  expect(servers['b']).not.toHaveProperty('fallback')
  expect(problems).toEqual([])
})

test.each([
  ['a command and a url', 'command = "x"\nurl = "https://x.example"', 'error command-and-url /mcp_servers/x'],
  ['neither a command nor a url', 'tool_timeout_sec = 5', 'error missing-endpoint /mcp_servers/x'],
  [
    'env beside a url',
    'url = "https://x.example"\nenv = { A = "1" }',
    'error unsupported-in-client /mcp_servers/x/env',
  ],
  [
    'args beside a url',
    'url = "https://x.example"\nargs = []',
    'error unsupported-in-client /mcp_servers/x/args',
  ],
  [
    'cwd beside a url',
    'url = "https://x.example"\ncwd = "/"',
    'error unsupported-in-client /mcp_servers/x/cwd',
  ],
  [
    'scopes beside a command',
    'command = "x"\nscopes = []',
    'error unsupported-in-client /mcp_servers/x/scopes',
  ],
  [
    'headers beside a command',
    'command = "x"\nhttp_headers = { A = "1" }',
    'error unsupported-in-client /mcp_servers/x/http_headers',
  ],
  [
    'a token in the file',
    'url = "https://x.example"\nbearer_token = "t"',
    'error unsupported-in-client /mcp_servers/x/bearer_token',
  ],
  [
    'an unknown approval mode',
    'command = "x"\ndefault_tools_approval_mode = "yes"',
    'error wrong-type /mcp_servers/x/default_tools_approval_mode',
  ],
  [
    'a tool with an unknown approval mode',
    'command = "x"\ntools = { t = { approval_mode = "yes" } }',
    'error wrong-type /mcp_servers/x/tools/t/approval_mode',
  ],
  [
    'a negative timeout',
    'command = "x"\ntool_timeout_sec = -1',
    'error out-of-range /mcp_servers/x/tool_timeout_sec',
  ],
  [
    'env_vars that are not names',
    'command = "x"\nenv_vars = [1]',
    'error wrong-type /mcp_servers/x/env_vars',
  ],
  [
    'a header that is not the name of a variable',
    'url = "https://x.example"\nenv_http_headers = { A = 1 }',
    'error wrong-type /mcp_servers/x/env_http_headers/A',
  ],
])('Codex: an entry with %s is refused, and the others are read', async (_title, text, problem) => {
  const { names, problems } = await read('codex', {
    [user]: `[mcp_servers.x]\n${text}\n[mcp_servers.ok]\ncommand = "ok"\n`,
  })
  expect(names).toEqual(['ok'])
  expect(problems).toEqual([problem])
})

test('Codex: a name with characters other than letters, digits, "_" and "-" is refused', async () => {
  const { names, problems } = await read('codex', {
    [user]: `[mcp_servers."a.b"]\ncommand = "x"\n[mcp_servers.A_b-1]\ncommand = "x"\n`,
  })
  expect(names).toEqual(['A_b-1'])
  expect(problems).toEqual(['error invalid-name /mcp_servers/a.b'])
})

test('Codex: keys of other clients are reported as ignored', async () => {
  const { servers, problems } = await read('codex', {
    [user]: `[mcp_servers.x]\nurl = "https://x.example"\ntype = "http"\nheaders = { Authorization = "t" }\n`,
  })
  expect(servers['x']).toMatchObject({ transport: 'http', headers: {} })
  expect(problems).toEqual([
    'warn unknown-key /mcp_servers/x/headers',
    'warn unknown-key /mcp_servers/x/type',
  ])
})

test('Codex: servers under "mcpServers" are read with a hint for the right key', async () => {
  const { names, problems } = await read('codex', { [user]: `[mcpServers.x]\ncommand = "x"\n` })
  expect(names).toEqual(['x'])
  expect(problems).toEqual(['warn wrong-root-key /mcpServers'])
})

test('Codex: startup_timeout_sec wins over startup_timeout_ms, which is reported as deprecated', async () => {
  const { servers, problems } = await read('codex', {
    [user]: `[mcp_servers.x]\ncommand = "x"\nstartup_timeout_sec = 2.5\nstartup_timeout_ms = 9000\n`,
  })
  expect(servers['x']).toMatchObject({ startupTimeoutMs: 2500, timeoutMs: null })
  expect(problems).toEqual(['info deprecated-key /mcp_servers/x/startup_timeout_ms'])
})

describe('Codex: login', () => {
  test.each([
    ['bearer_token_env_var = "T"', { type: 'bearer', tokenEnv: 'T' }],
    ['auth = "chatgpt"', { type: 'chatgpt' }],
    ['scopes = ["a"]', { type: 'oauth', scopes: ['a'] }],
    [
      'oauth = { client_id = "c" }\noauth_resource = "https://r.example"',
      { type: 'oauth', clientId: 'c', resource: 'https://r.example' },
    ],
  ])('%s is read', async (text, auth) => {
    const { servers, problems } = await read(
      'codex',
      { [user]: `[mcp_servers.x]\nurl = "https://x.example"\n${text}\n` },
      { env: { T: 't' } },
    )
    expect(servers['x']?.['auth']).toEqual(auth)
    expect(problems).toEqual([])
  })

  test('a token from a variable beside an Authorization header is a conflict', async () => {
    const { problems } = await read(
      'codex',
      {
        [user]: `[mcp_servers.x]
          url = "https://x.example"
          bearer_token_env_var = "T"
          env_http_headers = { authorization = "U" }`,
      },
      { env: { T: 't', U: 'u' } },
    )
    expect(problems).toEqual(['warn auth-conflict /mcp_servers/x'])
  })

  test('a command that builds headers is reported and not run', async () => {
    const { servers, problems } = await read('codex', {
      [user]: `[mcp_servers.x]\nurl = "https://x.example"\nhttp_headers_helper = "/bin/h"\n`,
    })
    expect(servers['x']?.['headersCommand']).toBe('/bin/h')
    expect(problems).toEqual(['warn runs-command /mcp_servers/x/http_headers_helper'])
  })
})

test('Codex: listed variables that are not set are reported with their place', async () => {
  const { servers, problems } = await read(
    'codex',
    {
      [user]: `
        [mcp_servers.a]
        command = "a"
        env_vars = ["HERE", "GONE", { name = "ALSO", source = "local" }, { name = "THERE", source = "remote" }]
        [mcp_servers.b]
        url = "https://b.example"
        bearer_token_env_var = "B_TOKEN"
        env_http_headers = { X = "B_X" }
        [mcp_servers.off]
        command = "off"
        enabled = false
        env_vars = ["GONE"]
      `,
    },
    { env: { HERE: '1' } },
  )
  expect(servers['a']?.['passEnv']).toEqual(['HERE', 'GONE', 'ALSO'])
  expect(problems).toEqual([
    'warn missing-env /mcp_servers/a/env_vars/1',
    'warn missing-env /mcp_servers/a/env_vars/2',
    'warn missing-env /mcp_servers/b/bearer_token_env_var',
    'warn missing-env /mcp_servers/b/env_http_headers/X',
  ])
})

test('Codex: placeholders are not expanded and are reported', async () => {
  const { servers, problems } = await read(
    'codex',
    { [user]: `[mcp_servers.x]\ncommand = "x"\nenv = { A = "\${B}" }\n` },
    { env: { B: 'b' } },
  )
  expect(servers['x']).toMatchObject({ env: { A: '${B}' } })
  expect(servers['x']).not.toHaveProperty('resolved')
  expect(problems).toEqual(['info no-expansion-in-client /mcp_servers/x/env/A'])
})

test('Codex: approving every tool in advance is reported', async () => {
  const { servers, problems } = await read('codex', {
    [user]: `[mcp_servers.x]\ncommand = "x"\ndefault_tools_approval_mode = "approve"\n`,
  })
  expect(servers['x']?.['approval']).toEqual({ default: 'approve' })
  expect(problems).toEqual(['warn auto-approve-all /mcp_servers/x/default_tools_approval_mode'])
})

describe('Codex: layers', () => {
  test('keys and approval modes of all layers are merged, nearest first', async () => {
    const { servers, problems } = await read('codex', {
      [mine]: `
        [mcp_servers.docs]
        command = "docs-project"
        [mcp_servers.docs.tools.b]
        approval_mode = "prompt"
      `,
      [user]: `
        [mcp_servers.docs]
        command = "docs"
        args = ["--fast"]
        env = { A = "1" }
        tool_timeout_sec = 5
        default_tools_approval_mode = "auto"
        [mcp_servers.docs.tools.a]
        approval_mode = "approve"
      `,
    })
    expect(servers['docs']).toMatchObject({
      command: 'docs-project',
      args: ['--fast'],
      env: { A: '1' },
      timeoutMs: 5000,
      approval: { default: 'auto', tools: { a: 'approve', b: 'prompt' } },
      mergedFrom: [`${home}/.codex/config.toml`],
    })
    expect(problems).toEqual(['info merged-across-layers /mcp_servers/docs', 'warn untrusted-project'])
  })

  test('T06 a layer that changes only the url does not inherit credentials', async () => {
    const { servers, problems } = await read(
      'codex',
      {
        [mine]: `[mcp_servers.x]\nurl = "https://elsewhere.example/mcp"\n`,
        [user]: `
          [mcp_servers.x]
          url = "https://x.example/mcp"
          bearer_token_env_var = "X_TOKEN"
          http_headers_helper = "/bin/h"
          http_headers = { "X-Team" = "a" }
          env_http_headers = { "X-Key" = "X_KEY" }
          tool_timeout_sec = 5
          [mcp_servers.x.oauth]
          client_id = "c"
        `,
      },
      { env: { X_TOKEN: 't', X_KEY: 'k' } },
    )
    expect(servers['x']).toMatchObject({ url: 'https://elsewhere.example/mcp', headers: {}, timeoutMs: 5000 })
    expect(servers['x']).not.toHaveProperty('auth')
    expect(servers['x']).not.toHaveProperty('headersCommand')
    expect(servers['x']).not.toHaveProperty('resolved')
    expect(problems).toEqual([
      'info merged-across-layers /mcp_servers/x',
      'warn credentials-dropped /mcp_servers/x',
      'warn runs-command /mcp_servers/x/http_headers_helper',
      'warn untrusted-project',
    ])
  })

  test('T06 nor does it inherit credentials that a layer between adds to the lower url', async () => {
    const { servers } = await read(
      'codex',
      {
        [mine]: `[mcp_servers.x]\nurl = "https://elsewhere.example/mcp"\n`,
        [user]: `[mcp_servers.x]\nbearer_token_env_var = "X_TOKEN"\nhttp_headers = { A = "b" }\n`,
        '/etc/codex/config.toml': `[mcp_servers.x]\nurl = "https://x.example/mcp"\n`,
      },
      { env: { X_TOKEN: 't' } },
    )
    expect(servers['x']).toMatchObject({ url: 'https://elsewhere.example/mcp', headers: {} })
    expect(servers['x']).not.toHaveProperty('auth')
  })

  test('a higher layer can add credentials to the same url', async () => {
    const { servers } = await read(
      'codex',
      {
        [user]: `[mcp_servers.x]\nbearer_token_env_var = "X_TOKEN"\n`,
        '/etc/codex/config.toml': `[mcp_servers.x]\nurl = "https://x.example/mcp"\n`,
      },
      { env: { X_TOKEN: 't' } },
    )
    expect(servers['x']).toMatchObject({
      url: 'https://x.example/mcp',
      auth: { type: 'bearer', tokenEnv: 'X_TOKEN' },
    })
  })

  test('a layer that replaces a command with a url drops the keys of the process', async () => {
    const { servers } = await read('codex', {
      [mine]: `[mcp_servers.x]\nurl = "https://x.example/mcp"\n`,
      [user]: `[mcp_servers.x]\ncommand = "x"\nargs = ["a"]\nenv = { A = "1" }\n`,
    })
    expect(servers['x']).toMatchObject({ transport: 'http', command: null, args: [], env: {} })
  })

  test('disabledBy names the highest layer that has the switch', async () => {
    const texts = {
      '/etc/codex/managed_config.toml': '[mcp_servers.a]\nenabled = true\n',
      [mine]: '[mcp_servers.a]\nenabled = false\n[mcp_servers.b]\nenabled = false\n',
      [user]: '[mcp_servers.a]\ncommand = "a"\n[mcp_servers.b]\ncommand = "b"\n',
    }
    const { servers } = await read('codex', texts)
    expect(servers['a']).toMatchObject({ enabled: true })
    expect(servers['a']).not.toHaveProperty('disabledBy')
    expect(servers['b']).toMatchObject({
      enabled: false,
      disabledBy: `${project}/.codex/config.toml#/mcp_servers/b/enabled`,
    })
  })

  test('a switch for an undeclared server is not reported as a missing command', async () => {
    const { names, problems } = await read('codex', { [user]: '[mcp_servers.x]\nenabled = false\n' })
    expect(names).toEqual([])
    expect(problems).toEqual([])
  })
})

describe('Codex: trust', () => {
  const server = '[mcp_servers.x]\ncommand = "x"\n'

  test('an untrusted project file is reported once, however many servers it has', async () => {
    const { diagnostics } = await read('codex', { [mine]: `${server}[mcp_servers.y]\ncommand = "y"\n` })
    expect(diagnostics).toEqual([
      expect.objectContaining({ code: 'untrusted-project', file: `${project}/.codex/config.toml` }),
    ])
    expect(diagnostics[0]).not.toHaveProperty('server')
  })

  test('a trusted project and a file without servers are not reported', async () => {
    const trusting = `[projects."${project}"]\ntrust_level = "trusted"\n`
    expect((await read('codex', { [mine]: server, [user]: trusting })).problems).toEqual([])
    expect((await read('codex', { [mine]: 'model = "m"\n' })).problems).toEqual([])
  })

  test('a project cannot trust itself', async () => {
    const trusting = `[projects."${project}"]\ntrust_level = "trusted"\n`
    expect((await read('codex', { [mine]: `${server}${trusting}` })).problems).toEqual([
      'warn untrusted-project',
    ])
  })
})
