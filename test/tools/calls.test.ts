import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { CallResult, HostError, HostEvent, JsonObject, View } from '../../src/index.ts'
import { outcomeOf } from '../support/outcome.ts'
import { faultyAddress } from '../support/servers.ts'
import { newHome, serverWithTools, npmServer, toolHost } from '../support/tool-host.ts'
import type { ToolHostOptions } from '../support/tool-host.ts'
import type { FaultyScript } from '../../src/testing.ts'

/** Calls the tool `t` of a server that returns this content. */
async function resultOf(answer: JsonObject, options: ToolHostOptions = {}): Promise<CallResult> {
  await using x = await toolHost({ a: serverWithTools(['t'], { on: { 'tools/call': answer } }) }, options)
  return await x.host.call('a/t')
}

const saying = (...content: readonly JsonObject[]) => ({ result: { content } })
const image = { type: 'image', data: 'aGVsbG8=', mimeType: 'image/png' }
const resource = { type: 'resource', resource: { uri: 'file:///a', text: 'inside' } }
const blob = { type: 'resource', resource: { uri: 'file:///b', blob: 'aGVsbG8=' } }

describe('call: results as text (D20 C17)', () => {
  test.each([
    [
      'P13 D20 texts are joined',
      [
        { type: 'text', text: 'one' },
        { type: 'text', text: 'two' },
      ],
      'one\ntwo',
    ],
    ['D20 an image becomes a placeholder', [image], '[image: image/png, 5 bytes]'],
    ['D20 a resource is shown as its text', [resource], 'inside'],
    ['P15 an empty result is shown as (no output)', [], '(no output)'],
  ])('%s', async (_, content, text) => {
    const result = await resultOf(saying(...content))
    expect({ text: result.text, blocks: result.blocks, failed: result.failed }).toEqual({
      text,
      blocks: content,
      failed: false,
    })
  })

  test('each preset renders the same blocks in its own way (C16 C17)', async () => {
    const texts: unknown[] = []
    for (const preset of ['default', 'boocode', 'dispatch', 'omp'] as const) {
      const options = { preset, sources: ['plugboard'] } as const
      const answers = [
        saying(),
        saying(blob),
        { result: { content: [{ type: 'text', text: 'no' }], isError: true } },
      ]
      const results = await Promise.all(answers.map((answer) => resultOf(answer, options)))
      texts.push([preset, ...results.map(({ text }) => text)])
    }
    expect(texts).toEqual([
      ['default', '(no output)', expect.stringContaining('file:///b'), 'no'],
      ['boocode', '(no output)', JSON.stringify(blob), 'no'],
      ['dispatch', '', '[resource: file:///b]', 'no'],
      ['omp', '(no output)', expect.stringContaining('file:///b'), 'Error: no'],
    ])
  })

  test('a failure of the tool and an error response of the server are results (D-5 P16)', async () => {
    const own = await resultOf({
      result: { content: [{ type: 'text', text: 'no such file' }], isError: true },
    })
    expect({ text: own.text, failed: own.failed }).toEqual({ text: 'no such file', failed: true })
    const rpc = await resultOf({ error: { code: -32602, message: 'bad cursor' } })
    expect({ failed: rpc.failed, rpcError: rpc.rpcError }).toEqual({
      failed: true,
      rpcError: { code: -32602, message: 'bad cursor' },
    })
    expect(rpc.text).toContain('bad cursor')
  })

  test('hidden characters and terminal codes do not reach a model (T16 T17)', async () => {
    const hidden = 'safe\u001b[2Jtext\u202egnp.exe\u{e0041}'
    const { text, blocks } = await resultOf(saying({ type: 'text', text: hidden }))
    expect(text).toBe(
      'safetextgnp.exe\n[hidden characters were removed: direction overrides, tag characters, terminal codes]',
    )
    expect(blocks).toEqual([{ type: 'text', text: hidden }])
  })

  test('a result that is too long for a model is written whole to a private file (C26)', async () => {
    const long = `begin ${'x'.repeat(100_000)} end`
    const { text, spilled } = await resultOf(saying({ type: 'text', text: long }))
    expect(text.length).toBeLessThanOrEqual(50 * 1024)
    expect(text.startsWith('begin')).toBe(true)
    expect(text.endsWith('end')).toBe(true)
    expect(text).toContain(spilled?.path)
    expect(spilled?.bytes).toBe(long.length)
  })

  test('the file is readable only by its owner (C26)', async () => {
    const long = 'y'.repeat(60_000)
    await using x = await toolHost({
      a: serverWithTools(['t'], { on: { 'tools/call': saying({ type: 'text', text: long }) } }),
    })
    const { spilled } = await x.host.call('a/t')
    const path = spilled?.path ?? ''
    expect({ mode: statSync(path).mode & 0o777, text: readFileSync(path, 'utf8') }).toEqual({
      mode: 0o600,
      text: long,
    })
  })

  test('boocode: a result is cut at 5 × 1024² bytes, with a notice (B19)', async () => {
    const { blocks, text } = await resultOf({ answer: { bytes: 6 * 1024 * 1024 } }, { preset: 'boocode' })
    const [kept, said] = blocks
    expect(kept).toEqual({ type: 'text', text: 'x'.repeat(5 * 1024 * 1024) })
    expect(said?.['text']).toMatch(/^\[The result was cut: it has \d{7} bytes, and the limit is 5242880\.\]$/)
    expect(text).toContain('and the limit is 5242880.]')
  })
})

