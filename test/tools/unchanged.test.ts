import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { HostEvent } from '../../src/index.ts'
import { createFakeClock } from '../../src/testing.ts'
import { namesOf, newHome, scripted, serverWithTools, toDefinition, toolHost } from '../support/tool-host.ts'

const listedAgain = { servers: ['a'], from: 'servers' } as const

/** The cache file of the only server; another inode means that it was written again. */
function cacheOf(home: string): { readonly path: string; readonly inode: number; readonly text: string } {
  const folder = join(home, '.cache/plugboard/servers')
  const [name = ''] = readdirSync(folder)
  const path = join(folder, name)
  return { path, inode: statSync(path).ino, text: readFileSync(path, 'utf8') }
}

function changesIn(events: readonly HostEvent[]): number {
  return events.filter(({ type }) => type === 'catalog.changed').length
}

test('D-4 the first call of a process to a known server is sent before its tools are listed again', async () => {
  const home = newHome()
  const journal = join(home, 'journal')
  const entry = { a: serverWithTools(['one'], { journal }) }
  {
    await using x = await toolHost(entry, { home })
    await x.host.ready()
  }
  writeFileSync(journal, '')
  await using y = await toolHost(entry, { home })
  await y.host.call('a__one')
  await y.host.ready(listedAgain)
  const methods = [...readFileSync(journal, 'utf8').matchAll(/"method":"(tools\/\w+)"/g)].map(
    ([, each]) => each,
  )
  expect(methods.slice(0, 2)).toEqual(['tools/call', 'tools/list'])
})

describe('a server that lists the same again', () => {
  test('D-4 D15 keeps the tools: no event and no write', async () => {
    const home = newHome()
    const entry = { a: serverWithTools(['one', 'two'], { prompts: [{ name: 'p' }] }) }
    {
      await using x = await toolHost(entry, { home })
      await x.host.ready()
      const tools = x.host.tools()
      await x.host.ready(listedAgain)
      expect(x.host.tools()[0]).toBe(tools[0])
      expect(changesIn(x.events)).toBe(1)
    }
    const before = cacheOf(home)
    {
      await using y = await toolHost(entry, { home })
      await y.host.ready()
      const tools = y.host.tools()
      await y.host.ready(listedAgain)
      expect([y.host.tools()[0] === tools[0], y.spawns()]).toEqual([true, 1])
      expect(changesIn(y.events)).toBe(1)
    }
    expect(cacheOf(home)).toEqual(before)
  })

  test('D15 a list that has changed replaces the known one, on disk too', async () => {
    const home = newHome()
    const lists = [['one'], ['one', 'two']].map((names) => ({ result: { tools: names.map(toDefinition) } }))
    const entry = { a: scripted({ tools: [], on: { 'tools/list': { each: lists } } }) }
    await using x = await toolHost(entry, { home })
    await x.host.ready()
    await x.host.ready(listedAgain)
    expect(namesOf(x.host)).toEqual(['a__one', 'a__two'])
    await x.host.close()
    expect(cacheOf(home).text).toContain('"two"')
  })

  test('T35 a secret that becomes known later is masked, though the list is the same', async () => {
    const home = newHome()
    const token = 'correct-horse-battery'
    const server = serverWithTools([{ name: 'one', description: `Uses ${token}.` }])
    {
      await using x = await toolHost({ a: server }, { home })
      await x.host.ready()
    }
    const env = { HOME: home, PATH: process.env['PATH'], SECRET_TOKEN: token }
    const other = { ...serverWithTools(['two']), env: { TOKEN: '${SECRET_TOKEN}' } }
    await using y = await toolHost({ a: server, b: other }, { home, platform: { env } })
    await y.host.ready({ servers: ['a'] })
    expect(y.host.tools()[0]?.description).toBe(`Uses ${token}.`)
    await y.host.connect('b')
    await y.host.ready(listedAgain)
    expect(y.host.tools()[0]?.description).not.toContain(token)
  })

  test('D-4 a stored list that was damaged is not shown, though the server sends the same as before', async () => {
    const home = newHome()
    const entry = { a: serverWithTools(['one']) }
    {
      await using x = await toolHost(entry, { home })
      await x.host.ready()
    }
    const { path, text } = cacheOf(home)
    writeFileSync(path, text.replaceAll('"one"', '"delete_all"'))
    await using y = await toolHost(entry, { home })
    await y.host.ready()
    expect([namesOf(y.host), y.spawns()]).toEqual([['a__one'], 1])
    await y.host.close()
    expect(cacheOf(home).text).toContain('"one"')
  })

  test('D15 an expired list that is the same is valid again, for later hosts too', async () => {
    const clock = createFakeClock(Date.parse('2026-07-28'))
    const servers = { a: serverWithTools(['one'], { era: 'modern', ttlMs: 60_000 }) }
    const home = newHome()
    const open = () => toolHost(servers, { home, platform: { clock } })
    {
      await using x = await open()
      await x.host.ready()
      await clock.advance(60_000)
      await x.host.ready()
      expect(changesIn(x.events)).toBe(1)
    }
    await clock.advance(30_000)
    await using y = await open()
    await y.host.ready()
    expect([namesOf(y.host), y.spawns()]).toEqual([['a__one'], 0])
  })
})
