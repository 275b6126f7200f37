import { rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../src/index.ts'
import { createFakeClock, createScriptedServer } from '../../src/testing.ts'
import { namesOf, newHome, scripted, serverWithTools, toDefinition, toolHost } from '../support/tool-host.ts'
import type { ToolHostOptions } from '../support/tool-host.ts'

const entry = { a: { command: 'not-started' } }

/** A modern server whose lists have a `ttlMs`, and a host that has listed it. */
function timed(ttlMs: number) {
  const clock = createFakeClock(Date.parse('2026-07-28'))
  let tools: readonly string[] = ['one']
  let asked = 0
  const list = (): Json => {
    asked++
    return { resultType: 'complete', tools: tools.map(toDefinition), ttlMs, cacheScope: 'private' }
  }
  const server = createScriptedServer({
    era: 'modern',
    capabilities: { tools: {} },
    on: { 'tools/list': list },
  })
  return {
    clock,
    server,
    asked: () => asked,
    offer: (...names: readonly string[]) => void (tools = names),
    open: (options: ToolHostOptions = {}) =>
      toolHost(entry, { platform: { clock }, channels: { a: server.open }, ...options }),
  }
}

describe('ttlMs of lists', () => {
  test('an expired list is fetched again when tools() is called (D15)', async () => {
    const { clock, asked, offer, open } = timed(60_000)
    await using x = await open()
    await x.host.ready()
    offer('one', 'two')
    await clock.advance(59_000)
    expect([namesOf(x.host), asked()]).toEqual([['a__one'], 1])
    await clock.advance(1000)
    expect(asked()).toBe(1)
    // The old list is used until the response arrives.
    expect(namesOf(x.host)).toEqual(['a__one'])
    await x.until('catalog.changed', ({ added }) => added.includes('a/two'))
    expect([namesOf(x.host), asked()]).toEqual([['a__one', 'a__two'], 2])
  })

  test('ready waits for the new list (D15)', async () => {
    const { clock, offer, open } = timed(60_000)
    await using x = await open()
    await x.host.ready()
    offer('two')
    await clock.advance(60_000)
    await x.host.ready()
    expect(namesOf(x.host)).toEqual(['a__two'])
  })

  test('it is cached on disk: a later host lists the server only after it has expired (D-4)', async () => {
    const clock = createFakeClock(Date.parse('2026-07-28'))
    const home = newHome()
    const offer = (tool: string) => ({ answer: { merge: { tools: [toDefinition(tool)] } } })
    const list = { eachStart: [offer('one'), offer('two')] }
    const starts = join(home, 'starts')
    const servers = { a: scripted({ era: 'modern', ttlMs: 60_000, starts, on: { 'tools/list': list } }) }
    const open = () => toolHost(servers, { home, platform: { clock } })
    {
      await using x = await open()
      await x.host.ready()
    }
    await clock.advance(30_000)
    {
      await using y = await open()
      await y.host.ready()
      expect([namesOf(y.host), y.spawns()]).toEqual([['a__one'], 0])
    }
    await clock.advance(30_000)
    await using z = await open()
    await z.host.ready({ from: 'disk' })
    expect([namesOf(z.host), z.spawns()]).toEqual([['a__one'], 0])
    await z.host.ready()
    expect([namesOf(z.host), z.spawns()]).toEqual([['a__two'], 1])
  })

  test('a server that cannot be listed again keeps its known tools (D6)', async () => {
    const clock = createFakeClock(Date.parse('2026-07-28'))
    const home = newHome()
    const command = join(home, 'program')
    symlinkSync(process.execPath, command)
    const servers = { a: { ...serverWithTools(['one'], { era: 'modern', ttlMs: 60_000 }), command } }
    {
      await using x = await toolHost(servers, { home, platform: { clock } })
      await x.host.ready()
    }
    await clock.advance(60_000)
    rmSync(command)
    await using y = await toolHost(servers, { home, platform: { clock } })
    await y.host.ready()
    expect(y.host.servers()[0]?.status.state).toBe('failed')
    expect(y.host.why('a__one').visibility).toEqual({ visible: false, reason: 'Its server "a" is failed.' })
  })

  test('with a very short ttlMs a server is listed at most once a second (T24)', async () => {
    const { clock, asked, open } = timed(1)
    await using x = await open()
    await x.host.ready()
    await clock.advance(500)
    for (let i = 0; i < 10; i++) namesOf(x.host)
    await x.host.ready()
    expect(asked()).toBe(1)
    await clock.advance(500)
    for (let i = 0; i < 10; i++) namesOf(x.host)
    await x.host.ready()
    expect(asked()).toBe(2)
  })

  test('without ttlMs a server is listed again only after list_changed (C29)', async () => {
    const { clock, server, asked, offer, open } = timed(0)
    await using x = await open()
    await x.host.ready()
    await clock.advance(10_000_000)
    namesOf(x.host)
    await x.host.ready()
    expect(asked()).toBe(1)
    offer('two')
    server.notify('notifications/tools/list_changed')
    await x.until('catalog.changed', ({ added }) => added.includes('a/two'))
    expect(asked()).toBe(2)
  })
})
