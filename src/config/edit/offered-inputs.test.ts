import { strToU8, zipSync } from 'fflate'
import { describe, expect, test } from 'vitest'
import { memoryMachine, project } from '../../../test/support/memory-machine.ts'
import type { Answers } from '../../model/answers.ts'
import type { Json } from '../../model/json.ts'
import { addDeclaration } from './declarations.ts'
import { readOffers } from './offered-servers.ts'
import type { EditOptions } from './workbench.ts'

type Machine = ReturnType<typeof memoryMachine>
type OfferOptions = EditOptions & { readonly name?: string; readonly choice?: number }

async function offerOf(machine: Machine, file: string, { choice = 0, ...options }: OfferOptions = {}) {
  const offer = (await readOffers(file, { ...options, platform: machine.platform }))[choice]
  if (!offer) throw new Error('There is no such offer.')
  return offer
}

function serverJson(fields: object, name = 'io.example/weather'): Machine {
  const npm = { registryType: 'npm', identifier: 'w', version: '1.0.0', transport: { type: 'stdio' } }
  return memoryMachine({
    'server.json': { name, description: 'Weather', version: '1.0.0', packages: [{ ...npm, ...fields }] },
  })
}

function bundle(config: object, user_config: Json, name = 'shop-tools'): Machine {
  const machine = memoryMachine({})
  const manifest = {
    manifest_version: '0.3',
    name,
    version: '0.2.0',
    description: 'Shop tools',
    author: { name: 'Dana' },
    server: { type: 'node', entry_point: 'index.js', mcp_config: { command: 'node', args: [], ...config } },
    user_config,
  }
  const packed = zipSync({ 'manifest.json': strToU8(JSON.stringify(manifest)) })
  machine.files.bytes.set(`${project}/shop.mcpb`, packed)
  return machine
}

const fromJson = async (fields: object, answers: Answers = {}, options: OfferOptions = {}) =>
  (await (await offerOf(serverJson(fields), 'server.json', options)).describe(answers)).transport
const fromBundle = async (config: object, user_config: Json, answers: Answers = {}) =>
  (await (await offerOf(bundle(config, user_config), 'shop.mcpb')).describe(answers)).transport

describe('server.json: an optional value without a default is left out, never a requirement', () => {
  const environmentVariables = [
    { name: 'LOG_LEVEL' },
    { name: 'EMPTY', default: '' },
    { name: 'UNIT', default: 'celsius' },
    { name: 'HOST_URL', value: 'https://{host}/x', variables: { host: {} } },
  ]
  const packageArguments = [
    { type: 'named', name: '--quiet' },
    { type: 'named', name: '--units', valueHint: 'units' },
    { type: 'named', name: '--mount', value: 'src={src},dst=/d', variables: { src: {} } },
    { type: 'positional', value: 'serve' },
    { type: 'positional', format: 'filepath' },
  ]

  test('variables and arguments: the option of an argument goes with its value', async () => {
    expect(await fromJson({ environmentVariables, packageArguments })).toMatchObject({
      args: ['w@1.0.0', '--quiet', 'serve'],
      env: { UNIT: 'celsius' },
    })
    expect(
      await fromJson(
        { environmentVariables, packageArguments },
        { '--units': 'metric', src: '/a', arg5: '/b', host: 'a.example', LOG_LEVEL: 'debug' },
      ),
    ).toMatchObject({
      args: ['w@1.0.0', '--quiet', '--units', 'metric', '--mount', 'src=/a,dst=/d', 'serve', '/b'],
      env: { UNIT: 'celsius', LOG_LEVEL: 'debug', HOST_URL: 'https://a.example/x' },
    })
  })

  test('a container is not given the variables that are left out', async () => {
    const image = { registryType: 'oci', identifier: 'ghcr.io/e/w', environmentVariables }
    expect(await fromJson(image)).toMatchObject({
      args: ['run', '-i', '--rm', '-e', 'UNIT', 'ghcr.io/e/w:1.0.0'],
      env: { UNIT: 'celsius' },
    })
  })

  test('headers of a remote; a variable of its url is always asked for', async () => {
    const machine = memoryMachine({
      'server.json': {
        name: 'io.example/weather',
        description: 'Weather',
        version: '1.0.0',
        remotes: [
          {
            type: 'streamable-http',
            url: 'https://{tenant}.example/mcp',
            variables: { tenant: {} },
            headers: [{ name: 'X-Trace' }, { name: 'X-Region', value: 'eu' }],
          },
        ],
      },
    })
    const offer = await offerOf(machine, 'server.json')
    expect(offer.inputs).toEqual([{ id: 'tenant', required: true }, { id: 'X-Trace' }])
    expect((await offer.describe({ tenant: 'a' })).transport).toEqual({
      kind: 'http',
      url: 'https://a.example/mcp',
      headers: { 'X-Region': 'eu' },
    })
  })

  test('a required value with an empty default, or inside a required text, is asked for', async () => {
    const offer = await offerOf(
      serverJson({
        environmentVariables: [
          { name: 'REGION', isRequired: true, default: '' },
          { name: 'FIXED', isRequired: true, value: '' },
          { name: 'ADDRESS', isRequired: true, value: '{host}:1', variables: { host: { default: '' } } },
        ],
      }),
      'server.json',
    )
    const asked = offer.inputs.filter(({ required }) => required).map(({ id }) => id)
    expect(asked).toEqual(['REGION', 'FIXED', 'host'])
    expect((await offer.describe({})).transport).toMatchObject({
      env: { REGION: '${input:REGION}', FIXED: '${input:FIXED}', ADDRESS: '${input:host}:1' },
    })
  })
})

