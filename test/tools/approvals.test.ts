import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openMemory } from '../../src/config/file-memory.ts'
import { HostError, nodePlatform } from '../../src/index.ts'
import type { Approve, Grant, JsonObject, Rule } from '../../src/index.ts'
import { toAnswer } from '../../src/adapters/model-calls.ts'
import { outcomeOf } from '../support/outcome.ts'
import { newHome, serverWithTools, toolHost } from '../support/tool-host.ts'

const servers = { a: serverWithTools(['write', 'read']) }
const policy: readonly Rule[] = [{ effect: 'ask', tools: ['*__write'], reason: 'It writes.' }]

/** An `approve` that gives these answers in order and records the questions. */
function answering(...grants: readonly (Grant | 'no')[]) {
  const asked: unknown[] = []
  const approve: Approve = async ({ tool, args, reason, conversation }) => {
    asked.push([tool.ref, args, reason, conversation])
    return grants[asked.length - 1] ?? 'no'
  }
  return { approve, asked }
}

const endOf = (call: Promise<{ readonly failed: boolean }>) =>
  call.then(
    ({ failed }) => (failed ? 'failed' : 'done'),
    (error: { readonly code: string; readonly message: string }) => error.code,
  )

describe('approvals', () => {
  test('without approve a call that needs approval is denied; other tools run', async () => {
    await using x = await toolHost(servers, { policy })
    await expect(x.host.call('a__write')).rejects.toMatchObject({
      code: 'call.denied',
      message:
        '"a__write" was not called. It needs a person\'s approval, and there is no way to ask for it. It writes.',
    })
    expect(await endOf(x.host.call('a__read'))).toBe('done')
  })

  test('approve throws: the tool is not called, and the error is the cause', async () => {
    const cause = new Error('no screen to ask on')
    const failing: readonly Approve[] = [
      () => Promise.reject(cause),
      () => {
        throw cause
      },
    ]
    for (const approve of failing) {
      await using x = await toolHost(
        { a: serverWithTools(['write', 'read', 'journal']) },
        { policy, approve },
      )
      const error: unknown = await x.host.call('a__write').catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(HostError)
      expect(error).toMatchObject({
        code: 'call.denied',
        message:
          '"a__write" was not called. It needs a person\'s approval, and asking for it failed. It writes.',
        data: { ref: 'a/write', reason: 'a person could not be asked' },
        cause,
      })
      expect(await toAnswer(x.host, x.host.call('a__write'), {})).toMatchObject({ failed: true })
      expect(await endOf(x.host.call('a__read'))).toBe('done')
      const { text } = await x.host.call('a__journal')
      const heard = JSON.parse(text) as readonly { readonly message?: { readonly params?: JsonObject } }[] // the journal of the faulty server
      expect(heard.flatMap(({ message }) => message?.params?.['name'] ?? [])).toEqual(['read', 'journal'])
    }
  })

  test('approve throws after the call was aborted: the call is cancelled, not denied', async () => {
    const stop = new AbortController()
    const approve: Approve = (_, { signal }) => {
      stop.abort()
      return Promise.reject(signal?.reason as Error)
    }
    await using x = await toolHost(servers, { policy, approve })
    expect(await outcomeOf(x.host.call('a__write', {}, { signal: stop.signal }))).toEqual({
      host: 'call.cancelled',
      message: '"a": Cancelled before it was sent.',
      data: { server: 'a', method: 'tools/call', sent: false },
    })
  })

  test('once: holds for one call; no: the call is denied', async () => {
    const { approve, asked } = answering('once', 'no', 'once')
    await using x = await toolHost(servers, { policy, approve })
    const ends = []
    for (const n of [1, 2, 3]) ends.push(await endOf(x.host.call('a__write', { n })))
    expect(ends).toEqual(['done', 'call.denied', 'done'])
    expect(asked).toEqual([1, 2, 3].map((n) => ['a/write', { n }, 'It writes.', undefined]))
  })

  test('conversation: holds in that conversation, also in the next host', async () => {
    const home = newHome()
    const first = answering('conversation', 'no')
    {
      await using x = await toolHost(servers, { home, policy, approve: first.approve })
      await x.host.ready()
      const [one, two] = [
        await x.host.scope({ conversation: 'c1' }),
        await x.host.scope({ conversation: 'c2' }),
      ]
      expect([await endOf(one.call('a__write')), await endOf(one.call('a__write'))]).toEqual(['done', 'done'])
      expect(await endOf(two.call('a__write'))).toBe('call.denied')
      expect(first.asked).toHaveLength(2)
    }
    await using y = await toolHost(servers, { home, policy })
    await y.host.ready()
    const again = await y.host.scope({ conversation: 'c1' })
    expect(await endOf(again.call('a__write'))).toBe('done')
    expect(await endOf(y.host.call('a__write'))).toBe('call.denied')
  })

  test('always: holds everywhere, also in the next host, and why names it', async () => {
    const home = newHome()
    {
      await using x = await toolHost(servers, { home, policy, approve: answering('always').approve })
      expect(await endOf(x.host.call('a__write'))).toBe('done')
    }
    await using y = await toolHost(servers, { home, policy })
    expect(await endOf(y.host.call('a__write'))).toBe('done')
    const { decision } = y.host.why('a__write')
    expect(decision).toMatchObject({ effect: 'allow', by: 'approval' })
    const text = readFileSync(join(home, '.local', 'state', 'plugboard', 'memory.json'), 'utf8')
    expect(text).toContain('"a/write"')
  })

  test('an approval that another program withdrew does not hold: the next call asks', async () => {
    const home = newHome()
    const { approve, asked } = answering('always', 'no')
    await using x = await toolHost(servers, { home, policy, approve })
    const view = await x.host.scope({ conversation: 'c1' })
    expect([await endOf(view.call('a__write')), await endOf(view.call('a__write'))]).toEqual(['done', 'done'])
    const other = await openMemory(nodePlatform({ home, env: { HOME: home } }))
    expect(await other.approvals.revoke({ ref: 'a/write' })).toBe(1)
    expect([await endOf(view.call('a__write')), asked.length]).toEqual(['call.denied', 2])
    expect(x.host.why('a__write').decision.effect).toBe('ask')
  })

  test('an approval does not override a server that another program disabled meanwhile', async () => {
    const home = newHome()
    const { approve } = answering('always')
    await using x = await toolHost(servers, { home, policy, approve })
    const view = await x.host.scope({ conversation: 'c1' })
    expect(await endOf(view.call('a__write'))).toBe('done')
    const other = await openMemory(nodePlatform({ home, env: { HOME: home } }))
    await other.toggles.set('c1', 'a', false)
    await expect(view.call('a__write')).rejects.toMatchObject({
      code: 'call.denied',
      data: { ref: 'a/write', reason: 'It is no longer visible here.' },
    })
  })

  test('reload reads the approvals that other programs added or withdrew', async () => {
    const home = newHome()
    await using x = await toolHost(servers, { home, policy, approve: answering('always').approve })
    expect(await endOf(x.host.call('a__write'))).toBe('done')
    const other = await openMemory(nodePlatform({ home, env: { HOME: home } }))
    await other.approvals.revoke()
    await x.host.reload()
    expect(x.host.why('a__write').decision.effect).toBe('ask')
  })

  test('a changed definition, or another entry of the same name, asks again', async () => {
    const home = newHome()
    const starts = join(home, 'starts')
    const definition = (description: string) => ({
      name: 'write',
      description,
      inputSchema: { type: 'object' },
    })
    const lists = ['Writes.', 'Writes everything.'].map((text) => ({ result: { tools: [definition(text)] } }))
    const a = serverWithTools([], { starts, on: { 'tools/list': { eachStart: lists } } })
    {
      await using x = await toolHost({ a }, { home, policy, approve: answering('always').approve })
      expect(await endOf(x.host.call('a__write'))).toBe('done')
      expect(await endOf(x.host.call('a__write'))).toBe('done')
      await x.host.restart('a')
      await x.until('catalog.changed', ({ changed }) => changed.includes('a/write'))
      expect(await endOf(x.host.call('a__write'))).toBe('call.denied')
    }
    await using y = await toolHost({ a: serverWithTools([definition('Writes.')]) }, { home, policy })
    expect(await endOf(y.host.call('a__write'))).toBe('call.denied')
  })

  test('a server that restarts with another definition is not called by the earlier approval', async () => {
    const home = newHome()
    const starts = join(home, 'starts')
    const lists = ['Writes.', 'Writes everything.'].map((description) => ({
      result: { tools: [{ name: 'write', description, inputSchema: { type: 'object' } }] },
    }))
    const a = serverWithTools([], { starts, on: { 'tools/list': { eachStart: lists } } })
    {
      await using x = await toolHost({ a }, { home, policy, approve: answering('always').approve })
      expect(await endOf(x.host.call('a__write'))).toBe('done')
    }
    await using y = await toolHost({ a }, { home, policy })
    await y.host.ready()
    expect([y.spawns(), y.host.why('a__write').decision.effect]).toEqual([0, 'allow'])
    await expect(y.host.call('a__write')).rejects.toMatchObject({
      code: 'call.denied',
      data: { ref: 'a/write', reason: 'it changed since a person approved it' },
    })
    expect(y.host.why('a__write').decision.effect).toBe('ask')
  })

  test('a server that starts with another definition is not called by an approval of the cached one', async () => {
    const home = newHome()
    const starts = join(home, 'starts')
    const lists = ['Writes.', 'Writes everything.'].map((description) => ({
      result: { tools: [{ name: 'write', description, inputSchema: { type: 'object' } }] },
    }))
    const a = serverWithTools([], { starts, on: { 'tools/list': { eachStart: lists } } })
    {
      await using x = await toolHost({ a }, { home, policy })
      await x.host.ready()
    }
    await using y = await toolHost({ a }, { home, policy, approve: answering('once', 'once').approve })
    await y.host.ready()
    expect([await endOf(y.host.call('a__write')), await endOf(y.host.call('a__write'))]).toEqual([
      'call.denied',
      'done',
    ])
  })

  test('an approved call of a server that does not start, or that is aborted, fails with that error', async () => {
    const home = newHome()
    const starts = join(home, 'starts')
    const a = serverWithTools(['write'], {
      starts,
      on: {
        start: { eachStart: [[], { exit: 3 }, []] },
        'server/discover': { eachStart: ['answer', 'answer', 'hang'] },
        initialize: { eachStart: ['answer', 'answer', 'hang'] },
      },
    })
    {
      await using x = await toolHost({ a }, { home, policy })
      await x.host.ready()
    }
    for (const [signal, code] of [
      [undefined, 'server.failed'],
      [new AbortController(), 'call.cancelled'],
    ] as const) {
      const { approve } = answering('once')
      await using y = await toolHost({ a }, { home, policy, approve })
      const call = y.host.call('a__write', {}, { signal: signal?.signal })
      if (signal) void y.until('server.started').then(() => signal.abort())
      expect(await endOf(call)).toBe(code)
    }
  })

  test('a server that starts and cannot list its tools is not called by an earlier approval', async () => {
    const home = newHome()
    const starts = join(home, 'starts')
    const a = serverWithTools(['write'], {
      starts,
      on: { 'tools/list': { eachStart: ['answer', { error: { code: -32603, message: 'Not now.' } }] } },
    })
    {
      await using x = await toolHost({ a }, { home, policy, approve: answering('always').approve })
      expect(await endOf(x.host.call('a__write'))).toBe('done')
    }
    await using y = await toolHost({ a }, { home, policy })
    await expect(y.host.call('a__write')).rejects.toMatchObject({
      code: 'call.denied',
      data: { ref: 'a/write', reason: 'its server did not list its tools' },
    })
    expect([y.host.servers()[0]?.status.state, await endOf(y.host.call('a__write'))]).toEqual([
      'ready',
      'call.denied',
    ])
  })

  test('an approval holds after the server was switched off and on again', async () => {
    const home = newHome()
    const a = serverWithTools(['write'])
    {
      await using x = await toolHost({ a }, { home, policy, approve: answering('always').approve })
      expect(await endOf(x.host.call('a__write'))).toBe('done')
    }
    for (const entry of [
      { ...a, enabled: true },
      { ...a, disabled: false },
    ]) {
      await using y = await toolHost({ a: entry }, { home, policy })
      expect(await endOf(y.host.call('a__write'))).toBe('done')
    }
    await using z = await toolHost({ a: { ...a, env: { X: '1' } } }, { home, policy })
    expect(await endOf(z.host.call('a__write'))).toBe('call.denied')
  })

  test('a damaged memory file is reported by problems(), asks again and is not overwritten', async () => {
    const home = newHome()
    const file = join(home, '.local', 'state', 'plugboard', 'memory.json')
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(file, '{', { mode: 0o600 })
    const { approve, asked } = answering('always')
    await using x = await toolHost(servers, { home, policy, approve })
    expect([await endOf(x.host.call('a__write')), await endOf(x.host.call('a__write'))]).toEqual([
      'done',
      'done',
    ])
    expect(x.host.problems()).toMatchObject([{ code: 'store-damaged', origin: { file } }])
    expect([asked.length, readFileSync(file, 'utf8')]).toEqual([1, '{'])
  })

  test('aborting a call ends it while the question is unanswered', async () => {
    const stop = new AbortController()
    const approve: Approve = () => {
      stop.abort()
      return new Promise(() => undefined)
    }
    await using x = await toolHost(servers, { policy, approve })
    expect(await endOf(x.host.call('a__write', {}, { signal: stop.signal }))).toBe('call.cancelled')
  })
})

