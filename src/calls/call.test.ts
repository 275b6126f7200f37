import { describe, expect, test } from 'vitest'
import { HostError } from '../model/error.ts'
import type { Json, JsonObject } from '../model/json.ts'
import { Redactor } from '../model/secrets/redactor.ts'
import type { Tool } from '../model/tool.ts'
import { callTool } from './call.ts'
import type { CallDeps, ToolSendOptions } from './call.ts'
import { checkArguments } from './validate.ts'
import { defaultPreset } from '../presets/default-preset.ts'
import { createRender } from './render/render.ts'

const renderDefault = createRender(defaultPreset.calling.render)

const tool: Tool = {
  ref: 'github/list_issues',
  name: 'github__list_issues',
  description: 'Lists issues.',
  inputSchema: { type: 'object', properties: { state: { type: 'string' } }, additionalProperties: false },
  annotations: {},
  server: 'github',
  tool: 'list_issues',
  concurrencySafe: false,
  hash: 'sha256:0',
}

interface SentCall {
  readonly tool: string
  readonly args: JsonObject
  readonly options: ToolSendOptions
}

function world(changes: Partial<CallDeps> & { readonly result?: Json; readonly offers?: Tool } = {}) {
  const { result = { content: [{ type: 'text', text: 'done' }] }, offers = tool, ...rest } = changes
  const sent: SentCall[] = []
  let now = 0
  const deps: CallDeps = {
    findTool: (name) => (name === offers.name || name === offers.ref ? offers : undefined),
    tools: () => [offers, { name: 'files__read', tool: 'read' }],
    check: checkArguments,
    decide: () => ({ effect: 'allow', by: 'default', reason: 'No rule forbids it.' }),
    send: async (to, args, options) => {
      sent.push({ tool: to.tool, args, options })
      now += 7
      return result
    },
    render: renderDefault,
    runInLine: (_, run) => run(),
    limits: { maxModelBytes: 50 * 1024 },
    clock: { monotonic: () => now },
    ...rest,
  }
  return {
    deps,
    sent,
    call: (args?: Json, name = offers.name) => callTool({ name, ...(args !== undefined && { args }) }, deps),
  }
}

const errorOf = (running: Promise<unknown>) =>
  running.then(
    () => undefined,
    (error: HostError) => ({ code: error.code, data: error.data, message: error.message }),
  )

test('callTool: sends the call with the server’s name for the tool and returns its text (D18)', async () => {
  const { call, sent } = world()
  expect(await call({ state: 'open' })).toEqual({
    text: 'done',
    blocks: [{ type: 'text', text: 'done' }],
    failed: false,
    ref: 'github/list_issues',
    ms: 7,
  })
  expect(await call(undefined, 'github/list_issues')).toMatchObject({ text: 'done' })
  expect(sent).toEqual([
    { tool: 'list_issues', args: { state: 'open' }, options: { options: {}, isRepeatable: false, now: 0 } },
    { tool: 'list_issues', args: {}, options: { options: {}, isRepeatable: false, now: 7 } },
  ])
})

test('callTool: null as arguments counts as {}, with or without a check', async () => {
  const { check: _, ...unchecked } = world().deps
  for (const deps of [world().deps, unchecked]) {
    const sent: JsonObject[] = []
    const send: CallDeps['send'] = async (_tool, args) => {
      sent.push(args)
      return {}
    }
    await callTool({ name: tool.name, args: null }, { ...deps, send })
    expect(sent).toEqual([{}])
  }
})

