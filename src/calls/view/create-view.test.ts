import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { definitionOf, emptySnapshot, memoryContext } from '../../../test/support/memory-view.ts'
import { serverOf } from '../../../test/support/server.ts'
import type { HostError } from '../../model/error.ts'
import type { UntimedEvent } from '../../model/event.ts'
import type { CallResult } from '../../model/result.ts'
import type { ToolDefinition } from '../../model/tool.ts'
import { compileRules } from '../../policy/call-rules.ts'
import type { Approve } from './view.ts'
import { createView } from './create-view.ts'

const servers = { a: ['one', 'two'], b: ['two', 'three'] }
const namesOf = (view: ReturnType<typeof createView>) => view.tools().map(({ name }) => name)
const endOf = (call: Promise<CallResult>) =>
  call.then(
    ({ text }) => text,
    ({ code }: HostError) => code,
  )

describe('createView', () => {
  test('a hidden tool is hidden from tools(), search(), call(), describe_tool and why() (D-7)', async () => {
    const pattern = fc.constantFrom('*', '!*', 'a__*', '!a__*', 'b/t*', '!b/two', '*__two', '!*three', 'none')
    await fc.assert(
      fc.asyncProperty(
        fc.option(fc.array(pattern, { maxLength: 4 })),
        fc.option(fc.array(pattern, { maxLength: 4 })),
        fc.option(fc.subarray(['a', 'b'])),
        fc.subarray(['a', 'b']),
        async (mine, asked, only, off) => {
          const layers = mine ? [{ kind: 'user', tools: mine } as const] : []
          const context = memoryContext({ servers, layers })
          for (const server of off) await context.memory.toggles.set('c', server, false)
          const view = createView(context, {
            conversation: 'c',
            ...(asked && { tools: asked }),
            ...(only && { servers: only }),
          })
          const seen = namesOf(view)
          const all = context.catalog.tools()
          expect(all.filter(({ name }) => view.why(name).visibility.visible).map(({ name }) => name)).toEqual(
            seen,
          )
          expect(new Set(view.search('one two three').map(({ name }) => name))).toEqual(new Set(seen))
          for (const { name, ref, tool, server } of all) {
            const ends = await Promise.all([
              endOf(view.call(name)),
              endOf(view.call(ref)),
              endOf(view.call('call_tool', { name })),
              endOf(view.call('describe_tool', { name })),
            ])
            const called = `${server}: ${tool}`
            const described = `${name}\n\nArguments: {"type":"object"}`
            const isSeen = seen.includes(name)
            expect(ends).toEqual(isSeen ? [called, called, called, described] : Array(4).fill('tool.unknown'))
          }
        },
      ),
      { numRuns: 40 },
    )
  })

  test.each([
    ['idle', true],
    ['connecting', true],
    ['ready', true],
    ['waiting', true],
    ['disabled', false],
    ['untrusted', false],
    ['needs-auth', true],
    ['failed', false],
    ['closed', false],
  ] as const)('tools(): state %s of a server: its tools are visible: %s (D6)', (state, isSeen) => {
    const context = memoryContext({ servers })
    const view = createView(context)
    context.setState('a', state)
    expect(namesOf(view)).toEqual(
      isSeen ? ['a__one', 'a__two', 'b__three', 'b__two'] : ['b__three', 'b__two'],
    )
    context.setState('a', undefined)
    expect(namesOf(view)).toHaveLength(4)
  })

  test('problems(): one entry of limited length per server for tools that the guard hides (C12)', () => {
    const many = Array.from({ length: 22 }, (_, index) => `t${String(index).padStart(2, '0')}`)
    const view = createView(
      memoryContext({
        servers: { a: many, b: ['one', { ...definitionOf('two'), annotations: { readOnlyHint: true } }] },
        layers: [{ kind: 'user', readOnly: { policy: 'require-declared', believes: ['b'] } }],
      }),
    )
    const guarded = (server: string, names: string) => ({
      code: 'guarded',
      severity: 'info',
      message: `The read-only guard hides tools of "${server}" that are not known to be read-only: ${names}.`,
      server,
    })
    const first = many.slice(0, 20).map((name) => `a__${name}`)
    expect(view.problems()).toEqual([guarded('a', `${first.join(', ')} and 2 more`), guarded('b', 'b__one')])
  })

  test('call(): the error names the failed server, unless the tool is hidden (D6)', async () => {
    const context = memoryContext({ servers })
    context.setState('a', 'failed')
    await expect(createView(context).call('a__one')).rejects.toMatchObject({
      code: 'tool.unknown',
      message: 'There is no tool "a__one" now. Its server "a" is failed.',
    })
    await expect(createView(context, { tools: ['b__*'] }).call('a__one')).rejects.toMatchObject({
      message: 'There is no tool "a__one".',
    })
  })

  test('call(): an unknown tool waits until the catalog is complete (D-4)', async () => {
    let isReady = false
    const context = memoryContext({
      servers: {},
      isReady: () => isReady,
      async wait() {
        isReady = true
        const server = { name: 'a', tools: { allow: null, deny: [] } }
        context.catalog.replace(server, { ...emptySnapshot, tools: [definitionOf('one')] })
      },
    })
    expect((await createView(context).call('a__one')).text).toBe('a: one')
  })

  test('an open view follows a changed policy (O18)', async () => {
    const context = memoryContext({ servers })
    const view = createView(context, { servers: ['a'] })
    expect(namesOf(view)).toEqual(['a__one', 'a__two'])
    const rules = compileRules([{ effect: 'deny', tools: ['*'] }])
    context.setPolicy({ layers: [{ kind: 'user', tools: ['*__two'] }], rules })
    expect(namesOf(view)).toEqual(['a__two'])
    await expect(view.call('a__two')).rejects.toMatchObject({ code: 'call.denied' })
  })

  test('an open view follows the catalog (B17 C22)', async () => {
    const context = memoryContext({ servers })
    const view = createView(context)
    const a = { name: 'a', tools: { allow: null, deny: [] } }
    context.catalog.replace(a, { ...emptySnapshot, tools: ['two', 'four'].map(definitionOf) })
    expect(namesOf(view)).toEqual(['a__four', 'a__two', 'b__three', 'b__two'])
    await expect(view.call('a__one')).rejects.toMatchObject({ code: 'tool.unknown' })
  })

  test('call(): the server receives its own name of the tool and the arguments (P3)', async () => {
    const context = memoryContext({ servers })
    await createView(context).call('a__one', { x: [1] })
    const [, call] = context.asked
    expect([call?.method, call?.params['name'], call?.params['arguments']]).toEqual([
      'tools/call',
      'one',
      { x: [1] },
    ])
  })
})

