import { describe, expect, test } from 'vitest'
import { home, memoryMachine, project } from '../../../test/support/memory-machine.ts'
import { createPerson } from '../../../test/support/person.ts'
import { discover } from '../discover.ts'
import { addDeclaration, removeDeclaration, switchDeclaration } from './declarations.ts'
import { setSourceEnabled } from './edit-settings.ts'
import { writeChanges } from './dry-run.ts'
import type { EditOptions } from './workbench.ts'
import type { Env } from '../../platform/platform.ts'
import type { SourceId } from '../../sources/places.ts'
import type { NewServer } from '../../sources/entries/write-rules.ts'
import { memoryFiles } from '../../testing/memory-files.ts'
import { requestTrust, trustServer } from '../trust/request-trust.ts'

const ourFile = `${home}/.config/plugboard/mcp.json`
const settings = '~/.config/plugboard/settings.json'

function machine(texts: Readonly<Record<string, unknown>>, env: Env = {}) {
  const { platform, ...rest } = memoryMachine(texts, env)
  return {
    ...rest,
    add: (server: NewServer, options: EditOptions = {}) => addDeclaration(server, { ...options, platform }),
    remove: (name: string, options: EditOptions = {}) => removeDeclaration(name, { ...options, platform }),
    disable: (name: string, options: EditOptions = {}) =>
      switchDeclaration(name, false, { ...options, platform }),
    enable: (name: string, options: EditOptions = {}) =>
      switchDeclaration(name, true, { ...options, platform }),
    turn: (id: string, on: boolean) => setSourceEnabled(id, on, { platform }),
    states: async (options: EditOptions = {}) => {
      const { servers } = await discover({ ...options, platform })
      return Object.fromEntries(servers.map(({ name, enabled }) => [name, enabled]))
    },
  }
}

const local: NewServer = {
  name: 'new',
  transport: { kind: 'stdio', command: 'npx', args: ['-y', 'a@1.0.0'] },
}
const remote: NewServer = {
  name: 'web',
  transport: { kind: 'http', url: 'https://example.com/mcp', headers: { Authorization: 'Bearer ${TOKEN}' } },
}

