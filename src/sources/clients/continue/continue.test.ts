import { describe, expect, test } from 'vitest'
import { home, project, read } from '../../../../test/support/read.ts'
import { discover } from '../../../config/discover.ts'
import { addDeclaration, removeDeclaration } from '../../../config/edit/declarations.ts'
import { nodePlatform } from '../../../platform/node/node-platform.ts'
import type { Platform } from '../../../platform/platform.ts'
import { memoryFiles } from '../../../testing/memory-files.ts'

const config = '~/.continue/config.yaml'

function list(...items: readonly string[]): string {
  return [
    'name: mine',
    'version: 1.0.0',
    'schema: v1',
    'mcpServers:',
    ...items.map((item) => `  - ${item}`),
  ].join('\n')
}

test('Continue: list entries are servers with their own name and their index as the path', async () => {
  const { servers, diagnostics } = await read('continue', {
    [config]: list(
      '{ name: A one, command: a, args: [x@latest], cwd: /srv, connectionTimeout: 5000 }',
      '{ name: b, type: sse, url: "https://b.example/sse" }',
      '{ name: c, url: "https://c.example/mcp" }',
    ),
  })
  expect(servers['A one']).toMatchObject({ transport: 'stdio', cwd: '/srv', startupTimeoutMs: 5000 })
  expect(servers['b']).toMatchObject({ transport: 'sse' })
  expect(servers['c']).toMatchObject({ transport: 'http', fallback: 'sse' })
  expect(diagnostics).toEqual([
    expect.objectContaining({ code: 'unpinned-package', server: 'A one', pointer: '/mcpServers/0/args/0' }),
  ])
})

test('Continue: names may repeat in one file and across files; every entry is kept', async () => {
  const { names, shadowed, problems } = await read('continue', {
    [config]: list('{ name: x, command: one }', '{ name: x, command: two }'),
    '.continue/mcpServers/x.json': { mcpServers: { x: { command: 'three' } } },
  })
  expect(names).toEqual(['x', 'x', 'x'])
  expect(shadowed).toEqual([])
  expect(problems).toEqual([])
})

test.each([
  ['an entry without a name', '{ command: x }', 'error missing-key /mcpServers/0'],
  ['an entry without an endpoint', '{ name: x }', 'error missing-endpoint /mcpServers/0'],
  [
    'a type of the JSON files',
    '{ name: x, type: http, url: "https://x.example" }',
    'error unknown-transport /mcpServers/0/type',
  ],
  [
    'a timeout of 0',
    '{ name: x, command: x, connectionTimeout: 0 }',
    'error out-of-range /mcpServers/0/connectionTimeout',
  ],
  ['a block from the hub', '{ uses: acme/x }', 'info not-launchable /mcpServers/0'],
])('Continue: %s is not used, and the others are read', async (_title, item, problem) => {
  const { names, problems } = await read('continue', { [config]: list(item, '{ name: ok, command: ok }') })
  expect(names).toEqual(['ok'])
  expect(problems).toEqual([problem])
})

test('Continue: a map instead of a list is refused', async () => {
  const { names, problems } = await read('continue', { [config]: 'mcpServers:\n  x: { command: x }\n' })
  expect(names).toEqual([])
  expect(problems).toEqual(['error wrong-type /mcpServers'])
})

test('Continue: an entry that is not a map is refused', async () => {
  const { problems } = await read('continue', { [config]: list('x') })
  expect(problems).toEqual(['error wrong-type /mcpServers/0'])
})

test('Continue: keys of other clients and of the other transport are reported as ignored', async () => {
  const { servers, problems } = await read('continue', {
    [config]: list(
      '{ name: a, command: a, apiKey: "${{ secrets.K }}", disabled: true }',
      '{ name: b, url: "https://b.example", headers: { X: y }, env: { A: b } }',
    ),
  })
  expect(servers['a']).toMatchObject({ enabled: true })
  expect(servers['a']).not.toHaveProperty('auth')
  expect(servers['b']).toMatchObject({ headers: {}, env: {} })
  expect(problems).toEqual([
    'info secret-store',
    'warn unknown-key /mcpServers/0/apiKey',
    'warn unknown-key /mcpServers/0/disabled',
    'warn unknown-key /mcpServers/1/env',
    'warn unknown-key /mcpServers/1/headers',
  ])
})

describe('Continue: request options', () => {
  test('headers and certificates are read from requestOptions', async () => {
    const { servers, problems } = await read('continue', {
      [config]: list(
        '{ name: x, url: "https://x.example", requestOptions: { headers: { A: b }, verifySsl: true, caBundlePath: /ca.pem } }',
      ),
    })
    expect(servers['x']).toMatchObject({ headers: { A: 'b' }, tls: { caFile: '/ca.pem' } })
    expect(problems).toEqual([])
  })

  test('two ways to authenticate and literal secrets are reported', async () => {
    const { problems } = await read('continue', {
      [config]: list(
        '{ name: x, url: "https://x.example", apiKey: abc, requestOptions: { headers: { Authorization: Bearer abc } } }',
      ),
    })
    expect(problems).toEqual([
      'warn auth-conflict /mcpServers/0',
      'warn plaintext-secret /mcpServers/0/apiKey',
      'warn plaintext-secret /mcpServers/0/requestOptions/headers/Authorization',
    ])
  })
})

