import { describe, expect, test } from 'vitest'
import { discover } from '../discover.ts'
import type { HostError } from '../model/error.ts'
import { nodePlatform } from '../platform/node/platform.ts'
import { loadSource } from '../sources/load.ts'
import { parseText } from '../sources/open.ts'
import { namedOnly, placesOf, sourceIds } from '../sources/places.ts'
import type { SourceId } from '../sources/places.ts'
import type { EntryRules } from '../sources/rules.ts'
import type { NewServer } from '../sources/writing.ts'
import { memoryFiles } from '../testing/memory-files.ts'
import { addServer, removeServer, setEnabled, updateServer } from './edit-server.ts'
import type { EditTarget } from './edit-server.ts'
import { createWorld } from './world.ts'

const local: NewServer = {
  name: 'new-one',
  transport: { kind: 'stdio', command: 'npx', args: ['-y', 'pkg@1.0.0'], env: { MODE: 'fast' } },
}
const remote: NewServer = {
  name: 'new-two',
  transport: { kind: 'http', url: 'https://example.com/mcp', headers: { 'X-Region': 'eu' } },
}

/** Lists and required keys: entries that rules alone do not describe. */
const ownShape: readonly SourceId[] = ['goose', 'continue', 'copilot-coding-agent']
const localOnly: readonly SourceId[] = ['claude-desktop']
const plain = sourceIds.filter((id) => !namedOnly.has(id) && !ownShape.includes(id))

describe('O16 what is written into a file of a client is what is read back from it', () => {
  test.each(plain.filter((id) => !localOnly.includes(id)))('%s: add, update, remove', async (id) => {
    const target = await targetOf(id)
    const added = [await addServer(target, local), await addServer(target, remote)]
    expect(added.map(({ changed, lost }) => ({ changed, lost }))).toEqual([
      { changed: true, lost: [] },
      { changed: true, lost: [] },
    ])
    expect(await read(id, target)).toMatchObject([
      ['new-one', local.transport],
      ['new-two', remote.transport],
    ])

    const other = { kind: 'stdio', command: 'uvx', args: ['b'], env: { A: '1' } } as const
    await updateServer(target, { name: 'new-one', transport: other })
    await removeServer(target, 'new-two')
    expect(await read(id, target)).toMatchObject([['new-one', other]])

    await updateServer(target, { ...remote, name: 'new-one' })
    expect(await read(id, target)).toMatchObject([['new-one', remote.transport]])
  })

  test.each(plain)('%s: off and on again, where its owner has a switch', async (id) => {
    const target = await targetOf(id)
    await addServer(target, local)
    const off = await setEnabled(target, 'new-one', false).then(
      () => 'written',
      (error: HostError) => error.code,
    )
    const whileOff = await enabled(id, target)
    const hasSwitch = await rulesOf(target).then(({ flag }) => flag !== undefined)
    expect([off, whileOff]).toEqual(hasSwitch ? ['written', false] : ['config.unwritable', true])
    if (hasSwitch) await setEnabled(target, 'new-one', true)
    expect(await enabled(id, target)).toBe(true)
  })

  test.each(localOnly)('%s refuses a remote server', async (id) => {
    const target = await targetOf(id)
    await expect(addServer(target, remote)).rejects.toMatchObject({
      code: 'config.invalid',
      message: 'Invalid server config: this file cannot hold a server over http.',
    })
  })
})

async function targetOf(
  id: SourceId,
): Promise<EditTarget & { readonly platform: ReturnType<typeof createPlatform> }> {
  const platform = createPlatform()
  const world = await createWorld(platform)
  const roles = ['servers', 'native', 'main']
  const place = placesOf(id, world).find(({ role, path }) => roles.includes(role) && !path.includes('*'))
  if (!place) throw new Error(`${id} has no file for servers`)
  return { platform, world, source: await loadSource(id), place }
}

function createPlatform() {
  const files = memoryFiles({ '/home/dana/shop/.git/HEAD': '' })
  const world = { os: 'linux', home: '/home/dana', cwd: '/home/dana/shop', env: {}, systemRoot: '/' } as const
  return nodePlatform({ ...world, files, lock: (_path, work) => work() })
}

async function read(id: SourceId, { platform }: EditTarget) {
  const { servers, diagnostics } = await discover({ platform, sources: [id] })
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
  return servers.map(({ name, transport }) => [name, transport])
}

async function rulesOf({ source, place, world }: EditTarget): Promise<EntryRules> {
  const doc = await parseText(place.format === 'json' ? '{}' : '', place.format)
  const writing = source.writing?.({ ...place, doc }, world)
  if (!writing) throw new Error(`${source.id} does not write`)
  return writing.rules
}

async function enabled(id: SourceId, { platform }: EditTarget) {
  return (await discover({ platform, sources: [id] })).servers[0]?.enabled
}