describe('O16 addDeclaration', () => {
  test('a variable by name becomes a placeholder of our files, and nothing is lost', async () => {
    const { add, read } = machine({})
    const env = { X: { env: 'Y' }, Z: 'z' }
    const headers = { 'X-Key': { env: 'KEY' } }
    const results = [
      await add({ name: 'a', transport: { kind: 'stdio', command: 'x', env } }),
      await add({ name: 'b', transport: { kind: 'http', url: 'https://b.example', headers } }),
      await add({ name: 'c', transport: { kind: 'stdio', command: 'x', env: { X: { env: 'no-name' } } } }),
    ]
    expect(results.map(({ lost }) => lost.map(({ field }) => field))).toEqual([[], [], ['env.X']])
    expect(await read('~/.config/plugboard/mcp.json')).toMatchObject({
      mcpServers: {
        a: { env: { X: '${Y}', Z: 'z' } },
        b: { headers: { 'X-Key': '${KEY}' } },
        c: { env: { X: '${no-name}' } },
      },
    })
  })

  const secrets: readonly NewServer['transport'][] = [
    { kind: 'stdio', command: 'node', args: ['--api-key', 'sk-live-8d7f6a5b4c3d2e1f0a9b'] },
    { kind: 'stdio', command: 'node', args: ['x'], env: { DB: 'postgres://u:hunter22secret@h/x' } },
    { kind: 'http', url: 'https://h.example/mcp?api_key=abcd1234efgh5678' },
    { kind: 'http', url: 'https://h.example/mcp', headers: { 'X-Api-Key': 'k3x9q7' } },
  ]
  test.each(secrets)(
    'T09 refuses to write the literal secret of %j into a project’s file',
    async (transport) => {
      const { add, texts } = machine({})
      await expect(add({ name: 's', transport }, { scope: 'project' })).rejects.toMatchObject({
        message: `"s" holds a literal secret, and ${project}/.mcp.json is shared.`,
      })
      expect(texts.has(`${project}/.mcp.json`)).toBe(false)
      expect((await add({ name: 's', transport })).file).toBe(ourFile)
    },
  )

  test('T09 refuses the literal secret of a login in a project’s file', async () => {
    const auth = { type: 'oauth', clientSecret: 'k3x9q7-vw' } as const
    await expect(machine({}).add({ ...remote, auth }, { scope: 'project' })).rejects.toMatchObject({
      code: 'config.invalid',
    })
  })

  test('T09 writes an example text into a project’s file: it is no secret', async () => {
    const { add, read } = machine({})
    const env = { API_KEY: 'YOUR_KEY_HERE' }
    const transport = { kind: 'stdio', command: 'x', env } as const
    await add({ name: 's', transport }, { scope: 'project' })
    expect(await read('.mcp.json')).toMatchObject({ mcpServers: { s: { command: 'x', env } } })
  })

  test('writes to the user’s file, or to the project’s with --scope project', async () => {
    const { add, read } = machine({})
    expect(await add(local)).toEqual({ file: ourFile, changed: true, lost: [], changes: [] })
    expect(await add(local, { scope: 'project' })).toMatchObject({ file: `${project}/.mcp.json` })
    const expected = { mcpServers: { new: { type: 'stdio', command: 'npx', args: ['-y', 'a@1.0.0'] } } }
    expect([await read('~/.config/plugboard/mcp.json'), await read('.mcp.json')]).toEqual([
      expected,
      expected,
    ])
  })

  test('--config writes to the named file', async () => {
    const { add, read } = machine({})
    await add(local, { config: 'other.json' })
    expect(await read('other.json')).toMatchObject({ mcpServers: { new: { command: 'npx' } } })
  })

  test('C3 a file with "servers" and "disabled" keeps using them', async () => {
    const { add, read } = machine({ '.mcp.json': { servers: { a: { command: 'x', disabled: true } } } })
    await add({ ...local, enabled: false }, { scope: 'project' })
    expect(await read('.mcp.json')).toEqual({
      servers: {
        a: { command: 'x', disabled: true },
        new: { type: 'stdio', command: 'npx', args: ['-y', 'a@1.0.0'], disabled: true },
      },
    })
  })

  test.each([
    ['codex', '~/.codex/config.toml', ['mcp_servers', 'web'], { bearer_token_env_var: 'TOKEN' }],
    [
      'vscode',
      '~/.config/Code/User/mcp.json',
      ['servers', 'web'],
      { headers: { Authorization: 'Bearer ${env:TOKEN}' } },
    ],
    [
      'opencode',
      '~/.config/opencode/opencode.jsonc',
      ['mcp', 'web'],
      { headers: { Authorization: 'Bearer {env:TOKEN}' } },
    ],
  ] as const)('C2 translates from our dialect to that of %s', async (id, path, [root, name], entry) => {
    const { add, read } = machine({})
    expect((await add(remote, { sources: [id] })).lost).toEqual([])
    expect(await read(path)).toMatchObject({ [root]: { [name]: entry } })
  })

  test('C2 an opencode file of the second layout gets entries of the second layout', async () => {
    const { add, read } = machine({ 'opencode.json': { mcp: { servers: {} } } })
    const options = { sources: ['opencode'], scope: 'project' } as const
    await add({ ...local, enabled: false, timeouts: { callMs: 2000, startupMs: 3000 } }, options)
    expect(await read('opencode.json')).toEqual({
      mcp: {
        servers: {
          new: {
            type: 'local',
            command: ['npx', '-y', 'a@1.0.0'],
            disabled: true,
            timeout: { startup: 3000, request: 2000 },
          },
        },
      },
    })
  })

  test.each([
    ['', 'the name is empty.'],
    ['a\u200bb', 'the name "a\u200bb" has hidden characters or blanks at its ends.'],
    ['x'.repeat(101), 'the name is longer than 100 characters.'],
    ['__proto__', '"__proto__" cannot be a name.'],
  ])('O4 refuses the name %j and writes nothing', async (name, why) => {
    const { add, texts } = machine({})
    await expect(add({ ...local, name })).rejects.toMatchObject({
      code: 'config.invalid',
      message: `Invalid server config: ${why}`,
    })
    expect(texts.has(ourFile)).toBe(false)
  })

  test('O4 refuses a name that the file already uses, even for an entry only its client can run; --force replaces', async () => {
    const { add, read } = machine({
      '~/.config/plugboard/mcp.json': { mcpServers: { new: { command: 'old' } } },
      '~/.config/goose/config.yaml':
        'extensions:\n  new:\n    type: builtin\n    enabled: true\n    name: new\n',
    })
    await expect(add(local)).rejects.toMatchObject({
      code: 'config.exists',
      message: `Server "new" already exists in ${ourFile}`,
    })
    await expect(add(local, { sources: ['goose'] })).rejects.toMatchObject({ code: 'config.exists' })
    await add(local, { force: true })
    expect(await read('~/.config/plugboard/mcp.json')).toEqual({
      mcpServers: { new: { command: 'npx', args: ['-y', 'a@1.0.0'] } },
    })
  })

  test('--force with another address drops the old login', async () => {
    const old = {
      url: 'https://old',
      auth: { type: 'oauth', clientId: 'c' },
      headersCommand: 'h',
      title: 'T',
    }
    const { add, read } = machine({ '~/.config/plugboard/mcp.json': { mcpServers: { web: old } } })
    await add(remote, { force: true })
    expect(await read('~/.config/plugboard/mcp.json')).toEqual({
      mcpServers: {
        web: { url: 'https://example.com/mcp', title: 'T', headers: { Authorization: 'Bearer ${TOKEN}' } },
      },
    })
  })

  test('--dry-run writes nothing and returns the changes', async () => {
    const { add, texts } = machine({})
    const before = new Map(texts)
    const { changes, changed } = await add(local, { dryRun: true })
    expect([changed, changes.map(({ file, before: old }) => [file, old])]).toEqual([true, [[ourFile, '']]])
    expect(texts).toEqual(before)
  })

  test('refuses a scope without a file, a read-only client and an empty list of sources', async () => {
    const { add } = machine({})
    await expect(add(local, { sources: ['windsurf'], scope: 'project' })).rejects.toMatchObject({
      code: 'config.unwritable',
      message: 'Windsurf has no project file.',
      hint: 'Try --scope user.',
    })
    await expect(add(local, { sources: ['copilot-coding-agent'] })).rejects.toMatchObject({
      code: 'config.unwritable',
    })
    await expect(add(local, { sources: [] })).rejects.toMatchObject({ code: 'usage' })
  })
})