describe('Continue: templates', () => {
  test('secrets are reported once per file and not resolved', async () => {
    const { servers, diagnostics } = await read(
      'continue',
      {
        [config]: list(
          '{ name: a, command: a, env: { A: "${{ secrets.ONE }}" } }',
          '{ name: b, command: b, args: ["--k=${{ secrets.ONE }}${{secrets.TWO}}"] }',
        ),
      },
      { env: { ONE: '1', TWO: '2' } },
    )
    expect(servers['a']).not.toHaveProperty('resolved')
    expect(diagnostics).toEqual([
      {
        code: 'secret-store',
        severity: 'info',
        file: '/home/dana/.continue/config.yaml',
        message: "ONE, TWO: from Continue's secret store or .continue/.env.",
      },
    ])
  })

  test('an input is reported as needed', async () => {
    const { problems } = await read('continue', {
      [config]: list('{ name: a, command: a, args: ["${{ inputs.TOKEN }}"] }'),
    })
    expect(problems).toEqual(['warn needs-input /mcpServers/0/args/0'])
  })
})

describe('Continue: JSON files', () => {
  const folder = '.continue/mcpServers'

  test('a file in the form of Claude Code includes servers of projects', async () => {
    const { servers, problems } = await read('continue', {
      [`${folder}/all.json`]: {
        mcpServers: { a: { command: 'a' } },
        projects: {
          '/srv/shop': { mcpServers: { b: { type: 'http', url: 'https://b.example' } } },
          '/none': {},
        },
      },
    })
    expect(servers['a']).toMatchObject({ command: 'a' })
    expect(servers['b']).toMatchObject({ transport: 'http' })
    expect(servers['b']).not.toHaveProperty('fallback')
    expect(problems).toEqual([])
  })

  test('a file with one server names it after the file', async () => {
    const { servers, diagnostics } = await read('continue', {
      [`${folder}/web.json`]: { type: 'sse', url: 'https://web.example/sse', cwd: '/' },
    })
    expect(servers['web']).toMatchObject({ transport: 'sse', url: 'https://web.example/sse' })
    expect(diagnostics).toEqual([
      expect.objectContaining({ code: 'unknown-key', server: 'web', pointer: '/cwd' }),
    ])
  })

  test('a file of unknown form is refused', async () => {
    const { problems } = await read('continue', {
      [`${folder}/a.json`]: { extensions: {} },
      [`${folder}/b.json`]: { servers: { x: { command: 'x' } } },
    })
    expect(problems).toEqual(['error missing-key', 'warn wrong-root-key /servers'])
  })

  test('comments are allowed', async () => {
    const { names, problems } = await read('continue', {
      [`${folder}/a.json`]: '{ "command": "a" } // mine',
    })
    expect(names).toEqual(['a'])
    expect(problems).toEqual([])
  })

  test.each([
    [
      'a type of the YAML files',
      { type: 'streamable-http', url: 'https://x.example' },
      'error unknown-transport /mcpServers/x/type',
    ],
    ['an entry without an endpoint', {}, 'error missing-endpoint /mcpServers/x'],
  ])('%s is refused', async (_title, entry, problem) => {
    const { names, problems } = await read('continue', { [`${folder}/x.json`]: { mcpServers: { x: entry } } })
    expect(names).toEqual([])
    expect(problems).toEqual([problem])
  })
})

describe('Continue: the project’s folder', () => {
  const setUp = (texts: Readonly<Record<string, string>>) => {
    const files = memoryFiles({ [`${project}/.git/HEAD`]: '', ...texts })
    const lock: Platform['lock'] = (_path, work) => work()
    const platform = nodePlatform({ os: 'linux', home, cwd: project, env: {}, systemRoot: '/', files, lock })
    return { files, options: { platform, sources: ['continue'], scope: 'project' } as const }
  }
  const server = { name: 'docs', transport: { kind: 'stdio', command: 'npx', args: ['docs@1.0.0'] } } as const

  test('a new server goes into mcp.yaml there, with the keys that Continue requires', async () => {
    const { files, options } = setUp({})
    const { file } = await addDeclaration(server, options)
    expect(file).toBe(`${project}/.continue/mcpServers/mcp.yaml`)
    expect(files.texts.get(file)).toBe(
      'name: Local Config\nversion: 1.0.0\nschema: v1\nmcpServers:\n  - name: docs\n    type: stdio\n    command: npx\n    args:\n      - docs@1.0.0\n',
    )
    const { servers, diagnostics } = await discover(options)
    expect(servers.map(({ name, origin }) => [name, origin.file])).toEqual([['docs', file]])
    expect(diagnostics).toEqual([])
  })

  test('a server of another file there is changed where it is declared', async () => {
    const team = `${project}/.continue/mcpServers/team.yaml`
    const text = 'name: Team\nversion: 1.0.0\nschema: v1\nmcpServers:\n  - name: old\n    command: x\n'
    const { files, options } = setUp({ [team]: text })
    await addDeclaration(server, options)
    await removeDeclaration('old', options)
    expect(files.texts.get(team)).toBe(text.replace('\n  - name: old\n    command: x', ' []'))
    await removeDeclaration('docs', options)
    expect(files.texts.get(`${project}/.continue/mcpServers/mcp.yaml`)).toBe(
      'name: Local Config\nversion: 1.0.0\nschema: v1\n',
    )
  })
})
