import { createHash } from 'node:crypto'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { strToU8, zipSync } from 'fflate'
import { describe, expect, onTestFinished, test } from 'vitest'
import { discover } from '../../../config/discover.ts'
import { switchDeclaration } from '../../../config/edit/declarations.ts'
import { withSameFlags } from '../../../surfaces/cli/arguments/origin-flags.ts'
import { project, read } from '../../../../test/support/read.ts'

const main = '~/.claude.json'

const bundle = {
  manifest_version: '0.3',
  name: 'forecast',
  version: '1.0.0',
  description: 'Weather',
  author: { name: 'Dana' },
  user_config: { city: { type: 'string', title: 'City', description: 'Where' } },
  server: {
    type: 'node',
    entry_point: 'server/index.js',
    mcp_config: {
      command: 'node',
      args: ['${__dirname}/server/index.js'],
      env: { CITY: '${user_config.city}' },
      platform_overrides: { win32: { command: 'node.exe' } },
    },
  },
}

describe('Claude Code: a plugin on disk', () => {
  function plugin(files: Readonly<Record<string, string | Uint8Array>>) {
    const base = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-plugin-')))
    onTestFinished(() => rmSync(base, { recursive: true, force: true }))
    const folder = join(base, 'home/.claude/plugins/cache/acme/weather/2.0.0')
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
    const platform = { os: 'linux', home: join(base, 'home'), cwd: base, env: {}, systemRoot: base } as const
    return {
      base,
      folder,
      platform,
      list: () => discover({ platform, sources: ['claude-code'], preview: true }),
    }
  }
  const packed = zipSync({
    'manifest.json': strToU8(JSON.stringify(bundle)),
    server: { 'index.js': strToU8('') },
  })
  const named = JSON.stringify({ name: 'weather', mcpServers: './forecast.mcpb' })

  test('a bundle is read from its archive, and is off until it is unpacked', async () => {
    const { folder, list } = plugin({ '.claude-plugin/plugin.json': named, 'forecast.mcpb': packed })
    const { servers, diagnostics } = await list()
    expect(servers.map(({ name, enabled, disabledBy }) => [name, enabled, disabledBy])).toEqual([
      ['forecast', false, `${folder}/forecast.mcpb`],
    ])
    expect(servers.map(({ name, transport }) => [name, transport])).toEqual([
      ['forecast', expect.objectContaining({ command: 'node', args: ['${__dirname}/server/index.js'] })],
    ])
    expect(diagnostics.map(({ code, hint }) => [code, hint])).toEqual([
      [
        'not-launchable',
        `Start its client once, or run: plugboard add --source plugboard --from ${folder}/forecast.mcpb`,
      ],
    ])
    expect(readdirSync(folder)).toEqual(['.claude-plugin', 'forecast.mcpb'])
  })

  test('enable says that a bundle which is not unpacked has nothing to switch', async () => {
    const { folder, platform } = plugin({ '.claude-plugin/plugin.json': named, 'forecast.mcpb': packed })
    const bundleFile = `${folder}/forecast.mcpb`
    await expect(
      switchDeclaration('forecast', true, { platform, sources: ['claude-code'] }),
    ).rejects.toMatchObject({
      code: 'config.unwritable',
      message: `"forecast" is off until ${bundleFile} is unpacked.`,
      hint: `Start its client once, or run: plugboard add --source plugboard --from ${bundleFile}`,
    })
  })

  test('an unpacked bundle needs answers only to inputs without a default', async () => {
    const hash = createHash('sha256').update(packed).digest('hex').slice(0, 16)
    const note = createHash('md5').update('./forecast.mcpb').digest('hex').slice(0, 8)
    const user_config = {
      city: { type: 'string', title: 'City', description: 'Where', required: true },
      days: { type: 'number', title: 'Days', description: 'How many', default: 3 },
      unused: { type: 'string', title: 'Unused', description: 'Nothing' },
    }
    const manifest = { ...structuredClone(bundle), user_config }
    manifest.server.mcp_config.args.push('${user_config.days}')
    const { folder, list } = plugin({
      '.claude-plugin/plugin.json': named,
      'forecast.mcpb': packed,
      [`.mcpb-cache/${note}.metadata.json`]: JSON.stringify({ contentHash: hash }),
      [`.mcpb-cache/${hash}/manifest.json`]: JSON.stringify(manifest),
    })
    const { servers, diagnostics } = await list()
    expect(servers.map(({ inputs }) => inputs)).toEqual([
      [
        { id: 'city', question: 'City: Where', required: true },
        { id: 'days', question: 'Days: How many', default: '3' },
      ],
    ])
    expect(diagnostics).toEqual([
      expect.objectContaining({
        code: 'needs-input',
        server: 'forecast',
        message: 'city must be entered before the server starts.',
        origin: expect.objectContaining({ file: `${folder}/.mcpb-cache/${hash}/manifest.json` }),
      }),
    ])
  })

  test('T58 the command that adds a bundle quotes the path that the plugin chose', async () => {
    const path = 'sub dir/x; touch PWN.mcpb'
    const { folder, list } = plugin({
      '.claude-plugin/plugin.json': JSON.stringify({ mcpServers: [`./${path}`] }),
      [path]: packed,
    })
    const { diagnostics } = await list()
    const command = `plugboard add --source plugboard --from '${folder}/${path}'`
    expect(diagnostics[0]?.hint).toBe(`Start its client once, or run: ${command}`)
    expect(withSameFlags(command, { source: ['claude-code'] })).toBe(command)
  })

  test('a bundle that Claude Code unpacked runs from there', async () => {
    const hash = createHash('sha256').update(packed).digest('hex').slice(0, 16)
    const note = createHash('md5').update('./forecast.mcpb').digest('hex').slice(0, 8)
    const { folder, list } = plugin({
      '.claude-plugin/plugin.json': named,
      'forecast.mcpb': packed,
      [`.mcpb-cache/${note}.metadata.json`]: JSON.stringify({ contentHash: hash }),
      [`.mcpb-cache/${hash}/manifest.json`]: JSON.stringify({ ...bundle, user_config: {} }).replace(
        '${user_config.city}',
        'Bern',
      ),
    })
    const { diagnostics, resolved } = await list()
    expect([...(resolved?.values() ?? [])]).toEqual([
      expect.objectContaining({ args: [`${folder}/.mcpb-cache/${hash}/server/index.js`] }),
    ])
    expect(diagnostics).toEqual([])
  })

  test('T58 a link out of the plugin’s folder is not followed', async () => {
    const { base, folder, list } = plugin({
      '.claude-plugin/plugin.json': JSON.stringify({ mcpServers: ['./a.json', './sub/b.json'] }),
    })
    writeFileSync(join(base, 'secret.json'), '{"mcpServers": {"stolen": {"command": "x"}}}')
    symlinkSync(join(base, 'secret.json'), join(folder, 'a.json'))
    writeFileSync(join(base, 'b.json'), '{"mcpServers": {"stolen": {"command": "x"}}}')
    symlinkSync(base, join(folder, 'sub'))
    const { servers, diagnostics } = await list()
    expect(servers).toEqual([])
    expect(diagnostics.map(({ message }) => message)).toEqual([
      '"./a.json" is a link out of the plugin’s folder; it is not read.',
      '"./sub/b.json" is a link out of the plugin’s folder; it is not read.',
    ])
  })
})

