import { describe, expect, test } from 'vitest'
import { nodePlatform } from '../../platform/node/node-platform.ts'
import type { FileText, Files } from '../../platform/platform.ts'
import { boocode } from '../../sources/clients/boocode/boocode-source.ts'
import { cursor } from '../../sources/clients/cursor/cursor.ts'
import { createSource } from '../../sources/entries/client-dialect.ts'
import { dispatch } from '../../sources/clients/dispatch/dispatch-source.ts'
import { ohMyPi } from '../../sources/clients/oh-my-pi/oh-my-pi.ts'
import { place } from '../../sources/place-builders.ts'
import { plugboard } from '../../sources/clients/plugboard/plugboard.ts'
import type { FilePlace, Source } from '../../sources/source.ts'
import type { NewServer } from '../../sources/entries/write-rules.ts'
import { memoryFiles } from '../../testing/memory-files.ts'
import { addServer, removeServer, setEnabled, updateServer } from './edit-entry.ts'
import type { EditTarget } from './edit-target.ts'
import { createWorld } from '../world.ts'

const path = '/p/mcp.json'
const local: NewServer = { name: 'new', transport: { kind: 'stdio', command: 'npx' } }

interface Setting {
  readonly source?: Source
  readonly place?: Partial<FilePlace>
}

async function open(text: string | undefined, setting: Setting = {}) {
  const at = { ...place(path, { scope: 'project', authority: 'project', root: '/p' }), ...setting.place }
  const files = memoryFiles(text === undefined ? {} : { [at.path]: text })
  const platform = nodePlatform({
    os: 'linux',
    home: '/h',
    cwd: '/p',
    env: {},
    files,
    lock: (_path, work) => work(),
  })
  const target: EditTarget = {
    platform,
    world: await createWorld(platform),
    source: setting.source ?? plugboard,
    place: at,
  }
  return {
    target,
    text: () => files.texts.get(at.path),
    json: () => JSON.parse(files.texts.get(at.path) ?? ''),
  }
}

