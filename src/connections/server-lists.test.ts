import { describe, expect, test } from 'vitest'
import { countedSignal, outcomeOf, turn } from '../../test/support/outcome.ts'
import { openWire } from '../../test/support/wire.ts'
import type { WireRequest, Wire } from '../../test/support/wire.ts'
import { Peer } from '../wire/eras/peer.ts'
import { WireError } from '../wire/wire-error.ts'
import { ServerLists, markOfList } from './server-lists.ts'

const tool = (name: string) => ({ name, inputSchema: { type: 'object' } })
const tools = [tool('a'), tool('b')]
const self = { info: { name: 'plugboard', version: '1.0.0' }, capabilities: {} }

function open(server: (asked: WireRequest, wire: Wire) => void, { hasHeaders = false } = {}) {
  const wire = openWire({ kind: hasHeaders ? 'http' : 'stdio', server })
  const changed: [string, number][] = []
  const warned: string[] = []
  const ended = new AbortController()
  const peer = new Peer(wire.rpc, {
    greeting: { era: 'modern', version: '2026-07-28', capabilities: {} },
    self,
    clock: wire.clock,
    answer: async () => ({}),
    paramHeadersOf: (name, options) => lists.paramHeadersOf(name, options),
    ended: ended.signal,
  })
  const lists: ServerLists = new ServerLists(peer, {
    clock: wire.clock,
    hasHeaders,
    onChanged: (list) => void changed.push([list, wire.clock.monotonic()]),
    onWarning: (message) => void warned.push(message),
  })
  return { wire, lists, changed, warned }
}

const answering =
  (result: unknown) =>
  ({ id }: WireRequest, wire: Wire) =>
    wire.answer(id, result)

/** Answers as a pipe does: the text is offered before it is parsed. Notes the texts that were parsed. */
const answeringText =
  (results: readonly unknown[], parsed: unknown[] = []) =>
  ({ id, params }: WireRequest, { receiver }: Wire) => {
    const result = results[Number(params['cursor'] ?? 0)]
    const text = JSON.stringify({ jsonrpc: '2.0', id, result })
    const known = receiver.readText?.(text)
    if (!known) parsed.push(result)
    receiver.message(known ?? JSON.parse(text))
  }

describe('D15 server lists: the same list again', () => {
  test('D15 the answer is not parsed, and the list is the same object', async () => {
    const parsed: unknown[] = []
    const answers = [{ tools, ttlMs: 5 }]
    const { lists } = open(answeringText(answers, parsed))
    const first = await lists.list('tools')
    expect(await lists.list('tools', { fresh: true })).toBe(first)
    expect(parsed).toHaveLength(1)
    answers[0] = { tools: [tool('c')], ttlMs: 5 }
    expect((await lists.list('tools', { fresh: true })).items).toEqual([tool('c')])
    expect(parsed).toHaveLength(2)
  })

  test('D15 a caller gets back the list that it knows from before', async () => {
    const parsed: unknown[] = []
    const { lists } = open(answeringText([{ tools }], parsed))
    const mark = markOfList(await lists.list('tools')) ?? ''
    const known = { mark, list: { items: [], quarantined: [], ttlMs: 0 } }
    const other = open(answeringText([{ tools, ttlMs: 0 }], parsed))
    const again = open(answeringText([{ tools }], parsed))
    expect(await again.lists.list('tools', { known })).toBe(known.list)
    expect(parsed).toHaveLength(1)
    // Others get what the server sends.
    expect((await again.lists.list('tools')).items).toEqual(tools)
    expect((await other.lists.list('tools', { known })).items).toEqual(tools)
  })

  test('D15 a list of several pages is the same only if all of them are', async () => {
    const pages = [{ tools: [tool('a')], nextCursor: '1' }, { tools: [tool('b')] }]
    const { lists } = open(answeringText(pages))
    const first = await lists.list('tools')
    expect(first.items).toEqual(tools)
    expect(await lists.list('tools')).toBe(first)
    pages[1] = { tools: [tool('c')] }
    expect((await lists.list('tools')).items).toEqual([tool('a'), tool('c')])
  })

  test('D15 a list that loses its later pages is another list', async () => {
    const pages: unknown[] = [{ tools: [tool('a')], nextCursor: '1' }, { tools: [] }]
    const { lists } = open(answeringText(pages))
    await lists.list('tools')
    pages[0] = { tools: [] }
    expect((await lists.list('tools')).items).toEqual([])
  })

  test('FI-31 a list with tools that are left out is read, and warned about, each time', async () => {
    const { lists, warned } = open(answeringText([{ tools: [{ name: 'bad' }] }]))
    expect(markOfList(await lists.list('tools'))).toBeUndefined()
    await lists.list('tools')
    expect(warned).toHaveLength(2)
  })

  test('D15 over HTTP the headers of calls are still read from the items', async () => {
    const shown = {
      ...tool('a'),
      inputSchema: { type: 'object', properties: { x: { type: 'string', 'x-mcp-header': 'X' } } },
    }
    const { lists } = open(answeringText([{ tools: [shown] }]), { hasHeaders: true })
    const mark = markOfList(await lists.list('tools')) ?? ''
    const known = { mark, list: { items: [], quarantined: [], ttlMs: 0 } }
    const again = open(answeringText([{ tools: [shown] }]), { hasHeaders: true })
    expect(await again.lists.list('tools', { known })).toBe(known.list)
    expect(await again.lists.paramHeadersOf('a', { refresh: false })).toHaveLength(1)
    expect(again.wire.methods).toHaveLength(1)
  })
})