describe('call', () => {
  const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }
  const strict = serverWithTools([{ name: 't', inputSchema: schema }])

  test('invalid arguments are refused with an error that a model can act on (C32)', async () => {
    await using x = await toolHost({ a: strict })
    await expect(x.host.call('a__t', { n: 'one' })).rejects.toMatchObject({
      code: 'call.invalid-args',
      data: { ref: 'a/t', problems: [{ path: 'n' }] },
    })
    expect((await x.host.call('a__t', { n: 1 })).failed).toBe(false)
  })

  test('boocode: arguments are sent without a check (C32 P7)', async () => {
    await using x = await toolHost({ a: strict }, { preset: 'boocode' })
    expect(JSON.parse((await x.host.call('a_t', { n: 'one' })).text)).toEqual({
      name: 't',
      arguments: { n: 'one' },
    })
  })

  test('unknown tool: the error suggests similar names', async () => {
    await using x = await toolHost({ shop: serverWithTools(['search_items']) })
    await expect(x.host.call('shop__serach_items')).rejects.toMatchObject({
      code: 'tool.unknown',
      data: { tool: 'shop__serach_items', near: ['shop__search_items'] },
    })
  })

  test('a tool of an unusable server: the error has the reason and the next step', async () => {
    await using remote = await faultyAddress({ on: { POST: { http: { status: 401 } } } })
    const theirs = { mcpServers: { theirs: serverWithTools(['t']) } }
    await using x = await toolHost(
      {
        on: serverWithTools(['t']),
        off: { ...serverWithTools(['t']), enabled: false },
        'my vault': { url: remote.url.href },
        bad: { command: 'no-such-program' },
      },
      { files: { '.mcp.json': JSON.stringify(theirs) } },
    )
    const told = async (name: string, view: View = x.host) => outcomeOf(view.call(name))
    const off = {
      host: 'server.disabled',
      message: 'There is no tool "off__t" now. "off" is switched off. Switch it on: plugboard enable off',
      data: { server: 'off' },
    }
    expect(await told('off__t')).toEqual(off)
    expect(await told('off/t')).toEqual({ ...off, message: off.message.replace('off__t', 'off/t') })
    expect(await outcomeOf(x.host.call('call_tool', { name: 'off__t' }))).toEqual(off)
    expect(await told('theirs__t')).toEqual({
      host: 'server.untrusted',
      message:
        'There is no tool "theirs__t" now. "theirs" is not trusted. Look at it and decide: plugboard trust theirs',
      data: { server: 'theirs' },
    })
    expect(await told('my vault/t')).toMatchObject({
      host: 'server.needs-auth',
      message:
        'There is no tool "my vault/t" now. Server "my vault" asked for a login. ' +
        "Run: plugboard login 'my vault'",
    })
    expect(await told('bad__t')).toMatchObject({
      host: 'server.failed',
      message: expect.stringMatching(
        /^There is no tool "bad__t" now\. Failed to connect to "bad": .* plugboard why bad$/,
      ) as string,
    })
    const plain = { host: 'tool.unknown', data: { near: ['on__t'] } }
    expect(await told('on__tt')).toMatchObject(plain)
    const hidden = [
      await x.host.scope({ servers: ['on'] }),
      await x.host.scope({ tools: ['on__*', '!off/*'] }),
      await x.host.scope({ tools: ['*', '!off/*'] }),
    ]
    for (const view of hidden) expect(await told('off__t', view)).toMatchObject(plain)
  })

  test('unknown tool of a known server: the error does not name another, failed server', async () => {
    const servers = { my: { command: 'no-such-program' }, my_db: serverWithTools(['two']) }
    await using x = await toolHost(servers, { preset: 'omp', sources: ['plugboard'] })
    await x.host.ready()
    expect(await outcomeOf(x.host.call('mcp_my_db_twoo'))).toMatchObject({
      host: 'tool.unknown',
      data: { near: ['mcp_my_db_two'] },
    })
    expect(await outcomeOf(x.host.call('mcp_my_two'))).toMatchObject({ host: 'server.failed' })
  })

  test('a model uses names without hidden characters; the server receives its own names (T17)', async () => {
    const [name, blue] = ['co\u202Elor', 'bl\u{E0041}ue']
    const inputSchema = {
      type: 'object',
      properties: { [name]: { enum: ['red', blue] }, note: { type: 'string' } },
      required: [name],
      additionalProperties: false,
    }
    await using x = await toolHost({ a: serverWithTools([{ name: 't', inputSchema }]) })
    await x.host.ready()
    expect(x.host.tools()[0]?.inputSchema).toEqual({
      type: 'object',
      properties: { color: { enum: ['red', 'blue'] }, note: { type: 'string' } },
      required: ['color'],
      additionalProperties: false,
    })
    const { blocks } = await x.host.call('a__t', { color: 'blue', note: 'blue' })
    const heard = { name: 't', arguments: { [name]: blue, note: 'blue' } }
    expect(blocks).toEqual([{ type: 'text', text: JSON.stringify(heard) }])
  })

  test('an abort sends notifications/cancelled, and the error says that the call was sent (C18 D18)', async () => {
    const script: FaultyScript = { on: { 'tools/call:t': [{ progress: 1 }, 'hang'] } }
    await using x = await toolHost({ a: serverWithTools(['t', 'journal'], script) })
    const stop = new AbortController()
    const call = x.host.call('a__t', {}, { signal: stop.signal, onProgress: () => stop.abort() })
    await expect(call).rejects.toMatchObject({ code: 'call.cancelled', data: { server: 'a', sent: true } })
    const heard = JSON.parse((await x.host.call('a__journal')).text) as readonly {
      readonly message?: { readonly method: string; readonly id?: number; readonly params?: JsonObject }
    }[] // the journal of the faulty server
    const messages = heard.flatMap(({ message }) => message ?? [])
    const called = messages.find(({ method, params }) => method === 'tools/call' && params?.['name'] === 't')
    const cancelled = messages.find(({ method }) => method === 'notifications/cancelled')
    expect(cancelled?.params?.['requestId']).toBe(called?.id)
  })

  test('a call is repeated after a crash of the server only if the tool is read-only (D-5)', async () => {
    const tools = ['writes', { name: 'reads', annotations: { readOnlyHint: true } }]
    const home = newHome()
    const on = { 'tools/call': { eachStart: [[{ exit: 1 }], 'answer', [{ exit: 1 }], 'answer'] } }
    await using x = await toolHost(
      { a: serverWithTools(tools, { starts: join(home, 'starts'), on }) },
      { home },
    )
    await expect(x.host.call('a__writes')).rejects.toMatchObject({
      code: 'call.outcome-unknown',
      data: { server: 'a', sent: true },
    })
    await x.host.restart('a')
    await x.host.restart('a')
    expect(JSON.parse((await x.host.call('a__reads')).text)).toEqual({ name: 'reads', arguments: {} })
    expect(x.spawns()).toBe(4)
  })

  test('real servers: results and failures (L7 L12 C16)', async () => {
    await using x = await toolHost({ everything: npmServer('everything', ['stdio']) })
    await x.host.ready()
    expect((await x.host.call('everything__get-sum', { a: 2, b: 3 })).text).toContain('5')
    const picture = await x.host.call('everything__get-tiny-image')
    expect(picture.blocks.map(({ type }) => type)).toContain('image')
    expect(picture.text).toMatch(/\[image: image\/png, \d+ bytes\]/)
    await expect(x.host.call('everything__get-sum', { a: 'two' })).rejects.toMatchObject({
      code: 'call.invalid-args',
    })
  })
})