describe('O16 addServer', () => {
  test.each(['{"mcpServers":[]}', '{"mcpServers":[{"name":"a"}]}', '{"mcpServers":"x"}', '[]'])(
    'refuses a file without a map of servers and leaves it unchanged: %s',
    async (text) => {
      const file = await open(text)
      await expect(addServer(file.target, local)).rejects.toMatchObject({
        code: 'config.invalid',
        data: { file: path },
      })
      expect(file.text()).toBe(text)
    },
  )

  test('creates a missing file', async () => {
    const file = await open(undefined)
    expect(await addServer(file.target, local)).toEqual({ file: path, changed: true, lost: [] })
    expect(file.text()).toBe(
      '{\n  "mcpServers": {\n    "new": {\n      "type": "stdio",\n      "command": "npx"\n    }\n  }\n}\n',
    )
  })

  test.each([
    ['mcpServers', { mcpServers: { a: { command: 'x', enabled: false } } }, { enabled: false }],
    ['servers', { servers: { a: { command: 'x', disabled: true } } }, { disabled: true }],
    ['servers', { servers: {} }, { disabled: true }],
    ['mcp', { mcp: { a: { command: 'x' } } }, { enabled: false }],
  ])('C3 uses the root key and on/off key of the file: %s %j', async (root, content, flag) => {
    const file = await open(JSON.stringify(content))
    await addServer(file.target, { ...local, enabled: false })
    expect(file.json()[root].new).toEqual({ type: 'stdio', command: 'npx', ...flag })
  })

  test('C3 adds to a bare map of servers without a root key', async () => {
    const file = await open('{ "a": { "command": "x" } }')
    await addServer(file.target, local)
    expect(file.text()).toBe('{ "a": { "command": "x" }, "new": { "type": "stdio", "command": "npx" } }')
  })

  test('writes the dialect of each client', async () => {
    const remote: NewServer = {
      name: 'new',
      transport: { kind: 'http', url: 'https://a' },
      enabled: false,
      auth: { type: 'oauth', credentialId: 'c', clientId: 'i' },
    }
    const written = async (source: Source, setting: Partial<FilePlace> = {}) => {
      const file = await open(undefined, { source, place: setting })
      const { lost } = await addServer(file.target, remote)
      return [file.json(), lost.map(({ field }) => field)]
    }
    expect(await written(boocode)).toEqual([
      { mcpServers: { new: { type: 'streamableHttp', url: 'https://a', enabled: false } } },
      ['auth'],
    ])
    expect(await written(dispatch)).toEqual([
      { servers: { new: { transport: 'http', url: 'https://a', disabled: true } } },
      ['auth'],
    ])
    expect(await written(dispatch, { role: 'fallback' })).toEqual([
      { mcp: { new: { transport: 'http', url: 'https://a', disabled: true } } },
      ['auth'],
    ])
    expect(await written(ohMyPi)).toEqual([
      {
        mcpServers: {
          new: {
            type: 'http',
            url: 'https://a',
            enabled: false,
            auth: { type: 'oauth', credentialId: 'c' },
            oauth: { clientId: 'i' },
          },
        },
      },
      [],
    ])
    expect(await written(cursor)).toEqual([
      {
        mcpServers: { new: { type: 'http', url: 'https://a', auth: { CLIENT_ID: 'i' } } },
      },
      ['auth.credentialId', 'enabled'],
    ])
    expect(await written(plugboard)).toEqual([
      {
        mcpServers: {
          new: {
            type: 'http',
            url: 'https://a',
            enabled: false,
            auth: { type: 'oauth', credentialId: 'c', clientId: 'i' },
          },
        },
      },
      [],
    ])
  })

  test('applies the list form and the extra keys of the client', async () => {
    const source = createSource({
      id: 'continue',
      title: 'A list',
      reads: 'jsonc',
      roots: [['servers']],
      rules: { types: {}, untypedUrl: 'http', both: 'refuse' },
      values: { syntaxes: [], unset: 'keep' },
      writes: {
        list: () => true,
        toEntry: (_server, { entry, lost }) => ({ entry: { required: true, ...entry }, lost }),
      },
    })
    const file = await open(undefined, { source, place: { path: '/p/a.yaml', format: 'yaml' } })
    await addServer(file.target, local)
    await addServer(file.target, { ...local, name: 'two' })
    expect(file.text()).toBe(
      'servers:\n  - name: new\n    required: true\n    command: npx\n  - name: two\n    required: true\n    command: npx\n',
    )
  })

  test('O4 refuses invalid names', async () => {
    const file = await open('{}')
    const refused = async (name: string) =>
      addServer(file.target, { ...local, name }).catch((error: Error) => error.message)
    expect(await refused('')).toBe('Invalid server config: the name is empty.')
    expect(await refused('a'.repeat(101))).toBe(
      'Invalid server config: the name is longer than 100 characters.',
    )
    expect(await refused(' a')).toBe(
      'Invalid server config: the name " a" has hidden characters or blanks at its ends.',
    )
    expect(await refused('constructor')).toBe('Invalid server config: "constructor" cannot be a name.')
    expect(file.text()).toBe('{}')
    await addServer(file.target, { ...local, name: 'A_z.0-9'.padEnd(100, 'x') })
  })

  test('O3 refuses invalid descriptions', async () => {
    const file = await open('{}')
    // Transports that only an untyped caller can pass.
    const refused = async (transport: object) =>
      addServer(file.target, { name: 'a', transport: transport as NewServer['transport'] }).catch(
        (error: Error) => error.message,
      )
    expect(await refused({ kind: 'stdio', command: 'x', url: 'y' })).toBe(
      'Invalid server config: it has both a command and a url; keep one.',
    )
    expect(await refused({ kind: 'stdio', command: ' ' })).toBe(
      'Invalid server config: a stdio server needs a command.',
    )
    expect(await refused({ kind: 'sse' })).toBe('Invalid server config: an http or sse server needs a url.')
    expect(await refused({ kind: 'ws', url: 'x' })).toBe(
      'Invalid server config: "ws" is not a transport; use stdio, http or sse.',
    )
    expect(await refused({ kind: 'stdio', command: 'x', env: { 'A=B': '' } })).toBe(
      'Invalid server config: "A=B" cannot be the name of a variable.',
    )
    expect(await refused({ kind: 'stdio', command: 'x', args: ['\0'] })).toBe(
      'Invalid server config: it contains a NUL character, which cannot be passed to a program.',
    )
    expect(file.text()).toBe('{}')
  })

  test('O20 refuses a name that the file already uses', async () => {
    const file = await open('{ "mcpServers": { "new": {} } }')
    await expect(addServer(file.target, local)).rejects.toMatchObject({
      code: 'config.exists',
      message: 'Server "new" already exists in /p/mcp.json',
    })
  })

  test('O21 refuses a broken file with line and column, and leaves it unchanged', async () => {
    const file = await open('{\n  "mcpServers": {\n')
    for (const edit of [addServer(file.target, local), removeServer(file.target, 'a')]) {
      await expect(edit).rejects.toMatchObject({
        code: 'config.invalid',
        data: { file: path },
        message: expect.stringMatching(/^\/p\/mcp\.json, line 3, column 1: /),
      })
    }
    expect(file.text()).toBe('{\n  "mcpServers": {\n')
  })
})