describe('bundle: an optional value without a default is left out, never a requirement', () => {
  const config = {
    args: [
      'i.js',
      '--key',
      '${user_config.key}',
      '--level=${user_config.level}',
      '-v',
      '${user_config.dirs}',
    ],
    env: { LEVEL: '${user_config.level}', URL: 'https://${user_config.host}/x', MODE: 'fast' },
  }
  const values = { key: {}, level: { default: '' }, host: {}, dirs: { multiple: true, default: [] } }

  test('variables and arguments: the option of an argument goes with its value', async () => {
    expect(await fromBundle(config, values)).toMatchObject({ args: ['i.js'], env: { MODE: 'fast' } })
    expect(
      await fromBundle(config, values, { key: 'k', level: '2', host: 'h', dirs: ['/a', '/b'] }),
    ).toMatchObject({
      args: ['i.js', '--key', 'k', '--level=2', '-v', '/a', '/b'],
      env: { LEVEL: '2', URL: 'https://h/x', MODE: 'fast' },
    })
  })

  test('an undeclared value is left out; a required one with an empty default is asked for', async () => {
    const machine = bundle(
      { env: { A: '${user_config.undeclared}', B: '${user_config.region}' } },
      { region: { required: true, default: '' } },
    )
    const offer = await offerOf(machine, 'shop.mcpb')
    expect(offer.inputs).toEqual([{ id: 'region', required: true, default: '' }])
    expect((await offer.describe({})).transport).toMatchObject({ env: { B: '${input:region}' } })
  })
})

