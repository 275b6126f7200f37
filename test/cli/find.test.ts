import { describe, expect, test } from 'vitest'
import { createMachine } from '../support/programs/cli.ts'
import type { Machine } from '../support/programs/cli.ts'
import { listed, startRegistry } from '../support/registry.ts'
import type { ListedVersion } from '../support/registry.ts'
import { openTerminal } from '../support/programs/terminal.ts'

const own = '~/.config/plugboard/mcp.json'

async function machineWith(...versions: readonly ListedVersion[]): Promise<Machine> {
  const { address } = await startRegistry(versions)
  return createMachine({ '~/.config/plugboard/settings.json': { registry: address } })
}

const weather = listed('com.example/weather', {
  version: '2.0.0',
  packages: [
    {
      registryType: 'npm',
      identifier: '@example/weather',
      version: '2.0.0',
      transport: { type: 'stdio' },
      environmentVariables: [{ name: 'WEATHER_KEY', isRequired: true, isSecret: true }],
    },
  ],
})

describe('plugboard find', () => {
  test('lists servers of the registry; hostile texts are escaped', async () => {
    const nasty = { description: 'Rain\u001B]0;x\u0007\u202E\nand more' }
    const gone = listed('com.example/old-weather', nasty, {
      status: 'deprecated',
      statusMessage: 'Use \u001B[2Jweather.',
    })
    using machine = await machineWith(weather, gone)
    expect(await machine.run('find', 'weather')).toEqual({
      code: 0,
      stdout: [
        'NAME                     VERSION  RUNS AS  DESCRIPTION',
        String.raw`com.example/old-weather  1.0.0    npm      deprecated: Use \x1b[2Jweather. · Rain\x1b]0;x\x07\u{202e}\nand more`,
        'com.example/weather      2.0.0    npm      About com.example/weather.',
        '',
      ].join('\n'),
      stderr: expect.stringContaining('plugboard add --from registry:NAME'),
    })
    expect(await machine.json('find', 'weather', '--limit', '1')).toMatchObject({
      servers: [{ name: 'com.example/old-weather', status: 'deprecated' }],
      hasMore: true,
    })
    expect(await machine.run('find', 'nothing-like-this')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'No server of the registry has "nothing-like-this" in its name. Only names are searched.\n',
    })
  })

  test('in a narrow terminal names stay whole, each with a block of lines', async () => {
    using machine = await machineWith(listed('io.github.someone/weather-and-climate-history'))
    const terminal = openTerminal(machine, ['find', 'weather'], { columns: 60 })
    expect(await terminal.ended).toBe(0)
    const lines = terminal.shown().split(/\r?\n/)
    expect(lines.slice(0, 2)).toEqual(['io.github.someone/weather-and-climate-history', '  1.0.0 · npm'])
  })

  test('offline: says which registry, and what to do', async () => {
    using machine = createMachine({ '~/.config/plugboard/settings.json': { registry: 'http://127.0.0.1:9' } })
    expect(await machine.run('find', 'x')).toEqual({
      code: 7,
      stdout: '',
      stderr: expect.stringMatching(
        /^The registry http:\/\/127\.0\.0\.1:9 cannot be reached: .*\nCheck your network, or set "registry"/,
      ),
    })
  })
})