describe('callTool: a call that does not run', () => {
  test('unknown tool: the error suggests similar names', async () => {
    expect(await errorOf(world().call({}, 'github_list_issues'))).toEqual({
      code: 'tool.unknown',
      data: { tool: 'github_list_issues', near: ['github__list_issues'] },
      message: 'There is no tool "github_list_issues". Did you mean "github__list_issues"?',
    })
    expect(await errorOf(world().call({}, 'read'))).toEqual({
      code: 'tool.unknown',
      data: { tool: 'read', near: ['files__read'] },
      message: 'There is no tool "read". Did you mean "files__read"?',
    })
    expect(await errorOf(world().call({}, 'x'.repeat(100_000)))).toMatchObject({
      code: 'tool.unknown',
      data: { near: [] },
    })
  })

  test('invalid arguments: the error lists the problems for a model (C32)', async () => {
    const { call, sent } = world()
    expect(await errorOf(call({ state: 5, sate: 'x' }))).toEqual({
      code: 'call.invalid-args',
      data: {
        ref: 'github/list_issues',
        problems: [
          { path: 'state', message: 'expected string, got 5' },
          { path: 'sate', message: 'is unknown; did you mean "state"?' },
        ],
      },
      message:
        '"github__list_issues" was not called, because its arguments are invalid:\n' +
        '- state: expected string, got 5\n- sate: is unknown; did you mean "state"?',
    })
    expect(sent).toEqual([])
  })

  test('invalid arguments: hidden characters of the schema are removed from the message (T16)', async () => {
    const offers = { ...tool, inputSchema: { properties: { v: { enum: ['a\u202Eb'] } } } }
    const error = await errorOf(world({ offers }).call({ v: 1 }))
    expect(error?.message).toContain(
      'expected "ab", got 1\n[hidden characters were removed: direction overrides]',
    )
  })

  test('denied: the error has the reason of the decision', async () => {
    const { call, sent } = world({ decide: () => ({ effect: 'deny', by: 'rule', reason: 'It writes.' }) })
    expect(await errorOf(call())).toEqual({
      code: 'call.denied',
      data: { ref: 'github/list_issues', reason: 'It writes.' },
      message: '"github__list_issues" was not called. It writes.',
    })
    expect(sent).toEqual([])
  })
})

describe('callTool: a call that needs approval', () => {
  const decide = () => ({ effect: 'ask', by: 'rule', reason: 'It writes.' }) as const

  test('runs after the approval; the request has the tool and the arguments', async () => {
    const asked: unknown[] = []
    const approve: CallDeps['approve'] = async (request) => {
      asked.push(request)
      return 'approved'
    }
    expect(await world({ decide, approve }).call({ state: 'open' })).toMatchObject({ text: 'done' })
    expect(asked).toEqual([{ tool, args: { state: 'open' }, decision: decide() }])
  })

  test('does not run after a refusal, or without `approve`', async () => {
    expect(await errorOf(world({ decide, approve: async () => 'refused' }).call())).toMatchObject({
      code: 'call.denied',
      message: '"github__list_issues" was not called. A person said no.',
    })
    expect(await errorOf(world({ decide }).call())).toMatchObject({
      code: 'call.denied',
      message:
        '"github__list_issues" was not called. It needs a person\'s approval, and there is no way to ask for it. It writes.',
    })
  })

  test('ends when the caller aborts, even if the person has not answered (C18)', async () => {
    const controller = new AbortController()
    const approve: CallDeps['approve'] = () => {
      controller.abort()
      return new Promise(() => undefined)
    }
    const { deps, sent } = world({ decide, approve })
    const running = callTool({ name: tool.name, options: { signal: controller.signal } }, deps)
    expect(await errorOf(running)).toEqual({
      code: 'call.cancelled',
      data: { server: 'github', method: 'tools/call', sent: false },
      message: '"github": Cancelled before it was sent.',
    })
    expect(sent).toEqual([])
  })
})

test('callTool: passes signal, timeouts and onProgress to send; an aborted call sends nothing (C18)', async () => {
  const { deps, sent } = world()
  const options = {
    signal: new AbortController().signal,
    timeoutMs: 5,
    maxTimeoutMs: 9,
    onProgress: () => undefined,
  }
  await callTool({ name: tool.name, options }, deps)
  expect(sent.map((each) => each.options)).toMatchObject([{ options, isRepeatable: false }])
  const aborted = callTool({ name: tool.name, options: { signal: AbortSignal.abort() } }, deps)
  expect(await errorOf(aborted)).toMatchObject({ code: 'call.cancelled' })
  expect(sent.length).toBe(1)
})

test('callTool: read-only and idempotent tools are repeatable (D-5)', async () => {
  for (const annotations of [{ readOnlyHint: true }, { idempotentHint: true }]) {
    const { call, sent } = world({ offers: { ...tool, annotations } })
    await call()
    expect(sent[0]?.options.isRepeatable).toBe(true)
  }
})

describe('callTool: responses of the server (D-5)', () => {
  test('a failure of the tool is a failed result (P16)', async () => {
    const result = { content: [{ type: 'text', text: 'no such repository' }], isError: true }
    expect(await world({ result }).call()).toMatchObject({ text: 'no such repository', failed: true })
  })

  test('a JSON-RPC error is a failed result with rpcError', async () => {
    const send = async () => {
      const data = {
        server: 'github',
        method: 'tools/call',
        error: { code: -32602, message: 'bad\u0007', data: 1 },
      }
      throw new HostError('request.refused', data, 'refused')
    }
    expect(await world({ send }).call()).toEqual({
      text: 'The server refused the call: bad (-32602)\n1\n[hidden characters were removed: control characters]',
      blocks: [],
      failed: true,
      rpcError: { code: -32602, message: 'bad\u0007' },
      ref: 'github/list_issues',
      ms: 0,
    })
  })

  test('any other error is thrown unchanged', async () => {
    const sentData = { server: 'github', method: 'tools/call', sent: true }
    const error = new HostError('call.timeout', sentData, 'too late')
    const send = async () => {
      throw error
    }
    await expect(world({ send }).call()).rejects.toBe(error)
  })
})

