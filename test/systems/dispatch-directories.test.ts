import { describe, expect, test } from 'vitest'
import { createFakeClock, faultyServer } from '../../src/testing.ts'
import { untilGone } from '../support/programs/alive.ts'
import { startDispatch, namesOf, serverWithTools } from './dispatch-support.ts'

const says = (text: string, description: string) =>
  serverWithTools([{ name: 'who', description }], { on: { 'tools/call': { text } } })

describe('Dispatch extension: two working directories', () => {
  test('D5 the same server name in two directories means two servers, each with its own tools', async () => {
    await using x = await startDispatch()
    const a = x.project({ db: says('I am a', 'Of a.') }, 'a')
    const b = x.project({ db: says('I am b', 'Of b.') }, 'b')
    for (const [cwd, text, description] of [
      [a, 'I am a', '[db] Of a.'],
      [b, 'I am b', '[db] Of b.'],
      [a, 'I am a', '[db] Of a.'],
    ] as const) {
      const turn = await x.turn(cwd)
      expect(turn.assembly.tools.map((tool) => tool.description)).toEqual([description])
      expect(await turn.call('db__who')).toEqual({ content: text })
    }
    expect(x.pids).toHaveLength(2)
  })

  test('D3 a call goes to the directory of its turn, even if the other directory defined the tool', async () => {
    await using x = await startDispatch()
    const a = x.project({ db: says('I am a', '') }, 'a')
    const b = x.project({ db: says('I am b', '') }, 'b')
    const turn = await x.turn(a, { conversationId: 'in a' })
    await x.turn(b, { conversationId: 'in b' })
    const last = x.host.getTools().get('db__who')
    const { signal } = new AbortController()
    const run = (ctx: object) => last?.execute({}, { toolCallId: 'call-1', signal, ...ctx })
    expect(await run({ cwd: a })).toEqual({ content: 'I am a' })
    expect(await run({ conversationId: 'in a' })).toEqual({ content: 'I am a' })
    expect(await run({ conversationId: 'in b' })).toEqual({ content: 'I am b' })
    expect(await run({})).toEqual({ content: 'I am b' })
    expect(await turn.call('db__who', {}, { cwd: b })).toEqual({ content: 'I am b' })
  })

  test('D6 concurrent turns neither offer nor call tools of the other directory', async () => {
    await using x = await startDispatch()
    const a = x.project({ a: serverWithTools(['one']), both: serverWithTools(['x', 'only-a']) }, 'a')
    const b = x.project({ b: serverWithTools(['two']), both: serverWithTools(['x', 'only-b']) }, 'b')
    const empty = x.directory('empty', {})
    const turns = await Promise.all([x.turn(a), x.turn(b, { conversationId: 'c2' }), x.turn(empty)])
    expect(turns.map(namesOf)).toEqual([
      ['a__one', 'both__only-a', 'both__x'],
      ['b__two', 'both__only-b', 'both__x'],
      [],
    ])
    const again = await x.turn(b)
    expect(namesOf(again)).toEqual(['b__two', 'both__only-b', 'both__x'])
    const [ofA] = turns
    expect(await ofA?.call('a__one', {}, { cwd: b })).toEqual({
      content: expect.stringContaining('There is no tool "a__one"') as string,
      isError: true,
    })
  })

  test('L8 getClient: cwd is needed if two directories declare the server', async () => {
    await using x = await startDispatch()
    const a = x.project({ db: faultyServer(), mine: faultyServer() }, 'a')
    const b = x.project({ db: faultyServer() }, 'b')
    expect(x.service.getClient('db')).toBeUndefined()
    await x.service.status(a)
    await x.service.status(`${b}/../b/`)
    expect([x.service.getClient('db'), x.service.getClient('none')]).toEqual([undefined, undefined])
    expect(x.service.getClient('mine')?.serverId).toBe('mine')
    expect(x.service.getClient('db', b)?.state).toBe('disconnected')
    await x.service.getClient('db', a)?.initialize()
    expect([x.service.getClient('db', a)?.state, x.service.getClient('db', b)?.state]).toEqual([
      'connected',
      'disconnected',
    ])
  })

  test('D3 a turn without a directory, or on another machine, has no MCP tools and starts nothing', async () => {
    await using x = await startDispatch()
    const cwd = x.project({ a: serverWithTools(['one']) })
    expect(namesOf(await x.turn(cwd, { computerId: 'elsewhere' }))).toEqual([])
    expect(namesOf(await x.host.turn({ conversationId: 'c1' }))).toEqual([])
    expect(x.pids).toEqual([])
    const turn = await x.turn(cwd)
    expect(namesOf(await x.host.turn({ conversationId: 'c1' }))).toEqual([])
    expect(await turn.call('a__one', {}, { computerId: 'elsewhere' })).toEqual({
      content: 'MCP servers run on the machine of Dispatch, and this turn runs on another one.',
      isError: true,
    })
  })
})