/** Files with comments, an invalid server and a valid one. */
const damaged: readonly (readonly [SourceId, string, string, string, string])[] = [
  [
    'plugboard',
    '~/.config/plugboard/mcp.json',
    '{\n  // mine\n  "mcpServers": {\n    "bad": { "url": 7 },\n    "good": { "command": "x" } // yes\n  }\n}\n',
    '{\n  // mine\n  "mcpServers": {\n    "good": { "command": "x" } // yes\n  }\n}\n',
    '"url": 7, "enabled": false',
  ],
  [
    'codex',
    '~/.codex/config.toml',
    '# mine\n[mcp_servers.bad]\ncommand = 7\n\n[mcp_servers.good]\ncommand = "x" # yes\n',
    '# mine\n[mcp_servers.good]\ncommand = "x" # yes\n',
    'command = 7\nenabled = false',
  ],
  [
    'goose',
    '~/.config/goose/config.yaml',
    'extensions:\n  # mine\n  bad:\n    type: stdio\n    cmd: 7\n  good:\n    type: stdio\n    cmd: x # yes\n    args: []\n    enabled: true\n',
    'extensions:\n  # mine\n  good:\n    type: stdio\n    cmd: x # yes\n    args: []\n    enabled: true\n',
    'cmd: 7\n    enabled: false',
  ],
]

