import { describe, expect, test } from 'vitest'
import { serverOf } from '../../../test/support/server.ts'
import type { Origin, Server } from '../../model/server.ts'
import { memoryFiles } from '../../testing/memory-files.ts'
import { explainDifference, portableHash } from './portable-hash.ts'

const entry = { command: 'node', args: ['server.js'] }
const files = memoryFiles({
  '/home/dana/src/shop/.git/HEAD': '',
  '/home/eve/code/shop-2/.git': 'gitdir: elsewhere',
  '/home/dana/src/shop/vendor/x/.git': 'gitdir: ../../.git/modules/x',
  '/home/dana/.git/HEAD': '',
})

const at = (file: string, fields: Parameters<typeof serverOf>[1] = {}) =>
  serverOf('orders', {
    entry,
    ...fields,
    origin: { authority: 'project', scope: 'project', file, ...fields.origin } satisfies Partial<Origin>,
  })

const ofDana = (server: Server, dirs: readonly string[] = []) =>
  portableHash(server, { files, home: '/home/dana', dirs })
const ofEve = (server: Server, dirs: readonly string[] = []) =>
  portableHash(server, { files, home: '/home/eve', dirs })

describe('T48 portableHash', () => {
  test('is the same for the same entry at the same path inside another clone', async () => {
    const mine = await ofDana(at('/home/dana/src/shop/.mcp.json'))
    expect(mine).toMatch(/^sha256:[0-9a-f]{64}$/)
    expect(await ofEve(at('/home/eve/code/shop-2/.mcp.json'))).toBe(mine)
  })

  test('T52 is another one for the same entry in a submodule, where a relative path means another program', async () => {
    const mine = await ofDana(at('/home/dana/src/shop/.mcp.json'))
    expect(await ofDana(at('/home/dana/src/shop/vendor/x/.mcp.json'))).not.toBe(mine)
  })

  test('without a repository it has the path inside the project’s folder', async () => {
    const mine = await ofDana(at('/srv/shop/.vscode/mcp.json'), ['/srv/shop'])
    expect(await ofEve(at('/opt/other/.vscode/mcp.json'), ['/opt/other'])).toBe(mine)
    expect(await ofDana(at('/srv/shop/.vscode/mcp.json'))).not.toBe(mine)
  })

  test('a repository at the home directory does not count', async () => {
    const mine = await ofDana(at('/home/dana/work/.mcp.json'), ['/home/dana/work'])
    expect(await ofEve(at('/home/eve/x/.mcp.json'), ['/home/eve/x'])).toBe(mine)
  })

  test('a refusal says which part differs', async () => {
    const server = at('/home/dana/src/shop/.mcp.json')
    const now = await ofDana(server)
    const said = async (other: Server) => explainDifference(await ofDana(other), now)
    expect({
      entry: await said(at(server.origin.file, { entry: { ...entry, args: [] } })),
      file: await said(at('/home/dana/src/shop/mcp.json')),
      source: await said(at(server.origin.file, { origin: { source: 'cursor' } })),
      inputs: await said({ ...server, inputs: [{ id: 'a' }] }),
      two: await said({ ...at('/home/dana/src/shop/mcp.json'), inputs: [{ id: 'a' }] }),
      name: await said({ ...server, name: 'stock' }),
      foreign: explainDifference(`sha256:${'0'.repeat(64)}`, now),
      text: explainDifference('latest', now),
    }).toEqual({
      entry: 'Different: its entry.',
      file: 'Different: its file.',
      source: 'Different: its source.',
      inputs: 'Different: its inputs.',
      two: 'Different: its file and its inputs.',
      name: 'Its name differs, or the entry was made to look the same: compare the whole entry.',
      foreign:
        'No part of it is the same: it is the hash of another server, or one that holds only for a path on another machine.',
      text: 'A hash is "sha256:" and 64 hexadecimal digits.',
    })
  })
})