describe('Dispatch extension: a turn', () => {
  test('D14 waits at most waitMs for a hanging server; the others are offered, and its status is connecting', async () => {
    const clock = createFakeClock()
    await using x = await startDispatch({ waitMs: 500, platform: { clock } })
    const cwd = x.project({
      slow: faultyServer({ on: { initialize: 'hang' } }),
      good: serverWithTools(['one']),
    })
    const turn = x.turn(cwd)
    await x.untilLogged('"server":"good","added":1')
    await clock.advance(500)
    expect(namesOf(await turn)).toEqual(['good__one'])
    const [slow] = await x.service.status(cwd)
    expect(slow).toMatchObject({ id: 'slow', state: 'connecting', toolCount: 0 })
    expect(namesOf(await x.turn(cwd))).toEqual(['good__one'])
    expect(x.pids).toHaveLength(2)
  })

  test('D14 offers the tools of a server that a client connected before', async () => {
    await using x = await startDispatch()
    const cwd = x.project({ a: serverWithTools(['one']) })
    await x.service.status(cwd)
    await x.service.getClient('a')?.initialize()
    expect(namesOf(await x.turn(cwd))).toEqual(['a__one'])
    expect(x.pids).toHaveLength(1)
  })

  test('D14 ends at once when its signal is aborted', async () => {
    await using x = await startDispatch()
    const cwd = x.project({ slow: faultyServer({ on: { initialize: 'hang' } }) })
    const controller = new AbortController()
    const turn = x.turn(cwd, { signal: controller.signal })
    await x.untilLogged('MCP server connecting')
    controller.abort()
    expect(namesOf(await turn)).toEqual([])
    expect(namesOf(await x.turn(cwd, { signal: controller.signal }))).toEqual([])
    expect(x.host.thrown).toEqual([])
  })

  test('D14 ends when the extension is deactivated, and its servers are stopped', async () => {
    await using x = await startDispatch()
    const cwd = x.project({
      slow: faultyServer({ on: { initialize: 'hang' } }),
      good: serverWithTools(['one']),
    })
    const turn = x.turn(cwd)
    await x.untilLogged('MCP server ready')
    await x.deactivate()
    expect(namesOf(await turn)).toEqual([])
    await untilGone(...x.pids)
    expect([x.pids.length, x.host.thrown]).toEqual([2, []])
  })

  test('D6 offers the tools of good servers beside one that floods list_changed and one that exits at every start', async () => {
    await using x = await startDispatch()
    const flood = Array.from({ length: 200 }, () => ({ notify: 'notifications/tools/list_changed' }))
    const cwd = x.project({
      dies: faultyServer({ on: { start: { exit: 1 } } }),
      floods: faultyServer({
        tools: { count: 3, changing: true },
        on: { 'notifications/initialized': flood },
      }),
      good: serverWithTools(['one']),
    })
    for (let turns = 0; turns < 5; turns++) {
      const turn = await x.turn(cwd)
      expect(namesOf(turn)).toEqual(['floods__tool-0', 'floods__tool-1', 'floods__tool-2', 'good__one'])
      expect(await turn.call('good__one')).toEqual({ content: '{"name":"one","arguments":{}}' })
    }
    expect(x.host.thrown).toEqual([])
  })
})
