import { strToU8, zipSync } from 'fflate'
import { describe, expect, test } from 'vitest'
import { createMachine } from '../support/programs/cli.ts'
import type { ListOutput } from '../support/programs/cli.ts'

const manifest = {
  manifest_version: '0.3',
  name: 'shop',
  version: '1.0.0',
  description: 'Shop tools',
  author: { name: 'Dana' },
  user_config: {
    folder: { type: 'directory', title: 'Folder', description: 'Where', required: true },
    key: { type: 'string', title: 'Key', description: 'Key', sensitive: true, required: true },
  },
  server: {
    type: 'node',
    entry_point: 'index.js',
    mcp_config: {
      command: 'node',
      args: ['${__dirname}/index.js', '${user_config.folder}'],
      env: { SHOP_KEY: '${user_config.key}' },
    },
  },
}

function bundle(files: Readonly<Record<string, string>>): Uint8Array {
  return zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])))
}

describe.concurrent('add --from BUNDLE', () => {
  test('unpacks the bundle into our own folder and runs it from there', async () => {
    using machine = createMachine({
      'shop.mcpb': bundle({ 'manifest.json': JSON.stringify(manifest), 'index.js': '// runs' }),
    })
    const { code, stdout } = await machine.run(
      'add',
      '--from',
      'shop.mcpb',
      '--input',
      'folder=/data',
      '--yes',
    )
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'shop: added in ~/.config/plugboard/mcp.json\n' })
    const { servers } = await machine.json<ListOutput>('list')
    const [script, folder] = servers.flatMap((server) => server['args'] as readonly string[])
    expect(folder).toBe('/data')
    expect(script).toMatch(/\/\.local\/share\/plugboard\/bundles\/.*\/index\.js$/)
    expect(machine.files()[script?.slice(machine.home.length + 1) ?? '']).toBe('// runs')
    expect(servers[0]).toMatchObject({ env: { SHOP_KEY: expect.stringMatching(/^\$\{\w+\}$/) as string } })
  })

  test('a list takes --input several times and commas; another input takes one value', async () => {
    const many = { type: 'directory', title: 'Folders', description: 'Where to look', multiple: true }
    const { server } = manifest
    const config = { command: 'node', args: ['${user_config.folder}', '${user_config.many}'] }
    using machine = createMachine({
      'shop.mcpb': bundle({
        'manifest.json': JSON.stringify({
          ...manifest,
          user_config: { folder: manifest.user_config.folder, many },
          server: { ...server, mcp_config: config },
        }),
        'index.js': '// runs',
      }),
    })
    const add = (...inputs: readonly string[]) =>
      machine.run('add', '--from', 'shop.mcpb', '--yes', ...inputs.flatMap((each) => ['--input', each]))
    expect(await add('folder=/x', 'folder=/y')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--input folder was given twice, and it takes one value.') as string,
    })
    expect((await add('folder=/x', 'many=/a', 'many=/b,/c')).code).toBe(0)
    const { servers } = await machine.json<ListOutput>('list')
    expect(servers[0]).toMatchObject({ args: ['/x', '/a', '/b', '/c'] })
  })

  test('T46 a bundle with very deep paths is refused with a sentence, and nothing is unpacked', async () => {
    using machine = createMachine({
      'deep.mcpb': bundle({ 'manifest.json': JSON.stringify(manifest), [`${'deep/'.repeat(3000)}x`]: '' }),
    })
    const before = machine.files()
    const { code, stderr } = await machine.run('add', '--from', 'deep.mcpb', '--input', 'folder=/data')
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('is 3001 folders deep, more than 64.') as string,
    })
    expect(machine.files()).toEqual(before)
  })

  test('T46 a bundle that is refused, or not confirmed, leaves nothing unpacked', async () => {
    using machine = createMachine({
      'shop.mcpb': bundle({ 'manifest.json': JSON.stringify(manifest), 'index.js': '// runs' }),
      '~/.config/plugboard/mcp.json': { mcpServers: { shop: { command: 'mine' } } },
    })
    const before = machine.files()
    const input = ['--from', 'shop.mcpb', '--input', 'folder=/data']
    const taken = await machine.run('add', ...input, '--yes')
    expect([taken.code, machine.files()]).toEqual([6, before])
    const unconfirmed = await machine.run('add', 'other', ...input)
    expect([unconfirmed.code, machine.files()]).toEqual([4, before])
    expect((await machine.run('add', 'other', ...input, '--yes')).code).toBe(0)
    const added = machine.files()
    expect(Object.keys(added).filter((path) => path.includes('/bundles/')).length).toBe(2)
    expect((await machine.run('add', 'other', ...input, '--yes')).code).toBe(6)
    expect(machine.files()).toEqual(added)
  })

  test('zip-slip: a bundle with a path outside its folder is rejected and nothing is written', async () => {
    for (const path of ['../evil.js', '/tmp/evil.js', 'a/../../evil.js', '..\\evil.js']) {
      using machine = createMachine({
        'evil.mcpb': bundle({ 'manifest.json': JSON.stringify(manifest), [path]: 'evil' }),
      })
      const before = machine.files()
      const { code, stderr } = await machine.run('add', '--from', 'evil.mcpb', '--input', 'folder=/data')
      expect({ path, code }).toEqual({ path, code: 1 })
      expect(stderr).toMatch(/^Invalid server config: /)
      expect(machine.files()).toEqual(before)
    }
  })

  test.each([
    ['that is not a zip', strToU8('this is no archive')],
    ['without a manifest', bundle({ 'index.js': '' })],
    ['with a broken manifest', bundle({ 'manifest.json': '{' })],
  ])('a file %s is rejected', async (_what, bytes) => {
    using machine = createMachine({ 'x.mcpb': bytes })
    const { code, stderr } = await machine.run('add', '--from', 'x.mcpb')
    expect(code).toBe(1)
    expect(stderr).toMatch(/^Invalid server config: /)
    expect(Object.keys(machine.files())).toEqual(['shop/x.mcpb'])
  })

  test('--dry-run unpacks nothing', async () => {
    using machine = createMachine({
      'shop.mcpb': bundle({ 'manifest.json': JSON.stringify(manifest), 'index.js': '// runs' }),
    })
    expect(
      (await machine.run('add', '--from', 'shop.mcpb', '--input', 'folder=/data', '--dry-run')).code,
    ).toBe(0)
    expect(Object.keys(machine.files())).toEqual(['shop/shop.mcpb'])
  })
})