describe('D15 server lists: reading', () => {
  test('D15 without a ttl the list is requested each time', async () => {
    const { wire, lists } = open(answering({ tools }))
    expect(await lists.list('tools')).toEqual({ items: tools, quarantined: [], ttlMs: 0 })
    await lists.list('tools')
    expect(wire.methods).toEqual(['tools/list', 'tools/list'])
  })

  test('C29 a list is cached exactly as long as its ttl', async () => {
    const { wire, lists } = open(answering({ tools, ttlMs: 1000, cacheScope: 'private' }))
    await lists.list('tools')
    await wire.clock.advance(999)
    await lists.list('tools')
    expect(wire.methods).toHaveLength(1)
    await lists.list('tools', { fresh: true })
    expect(wire.methods).toHaveLength(2)
    await wire.clock.advance(1000)
    await lists.list('tools')
    expect(wire.methods).toHaveLength(3)
  })

  test('C21 a change invalidates the cache, also while the list is being read', async () => {
    const { wire, lists } = open(answering({ tools, ttlMs: 60_000 }))
    const reading = lists.list('tools')
    lists.onNotification('notifications/tools/list_changed')
    await reading
    await lists.list('tools')
    await lists.list('tools')
    expect(wire.methods).toHaveLength(2)
  })

  test('each of the four lists has its own method and its own cache', async () => {
    const { wire, lists } = open(({ id, method }, each) => {
      const key = method === 'resources/templates/list' ? 'resourceTemplates' : method.split('/')[0]
      each.answer(id, { [String(key)]: key === 'tools' ? tools : [{ of: key ?? '' }], ttlMs: 10 })
    })
    const names = ['tools', 'resources', 'prompts', 'resourceTemplates'] as const
    expect(await Promise.all(names.map(async (name) => (await lists.list(name)).items))).toEqual([
      tools,
      [{ of: 'resources' }],
      [{ of: 'prompts' }],
      [{ of: 'resourceTemplates' }],
    ])
    expect(wire.methods).toEqual(['tools/list', 'resources/list', 'prompts/list', 'resources/templates/list'])
  })

  test('an unknown method gives an empty list; any other error is thrown and not cached', async () => {
    const unknown = open(({ id }, wire) => wire.refuse(id, -32601))
    expect(await unknown.lists.list('resourceTemplates')).toEqual({
      items: [],
      quarantined: [],
      ttlMs: 0,
    })
    const broken = open(({ id }, wire) => (id === 1 ? wire.refuse(id, -32603) : wire.answer(id, { tools })))
    expect(await outcomeOf(broken.lists.list('tools'))).toEqual({ rpc: -32603, message: 'no' })
    expect(await broken.lists.list('tools')).toEqual({
      items: tools,
      quarantined: [],
      ttlMs: 0,
    })
  })

  test('FI-31 a truncated list and quarantined tools cause warnings', async () => {
    const { lists, warned } = open(answering({ tools: [tool('a'), { name: 'bad' }], nextCursor: 'again' }))
    expect(await lists.list('tools')).toEqual({
      items: [tool('a')],
      quarantined: [
        { tool: 'bad', reason: 'it has no inputSchema' },
        { tool: 'a', reason: 'it is defined twice' },
        { tool: 'bad', reason: 'it has no inputSchema' },
      ],
      ttlMs: 0,
    })
    expect(warned[0]).toBe('Its list of tools was cut because a cursor was repeated.')
    expect(warned).toContain('Its tool "bad" is left out: it has no inputSchema.')
  })

  test('C27 all pages share the time limit of one request', async () => {
    const { wire, lists } = open(({ id }, each) => {
      void each.clock.sleep(900).then(() => each.answer(id, { tools: [], nextCursor: `c${id}` }))
    })
    const list = outcomeOf(lists.list('tools', { timeoutMs: 1000, maxTimeoutMs: 2000 }))
    await wire.clock.advance(10_000)
    expect(await list).toEqual({
      wire: 'timeout',
      message: 'No answer to tools/list within 2000 ms.',
      sent: true,
    })
    expect(wire.methods.filter((method) => method === 'tools/list')).toHaveLength(3)
  })

  test('C18 a cancel by the caller ends the reading', async () => {
    const counted = countedSignal()
    const { wire, lists } = open(() => undefined)
    const list = outcomeOf(lists.list('tools', { signal: counted.signal }))
    await turn()
    counted.abort()
    expect(await list).toMatchObject({ wire: 'cancelled' })
    expect({ listeners: counted.listeners, methods: wire.methods }).toEqual({
      listeners: 0,
      methods: ['tools/list', 'notifications/cancelled'],
    })
  })
})

