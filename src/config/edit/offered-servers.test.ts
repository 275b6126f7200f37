import { strToU8, zipSync } from 'fflate'
import { describe, expect, test } from 'vitest'
import { home, memoryMachine, project } from '../../../test/support/memory-machine.ts'
import { addDeclaration, removeDeclaration } from './declarations.ts'
import type { EditOptions } from './workbench.ts'
import type { Answers } from '../../model/answers.ts'
import { describeEntry, readOffers } from './offered-servers.ts'
import type { Files } from '../../platform/platform.ts'
import { exportServers } from './transfer.ts'

/** Reads the offers of a file, answers the inputs of one, and declares it. */
async function addFrom(
  machine: ReturnType<typeof memoryMachine>,
  file: string,
  { answers = {}, choice = 0, ...options }: EditOptions & { answers?: Answers; choice?: number } = {},
) {
  const given = { ...options, platform: machine.platform }
  const offer = (await readOffers(file, given))[choice]
  if (!offer) throw new Error('There is no such offer.')
  return addDeclaration(await offer.describe(answers), given)
}

const serverJson = {
  $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
  name: 'io.example/weather',
  description: 'Weather',
  version: '1.2.0',
  packages: [
    {
      registryType: 'npm',
      identifier: '@example/weather',
      version: '1.2.0',
      transport: { type: 'stdio' },
      environmentVariables: [
        { name: 'WEATHER_KEY', isSecret: true, isRequired: true },
        { name: 'WEATHER_UNIT', default: 'celsius' },
      ],
    },
  ],
  remotes: [
    {
      type: 'streamable-http',
      url: 'https://{region}.weather.example/mcp',
      headers: [{ name: 'Authorization', value: 'Bearer {key}', variables: { key: { isSecret: true } } }],
      variables: { region: { isRequired: true, choices: ['eu', 'us'] } },
    },
  ],
}

describe('O16 readOffers: server.json', () => {
  test('every way to run the server is an offer with its inputs', async () => {
    const { platform } = memoryMachine({ 'server.json': serverJson })
    const offers = await readOffers('server.json', { platform })
    expect(
      offers.map(({ server, inputs }) => [
        server.name,
        server.transport.kind,
        inputs.map(({ id, secret = false }) => [id, secret]),
      ]),
    ).toEqual([
      [
        'weather',
        'stdio',
        [
          ['WEATHER_KEY', true],
          ['WEATHER_UNIT', false],
        ],
      ],
      [
        'weather',
        'http',
        [
          ['region', false],
          ['key', true],
        ],
      ],
    ])
  })

  test('a secret stays a reference to a variable for every target client', async () => {
    const machine = memoryMachine({ 'server.json': serverJson })
    const answers = { region: 'eu', key: '${WEATHER_TOKEN}' }
    await addFrom(machine, 'server.json', { choice: 1, answers })
    await addFrom(machine, 'server.json', { choice: 1, answers, sources: ['vscode'] })
    await addFrom(machine, 'server.json', { choice: 1, answers, sources: ['codex'] })
    const url = 'https://eu.weather.example/mcp'
    expect([
      await machine.read('~/.config/plugboard/mcp.json'),
      await machine.read('~/.config/Code/User/mcp.json'),
      await machine.read('~/.codex/config.toml'),
    ]).toEqual([
      {
        mcpServers: {
          weather: {
            type: 'http',
            url,
            headers: { Authorization: 'Bearer ${WEATHER_TOKEN}' },
            description: 'Weather',
          },
        },
      },
      {
        servers: {
          weather: { type: 'http', url, headers: { Authorization: 'Bearer ${env:WEATHER_TOKEN}' } },
        },
      },
      { mcp_servers: { weather: { url, bearer_token_env_var: 'WEATHER_TOKEN' } } },
    ])
  })

  test('a package becomes the command that runs it', async () => {
    const machine = memoryMachine({ 'server.json': serverJson })
    await addFrom(machine, 'server.json', {
      answers: { WEATHER_KEY: '${WEATHER_KEY}', WEATHER_UNIT: 'celsius' },
    })
    expect(await machine.read('~/.config/plugboard/mcp.json')).toEqual({
      mcpServers: {
        weather: {
          type: 'stdio',
          command: 'npx',
          args: ['@example/weather@1.2.0'],
          env: { WEATHER_KEY: '${WEATHER_KEY}', WEATHER_UNIT: 'celsius' },
          description: 'Weather',
        },
      },
    })
  })
})

const manifest = {
  manifest_version: '0.3',
  name: 'shop-tools',
  version: '0.2.0',
  description: 'Local shop tools',
  author: { name: 'Dana' },
  server: {
    type: 'node',
    entry_point: 'server/index.js',
    mcp_config: {
      command: 'node',
      args: ['${__dirname}/server/index.js', '${user_config.dirs}'],
      env: { KEY: '${user_config.api_key}' },
    },
  },
  user_config: {
    api_key: { type: 'string', title: 'Key', description: 'Key', sensitive: true, required: true },
    dirs: {
      type: 'directory',
      title: 'Dirs',
      description: 'Dirs',
      multiple: true,
      default: ['${DOCUMENTS}'],
    },
  },
}

