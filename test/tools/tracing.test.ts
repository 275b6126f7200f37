import { channel, tracingChannel } from 'node:diagnostics_channel'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CallMessage } from '../../src/index.ts'
import { faultyServer, startFaultyHttp } from '../../src/testing.ts'
import { toolHost } from '../support/tool-host.ts'
import { runProgram } from '../support/programs/program.ts'

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const tracestate = 'vendor=1'
let folder: string
let journals = 0

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tracing-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const newJournal = () => join(folder, `${++journals}.jsonl`)
const tools = [{ name: 'note', inputSchema: { type: 'object' } }]

interface Received {
  readonly method?: string
  readonly params?: { readonly _meta?: Readonly<Record<string, unknown>> }
}

/** What the server got as `_meta` of its calls, of tracing only. */
function tracesIn(journal: string): readonly unknown[] {
  return readFileSync(journal, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => {
      const entry = JSON.parse(line) as Received & { readonly message?: Received }
      const { method, params } = entry.message ?? entry
      if (method !== 'tools/call') return []
      const { traceparent: parent, tracestate: state } = params?._meta ?? {}
      return [{ parent, state }]
    })
}

describe('the trace of a call', () => {
  test.each(['legacy', 'modern'] as const)(
    'is passed to a %s server over a pipe, if it is well formed',
    async (era) => {
      const journal = newJournal()
      await using x = await toolHost({ a: faultyServer({ era, tools, journal }) })
      await x.host.call('a__note', {}, { traceparent, tracestate })
      await x.host.call('a__note')
      await x.host.call('a__note', {}, { traceparent: 'not a trace', tracestate })
      await x.host.call('a__note', {}, { traceparent, tracestate: 'x'.repeat(600) })
      await x.host.call('a__note', {}, { traceparent: `00-${'0'.repeat(32)}-b7ad6b7169203331-01` })
      expect(tracesIn(journal)).toEqual([
        { parent: traceparent, state: tracestate },
        {},
        {},
        { parent: traceparent },
        {},
      ])
    },
  )

  test.each(['legacy', 'modern'] as const)('is passed to a %s server over HTTP', async (era) => {
    const journal = newJournal()
    await using served = await startFaultyHttp({ era, tools, journal })
    await using x = await toolHost({ a: { type: 'http', url: served.url.href } })
    await x.host.call('a__note', {}, { traceparent, tracestate })
    expect(tracesIn(journal)).toEqual([{ parent: traceparent, state: tracestate }])
  })
})