describe('O16 removeDeclaration and switchDeclaration in the file', () => {
  test.each(damaged)(
    '%s: an invalid entry can be removed and disabled',
    async (id, path, text, without, off) => {
      const first = machine({ [path]: text })
      expect(await first.remove('bad', { sources: [id] })).toMatchObject({
        changed: true,
        file: path.replace('~', home),
      })
      expect(first.textOf(path)).toBe(without)
      const second = machine({ [path]: text })
      await second.disable('bad', { sources: [id] })
      expect(second.textOf(path)?.replaceAll(/,\n\s+/g, ', ')).toContain(off)
      expect(await second.states({ sources: [id] })).toEqual({ good: true })
    },
  )

  const twice = {
    '~/.config/plugboard/mcp.json': { mcpServers: { a: { command: 'mine' } } },
    '.mcp.json': { mcpServers: { a: { command: 'theirs' } } },
  }

  test('of duplicates the one in force is edited, or the one that --scope selects', async () => {
    const trusted = { trust: 'project' } as const
    const first = machine(twice)
    expect((await first.remove('a', trusted)).file).toBe(`${project}/.mcp.json`)
    const second = machine(twice)
    expect((await second.remove('a', { scope: 'user' })).file).toBe(ourFile)
    expect(await second.read('.mcp.json')).toEqual(twice['.mcp.json'])
    const third = machine(twice)
    await third.disable('a', { scope: 'user' })
    expect(await third.read('~/.config/plugboard/mcp.json')).toEqual({
      mcpServers: { a: { command: 'mine', enabled: false } },
    })
    expect([await third.states(trusted), await third.states()]).toEqual([{ a: true }, { a: false }])
  })

  test('T01 a project’s entry that waits for trust is edited only with --scope project', async () => {
    const first = machine(twice)
    expect((await first.disable('a')).file).toBe(ourFile)
    expect(await first.states()).toEqual({ a: false })
    expect((await first.remove('a')).file).toBe(ourFile)
    const second = machine(twice)
    expect((await second.remove('a', { scope: 'project' })).file).toBe(`${project}/.mcp.json`)
    expect(await second.states()).toEqual({ a: true })
  })

  test('C2 C3 disable writes the on/off key that the client of the file reads', async () => {
    const { disable, enable, read, states } = machine({
      'opencode.json': { mcp: { servers: { a: { type: 'local', command: ['x'] } } } },
      '.opencode/opencode.json': { mcp: { b: { type: 'local', command: ['y'] } } },
      '.mcp.json': { servers: { c: { command: 'z' } } },
    })
    const options = { sources: ['opencode', 'plugboard'] } as const
    for (const name of ['a', 'b', 'c']) await disable(name, options)
    expect([
      await read('opencode.json'),
      await read('.opencode/opencode.json'),
      await read('.mcp.json'),
    ]).toEqual([
      { mcp: { servers: { a: { type: 'local', command: ['x'], disabled: true } } } },
      { mcp: { b: { type: 'local', command: ['y'], enabled: false } } },
      { servers: { c: { command: 'z', disabled: true } } },
    ])
    for (const name of ['a', 'b', 'c']) await enable(name, options)
    expect(await states(options)).toEqual({ a: true, b: true, c: true })
  })

  test('remove deletes an item from a list of servers and keeps comments', async () => {
    const text = 'name: x\nmcpServers:\n  - name: a\n    command: x\n  # keep\n  - name: b\n    command: y\n'
    const { remove, textOf } = machine({ '~/.continue/config.yaml': text })
    await remove('a', { sources: ['continue'] })
    expect(textOf('~/.continue/config.yaml')).toBe(
      'name: x\nmcpServers:\n  # keep\n  - name: b\n    command: y\n',
    )
  })

  test('remove refuses a file that consists of one server, and entries of a plugin', async () => {
    const { remove } = machine({
      '~/.continue/mcpServers/solo.json': { command: 'x' },
      '~/.gemini/extensions/e/gemini-extension.json': {
        name: 'e',
        mcpServers: { shipped: { command: 'x' } },
      },
    })
    await expect(remove('solo', { sources: ['continue'] })).rejects.toMatchObject({
      code: 'config.unwritable',
      hint: 'Delete the file.',
    })
    await expect(remove('shipped', { sources: ['gemini-cli'] })).rejects.toMatchObject({
      code: 'config.unwritable',
      message: 'Servers of Gemini CLI cannot be edited here.',
    })
  })

  test('an undeclared name is an error that suggests similar names', async () => {
    const { remove, disable } = machine(twice)
    await expect(remove('aa')).rejects.toMatchObject({
      code: 'server.unknown',
      message: 'No server "aa" is declared.',
      hint: 'Did you mean a?',
    })
    await expect(disable('b', { scope: 'project' })).rejects.toMatchObject({
      message: 'No server "b" is declared in the project’s files.',
    })
  })

  test('--dry-run of remove and disable writes nothing', async () => {
    const { remove, disable, texts } = machine(twice)
    const before = new Map(texts)
    expect((await remove('a', { dryRun: true })).changes).toHaveLength(1)
    expect((await disable('a', { dryRun: true })).changes).toHaveLength(1)
    expect(texts).toEqual(before)
  })
})