function bundle(script: string) {
  const machine = memoryMachine({})
  const packed = zipSync({
    'manifest.json': strToU8(JSON.stringify(manifest)),
    'server/index.js': strToU8(script),
  })
  machine.files.bytes.set(`${project}/shop.mcpb`, packed)
  return machine
}

const answers = { api_key: '${SHOP_KEY}', dirs: ['${DOCUMENTS}', '/srv'] }
const bundles = `${home}/.local/share/plugboard/bundles`
const unpackedIn = ({ files }: ReturnType<typeof bundle>) =>
  [...files.bytes.keys()].filter((path) => path.startsWith(bundles)).sort()

test('readOffers: a socket address is described without loss', async () => {
  const entry = { url: 'unix:///run/mcp.sock#/mcp' }
  const described = await describeEntry('s', entry, { platform: memoryMachine({}).platform })
  expect([described.transport, described.lost]).toEqual([{ kind: 'http', ...entry, headers: {} }, undefined])
})

test('readOffers: an invalid entry is named in the error', async () => {
  const machine = memoryMachine({ 'more.json': { mcpServers: { live: { type: 'ws', url: 'wss://a' } } } })
  await expect(readOffers('more.json', { platform: machine.platform })).rejects.toMatchObject({
    code: 'config.invalid',
    data: { server: 'live' },
    message: 'Invalid server config: "live": The transport "ws" is not supported.',
  })
})

describe('O16 readOffers: bundle', () => {
  test('a bundle is unpacked below the data directory and runs from there', async () => {
    const machine = bundle('1')
    const { lost } = await addFrom(machine, 'shop.mcpb', { answers })
    const [first = '', second = ''] = unpackedIn(machine)
    const folder = first.slice(0, first.lastIndexOf('/'))
    expect(folder).toMatch(/\/bundles\/shop-tools-[0-9a-f]{32}$/)
    expect([first, second, lost]).toEqual([`${folder}/manifest.json`, `${folder}/server/index.js`, []])
    expect(await machine.read('~/.config/plugboard/mcp.json')).toEqual({
      mcpServers: {
        'shop-tools': {
          type: 'stdio',
          command: 'node',
          args: [`${folder}/server/index.js`, `${home}/Documents`, '/srv'],
          env: { KEY: '${SHOP_KEY}' },
        },
      },
    })
  })

  test('T46 a half unpacked folder is replaced, and two concurrent unpackings both succeed', async () => {
    const machine = bundle('1')
    await addFrom(machine, 'shop.mcpb', { answers })
    const [manifestFile = ''] = unpackedIn(machine)
    machine.files.bytes.delete(manifestFile)
    const [offer] = await readOffers('shop.mcpb', { platform: machine.platform })
    const [one, two] = await Promise.all([offer?.describe(answers), offer?.describe(answers)])
    expect(one).toEqual(two)
    expect(unpackedIn(machine)).toEqual([
      manifestFile,
      manifestFile.replace('manifest.json', 'server/index.js'),
    ])
  })

  test('T46 drafts of killed processes are removed after a day', async () => {
    const machine = bundle('1')
    const draft = (name: string) => `${bundles}/old-${name}.0123456789abcdef.tmp`
    const times = new Map([
      [draft('yesterday'), Date.now() - 25 * 3_600_000],
      [draft('now'), Date.now() - 3_600_000],
      [`${bundles}/kept.tmp`, 1],
    ])
    for (const folder of times.keys()) machine.files.bytes.set(`${folder}/a.js`, new Uint8Array(1))
    const stat: Files['stat'] = async (path) => {
      const found = await machine.files.stat(path)
      return found && { ...found, mtimeMs: times.get(path) ?? found.mtimeMs }
    }
    const platform = { ...machine.platform, files: { ...machine.files, stat } }
    const sweep = async (options: EditOptions) => {
      const [offer] = await readOffers('shop.mcpb', { ...options, platform })
      await offer?.describe(answers)
      return unpackedIn(machine).filter((path) => path.includes('tmp'))
    }
    const all = [...times.keys()].map((folder) => `${folder}/a.js`).sort()
    expect(await sweep({ dryRun: true })).toEqual(all)
    expect(await sweep({})).toEqual(all.filter((path) => !path.includes('yesterday')))
  })

  test('O16 a bundle is removed with the last entry that runs from it', async () => {
    const machine = bundle('1')
    const { platform } = machine
    await addFrom(machine, 'shop.mcpb', { answers })
    const unpacked = unpackedIn(machine)
    await exportServers('cursor', { platform })
    await removeDeclaration('shop-tools', { platform, dryRun: true })
    await removeDeclaration('shop-tools', { platform })
    expect(unpackedIn(machine)).toEqual(unpacked)
    await removeDeclaration('shop-tools', { platform, sources: ['cursor'] })
    expect(unpackedIn(machine)).toEqual([])
  })

  test('a folder whose name only starts like a bundle is not removed', async () => {
    const machine = bundle('1')
    const { platform } = machine
    await addFrom(machine, 'shop.mcpb', { answers })
    const unpacked = unpackedIn(machine)
    const args = [bundles, `${bundles}/..`, `${bundles}/../../x`, (unpacked[0] ?? '').slice(0, -40)]
    const server = { name: 'odd', transport: { kind: 'stdio', command: 'x', args } } as const
    await addDeclaration(server, { platform })
    await removeDeclaration('odd', { platform })
    expect(unpackedIn(machine)).toEqual(unpacked)
  })

  test('nothing is unpacked before the inputs are answered, nor in a dry run', async () => {
    const machine = bundle('1')
    await readOffers('shop.mcpb', { platform: machine.platform })
    expect(unpackedIn(machine)).toEqual([])
    const { changes } = await addFrom(machine, 'shop.mcpb', { answers, dryRun: true })
    expect(changes.map(({ after }) => after).join()).toContain('/bundles/shop-tools-')
    expect([unpackedIn(machine), machine.texts.has(`${home}/.config/plugboard/mcp.json`)]).toEqual([
      [],
      false,
    ])
  })

  test('a version with the same manifest but other files gets its own folder, an equal one reuses it', async () => {
    const machine = bundle('1')
    await addFrom(machine, 'shop.mcpb', { answers })
    await addFrom(machine, 'shop.mcpb', { answers, force: true })
    expect(unpackedIn(machine)).toHaveLength(2)
    const other = bundle('2')
    await addFrom(other, 'shop.mcpb', { answers })
    expect(unpackedIn(other)[0]).not.toBe(unpackedIn(machine)[0])
  })
})

