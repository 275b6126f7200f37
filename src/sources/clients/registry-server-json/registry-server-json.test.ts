import { describe, expect, test } from 'vitest'
import { read } from '../../../../test/support/read.ts'

const top = { name: 'io.github.dana/weather', description: 'Weather', version: '1.0.0' }
const stdio = { type: 'stdio' }
const npm = { registryType: 'npm', identifier: 'w', version: '1.0.0', transport: stdio }

function readJson(json: object) {
  return read('registry-server-json', { 'server.json': json })
}

async function readPackage(fields: object) {
  const { servers, problems } = await readJson({ ...top, packages: [{ ...npm, ...fields }] })
  const { command, args, env, inputs } = servers['weather'] ?? {}
  return { command, args, env, inputs, problems }
}

describe('server.json: packages', () => {
  test.each([
    [{}, 'npx', ['w@1.0.0']],
    [{ registryType: 'pypi' }, 'uvx', ['w==1.0.0']],
    [
      { registryType: 'oci', identifier: 'ghcr.io/d/w' },
      'docker',
      ['run', '-i', '--rm', 'ghcr.io/d/w:1.0.0'],
    ],
    [{ registryType: 'oci', identifier: 'reg:5000/w' }, 'docker', ['run', '-i', '--rm', 'reg:5000/w:1.0.0']],
    [{ registryType: 'oci', identifier: 'w@sha256:ab' }, 'docker', ['run', '-i', '--rm', 'w@sha256:ab']],
    [
      { registryType: 'nuget', packageArguments: [{ type: 'positional', value: 'mcp' }] },
      'dnx',
      ['w@1.0.0', '--yes', '--', 'mcp'],
    ],
    [{ runtimeHint: 'bunx' }, 'bunx', ['w@1.0.0']],
  ])('%j runs as %s %j', async (fields, command, args) => {
    expect(await readPackage(fields)).toEqual({ command, args, env: {}, inputs: undefined, problems: [] })
  })

  test('T61 a runner that is not a known one is used and reported', async () => {
    expect(await readPackage({ registryType: 'cargo', runtimeHint: 'cargo-mcp' })).toMatchObject({
      command: 'cargo-mcp',
      args: ['w@1.0.0'],
      problems: ['warn unknown-runner /packages/0/runtimeHint'],
    })
  })

  test.each([
    [{ identifier: '--registry=http://evil.example' }, 'error invalid-name /packages/0/identifier'],
    [{ runtimeHint: '/bin/sh' }, 'error unknown-runner /packages/0/runtimeHint'],
    [{ runtimeHint: 'sh -c' }, 'error unknown-runner /packages/0/runtimeHint'],
    [{ runtimeHint: '-x' }, 'error unknown-runner /packages/0/runtimeHint'],
  ])('T61 %j cannot become an option or a program of this machine', async (fields, problem) => {
    expect(await readPackage(fields)).toMatchObject({ command: undefined, problems: [problem] })
  })

  test.each([
    [{ registryBaseUrl: 'https://npm.example.com' }, 'error not-launchable /packages/0/registryBaseUrl'],
    [
      { registryType: 'oci', registryBaseUrl: 'https://ghcr.io', identifier: 'd/w' },
      'error not-launchable /packages/0/registryBaseUrl',
    ],
    [
      { transport: { type: 'sse', url: 'file:///etc/passwd' } },
      'error invalid-url /packages/0/transport/url',
    ],
  ])('T61 %j is refused, because something else would be used', async (fields, problem) => {
    expect(await readPackage(fields)).toMatchObject({ command: undefined, problems: [problem] })
  })

  test.each([
    { identifier: 'https://evil.example/x.tgz' },
    { identifier: 'git+https://evil.example/x' },
    { identifier: 'github:evil/x' },
    { identifier: 'evil/x' },
    { identifier: 'file:../x' },
    { identifier: './x' },
    { identifier: '/tmp/x' },
    { identifier: 'w@npm:evil' },
    { registryType: 'pypi', identifier: 'w @ https://evil.example/x.whl' },
    { registryType: 'pypi', identifier: 'git+https://evil.example/x' },
    { registryType: 'nuget', identifier: '../x' },
    { registryType: 'oci', identifier: 'https://evil.example/x' },
    { registryType: 'cargo', runtimeHint: 'cargo-mcp', identifier: 'https://evil.example/x' },
  ])('T132 a name that its registry cannot have is refused: %j', async (fields) => {
    expect(await readPackage({ ...fields, version: undefined })).toMatchObject({
      command: undefined,
      problems: expect.arrayContaining(['error invalid-name /packages/0/identifier']),
    })
  })

  test.each(['npm:evil@1.0.0', 'https://evil.example/x.tgz', 'file:../x', 'next', '1', '1.0.0 --registry=x'])(
    'T132 a version that names no release is refused: %s',
    async (version) => {
      expect(await readPackage({ version })).toMatchObject({
        command: undefined,
        problems: ['error version-range /packages/0/version'],
      })
    },
  )

  test.each([
    { identifier: '@a-b/c.d_e', version: '1.0.0-rc.1+5' },
    { registryType: 'pypi', identifier: 'a.b_c[cli,x]', version: '2025.1' },
    { registryType: 'nuget', identifier: 'A.B_C', version: '1.0.0.1' },
    { registryType: 'oci', identifier: 'r.example:5000/a/b-c', version: 'v1_alpine' },
  ])('T132 an ordinary name and version is read: %j', async (fields) => {
    expect((await readPackage(fields)).problems).toEqual([])
  })

  test('T61 a registry that the runner uses anyway is no problem', async () => {
    const found = [
      await readPackage({ registryBaseUrl: 'https://registry.npmjs.org/' }),
      await readPackage({
        registryType: 'oci',
        registryBaseUrl: 'https://ghcr.io',
        identifier: 'ghcr.io/d/w',
      }),
    ]
    expect(found.map(({ command, problems }) => [command, problems])).toEqual([
      ['npx', []],
      ['docker', []],
    ])
  })

  test.each([
    ['-v /:/host', true],
    ['-v/:/host', true],
    ['--mount type=bind,src=/,dst=/h', true],
    ['--privileged', true],
    ['--network=host', true],
    ['--pid host', true],
    ['-v data:/data', false],
    ['--network none', false],
    ['--name w', false],
  ])('T61 flags that open this machine to a container are reported: %s', async (flags, isReported) => {
    const runtimeArguments = flags.split(' ').map((value) => ({ type: 'positional', value }))
    const { problems } = await readPackage({ registryType: 'oci', runtimeArguments })
    expect(problems).toEqual(isReported ? ['warn host-access /packages/0/runtimeArguments'] : [])
  })

  test('T61 the name of the server begins with a letter or digit', async () => {
    const named = (name: string) => readJson({ ...top, name, packages: [npm] })
    expect((await named('com.example/-weather')).names).toEqual(['weather'])
    expect(await named('com.example/--')).toMatchObject({ names: [], problems: ['error invalid-name /name'] })
  })

  test('arguments are flags, fixed values or inputs', async () => {
    const { args, inputs, problems } = await readPackage({
      packageArguments: [
        { type: 'named', name: '--quiet', description: 'says nothing' },
        { type: 'named', name: '--mode', value: 'fast' },
        { type: 'named', name: '--dir', description: 'The folder', isRequired: true, format: 'filepath' },
        { type: 'named', name: '--tag', valueHint: 'tag', isRepeated: true },
        { type: 'positional', default: '/data' },
      ],
    })
    expect(args).toEqual([
      'w@1.0.0',
      '--quiet',
      '--mode',
      'fast',
      '--dir',
      '{--dir}',
      '--tag',
      '{--tag}',
      '{arg5}',
    ])
    expect(inputs).toEqual([
      { id: '--dir', description: 'The folder', required: true },
      { id: '--tag', multiple: true },
      { id: 'arg5', default: '/data' },
    ])
    expect(problems).toEqual(['warn needs-input'])
  })

  test('a container gets the variables by name', async () => {
    const { args, env } = await readPackage({
      registryType: 'oci',
      identifier: 'w:1',
      version: undefined,
      runtimeArguments: [
        { type: 'positional', value: 'run' },
        { type: 'named', name: '-i' },
      ],
      environmentVariables: [
        { name: 'KEY', isSecret: true },
        { name: 'MODE', value: 'fast' },
      ],
    })
    expect(args).toEqual(['run', '--rm', '-e', 'KEY', '-e', 'MODE', '-i', 'w:1'])
    expect(env).toEqual({ KEY: '{KEY}', MODE: 'fast' })
  })

  test.each([
    [{ version: 'latest' }, ['error version-range /packages/0/version']],
    [{ version: '>=1.2' }, ['error version-range /packages/0/version']],
    [{ version: '1.x' }, ['error version-range /packages/0/version']],
    [{ version: undefined }, ['info unpinned-package /packages/0/identifier']],
    [{ transport: undefined }, ['error missing-key /packages/0']],
    [{ identifier: undefined }, ['error missing-key /packages/0']],
    [{ transport: { type: 'ws' } }, ['error unknown-transport /packages/0/transport/type']],
    [{ transport: { type: 'sse' } }, ['error missing-endpoint /packages/0/transport']],
    [{ transport: {} }, ['error missing-type /packages/0/transport']],
    [{ registryType: 'cargo' }, ['info not-launchable /packages/0']],
    [{ registryType: 'mcpb' }, ['error missing-key /packages/0']],
    [{ registryType: 'mcpb', fileSha256: 'ab' }, ['info not-launchable /packages/0']],
    [{ color: 'red' }, ['warn unknown-key /packages/0/color']],
    [
      { packageArguments: [{ type: 'positional', value_hint: 'x' }] },
      ['error deprecated-key /packages/0/packageArguments/0/value_hint'],
    ],
  ])('%j is reported', async (fields, problems) => {
    expect((await readPackage(fields)).problems).toEqual(problems)
  })
})