describe('call events', () => {
  const callsOf = (events: readonly HostEvent[]) =>
    events.flatMap((event) =>
      event.type.startsWith('call.') ? [{ ...event, at: 0, ...('ms' in event && { ms: 0 }) }] : [],
    )

  test('call.started, call.progressed and one call.finished are emitted', async () => {
    const script = { on: { 'tools/call': [{ progress: { times: 2, total: 2 } }, 'answer'] } }
    await using x = await toolHost({ a: serverWithTools(['t'], script) })
    const view = await x.host.scope({ conversation: 'c1' })
    await x.host.ready()
    const heard: unknown[] = []
    await view.call('a__t', {}, { onProgress: (progress) => heard.push(progress) })
    const about = { at: 0, id: 'call-1', ref: 'a/t' }
    expect(callsOf(x.events)).toEqual([
      { ...about, type: 'call.started', conversation: 'c1' },
      { ...about, type: 'call.progressed', progress: 1, total: 2 },
      { ...about, type: 'call.progressed', progress: 2, total: 2 },
      { ...about, type: 'call.finished', ms: 0, failed: false },
    ])
    expect(heard).toEqual([
      { progress: 1, total: 2 },
      { progress: 2, total: 2 },
    ])
  })

  test('call.finished of a call that did not run has the error code', async () => {
    await using x = await toolHost(
      { a: serverWithTools(['t']) },
      { policy: [{ effect: 'deny', tools: ['*'] }] },
    )
    await expect(x.host.call('a__t')).rejects.toMatchObject({ code: 'call.denied' })
    expect(callsOf(x.events)).toEqual([
      { at: 0, type: 'call.started', id: 'call-1', ref: 'a/t' },
      { at: 0, type: 'call.finished', id: 'call-1', ref: 'a/t', ms: 0, failed: true, error: 'call.denied' },
    ])
  })
})