describe('plugboard add --from registry:NAME', () => {
  test('T61 shows the entry and asks; --yes adds it with its version, and the secret as a variable', async () => {
    using machine = await machineWith(weather)
    const refused = await machine.run('add', '--from', 'registry:com.example/weather')
    expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining('comes from the registry') })
    expect(refused.stderr).toContain('@example/weather@2.0.0')
    expect(machine.has(own)).toBe(false)
    expect(await machine.run('add', '--from', 'registry:com.example/weather', '--yes')).toMatchObject({
      code: 0,
    })
    expect(JSON.parse(machine.read(own))).toMatchObject({
      mcpServers: { weather: { command: 'npx', args: expect.arrayContaining(['@example/weather@2.0.0']) } },
    })
    expect(machine.read(own)).toContain('${WEATHER_KEY}')
  })

  test('T132 what loads code is refused, and --yes does not cover another place of packages', async () => {
    const npm = { registryType: 'npm', identifier: 'x', version: '1.0.0', transport: { type: 'stdio' } }
    const option = { type: 'named', name: '--registry=http://127.0.0.1:1' }
    const variable = { name: 'NODE_OPTIONS', value: '--import data:text/javascript,0' }
    using machine = await machineWith(
      listed('com.x/code', { packages: [{ ...npm, environmentVariables: [variable] }] }),
      listed('com.x/elsewhere', { packages: [{ ...npm, runtimeArguments: [option] }] }),
      listed('com.x/address', { packages: [{ ...npm, identifier: 'https://evil.example/x.tgz' }] }),
      listed('com.x/proxy', { packages: [{ ...npm, environmentVariables: [{ name: 'HTTPS_PROXY' }] }] }),
    )
    const add = (name: string, ...words: readonly string[]) =>
      machine.run('add', '--from', `registry:com.x/${name}`, ...words)
    expect(await add('code', '--yes')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('its publisher sets NODE_OPTIONS (controls what programs load or run)'),
    })
    expect((await add('address', '--yes')).stderr).toContain('is not the name of a package of the type "npm"')
    for (const words of [['--yes'], []]) {
      const { code, stderr } = await add('elsewhere', ...words)
      expect(code).toBe(4)
      expect(stderr).toContain('Look closely: --registry=http://127.0.0.1:1 (packages come from elsewhere)')
      expect(stderr.replaceAll(/\s+/g, ' ')).toContain('plugboard add NAME --json ENTRY')
    }
    expect(machine.has(own)).toBe(false)
    expect(await add('proxy', '--yes', '--input', 'HTTPS_PROXY=http://p.example')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Look closely: HTTPS_PROXY'),
    })
  })

  test('T132 a snippet that loads code is asked about; one with an address is shown and written', async () => {
    const entry = { command: 'npx', args: ['x'], env: { NODE_OPTIONS: '--require /tmp/x.js' } }
    using machine = createMachine({
      '~/code.json': { mcpServers: { code: entry } },
      '~/git.json': {
        mcpServers: { git: { command: 'uvx', args: ['--from', 'git+https://h.example/x', 'x'] } },
      },
      '.vscode/mcp.json': { servers: { code: entry } },
    })
    const from = (file: string, ...words: readonly string[]) =>
      machine.run('add', '--from', machine.path(file), ...words)
    for (const words of [['--yes'], []])
      expect(await from('~/code.json', ...words)).toMatchObject({
        code: 4,
        stderr: expect.stringContaining('Look closely: NODE_OPTIONS'),
      })
    expect(await machine.run('import', 'vscode', '--trust', '--yes')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('Look closely at "code": NODE_OPTIONS'),
    })
    expect(machine.has(own)).toBe(false)
    expect(await from('~/git.json', '--yes')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Look closely: git+https://h.example/x'),
    })
  })

  test('asks in a terminal', async () => {
    using machine = await machineWith(weather)
    const terminal = openTerminal(machine, ['add', '--from', 'registry:com.example/weather', 'w'])
    await terminal.see('Write this to')
    terminal.type('y\r')
    await terminal.see('w: added in')
    expect(await terminal.ended).toBe(0)
    expect(machine.read(own)).toContain('@example/weather@2.0.0')
  })

  test('an exact version, a deprecated one, one that does not exist, a bundle', async () => {
    const bundle = {
      registryType: 'mcpb',
      identifier: 'https://example.com/x.mcpb',
      fileSha256: 'a'.repeat(64),
      transport: { type: 'stdio' },
    }
    const npm = { registryType: 'npm', identifier: 'x', version: '1.0.0', transport: { type: 'stdio' } }
    using machine = await machineWith(
      listed('com.x/a', { version: '1.0.0' }, { status: 'deprecated', statusMessage: 'Old.' }),
      listed('com.x/a', { version: '2.0.0' }),
      listed('com.x/bundled', { packages: [bundle] }),
      listed('com.x/empty', { packages: [], repository: { url: 'https://git.example/e', source: 'git' } }),
      listed('com.x/-odd', { packages: [{ ...npm, runtimeHint: 'odd-run' }] }),
      listed('com.x/evil', { packages: [{ ...npm, identifier: '--registry=http://evil.example' }] }),
    )
    const from = (name: string) => machine.run('add', '--dry-run', '--from', `registry:${name}`)
    expect(await from('com.x/a@1.0.0')).toMatchObject({
      code: 0,
      stderr:
        'warning: "com.x/a" is deprecated. Its publisher says: Old.\n"com.x/a" has a newer version than 1.0.0.\n',
    })
    expect(await from('com.x/a@latest')).toMatchObject({ code: 0, stderr: '' })
    expect(await from('com.x/a@9.0.0')).toMatchObject({
      code: 5,
      stderr:
        'Version 9.0.0 of "com.x/a" is not in the registry.\n' +
        'It has 2.0.0, 1.0.0. The newest: plugboard add --from registry:com.x/a\n',
    })
    expect(await from('com.y/a')).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('Did you mean com.x/a?'),
    })
    expect(await from('a')).toMatchObject({ code: 2, stderr: expect.stringContaining('plugboard find a') })
    expect(await from('com.x/bundled')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is only available as a bundle: https://example.com/x.mcpb'),
    })
    expect(await from('com.x/empty')).toMatchObject({
      code: 1,
      stderr:
        'The registry lists neither a package nor an address of "com.x/empty", so it cannot be added from there.\n' +
        'Its publisher may say how to run it: https://git.example/e\n',
    })
    expect(await from('com.x/-odd')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"odd": {'),
      stderr: 'warning: It is run by "odd-run", which is not a known package runner.\n',
    })
    expect(await from('com.x/evil')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The identifier begins with "-"'),
    })
  })
})