describe('server.json', () => {
  const remote = { type: 'sse', url: 'https://w.example.com/sse' }

  test('an invalid package does not affect the others', async () => {
    const { names, problems } = await readJson({
      ...top,
      title: 'Weather',
      packages: [{ ...npm, version: '^1.0.0' }, 'w'],
      remotes: [remote, { type: 'stdio' }, { type: 'streamable-http' }],
    })
    expect(names).toEqual(['weather'])
    expect(problems).toEqual([
      'error missing-endpoint /remotes/2',
      'error unsupported-transport /remotes/1/type',
      'error version-range /packages/0/version',
      'error wrong-type /packages/1',
    ])
  })

  test('headers and url variables are inputs', async () => {
    const { servers, problems } = await readJson({
      ...top,
      title: 'Weather for shops',
      remotes: [
        {
          ...remote,
          url: 'https://{region}.example.com/sse',
          variables: { region: { default: 'eu', choices: ['eu', 'us'] } },
          headers: [{ name: 'X-Key', isRequired: true, isSecret: true }],
        },
      ],
    })
    expect(servers['weather']).toMatchObject({
      transport: 'sse',
      url: 'https://{region}.example.com/sse',
      headers: { 'X-Key': '{X-Key}' },
      title: 'Weather for shops',
      inputs: [
        { id: 'region', default: 'eu', choices: ['eu', 'us'] },
        { id: 'X-Key', required: true, secret: true },
      ],
    })
    expect(servers['weather']).not.toHaveProperty('resolved')
    expect(problems).toEqual(['warn needs-input'])
  })

  test.each([
    [{ name: 'weather' }, ['error invalid-name /name']],
    [{ name: 'a/b/c' }, ['error invalid-name /name']],
    [{ name: undefined }, ['error missing-key']],
    [{ name: undefined, version: undefined }, ['error missing-key']],
    [{ description: 'x'.repeat(101) }, ['error out-of-range /description']],
    [{ description: 5 }, ['error wrong-type /description']],
    [{ version: '~1.0' }, ['error version-range /version']],
    [{ remotes: {} }, ['error wrong-type /remotes']],
    [{ remotes: undefined }, ['error missing-endpoint']],
  ])('a document with %j is refused', async (fields, problems) => {
    const found = await readJson({ ...top, remotes: [remote], ...fields })
    expect(found.names).toEqual([])
    expect(found.problems).toEqual(problems)
  })

  test.each([
    [{ status: 'active' }, ['warn deprecated-key /status']],
    [{ color: 'red' }, ['warn unknown-key /color']],
    [{ _meta: { 'com.example': { is_required: true } }, icons: [], websiteUrl: 'https://w.example.com' }, []],
  ])('a document with %j is used', async (fields, problems) => {
    const found = await readJson({ ...top, remotes: [remote], ...fields })
    expect(found.names).toEqual(['weather'])
    expect(found.problems).toEqual(problems)
  })
})
