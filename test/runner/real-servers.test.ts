import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { hostWith } from '../support/hosted.ts'
import { noBwrap } from '../support/programs/runners.ts'

const modules = fileURLToPath(new URL('../../node_modules', import.meta.url))
const read = [modules, ...(process.execPath.startsWith('/usr/') ? [] : [join(process.execPath, '../..')])]
const bin = (name: string) => join(modules, '.bin', name)

describe.skipIf(noBwrap !== '')(`bwrap ${noBwrap}`, () => {
  test('D-20 server-everything works in a box that opens its program only', async () => {
    await using x = await hostWith({
      command: bin('mcp-server-everything'),
      args: ['stdio'],
      runner: { use: 'bwrap', read },
    })
    expect(await x.call('echo', { message: 'boxed' })).toBe('Echo: boxed')
    expect((await x.tools()).length).toBeGreaterThan(5)
  })

  test('D-20 server-filesystem works in a box: it writes the folder that is opened and sees nothing else', async () => {
    const home = '${HOME}'
    await using x = await hostWith({
      command: bin('mcp-server-filesystem'),
      args: [`${home}/work`],
      runner: { use: 'bwrap', read, write: ['~/work'] },
    })
    mkdirSync(join(x.home, 'work'))
    mkdirSync(join(x.home, 'private'))
    writeFileSync(join(x.home, 'work/a.txt'), 'opened')
    writeFileSync(join(x.home, 'private/a.txt'), 'mine')
    expect(await x.call('read_text_file', { path: join(x.home, 'work/a.txt') })).toBe('opened')
    await x.call('write_file', { path: join(x.home, 'work/b.txt'), content: 'from the box' })
    expect(readFileSync(join(x.home, 'work/b.txt'), 'utf8')).toBe('from the box')
    expect(await x.call('read_text_file', { path: join(x.home, 'private/a.txt') })).not.toContain('mine')
  })

  test('D-20 server-memory works in a box: what it knows is in the folder that is opened', async () => {
    await using x = await hostWith({
      command: bin('mcp-server-memory'),
      env: { MEMORY_FILE_PATH: '${HOME}/memory/graph.jsonl' },
      runner: { use: 'bwrap', read, write: ['~/memory'] },
    })
    mkdirSync(join(x.home, 'memory'))
    const entities = [{ name: 'Dana', entityType: 'person', observations: ['likes boxes'] }]
    await x.call('create_entities', { entities })
    expect(await x.call('read_graph')).toContain('likes boxes')
    expect(readFileSync(join(x.home, 'memory/graph.jsonl'), 'utf8')).toContain('Dana')
  })
})