describe('O16 switchDeclaration for a client without an on/off key', () => {
  const cursor = { '~/.cursor/mcp.json': { mcpServers: { a: { command: 'x' }, b: { command: 'y' } } } }
  const options = { sources: ['cursor'] } as const

  test('disable adds the name to our settings, enable removes it', async () => {
    const { disable, enable, read, states, textOf } = machine(cursor)
    const before = textOf('~/.cursor/mcp.json')
    expect(await disable('a', options)).toEqual({
      file: `${home}/.config/plugboard/settings.json`,
      changed: true,
      lost: [],
      changes: [],
    })
    expect([await read(settings), await states(options)]).toEqual([
      { disabledServers: ['a'] },
      { a: false, b: true },
    ])
    expect((await disable('a', options)).changed).toBe(false)
    await disable('b', options)
    expect(await read(settings)).toEqual({ disabledServers: ['a', 'b'] })
    await enable('a', options)
    expect([await read(settings), await states(options)]).toEqual([
      { disabledServers: ['b'] },
      { a: true, b: false },
    ])
    expect((await enable('a', options)).changed).toBe(false)
    expect(textOf('~/.cursor/mcp.json')).toBe(before)
  })

  test('concurrent edits of the settings are all kept', async () => {
    const { disable, read } = machine({ ...cursor, [settings]: '{\n  // mine\n  "sources": ["cursor"]\n}\n' })
    await Promise.all([disable('a', options), disable('b', options)])
    expect(await read(settings)).toEqual({ sources: ['cursor'], disabledServers: ['a', 'b'] })
  })

  test('disable writes no on/off key into a file that belongs to another client', async () => {
    const { disable, read, textOf } = machine({ '.cursor/mcp.json': { mcpServers: { a: { command: 'x' } } } })
    const before = textOf('.cursor/mcp.json')
    await disable('a', { sources: ['oh-my-pi'] })
    expect([textOf('.cursor/mcp.json'), await read(settings)]).toEqual([before, { disabledServers: ['a'] }])
  })

  test('disable refuses a hidden duplicate, because the settings would switch off the one in force', async () => {
    const { disable, texts } = machine({
      '~/.cursor/mcp.json': { mcpServers: { a: { command: 'mine' } } },
      '.cursor/mcp.json': { mcpServers: { a: { command: 'theirs' } } },
    })
    await expect(disable('a', { ...options, trust: 'project', scope: 'user' })).rejects.toMatchObject({
      code: 'config.unwritable',
      message: `Cursor has no way to switch a server on or off in ${home}/.cursor/mcp.json.`,
    })
    expect(texts.has(`${home}/.config/plugboard/settings.json`)).toBe(false)
  })

  test('enable removes the switch in our file and the one in the settings', async () => {
    const { enable, states } = machine({
      '~/.config/plugboard/mcp.json': { mcpServers: { a: { command: 'x', enabled: false } } },
      [settings]: { disabledServers: ['a'] },
    })
    expect((await enable('a')).changed).toBe(true)
    expect(await states()).toEqual({ a: true })
  })

  test('enable reports a disabled list of the client and does not change it', async () => {
    const { enable } = machine({
      '~/.omp/agent/mcp.json': { mcpServers: { a: { command: 'x' } }, disabledServers: ['a'] },
    })
    await expect(enable('a', { sources: ['oh-my-pi'] })).rejects.toMatchObject({
      code: 'config.unwritable',
      message: `"a" is switched off by ${home}/.omp/agent/mcp.json#/disabledServers.`,
    })
  })
})

describe('O16 enable reports what still keeps a server off', () => {
  test('a disabled list of the client, after the switch in the entry was removed', async () => {
    const { enable, states } = machine({
      '~/.omp/agent/mcp.json': {
        mcpServers: { a: { command: 'x', enabled: false } },
        disabledServers: ['a'],
      },
    })
    const file = `${home}/.omp/agent/mcp.json`
    const options = { sources: ['oh-my-pi'] } as const
    const reason = `"a" stays off because of ${file}#/disabledServers. Change it there.`
    const expected = { file, changed: true, lost: [{ field: 'enabled', reason }] }
    expect(await enable('a', { ...options, dryRun: true })).toMatchObject(expected)
    expect(await enable('a', options)).toEqual({ ...expected, changes: [] })
    expect(await states(options)).toEqual({ a: false })
  })

  test('a lower layer is overridden by an explicit switch', async () => {
    const { enable, states, read } = machine({
      '~/.config/opencode/opencode.json': { mcp: { a: { type: 'local', command: ['x'], enabled: false } } },
      'opencode.json': { mcp: { a: { type: 'local', command: ['x'], enabled: false } } },
    })
    const options = { sources: ['opencode'], trust: 'project' } as const
    expect((await enable('a', options)).lost).toEqual([])
    expect(await states(options)).toEqual({ a: true })
    expect(await read('opencode.json')).toEqual({
      mcp: { a: { type: 'local', command: ['x'], enabled: true } },
    })
  })

  test('a higher layer that contains only a switch is reported', async () => {
    const { enable } = machine({
      '~/.config/opencode/opencode.json': { mcp: { a: { type: 'local', command: ['x'] } } },
      'opencode.json': { mcp: { a: { enabled: false } } },
    })
    await expect(enable('a', { sources: ['opencode'], trust: 'project' })).rejects.toMatchObject({
      code: 'config.unwritable',
      message: `"a" is switched off by ${project}/opencode.json#/mcp/a/enabled.`,
    })
  })
})