describe('Claude Code: plugins', () => {
  const root = '~/.claude/plugins/cache/acme/deploy/1.2.0'

  test('placeholders resolve to the plugin’s folders and the project', async () => {
    const { servers, problems } = await read('claude-code', {
      [`${root}/.mcp.json`]: {
        tool: {
          command: '${CLAUDE_PLUGIN_ROOT}/bin/x',
          args: ['${CLAUDE_PLUGIN_DATA}', '${CLAUDE_PROJECT_DIR}'],
        },
      },
    })
    const folder = '/home/dana/.claude/plugins'
    expect(servers['tool']?.['resolved']).toEqual({
      command: `${folder}/cache/acme/deploy/1.2.0/bin/x`,
      args: [`${folder}/data/deploy-acme`, project],
    })
    expect(problems).toEqual(['info bare-root'])
  })

  test('user_config values are reported as inputs, because only Claude Code knows them', async () => {
    const { servers, problems } = await read('claude-code', {
      [`${root}/.claude-plugin/plugin.json`]: {
        name: 'deploy',
        mcpServers: { tool: { command: 'x', env: { REGION: '${user_config.region}' } } },
      },
    })
    expect(servers['tool']).not.toHaveProperty('resolved')
    expect(problems).toEqual(['warn needs-input /mcpServers/tool/env/REGION'])
  })

  test('a manifest may name files instead of servers, and mix both', async () => {
    const { servers, problems } = await read('claude-code', {
      [`${root}/.mcp.json`]: { mcpServers: { tool: { command: 'x' } } },
      [`${root}/config/mcp.json`]: { mcpServers: { more: { command: '${CLAUDE_PLUGIN_ROOT}/more' } } },
      [`${root}/.claude-plugin/plugin.json`]: {
        mcpServers: ['./.mcp.json', './config/mcp.json', { inline: { command: 'y' } }],
      },
    })
    expect(Object.keys(servers).sort()).toEqual(['inline', 'more', 'tool'])
    expect(servers['more']).toMatchObject({
      resolved: { command: '/home/dana/.claude/plugins/cache/acme/deploy/1.2.0/more' },
    })
    expect(problems).toEqual([])
  })

  test('one path alone, to a map without a root key', async () => {
    const { names, problems } = await read('claude-code', {
      [`${root}/mcp.json`]: { tool: { command: 'x' } },
      [`${root}/.claude-plugin/plugin.json`]: { mcpServers: './mcp.json' },
    })
    expect(names).toEqual(['tool'])
    expect(problems).toEqual(['info bare-root'])
  })

  test.each([
    ['./../../../../settings.json', 'points outside its folder'],
    ['/etc/mcp.json', 'is an absolute path'],
    ['https://example.com/x.mcpb', 'is not downloaded'],
    ['./none.json', 'does not exist'],
    ['./broken.mcpb', 'damaged'],
  ])('T58 %s is refused and reported', async (path, reason) => {
    const { names, diagnostics } = await read('claude-code', {
      '~/.claude/settings.json': { mcpServers: { stolen: { command: 'x' } } },
      [`${root}/broken.mcpb`]: 'no archive',
      [`${root}/.claude-plugin/plugin.json`]: { mcpServers: [path, { tool: { command: 'y' } }] },
    })
    expect(names).toEqual(['tool'])
    expect(diagnostics).toEqual([
      expect.objectContaining({
        code: 'unreadable-file',
        severity: 'error',
        message: expect.stringMatching(new RegExp(`${reason}|not a zip`)),
      }),
    ])
  })

  test('the newest version of a plugin wins', async () => {
    const server = (command: string) => ({ mcpServers: { tool: { command } } })
    const { servers } = await read('claude-code', {
      '~/.claude/plugins/cache/acme/deploy/1.9.0/.mcp.json': server('old'),
      '~/.claude/plugins/cache/acme/deploy/1.10.0/.mcp.json': server('new'),
    })
    expect(servers['tool']).toMatchObject({ command: 'new' })
  })

  test('a disabled plugin disables its servers, and a single server can be disabled', async () => {
    const texts = { [`${root}/.mcp.json`]: { mcpServers: { tool: { command: 'x' } } } }
    const off = await read('claude-code', {
      ...texts,
      '~/.claude/settings.json': { enabledPlugins: { 'deploy@acme': false } },
    })
    expect(off.servers['tool']).toMatchObject({
      enabled: false,
      disabledBy: '/home/dana/.claude/settings.json#/enabledPlugins/deploy@acme',
    })
    const one = await read('claude-code', {
      ...texts,
      [main]: { projects: { [project]: { disabledMcpServers: ['plugin:deploy:tool'] } } },
    })
    expect(one.servers['tool']).toMatchObject({ enabled: false })
  })
})