describe('tracing:plugboard:call', () => {
  /** Everything that the channel says while `work` runs: the part, and the message as it was then. */
  async function messagesOf(work: () => Promise<unknown>, onStart?: (message: CallMessage) => void) {
    const said: unknown[] = []
    const subscriber = (part: string) => (given: unknown) => {
      const message = given as CallMessage & { readonly result?: unknown; readonly error?: unknown } // its own subscriber
      if (part === 'start') onStart?.(message)
      const { result, error, ...rest } = message
      said.push([part, rest, { hasResult: result !== undefined, hasError: error !== undefined }])
    }
    const calls = tracingChannel('plugboard:call')
    const subscribers = {
      start: subscriber('start'),
      end: subscriber('end'),
      asyncStart: subscriber('asyncStart'),
      asyncEnd: subscriber('asyncEnd'),
      error: subscriber('error'),
    }
    calls.subscribe(subscribers)
    try {
      await work()
    } finally {
      calls.unsubscribe(subscribers)
    }
    return said
  }

  test('says the tool at the start, and the outcome at the end of a call', async () => {
    await using x = await toolHost({ a: faultyServer({ tools }) })
    const view = await x.host.scope({ conversation: 'c1' })
    const call = { name: 'a__note', ref: 'a/note', server: 'a', tool: 'note', conversation: 'c1' }
    const none = { hasResult: false, hasError: false }
    const result = { hasResult: true, hasError: false }
    expect(await messagesOf(() => view.call('a__note'))).toEqual([
      ['start', call, none],
      ['end', call, none],
      ['asyncStart', { ...call, outcome: 'done' }, result],
      ['asyncEnd', { ...call, outcome: 'done' }, result],
    ])
  })

  test('says an error with its code; nothing of the arguments is in any message', async () => {
    await using x = await toolHost({ a: faultyServer({ tools }) })
    const said = await messagesOf(() =>
      x.host.call('a__nope', { text: 'private words' }).catch(() => undefined),
    )
    expect(said.at(-1)).toEqual([
      'asyncEnd',
      { name: 'a__nope', outcome: 'refused', code: 'tool.unknown' },
      { hasResult: false, hasError: true },
    ])
    expect(JSON.stringify(said)).not.toContain('private words')
  })

  test('a subscriber may put its own span in, which the server gets', async () => {
    const journal = newJournal()
    await using x = await toolHost({ a: faultyServer({ tools, journal }) })
    const own = '00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01'
    await messagesOf(
      () => x.host.call('a__note', {}, { traceparent, tracestate }),
      (message) => {
        expect([message.traceparent, message.tracestate]).toEqual([traceparent, tracestate])
        message.traceparent = own
      },
    )
    expect(tracesIn(journal)).toEqual([{ parent: own, state: tracestate }])
  })

  test('a subscriber that throws harms no call', async () => {
    await using x = await toolHost({ a: faultyServer({ tools }) })
    const thrown: unknown[] = []
    const onThrown = (error: unknown) => void thrown.push(error)
    const before = process.listeners('uncaughtException')
    process.removeAllListeners('uncaughtException').on('uncaughtException', onThrown)
    const broken = () => {
      throw new Error('broken subscriber')
    }
    channel('tracing:plugboard:call:start').subscribe(broken)
    try {
      expect(await x.host.call('a__note')).toMatchObject({ failed: false })
    } finally {
      channel('tracing:plugboard:call:start').unsubscribe(broken)
      await new Promise((resolve) => void setImmediate(resolve))
      process.off('uncaughtException', onThrown)
      for (const each of before) process.on('uncaughtException', each)
    }
    expect(thrown).toEqual([new Error('broken subscriber')])
  })
})

test('examples/opentelemetry.mjs: one span a call below the active one, and its id reaches the server', async () => {
  const example = fileURLToPath(new URL('../../examples/opentelemetry.mjs', import.meta.url))
  const journal = newJournal()
  const { command, args } = faultyServer({
    tools: [...tools, { name: 'fails', inputSchema: { type: 'object' } }],
    on: { 'tools/call:fails': { result: { isError: true, content: [{ type: 'text', text: 'no' }] } } },
    journal,
  })
  const { code, stdout, stderr } = await runProgram(
    process.execPath,
    [example, command, ...(args as string[])],
    {
      env: { HOME: folder, PATH: process.env['PATH'] },
    },
  )
  expect([code, stderr]).toEqual([0, ''])
  // The console exporter prints objects of JavaScript.
  const found = [
    ...stdout.matchAll(/^ {2}traceId: '(\w+)',\n(?:.*\n)*? {2}name: '(.*)',\n {2}id: '(\w+)',[^]*?^}/gm),
  ]
  const spans = found.map(([text, traceId, name, id]) => ({
    name,
    traceId,
    id,
    parent: /parentSpanContext: \{\n {4}traceId: '\w+',\n {4}spanId: '(\w+)'/.exec(text)?.[1],
    outcome: /'mcp\.outcome': '(\w+)'/.exec(text)?.[1],
    server: /'mcp\.server': '(\w+)'/.exec(text)?.[1],
  }))
  const [fails, note, task] = spans
  const ofTask = { traceId: task?.traceId, parent: task?.id, server: 'demo' }
  expect(spans).toEqual([
    { name: 'call demo/fails', id: fails?.id, outcome: 'failed', ...ofTask },
    { name: 'call demo/note', id: note?.id, outcome: 'done', ...ofTask },
    { name: 'task', id: task?.id, traceId: task?.traceId },
  ])
  expect(tracesIn(journal).map((each) => (each as { readonly parent?: string }).parent)).toEqual([
    `00-${task?.traceId}-${fails?.id}-01`,
    `00-${task?.traceId}-${note?.id}-01`,
  ])
})