test.each([
  ['no on/off key', {}],
  ['enabled: true', { enabled: true }],
  ['disabled: false', { disabled: false }],
  ['enabled: false', { enabled: false }],
])('T02 switchDeclaration: an entry with %s stays trusted when switched off and on', async (_what, flags) => {
  const person = createPerson({ '.mcp.json': { mcpServers: { a: { command: 'x', ...flags } } } })
  const { platform } = person
  const [server] = (await person.discover()).servers
  if (!server) throw new Error('no server')
  await trustServer(await requestTrust(server, { platform }), { platform })
  const states: unknown[] = []
  for (const on of [false, true]) {
    await switchDeclaration('a', on, { platform })
    const { servers, trust } = await person.discover()
    states.push(servers.map((each) => [each.enabled, trust.get(each)]))
  }
  expect(states).toEqual([[[false, 'trusted']], [[true, 'trusted']]])
})

test('setSourceEnabled: enables and disables a source in the settings', async () => {
  const { turn, read, states, files } = machine({
    '~/.cursor/mcp.json': { mcpServers: { a: { command: 'x' } } },
  })
  expect(await states()).toEqual({})
  const file = `${home}/.config/plugboard/settings.json`
  expect([await turn('cursor', false), files.texts.has(file)]).toEqual([{ file, changed: false }, false])
  expect(await turn('cursor', true)).toEqual({ file, changed: true })
  expect([await read(settings), await states()]).toEqual([{ sources: ['cursor'] }, { a: true }])
  expect(await turn('cursor', true)).toEqual({ file, changed: false })
  await turn('cursor', false)
  expect(await read(settings)).toEqual({ sources: [] })
  await expect(turn('courser', true)).rejects.toMatchObject({ code: 'source.unknown' })
})

test('T01 writeChanges: writes exactly the previewed changes, and nothing if the file has changed since', async () => {
  const machine = memoryMachine({ '~/.config/plugboard/mcp.json': { mcpServers: {} } })
  const { platform } = machine
  const { changes } = await addDeclaration(
    { name: 'a', transport: { kind: 'stdio', command: 'nice' } },
    { platform, dryRun: true },
  )
  const [change] = changes
  machine.files.texts.set(change?.file ?? '', '{}')
  await expect(writeChanges(changes, { platform })).rejects.toMatchObject({ code: 'config.conflict' })
  expect(machine.textOf('~/.config/plugboard/mcp.json')).toBe('{}')
  machine.files.texts.set(change?.file ?? '', change?.before ?? '')
  await writeChanges(changes, { platform })
  expect(machine.textOf('~/.config/plugboard/mcp.json')).toBe(change?.after)
})

test('O16 removeDeclaration: removes the switch in our settings, so a new server of that name is on', async () => {
  const files = memoryFiles({
    '/home/dana/.cursor/mcp.json': '{ "mcpServers": { "gem": { "command": "a" } } }',
  })
  const platform = { home: '/home/dana', cwd: '/home/dana/shop', env: {}, files }
  const options = { platform, sources: ['cursor'] as const }
  const state = async () => (await discover(options)).servers.map(({ name, enabled }) => ({ name, enabled }))

  await switchDeclaration('gem', false, options)
  expect(await state()).toEqual([{ name: 'gem', enabled: false }])
  await removeDeclaration('gem', options)
  await addDeclaration({ name: 'gem', transport: { kind: 'http', url: 'https://new.example/mcp' } }, options)
  expect(await state()).toEqual([{ name: 'gem', enabled: true }])
})