describe('createView: approvals', () => {
  const rules = [{ effect: 'ask', tools: ['*'] }] as const

  test('an approval that cannot be stored holds for its call', async () => {
    const base = memoryContext({ servers })
    const memory = {
      ...base.memory,
      approvals: {
        ...base.memory.approvals,
        add: () => Promise.reject(new Error('disk full')),
      },
    }
    const view = createView(memoryContext({ servers, rules, memory, approve: async () => 'always' }))
    expect((await view.call('a__one')).text).toBe('a: one')
  })

  type Meanwhile = (context: ReturnType<typeof memoryContext>) => void
  const evil = { name: 'one', description: 'Now it deletes.', inputSchema: { type: 'object' } }
  const replace: (...tools: readonly ToolDefinition[]) => Meanwhile =
    (...tools) =>
    ({ catalog }) =>
      void catalog.replace({ name: 'a', tools: { allow: null, deny: [] } }, { ...emptySnapshot, tools })
  const changes: readonly (readonly [string, Meanwhile])[] = [
    ['it has another definition', replace(evil)],
    ['it is gone', replace()],
    ['its server is disabled', ({ memory }) => void memory.toggles.set('c', 'a', false)],
    ['it is denied', (context) => context.setPolicy({ layers: [], rules: compileRules(never) })],
  ]
  const never = [{ effect: 'deny', tools: ['*'] }] as const

  test.each(changes)('an approved tool is not called if meanwhile %s', async (_, meanwhile) => {
    const context = memoryContext({
      servers,
      rules,
      approve: async () => {
        meanwhile(context)
        return 'always'
      },
    })
    const view = createView(context, { conversation: 'c' })
    await expect(view.call('a__one')).rejects.toMatchObject({
      code: 'call.denied',
      data: { ref: 'a/one', reason: 'it changed since a person approved it' },
    })
    expect([context.asked, context.memory.approvals.of('c')]).toEqual([[], []])
  })

  test('an approval does not hold if the entry of the server changed meanwhile', async () => {
    let entry = serverOf('a')
    const context = memoryContext({
      servers,
      rules,
      serverOf: () => entry,
      approve: async () => {
        entry = serverOf('a', { entry: { command: 'other' } })
        return 'once'
      },
    })
    await expect(createView(context).call('a__one')).rejects.toMatchObject({ code: 'call.denied' })
    expect(context.asked).toEqual([])
  })

  test.each([undefined, null, false, true, 'yes', 'No'])(
    'the answer %s is not an approval',
    async (answer) => {
      // Untyped programs may return anything.
      const approve = (async () => answer) as unknown as Approve
      const view = createView(memoryContext({ servers, rules, approve }))
      await expect(view.call('a__one')).rejects.toMatchObject({
        code: 'call.denied',
        message: '"a__one" was not called. A person said no.',
      })
    },
  )
})

