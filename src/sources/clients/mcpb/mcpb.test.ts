import { describe, expect, test } from 'vitest'
import type { Os } from '../../../platform/platform.ts'
import { read } from '../../../../test/support/read.ts'

const common = {
  manifest_version: '0.3',
  name: 'shop',
  version: '1.0.0',
  description: 'Shop tools',
  author: { name: 'Dana' },
}
const config = { command: 'node', args: ['${__dirname}/index.js'] }
const server = { type: 'node', entry_point: 'index.js', mcp_config: config }

function readManifest(manifest: object, os: Os = 'linux') {
  return read('mcpb', { '/bundle/manifest.json': manifest }, { config: '/bundle/manifest.json', os })
}

describe('MCP bundle manifest', () => {
  test('placeholders for the bundle’s and the user’s folders are resolved', async () => {
    const { servers, problems } = await readManifest({
      ...common,
      server: {
        ...server,
        mcp_config: { ...config, env: { OUT: '${DOCUMENTS}${/}out', LANG_: '${LANG}' } },
      },
    })
    expect(servers['shop']?.['resolved']).toEqual({
      args: ['/bundle/index.js'],
      env: { OUT: '/home/dana/Documents/out' },
    })
    expect(problems).toEqual(['info no-expansion-in-client /server/mcp_config/env/LANG_'])
  })

  test('platform overrides replace whole keys', async () => {
    const manifest = {
      ...common,
      user_config: { dirs: { type: 'directory', title: 'D', description: 'd', multiple: true } },
      server: {
        ...server,
        mcp_config: {
          ...config,
          env: { A: '1', B: '2' },
          platform_overrides: {
            win32: { command: 'node.exe', args: ['${user_config.dirs}'] },
            darwin: { env: { C: '3' } },
          },
        },
      },
    }
    const seen = async (os: Os) => {
      const { servers, problems } = await readManifest(manifest, os)
      const { command, args, env } = servers['shop'] ?? {}
      return { command, args, env, problems }
    }
    const base = { command: 'node', args: ['${__dirname}/index.js'], env: { A: '1', B: '2' }, problems: [] }
    expect(await seen('linux')).toEqual(base)
    expect(await seen('darwin')).toEqual({ ...base, env: { C: '3' } })
    expect(await seen('win32')).toEqual({
      ...base,
      command: 'node.exe',
      args: ['${user_config.dirs}'],
      problems: ['info array-expands /server/mcp_config/platform_overrides/win32/args/0'],
    })
  })

  test('only required inputs without a default are reported', async () => {
    const { servers, problems } = await readManifest({
      ...common,
      server,
      user_config: {
        key: { type: 'string', sensitive: true, required: true },
        limit: { type: 'number', required: true, default: 10, min: 1, max: 100 },
        note: { type: 'string' },
        odd: 'string',
      },
    })
    expect(servers['shop']?.['inputs']).toEqual([
      { id: 'key', secret: true, required: true },
      { id: 'limit', required: true, default: 10 },
      { id: 'note' },
    ])
    expect(problems).toEqual(['warn needs-input /user_config/key', 'warn wrong-type /user_config/odd'])
  })

  test('an undeclared user_config value is reported as an input', async () => {
    const { problems } = await readManifest({
      ...common,
      server: { ...server, mcp_config: { command: 'node', args: ['--key=${user_config.key}'] } },
    })
    expect(problems).toEqual(['warn needs-input /server/mcp_config/args/0'])
  })

  test('type uv runs the entry point, from manifest_version 0.4', async () => {
    const { servers, problems } = await readManifest({
      ...common,
      manifest_version: '0.4',
      server: { type: 'uv', entry_point: 'src/server.py' },
    })
    expect(servers['shop']).toMatchObject({
      command: 'uv',
      args: ['run', '--directory', '${__dirname}', 'src/server.py'],
    })
    expect(problems).toEqual([])
  })

  test('a manifest without required keys is refused', async () => {
    const { names, problems } = await readManifest({ name: 'x', server: { type: 'ruby' } })
    expect(names).toEqual([])
    expect(problems).toEqual(['error missing-key', 'error unknown-transport /server/type'])
    expect((await readManifest({ ...common, server: { type: 'node' } })).problems).toEqual([
      'error missing-key /server',
    ])
    expect((await readManifest({ ...common, server, manifest_version: '9.9' })).problems).toEqual([
      'error out-of-range /manifest_version',
    ])
  })

  test('a bundle for other platforms is not launchable', async () => {
    const manifest = { ...common, server, compatibility: { platforms: ['darwin'] } }
    expect((await readManifest(manifest, 'darwin')).names).toEqual(['shop'])
    expect((await readManifest(manifest, 'linux')).problems).toEqual([
      'error not-launchable /compatibility/platforms',
    ])
  })

  test('unknown keys of the manifest and of mcp_config are reported', async () => {
    const { names, problems } = await readManifest({
      ...common,
      color: 'red',
      server: { ...server, mcp_config: { ...config, cwd: '/srv' } },
    })
    expect(names).toEqual(['shop'])
    expect(problems).toEqual(['warn unknown-key /color', 'warn unknown-key /server/mcp_config/cwd'])
  })

  test('dxt_version is accepted and reported as deprecated', async () => {
    const { manifest_version: version, ...rest } = common
    const { names, problems } = await readManifest({ ...rest, dxt_version: version, server })
    expect(names).toEqual(['shop'])
    expect(problems).toEqual(['info deprecated-key /dxt_version'])
  })
})