test('callTool: without a check the arguments are sent unchanged (C32)', async () => {
  const { deps, sent } = world()
  const { check: _, ...unchecking } = deps
  await callTool({ name: tool.name, args: { any: 'thing' } }, unchecking)
  expect(sent.map(({ args }) => args)).toEqual([{ any: 'thing' }])
})

test('callTool: a schema too large to check calls onUnchecked, and the call is sent (T23)', async () => {
  const unchecked: string[] = []
  const offers = { ...tool, inputSchema: { enum: Array.from({ length: 6000 }, () => 1) } }
  const { call } = world({
    offers,
    onUnchecked: ({ ref }, reason) => void unchecked.push(`${ref}: ${reason}`),
  })
  expect(await call({ any: 1 })).toMatchObject({ text: 'done' })
  expect(unchecked).toEqual(['github/list_issues: its schema has more than 5000 parts'])
})

test('callTool: the text is rendered, masked, without hidden characters, and limited (C17 C26 T16)', async () => {
  const kept: string[] = []
  const secret = 'hunter2-hunter2'
  const text = `${secret}\u202E${'x'.repeat(2000)}`
  const result = { content: [{ type: 'text', text }], structuredContent: { a: 1 } }
  const called = await world({
    result,
    limits: { maxModelBytes: 500 },
    mask: (given) => given.replaceAll(secret, '•••'),
    spill: async (whole) => {
      kept.push(whole)
      return '/results/1.txt'
    },
  }).call()
  const whole = `•••${'x'.repeat(2000)}\n\`\`\`json\n{"a":1}\n\`\`\`\n[hidden characters were removed: direction overrides]`
  expect(kept).toEqual([whole])
  const bytes = Buffer.byteLength(whole)
  expect(called).toEqual({
    text: expect.stringContaining('/results/1.txt'),
    blocks: [{ type: 'text', text: text.replace(secret, '•••') }],
    structured: { a: 1 },
    failed: false,
    spilled: { path: '/results/1.txt', bytes },
    ref: 'github/list_issues',
    ms: 7,
  })
  expect(called.text).toMatch(/^•••x+\n\n\[The result has \d+ bytes; its middle is omitted here\./)
  expect(called.text.endsWith('direction overrides]')).toBe(true)
})

test('callTool: a secret split by hidden characters, or in a number, is masked in the text (T17 T35)', async () => {
  const redactor = new Redactor()
  for (const secret of ['tok-abcdefghijkl', '8675309042']) redactor.register(secret)
  const result = {
    content: [{ type: 'resource_link', title: 'tok-abc\u001B[', name: 'xdefghijkl', uri: 'x:y\u202E' }],
    structuredContent: { pin: 8675309042 },
  }
  expect((await world({ result, mask: (text) => redactor.maskKnown(text) }).call()).text).toBe(
    '[resource link: •••) x:y]\n```json\n{"pin":•••}\n```\n[hidden characters were removed: direction overrides, terminal codes]',
  )
})

test('callTool: a result over maxResultBytes is cut, in its text and its blocks (B19)', async () => {
  const result = { content: [{ type: 'text', text: 'abcdef' }] }
  const sentence = '[The result was cut: it has 6 bytes, and the limit is 4.]'
  expect(await world({ result, limits: { maxResultBytes: 4, maxModelBytes: 1000 } }).call()).toMatchObject({
    text: `abcd\n${sentence}`,
    blocks: [
      { type: 'text', text: 'abcd' },
      { type: 'text', text: sentence },
    ],
  })
})

test('callTool: with isWhole the text is not cut and not spilled to a file (D-10)', async () => {
  const text = 'x'.repeat(100_000)
  const { deps } = world({
    result: { content: [{ type: 'text', text }] },
    spill: () => Promise.reject(new Error('spill must not be called')),
  })
  const result = await callTool({ name: tool.name, options: { isWhole: true } }, deps)
  expect([result.text, result.spilled]).toEqual([text, undefined])
})