describe('createView: servers with a slash in their names', () => {
  test.each([
    [['*', '!a/b'], 0],
    [['a/b'], 1],
    [['a/*'], 1],
    [['c'], 0],
  ])('the list of servers %j applies to tools, resources and prompts alike', (patterns, seen) => {
    const context = memoryContext({ servers: {} })
    context.catalog.replace(
      { name: 'a/b', tools: { allow: null, deny: [] } },
      {
        ...emptySnapshot,
        tools: [definitionOf('t')],
        resources: [{ uri: 'r:///1' }],
        prompts: [{ name: 'p' }],
      },
    )
    const view = createView(context, { servers: patterns })
    const all = [view.tools(), view.resources(), view.prompts(), view.commands()]
    expect(all.map(({ length }) => length)).toEqual(Array(4).fill(seen))
  })
})

test('commands(): a prompt that is listed twice is one command', () => {
  const context = memoryContext({ servers: {} })
  const prompts = Array.from({ length: 10_000 }, () => ({ name: 'p' }))
  context.catalog.replace({ name: 'a', tools: { allow: null, deny: [] } }, { ...emptySnapshot, prompts })
  expect(
    createView(context)
      .commands()
      .map(({ name }) => name),
  ).toEqual(['/a:p'])
})

describe('createView: call events', () => {
  test('none without a listener; with one, each call.started has one call.finished', async () => {
    const events: UntimedEvent[] = []
    let isHeard = false
    let ids = 0
    const context = memoryContext({
      servers,
      callListener: () =>
        isHeard ? { id: `call-${++ids}`, onEvent: (event) => events.push(event) } : undefined,
    })
    const view = createView(context, { conversation: 'c' })
    await view.call('a__one')
    expect(events).toEqual([])
    isHeard = true
    await Promise.allSettled([view.call('a__one'), view.call('a__gone'), view.call('b__two', [])])
    const about = { id: 'call-1', ref: 'a/one' }
    expect(events.filter((event) => 'id' in event && event.id === 'call-1')).toEqual([
      { type: 'call.started', ...about, conversation: 'c' },
      { type: 'call.finished', ...about, ms: 0, failed: false },
    ])
    expect(events.filter(({ type }) => type === 'call.finished').length).toBe(
      events.filter(({ type }) => type === 'call.started').length,
    )
    expect(events.flatMap((event) => ('error' in event ? [event.error] : []))).toEqual(['call.invalid-args'])
  })
})

describe('createView: problems()', () => {
  test('reports name clashes, patterns without a match and lists of only denials (C11 B15)', () => {
    const context = memoryContext({
      servers: { a: ['one'], b: ['two'] },
      native: [{ name: 'a__one' }],
      layers: [{ kind: 'user', tools: ['*', '!b__tow'] }],
    })
    const problems = createView(context, { tools: ['!b__*'] }).problems()
    expect(problems.map(({ code }) => code)).toEqual(['name-clash', 'idle-pattern', 'only-denials'])
    expect(problems[0]).toMatchObject({
      message: expect.stringMatching(
        /^a\/one is called "a__one_h[0-9a-f]{8}", because "a__one" is a native tool\.$/,
      ) as string,
      server: 'a',
      origin: { file: '/home/dana/.config/plugboard/mcp.json' },
    })
    expect(problems[1]).toEqual({
      code: 'idle-pattern',
      severity: 'warn',
      message: 'The pattern "!b__tow" of the options of the host matches no tool.',
      hint: 'Did you mean !b__two?',
    })
  })

  test('reports no pattern without a match while servers are unknown', () => {
    const layers = [{ kind: 'user', tools: ['later__*'] }] as const
    const context = memoryContext({ servers: {}, layers, isReady: () => false })
    expect(createView(context).problems()).toEqual([])
  })
})
