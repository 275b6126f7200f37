import { describe, expect, test } from 'vitest'
import { createMachine } from '../support/programs/cli.ts'
import type { ListOutput, Machine } from '../support/programs/cli.ts'
import { byId, survey } from '../support/survey.ts'

/** The files of a user with nine clients, as these clients write them. */
function person(): Machine {
  return createMachine({
    '~/.config/Claude/claude_desktop_config.json': {
      globalShortcut: '',
      mcpServers: {
        filesystem: {
          command: 'npx',
          args: ['-y', '@modelcontextprotocol/server-filesystem@2025.8.21', '/home/dana'],
        },
        github: {
          command: 'docker',
          args: ['run', '-i', '--rm', '-e', 'GITHUB_TOKEN', 'ghcr.io/github/github-mcp-server:0.20.1'],
        },
      },
    },
    '~/.claude.json': {
      numStartups: 12,
      mcpServers: { github: { type: 'http', url: 'https://api.githubcopilot.com/mcp/' } },
      projects: {},
    },
    '~/.cursor/mcp.json': {
      mcpServers: {
        figma: { url: 'http://127.0.0.1:3845/mcp' },
        github: { command: 'github-mcp-server', args: ['stdio'] },
      },
    },
    '~/.config/Code/User/mcp.json': `{
  "inputs": [{ "type": "promptString", "id": "key", "description": "Key", "password": true }],
  "servers": {
    // added from the gallery
    "playwright": { "type": "stdio", "command": "npx", "args": ["@playwright/mcp@0.0.41"], "env": { "KEY": "\${input:key}" } },
  }
}
`,
    '~/.codex/config.toml': `model = "gpt-5-codex"

[mcp_servers.context7]
command = "npx"
args = ["-y", "@upstash/context7-mcp@1.0.20"]

[mcp_servers.linear]
url = "https://mcp.linear.app/mcp"
bearer_token_env_var = "LINEAR_TOKEN"
`,
    '~/.config/goose/config.yaml': `GOOSE_PROVIDER: anthropic
extensions:
  memory:
    enabled: true
    type: stdio
    name: memory
    cmd: uvx
    args: [mcp-memory]
    timeout: 300
`,
    '~/.config/opencode/opencode.json': {
      $schema: 'https://opencode.ai/config.json',
      mcp: { sentry: { type: 'remote', url: 'https://mcp.sentry.dev/mcp', enabled: true } },
    },
    '~/.config/zed/settings.json': `// Zed settings
{
  "theme": "One Dark",
  "context_servers": {
    "postgres": { "source": "custom", "command": "postgres-mcp", "args": [], "env": {} },
  },
}
`,
    '~/.codeium/windsurf/mcp_config.json': {
      mcpServers: {
        slack: { serverUrl: 'https://slack.example.com/mcp' },
        context7: { command: 'context7' },
      },
    },
  })
}

const clients: readonly (readonly [string, readonly string[]])[] = [
  ['claude-desktop', ['filesystem', 'github']],
  ['claude-code', ['github']],
  ['cursor', ['figma', 'github']],
  ['vscode', ['playwright']],
  ['codex', ['context7', 'linear']],
  ['goose', ['memory']],
  ['opencode', ['sentry']],
  ['zed', ['postgres']],
  ['windsurf', ['slack', 'context7']],
]

describe('a user with nine clients', () => {
  test('sources lists each client with its servers, and uses none of them', async () => {
    using machine = person()
    const rows = (await survey(machine)).filter(({ id }) => id !== 'plugboard').sort(byId)
    expect(rows.map(({ id, use, servers }) => [id, use, servers.map(({ name }) => name).sort()])).toEqual(
      clients
        .map(([id, names]) => ({ id, names: [...names].sort() }))
        .sort(byId)
        .map(({ id, names }) => [id, 'off', names]),
    )
    expect((await machine.json<ListOutput>('list')).servers).toEqual([])
    const { stderr } = await machine.run('list')
    expect(stderr).toContain('Other clients have 9 files not in use: claude-desktop, claude-code, cursor,')
  })

  test('sources enable adds their servers in order, and why explains which are hidden', async () => {
    using machine = person()
    const seen: string[] = []
    for (const [id, names] of clients) {
      const { code, stdout } = await machine.run('sources', 'enable', id)
      expect({ code, stdout }).toEqual({
        code: 0,
        stdout: `${id} is now on (~/.config/plugboard/settings.json).\n`,
      })
      seen.push(...names.filter((name) => !seen.includes(name)))
      const { servers, diagnostics } = await machine.json<ListOutput>('list')
      expect(servers.map(({ name }) => name).sort()).toEqual([...seen].sort())
      expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
    }
    expect(JSON.parse(machine.read('~/.config/plugboard/settings.json'))).toEqual({
      sources: clients.map(([id]) => id),
    })
    expect(await machine.run('list')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('3 declarations hidden by another of the same name.') as string,
    })

    const { stdout } = await machine.run('why', 'github')
    expect(stdout.split('\n').slice(0, 6)).toEqual([
      'github  on',
      'Of 3 declarations, this one is in force: claude-desktop was turned on before claude-code and cursor.',
      '',
      'in force',
      expect.stringMatching(
        /^ {2}declared in {2}~\/\.config\/Claude\/claude_desktop_config\.json:\d+ \(user, claude-desktop\)$/,
      ),
      '  runs         docker run -i --rm -e GITHUB_TOKEN ghcr.io/github/github-mcp-server:0.20.1',
    ])
    expect(stdout).toContain('(user, claude-code)')
    expect(stdout).toContain('(user, cursor)')
    expect(stdout.match(/^hidden by ~\/\.config\/Claude\/claude_desktop_config\.json:\d+$/gm)).toHaveLength(2)

    expect((await machine.run('sources', 'disable', 'claude-desktop')).stdout).toBe(
      'claude-desktop is now off (~/.config/plugboard/settings.json).\n',
    )
    expect((await machine.run('why', 'github')).stdout).toContain('Of 2 declarations, this one is in force')
  })

  test('servers of the user’s own file take precedence over them, and those of the project once they are trusted', async () => {
    using machine = person()
    for (const [id] of clients) await machine.run('sources', 'enable', id)
    await machine.run('add', 'github', '--url', 'https://mine.example.com/mcp')
    machine.write('.mcp.json', { mcpServers: { github: { command: 'project-github' } } })
    const inForce = async () => {
      const { servers } = await machine.json<ListOutput>('list')
      return servers.find(({ name }) => name === 'github')
    }
    expect(await inForce()).toMatchObject({ url: 'https://mine.example.com/mcp', trust: 'trusted' })
    const waiting = (await machine.json<ListOutput>('list')).shadowed.find(({ trust }) => trust === 'pending')
    await machine.run('trust', 'github', '--hash', String(waiting?.['hash']))
    expect(await inForce()).toMatchObject({ command: 'project-github', trust: 'trusted' })
    const { shadowed } = await machine.json<ListOutput>('list')
    expect(shadowed.filter(({ name }) => name === 'github')).toHaveLength(4)
  })
})
