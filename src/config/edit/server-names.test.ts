import { describe, expect, test } from 'vitest'
import { home, memoryMachine, project } from '../../../test/support/memory-machine.ts'
import type { SourceId } from '../../sources/places.ts'
import { addDeclaration, removeDeclaration } from './declarations.ts'
import { proposeName } from './server-name.ts'
import { exportServers, importServers } from './transfer.ts'
import type { TransferOptions } from './transfer.ts'

function machine(texts: Readonly<Record<string, unknown>>) {
  const { platform, ...rest } = memoryMachine(texts)
  return {
    ...rest,
    platform,
    importFrom: (client: string, options: TransferOptions = {}) =>
      importServers(client, { ...options, platform }),
    exportTo: (client: string, options: TransferOptions = {}) =>
      exportServers(client, { ...options, platform }),
  }
}

async function namesIn(read: (file: string) => Promise<unknown>, file: string, root: string) {
  return Object.keys(((await read(file)) as Record<string, object>)[root] ?? {})
}

const odd = ['microsoft/playwright-mcp', 'github.com/upstash/context7-mcp', 'My Server']
const servers = Object.fromEntries(odd.map((name) => [name, { command: 'x' }]))
const ours = { '~/.config/plugboard/mcp.json': { mcpServers: servers } }
const cline = '~/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json'

describe('names with "/", "." or spaces', () => {
  test('import keeps them', async () => {
    const { importFrom, read } = machine({ [cline]: { mcpServers: servers } })
    const { copied, skipped, renamed } = await importFrom('cline')
    expect({ copied, skipped, renamed }).toEqual({ copied: odd, skipped: [], renamed: undefined })
    expect(await namesIn(read, '~/.config/plugboard/mcp.json', 'mcpServers')).toEqual(odd)
  })

  test.each<readonly [SourceId, string, string, readonly string[]]>([
    ['cursor', '~/.cursor/mcp.json', 'mcpServers', odd],
    ['claude-code', '~/.claude.json', 'mcpServers', odd],
    ['vscode', '~/.config/Code/User/mcp.json', 'servers', odd],
    [
      'codex',
      '~/.codex/config.toml',
      'mcp_servers',
      ['microsoft-playwright-mcp', 'github-com-upstash-context7-mcp', 'My-Server'],
    ],
    [
      'oh-my-pi',
      '~/.omp/mcp.json',
      'mcpServers',
      ['microsoft-playwright-mcp', 'github.com-upstash-context7-mcp', 'My-Server'],
    ],
    ['goose', '~/.config/goose/config.yaml', 'extensions', [...odd.slice(0, 2), 'myserver']],
  ])(
    'O4 export to %s keeps them, or writes names that it accepts and says so',
    async (id, file, root, names) => {
      const { exportTo, read } = machine(ours)
      const { copied, skipped, renamed = [] } = await exportTo(id)
      expect({ copied, skipped }).toEqual({ copied: odd, skipped: [] })
      expect(await namesIn(read, file, root)).toEqual(names)
      const expected = odd.flatMap((name, at) => (names[at] === name ? [] : [{ name, as: names[at] }]))
      expect(renamed).toEqual(expected)
    },
  )

  test('goose keeps the given name in the entry', async () => {
    const { exportTo, read } = machine(ours)
    await exportTo('goose', { only: ['My Server'] })
    expect(await read('~/.config/goose/config.yaml')).toMatchObject({
      extensions: { myserver: { name: 'My Server' } },
    })
  })

  test('as chooses the name of one server; a name that the owner refuses is an error', async () => {
    const { exportTo, read } = machine(ours)
    const only = ['microsoft/playwright-mcp']
    expect((await exportTo('codex', { only, as: 'playwright' })).renamed).toEqual([
      { name: 'microsoft/playwright-mcp', as: 'playwright' },
    ])
    expect(await read('~/.codex/config.toml')).toEqual({ mcp_servers: { playwright: { command: 'x' } } })
    await expect(exportTo('codex', { only, as: 'a/b' })).rejects.toMatchObject({
      code: 'config.invalid',
      hint: 'Choose another name, such as a-b',
    })
    await expect(exportTo('codex', { as: 'b' })).rejects.toMatchObject({ code: 'usage' })
  })

  test('two names that would become equal: the second is skipped; force replaces the adapted entry', async () => {
    const both = { 'a b': { command: 'one' }, 'a/b': { command: 'two' } }
    const { exportTo, read } = machine({ '~/.config/plugboard/mcp.json': { mcpServers: both } })
    const { copied, skipped } = await exportTo('codex')
    expect([copied, skipped.map(({ name }) => name)]).toEqual([['a b'], ['a/b']])
    expect((await exportTo('codex', { only: ['a/b'], force: true })).renamed).toEqual([
      { name: 'a/b', as: 'a-b' },
    ])
    expect(await read('~/.codex/config.toml')).toEqual({ mcp_servers: { 'a-b': { command: 'two' } } })
  })

  test('a name of which nothing can be kept is refused with the owner’s sentence', async () => {
    const { exportTo } = machine({
      '~/.config/plugboard/mcp.json': { mcpServers: { 天気: { command: 'x' } } },
    })
    expect((await exportTo('codex')).skipped).toEqual([
      {
        name: '天気',
        reason: 'Invalid server config: Codex allows only letters, digits, "_" and "-" in a name.',
      },
    ])
    expect((await exportTo('cursor')).copied).toEqual(['天気'])
  })

  test('addDeclaration keeps them, refuses what the owner refuses, and adapts on request', async () => {
    const { platform, read } = machine({})
    const server = { name: 'a b/c', transport: { kind: 'stdio', command: 'x' } } as const
    expect(await addDeclaration(server, { platform })).not.toHaveProperty('renamed')
    await expect(addDeclaration(server, { platform, sources: ['codex'] })).rejects.toMatchObject({
      code: 'config.invalid',
      message: 'Invalid server config: Codex allows only letters, digits, "_" and "-" in a name.',
      hint: 'Choose another name, such as a-b-c',
    })
    const adapted = await addDeclaration(server, { platform, sources: ['codex'], adaptName: true })
    expect(adapted.renamed).toBe('a-b-c')
    expect(await read('~/.codex/config.toml')).toEqual({ mcp_servers: { 'a-b-c': { command: 'x' } } })
  })

  test('adding and removing such a server gives back the same bytes', async () => {
    const text = '{\n  // mine\n  "mcpServers": {\n    "a": { "command": "x" }, // last\n  },\n}\n'
    const { platform, textOf } = machine({ '~/.config/plugboard/mcp.json': text })
    const server = { name: 'b/c d.e', transport: { kind: 'stdio', command: 'y' } } as const
    await addDeclaration(server, { platform })
    expect(textOf('~/.config/plugboard/mcp.json')).toContain('"b/c d.e": {')
    await removeDeclaration('b/c d.e', { platform })
    expect(textOf('~/.config/plugboard/mcp.json')).toBe(text)
  })
})