describe('O16 readOffers: snippets', () => {
  test('a snippet in another dialect is translated to ours', async () => {
    const snippet = {
      mcp: { files: { type: 'local', command: ['npx', 'x'], environment: { A: '{env:A}' } } },
    }
    const machine = memoryMachine({ 'snippet.json': snippet })
    await addFrom(machine, 'snippet.json')
    expect(await machine.read('~/.config/plugboard/mcp.json')).toEqual({
      mcpServers: { files: { type: 'stdio', command: 'npx', args: ['x'], env: { A: '${A}' } } },
    })
  })

  test('fields that cannot be described are reported as lost', async () => {
    const text = '[mcp_servers.web]\nurl = "https://a"\nhttp_headers_helper = "make-headers"\n'
    const { lost } = await addFrom(memoryMachine({ 'snippet.toml': text }), 'snippet.toml')
    expect(lost).toEqual([{ field: 'headersCommand', reason: 'It is not copied.' }])
  })

  test('describeEntry keeps every key of an entry in our dialect', async () => {
    const machine = memoryMachine({})
    const entry = { command: ['npx', 'x'], lifecycle: 'eager', env: { A: '${env:A}' } }
    const described = await describeEntry('mine', entry, { platform: machine.platform })
    await addDeclaration(described, { platform: machine.platform })
    expect(await machine.read('~/.config/plugboard/mcp.json')).toEqual({ mcpServers: { mine: entry } })
  })

  test('an unusable file or entry is refused with the reason', async () => {
    const { platform } = memoryMachine({
      'empty.json': {},
      'bad.json': { mcpServers: { a: { command: '' } } },
    })
    await expect(readOffers('empty.json', { platform })).rejects.toMatchObject({ code: 'config.invalid' })
    await expect(readOffers('bad.json', { platform })).rejects.toMatchObject({
      message: 'Invalid server config: "a": The command is empty.',
    })
    await expect(describeEntry('a', { url: 7 }, { platform })).rejects.toMatchObject({
      code: 'config.invalid',
    })
  })

  test('the text may come from standard input', async () => {
    const { platform } = memoryMachine({})
    const stdin = '"mcpServers": { "a": { "command": "x" } }'
    expect((await readOffers('-', { platform, stdin })).map(({ server }) => server.name)).toEqual(['a'])
  })
})

test('T55 readOffers: a file of the superproject is the project’s, seen from a submodule', async () => {
  const snippet = { mcpServers: { a: { command: 'x' } } }
  const { platform } = memoryMachine({
    'lib/.git': 'gitdir: ../.git/modules/lib',
    'tools/x.json': snippet,
    '~/x.json': snippet,
  })
  const isFromProject = async (file: string) =>
    (await readOffers(file, { platform, cwd: `${project}/lib` })).map(({ fromProject }) => fromProject)
  expect(await isFromProject('../tools/x.json')).toEqual([true])
  expect(await isFromProject(`${home}/x.json`)).toEqual([false])
})

test('T55 addDeclaration: a file of the superproject that a variable names can be edited from a submodule', async () => {
  const texts = { 'lib/.git': 'gitdir: ../.git/modules/lib', 'conf/mine.json': { mcpServers: {} } }
  const machine = memoryMachine(texts, { PLUGBOARD_CONFIG: `${project}/conf/mine.json` })
  const options = { platform: machine.platform, cwd: `${project}/lib`, scope: 'project' } as const
  const edited = await addDeclaration(await describeEntry('a', { command: 'x' }, options), options)
  expect(edited.changed).toBe(true)
})