describe('call: mistakes of the caller', () => {
  const native = [{ name: 'grep' }]

  test('calling a native tool says that the embedder runs it, and starts no server', async () => {
    await using x = await toolHost({ a: serverWithTools(['t']) }, { native })
    await expect(x.host.call('grep')).rejects.toMatchObject({
      code: 'tool.unknown',
      message: '"grep" is a native tool: the embedder calls it, not the host.',
    })
    expect(x.spawns()).toBe(0)
  })

  test('a notification to an unknown server throws, like a request to one', async () => {
    await using x = await toolHost({ files: serverWithTools(['t']) })
    expect(() => x.host.notify('file', 'notifications/hello')).toThrow(
      expect.objectContaining({ code: 'server.unknown', hint: 'Did you mean files?' }) as Error,
    )
    expect(x.host.notify('files', 'notifications/hello')).toBeUndefined()
  })

  test('the hint of a timeout names the limit that was in force', async () => {
    const script = { on: { 'tools/call': 'hang' } }
    await using x = await toolHost({ a: { ...serverWithTools(['t'], script), timeout: 300 } })
    const hints = [
      await x.host.call('a/t').catch((error: HostError) => error.hint),
      await x.host.call('a/t', {}, { timeoutMs: 200 }).catch((error: HostError) => error.hint),
    ]
    expect(hints).toEqual([
      'See its output (plugboard logs a), or allow more time: "timeout" in its entry.',
      'See its output (plugboard logs a), or allow more time: this call has its own limit (timeoutMs, --timeout).',
    ])
  })
})