test.each([
  ['Café au lait', /[^a-zA-Z0-9_-]/, 'Cafe-au-lait'],
  ['  a\u200b b ', undefined, 'a b'],
  ['@scope/pkg', /[^a-zA-Z0-9_.-]/, 'scope-pkg'],
  ['a}b', /\}/, 'a-b'],
  ['///', /[^a-zA-Z0-9_-]/, undefined],
  ['__proto__', undefined, undefined],
])('proposeName: %j becomes %j → %j', (name, refused, proposed) => {
  expect(proposeName(name, refused)).toBe(proposed)
})

describe('T01 importServers: what waits for trust', () => {
  const texts = {
    '.cursor/mcp.json': { mcpServers: { theirs: { command: 'x' } } },
    '~/.cursor/mcp.json': { mcpServers: {} },
  }

  test('the proposed command names the source, so that it finds the server', async () => {
    const { skipped, refusal } = await machine(texts).importFrom('cursor')
    expect([skipped, refusal]).toEqual([
      [
        {
          name: 'theirs',
          reason:
            'The project declares it, and it is not trusted. Run: plugboard trust --source cursor theirs',
        },
      ],
      'trust.refused',
    ])
  })

  test('it is copied only if the caller says so, and is named', async () => {
    const { importFrom } = machine(texts)
    expect((await importFrom('cursor', { trust: 'project' })).copied).toEqual([])
    const { copied, untrusted } = await importFrom('cursor', { untrusted: 'copy' })
    expect([copied, untrusted]).toEqual([['theirs'], ['theirs']])
    const shared = await machine(texts).importFrom('cursor', { untrusted: 'copy', scope: 'project' })
    expect([shared.file, shared.untrusted]).toEqual([`${project}/.mcp.json`, undefined])
  })

  test('the main reason tells taken names from invalid entries and from nothing at all', async () => {
    const taken = { mcpServers: { a: { command: 'x' } } }
    const files = { '~/.cursor/mcp.json': taken, '~/.config/plugboard/mcp.json': taken }
    expect((await machine(files).importFrom('cursor')).refusal).toBe('config.exists')
    const bad = { '~/.cursor/mcp.json': { mcpServers: { a: { command: 7 } } } }
    expect((await machine(bad).importFrom('cursor')).refusal).toBe('config.invalid')
    const none = await machine({}).importFrom('cursor')
    expect([none.copied, none.skipped, none.refusal, none.file]).toEqual([
      [],
      [],
      undefined,
      `${home}/.config/plugboard/mcp.json`,
    ])
  })
})