describe('O16 updateServer, removeServer, setEnabled', () => {
  const text = `{
  // mine
  "mcpServers": {
    "a b": {
      "transport": "streamable-http", // old word
      "serverUrl": "https://a",
      "headers": {
        "X-A": "1", // keep me
        "X-B": "2"
      },
      "timeout": 5,
      "unknown": { "of": "theirs" }
    },
    "c": { "command": "x", "deniedTools": ["rm"] }
  }
}
`

  test('T09 updateServer changes only what differs', async () => {
    const file = await open(text)
    await updateServer(file.target, {
      name: 'a b',
      transport: { kind: 'http', url: 'https://b', headers: { 'X-A': '1', 'X-C': '3' } },
      title: 'A',
    })
    expect(file.text()).toBe(
      text
        .replace('https://a', 'https://b')
        .replace('"X-B": "2"', '"X-C": "3"')
        .replace('"of": "theirs" }\n', '"of": "theirs" },\n      "title": "A"\n'),
    )
  })

  test('updateServer with the same description changes nothing', async () => {
    const file = await open(text)
    const same: NewServer = {
      name: 'a b',
      transport: { kind: 'http', url: 'https://a', headers: { 'X-A': '1', 'X-B': '2' } },
    }
    expect(await updateServer(file.target, same)).toEqual({ file: path, changed: false, lost: [] })
    expect(file.text()).toBe(text)
  })

  test('updateServer to another transport removes the old one, and empty lists clear their keys', async () => {
    const file = await open(text)
    await updateServer(file.target, { name: 'c', transport: { kind: 'sse', url: 'u' }, tools: { deny: [] } })
    expect(file.text()).toBe(
      text.replace('"command": "x", "deniedTools": ["rm"]', '"type": "sse", "url": "u"'),
    )
  })

  test('removeServer removes an entry with an unusual name', async () => {
    const file = await open(text)
    await removeServer(file.target, 'a b')
    expect(file.text()).toBe(
      '{\n  // mine\n  "mcpServers": {\n    "c": { "command": "x", "deniedTools": ["rm"] }\n  }\n}\n',
    )
  })

  test('setEnabled switches a server off and on', async () => {
    const file = await open(text)
    await setEnabled(file.target, 'c', false)
    expect(file.text()).toBe(text.replace('["rm"] }', '["rm"], "enabled": false }'))
    await setEnabled(file.target, 'c', true)
    expect(file.text()).toBe(text)
    expect((await setEnabled(file.target, 'a b', true)).changed).toBe(false)
  })

  test.each([
    ['keeps a switch that is on', { command: 'x', enabled: true }, { command: 'x', enabled: true }],
    [
      'flips the one of two switches that is off',
      { command: 'x', enabled: true, disabled: true },
      { command: 'x', enabled: true, disabled: false },
    ],
    [
      'flips both switches that are off, where they stand',
      { enabled: false, command: 'x', disabled: true },
      { enabled: true, command: 'x', disabled: false },
    ],
    ['keeps the switch of an entry that has no other key', { enabled: false }, { enabled: true }],
  ])('setEnabled on: %s', async (_what, before, after) => {
    const file = await open(JSON.stringify({ mcpServers: { a: before } }))
    await setEnabled(file.target, 'a', true)
    expect(file.text()).toEqual(JSON.stringify({ mcpServers: { a: after } }))
  })

  test('setEnabled fails for a client without an on/off key', async () => {
    const file = await open('{ "mcpServers": { "a": { "command": "x" } } }', { source: cursor })
    await expect(setEnabled(file.target, 'a', false)).rejects.toMatchObject({
      code: 'config.unwritable',
      message: 'Cursor has no way to switch a server on or off in /p/mcp.json.',
    })
  })

  test('an unknown server is an error that suggests similar names', async () => {
    const file = await open('{ "mcpServers": { "github": { "command": "x" } } }')
    for (const edit of [
      updateServer(file.target, { ...local, name: 'githbu' }),
      removeServer(file.target, 'githbu'),
      setEnabled(file.target, 'githbu', false),
    ]) {
      await expect(edit).rejects.toMatchObject({
        code: 'server.unknown',
        data: { server: 'githbu', near: ['github'] },
        message: 'There is no server "githbu" in /p/mcp.json.',
      })
    }
  })

  test('removeServer removes an invalid entry', async () => {
    const file = await open('{ "mcpServers": { "bad": 1, "c": {} } }')
    await removeServer(file.target, 'bad')
    expect(file.text()).toBe('{ "mcpServers": { "c": {} } }')
  })

  test('a read-only source is refused', async () => {
    const file = await open('{}', {
      source: createSource({
        id: 'mcpb',
        title: 'Bundles',
        reads: 'strict',
        roots: [],
        rules: { types: {}, untypedUrl: 'http', both: 'refuse' },
        values: { syntaxes: [], unset: 'keep' },
        writes: 'never',
      }),
    })
    await expect(addServer(file.target, local)).rejects.toMatchObject({
      code: 'config.unwritable',
      message: 'Servers of Bundles cannot be edited here.',
    })
  })
})