describe('FI-30 FI-32 server lists: change notifications', () => {
  test('FI-30 10000 changes at once are passed on twice: the first immediately, the rest after a second', async () => {
    const { wire, lists, changed } = open(() => undefined)
    for (let index = 0; index < 10_000; index++) lists.onNotification('notifications/tools/list_changed')
    await wire.clock.advance(10_000)
    expect(changed).toEqual([
      ['tools', 0],
      ['tools', 1000],
    ])
    expect(wire.clock.sleeping).toBe(0)
  })

  test('FI-32 a server that never stops is passed on once a second, with a single timer', async () => {
    const { wire, lists, changed } = open(() => undefined)
    for (let index = 0; index < 50; index++) {
      lists.onNotification('notifications/tools/list_changed')
      await wire.clock.advance(100)
    }
    expect(changed.map(([, at]) => at)).toEqual([0, 1000, 2000, 3000, 4000, 5000])
    expect(wire.clock.sleeping).toBe(1)
  })

  test('C21 each list has its own notification; that of resources includes templates and skills', async () => {
    const { lists, changed } = open(() => undefined)
    for (const what of ['resources', 'prompts', 'tools', 'toString', '__proto__'])
      lists.onNotification(`notifications/${what}/list_changed`)
    for (const method of ['toString', '__proto__', 'notifications/message']) lists.onNotification(method)
    expect(changed.map(([list]) => list)).toEqual([
      'resources',
      'resourceTemplates',
      'skills',
      'prompts',
      'tools',
    ])
  })

  test('close disposes the timers', () => {
    const { wire, lists } = open(() => undefined)
    lists.onNotification('notifications/resources/list_changed')
    lists.close()
    expect(wire.clock.sleeping).toBe(0)
  })
})

describe('server lists: arguments mirrored into headers', () => {
  const mirrored = {
    name: 't',
    inputSchema: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } },
  }

  test('are known from the tool list, which concurrent calls request once', async () => {
    const { wire, lists } = open(answering({ tools: [mirrored] }), { hasHeaders: true })
    const found = await Promise.all(
      ['t', 't', 'other'].map((name) => lists.paramHeadersOf(name, { refresh: false })),
    )
    expect(found.map((each) => each !== undefined)).toEqual([true, true, false])
    await lists.paramHeadersOf('t', { refresh: false })
    expect(wire.methods).toEqual(['tools/list'])
    await lists.paramHeadersOf('t', { refresh: true })
    expect(wire.methods).toEqual(['tools/list', 'tools/list'])
  })

  test('are not requested on a transport without headers', async () => {
    const { wire, lists } = open(answering({ tools: [mirrored] }))
    expect(await lists.paramHeadersOf('t', { refresh: false })).toBeUndefined()
    expect(wire.sent).toEqual([])
  })

  test('C27 a list that never arrives fails the call at its timeout, as unsent', async () => {
    const { wire, lists } = open(() => undefined, { hasHeaders: true })
    const counted = countedSignal()
    const slow = outcomeOf(lists.paramHeadersOf('t', { refresh: false, timeoutMs: 100 }))
    const given = outcomeOf(lists.paramHeadersOf('t', { refresh: false, signal: counted.signal }))
    await turn()
    counted.abort()
    await wire.clock.advance(100)
    expect(await given).toMatchObject({ wire: 'cancelled', sent: false })
    expect(await slow).toMatchObject({ wire: 'timeout', sent: false })
    expect(counted.listeners).toBe(0)
  })

  test('C18 an already cancelled caller leaves no unhandled rejection when the list fails', async () => {
    const gone = new WireError('network', 'gone', { sent: true })
    const { lists } = open(({ id }, wire) => wire.receiver.failed(id, gone), { hasHeaders: true })
    const call = outcomeOf(lists.paramHeadersOf('t', { refresh: false, signal: AbortSignal.abort() }))
    expect(await call).toMatchObject({ wire: 'cancelled', sent: false })
    const unhandled: unknown[] = []
    const listeners = process.listeners('unhandledRejection')
    process.removeAllListeners('unhandledRejection')
    process.once('unhandledRejection', (reason) => unhandled.push(reason))
    await turn()
    await turn()
    process.removeAllListeners('unhandledRejection')
    for (const listener of listeners) process.on('unhandledRejection', listener)
    expect(unhandled).toEqual([])
  })

  test('a server that refuses to list is called without headers; a lost connection fails the call', async () => {
    const refusing = open(({ id }, wire) => wire.refuse(id, -32603), { hasHeaders: true })
    expect(await refusing.lists.paramHeadersOf('t', { refresh: false })).toBeUndefined()
    const gone = open(
      ({ id }, wire) => wire.receiver.failed(id, new WireError('network', 'gone', { sent: true })),
      {
        hasHeaders: true,
      },
    )
    expect(await outcomeOf(gone.lists.paramHeadersOf('t', { refresh: false }))).toEqual({
      wire: 'network',
      message: 'gone',
      sent: false,
    })
  })
})