describe('a secret reads a variable of its own, never a common one that the shell may hold', () => {
  const secret = { sensitive: true, required: true }
  const variablesOf = async (machine: Machine, file: string, options?: OfferOptions) =>
    (await offerOf(machine, file, options)).variables

  test.each([
    ['the one that the manifest names', { env: { GITHUB_TOKEN: '${user_config.token}' } }, 'GITHUB_TOKEN'],
    ['not a common name', { env: { API_KEY: '${user_config.token}' } }, 'SHOP_TOOLS_TOKEN'],
    [
      'the more specific of two',
      { env: { TOKEN: '${user_config.token}', ACME_T: '${user_config.token}' } },
      'ACME_T',
    ],
    ['of the server, for an argument', { args: ['--token=${user_config.token}'] }, 'SHOP_TOOLS_TOKEN'],
    ['of the server, inside a text', { env: { ACME: 'Bearer ${user_config.token}' } }, 'SHOP_TOOLS_TOKEN'],
  ])('bundle: %s', async (_what, config, name) => {
    const machine = bundle(config, { token: secret })
    expect(await variablesOf(machine, 'shop.mcpb')).toEqual([{ id: 'token', name, required: true }])
    const { transport } = await (await offerOf(machine, 'shop.mcpb')).describe({})
    expect(JSON.stringify(transport)).toContain(`\${${name}}`)
  })

  test('the name that is given to the server counts, and a key that starts with it is not doubled', async () => {
    const machine = bundle(
      { args: ['${user_config.token}', '${user_config.mine_key}'] },
      {
        token: secret,
        mine_key: secret,
      },
    )
    const names = (await variablesOf(machine, 'shop.mcpb', { name: 'mine' })).map(({ name }) => name)
    expect(names).toEqual(['MINE_TOKEN', 'MINE_KEY'])
  })

  test('server.json: the variable that it names, with the server’s name before a common one', async () => {
    const machine = serverJson({
      environmentVariables: [
        { name: 'WEATHER_TOKEN', isSecret: true, isRequired: true },
        { name: 'API_KEY', isSecret: true, isRequired: true },
      ],
      packageArguments: [{ type: 'named', name: '--api-key', isSecret: true, isRequired: true }],
    })
    const { transport } = await (await offerOf(machine, 'server.json')).describe({})
    expect(transport).toMatchObject({
      args: ['w@1.0.0', '--api-key', '${WEATHER_API_KEY}'],
      env: { WEATHER_TOKEN: '${WEATHER_TOKEN}', API_KEY: '${WEATHER_API_KEY}' },
    })
  })

  test('an optional secret may be unset: empty as a variable, left out elsewhere', async () => {
    const environmentVariables = [{ name: 'ACME_KEY', isSecret: true }]
    const packageArguments = [{ type: 'named', name: '--token', isSecret: true }]
    const offer = await offerOf(serverJson({ environmentVariables, packageArguments }), 'server.json')
    expect(offer.variables).toEqual([{ id: 'ACME_KEY', name: 'ACME_KEY', required: false }])
    expect((await offer.describe({})).transport).toMatchObject({
      args: ['w@1.0.0'],
      env: { ACME_KEY: '${ACME_KEY:-}' },
    })
  })

  test('a client without defaults gets no literal placeholder for it', async () => {
    const machine = serverJson({ environmentVariables: [{ name: 'ACME_KEY', isSecret: true }] })
    const written = async (source: 'cursor' | 'opencode') => {
      const options = { platform: machine.platform, sources: [source] } as const
      const offer = await offerOf(machine, 'server.json')
      return addDeclaration(await offer.describe({}), options)
    }
    expect((await written('cursor')).lost).toContainEqual({
      field: 'env.ACME_KEY',
      reason: 'The target cannot resolve ${ACME_KEY:-}; it is left out.',
    })
    expect(await machine.read('~/.cursor/mcp.json')).toEqual({
      mcpServers: { weather: { type: 'stdio', command: 'npx', args: ['w@1.0.0'] } },
    })
    await written('opencode')
    expect(await machine.read('~/.config/opencode/opencode.jsonc')).toMatchObject({
      mcp: { weather: { environment: { ACME_KEY: '{env:ACME_KEY}' } } },
    })
  })
})

test('server.json: a package over http says which command starts it', async () => {
  const machine = serverJson({
    transport: {
      type: 'streamable-http',
      url: 'http://localhost:{port}/mcp',
      variables: { port: { default: '3000' } },
    },
    packageArguments: [
      { type: 'named', name: '--port', value: '{port}' },
      { type: 'named', name: '--log', valueHint: 'level' },
    ],
    environmentVariables: [{ name: 'WEATHER_TOKEN', isSecret: true, isRequired: true }],
  })
  const offer = await offerOf(machine, 'server.json')
  expect(await offer.describe({ port: '4000' })).toMatchObject({
    transport: { kind: 'http', url: 'http://localhost:4000/mcp' },
    launch: {
      command: 'npx',
      args: ['w@1.0.0', '--port', '4000'],
      env: { WEATHER_TOKEN: '${WEATHER_TOKEN}' },
    },
  })
})