describe('T09 addServer: mode of the file', () => {
  const secret: NewServer = {
    name: 'new',
    transport: { kind: 'http', url: 'u', headers: { Authorization: 'Bearer k3x9-q7' } },
  }
  const reference: NewServer = {
    name: 'new',
    transport: { kind: 'http', url: 'u', headers: { Authorization: 'Bearer ${TOKEN}' } },
  }

  test.each([
    ['a new file of a project', undefined, 'project', local, 0o644],
    ['a new file of a project with a literal secret', undefined, 'project', secret, 0o600],
    ['a new file of a project with a reference', undefined, 'project', reference, 0o644],
    ['a new file of the user', undefined, 'user', local, 0o600],
    ['an existing file', 0o640, 'user', local, 0o640],
    ['an existing file that gets a literal secret', 0o644, 'project', secret, 0o600],
  ] as const)('%s', async (_title, before, authority, server, after) => {
    const file = await open(before === undefined ? undefined : '{}', { place: { authority } })
    const modes: unknown[] = []
    const { files } = file.target.platform
    const spying: Files = {
      ...files,
      readText: async (at) => withMode(await files.readText(at), before ?? 0),
      replace: async (at, text, options) => {
        if (at === path) modes.push(options?.mode)
        await files.replace(at, text, options)
      },
    }
    await addServer({ ...file.target, platform: { ...file.target.platform, files: spying } }, server)
    expect(modes).toEqual([after])
  })
})

function withMode(found: FileText, mode: number): FileText {
  return found.kind === 'text' ? { ...found, stat: { ...found.stat, mode } } : found
}