describe('rules', () => {
  test('a predicate on the arguments decides, and why names the rule', async () => {
    const rules: readonly Rule[] = [
      { effect: 'deny', tools: ['a__*'], when: [{ at: '/path', matches: '/etc/*' }], reason: 'Not there.' },
    ]
    await using x = await toolHost(servers, { policy: rules })
    await expect(x.host.call('a__read', { path: '/etc/passwd' })).rejects.toMatchObject({
      code: 'call.denied',
      data: { ref: 'a/read', reason: 'Not there.' },
    })
    expect(await endOf(x.host.call('a__read', { path: '/tmp/x' }))).toBe('done')
    expect(x.host.why('a__read')).toMatchObject({
      decision: { effect: 'allow', by: 'default', reason: 'It depends on the arguments.' },
      depends: [
        { effect: 'deny', when: [{ at: '/path', matches: '/etc/*' }], reason: 'Not there.', layer: 'user' },
      ],
    })
  })

  test('why: lists only conditional rules that are stricter than the decision for every call', async () => {
    const sure = [{ at: '/sure', equals: true, not: true }] as const
    const rules: readonly Rule[] = [
      { effect: 'ask', tools: ['*'], when: sure },
      { effect: 'allow', tools: ['*'], when: sure },
      { effect: 'deny', tools: ['*__write'], when: sure, layer: 'project' },
      { effect: 'ask', tools: ['*__write'], reason: 'Ask first.' },
      { effect: 'deny', tools: ['*__list'] },
    ]
    await using x = await toolHost({ a: serverWithTools(['read', 'write', 'list']) }, { policy: rules })
    await x.host.ready()
    const told = (name: string) => {
      const { decision, depends } = x.host.why(name)
      return [decision.effect, decision.reason, depends]
    }
    const project = {
      effect: 'deny',
      when: sure,
      reason: 'A rule of the project says deny.',
      layer: 'project',
    }
    const mine = {
      effect: 'ask',
      when: sure,
      reason: 'A rule of the options of the host says ask.',
      layer: 'user',
    }
    expect([told('a__read'), told('a__write'), told('a__list')]).toEqual([
      ['allow', 'It depends on the arguments.', [mine]],
      ['ask', 'Ask first.', [project]],
      ['deny', 'A rule of the options of the host says deny.', undefined],
    ])
  })

  test('a hidden tool does not run, and why says so', async () => {
    const files = { 'AGENTS.md': '## Reader\ntools: [a__read]\n' }
    const rules: readonly Rule[] = [{ effect: 'deny', tools: ['*'], when: [{ at: '/x', equals: 1 }] }]
    await using x = await toolHost(servers, { files, policy: rules })
    await x.host.ready()
    const hidden = { effect: 'deny', by: 'default', reason: 'A hidden tool cannot be called.' }
    const reader = await x.host.scope({ agent: 'Reader' })
    expect(reader.why('a__write')).toMatchObject({ visibility: { visible: false }, decision: hidden })
    await x.host.switchServer('talk', 'a', false)
    const talk = await x.host.scope({ conversation: 'talk' })
    expect(talk.why('a__read')).toEqual({
      ref: 'a/read',
      name: 'a__read',
      visibility: {
        visible: false,
        layer: 'conversation',
        reason: 'The server "a" is switched off in this conversation.',
      },
      decision: hidden,
    })
  })

  test('a rule of an agent is not overridden by one of the host', async () => {
    const files = {
      '.claude/agents/careful.md': '---\nname: careful\ndescription: Careful.\ntools: "*"\n---\n',
      '.opencode/agent/asking.md': '---\ndescription: Asks.\npermission:\n  "*": ask\n---\n',
    }
    await using x = await toolHost(servers, { files, policy: [{ effect: 'allow', tools: ['*'] }] })
    await x.host.ready()
    const asking = await x.host.scope({ agent: 'asking' })
    expect(await endOf(asking.call('a__read'))).toBe('call.denied')
    expect(await endOf(x.host.call('a__read'))).toBe('done')
  })
})
