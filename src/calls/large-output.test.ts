import { expect, test } from 'vitest'
import { rememberJson } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import { Redactor } from '../model/secrets/redactor.ts'
import { defaultPreset } from '../presets/default-preset.ts'
import type { Tool } from '../model/tool.ts'
import { parseMessage } from '../wire/frames/decode.ts'
import { callTool } from './call.ts'
import type { CallDeps } from './call.ts'
import { createRender } from './render/render.ts'

const tool: Tool = {
  ref: 'shop/list',
  name: 'shop__list',
  description: '',
  inputSchema: { type: 'object' },
  annotations: {},
  server: 'shop',
  tool: 'list',
  concurrencySafe: false,
  hash: 'sha256:0',
}

function world(result: Json, changes: Partial<CallDeps> = {}) {
  const stored: string[] = []
  const deps: CallDeps = {
    findTool: () => tool,
    tools: () => [tool],
    decide: () => ({ effect: 'allow', by: 'default', reason: 'No rule forbids it.' }),
    send: async () => result,
    render: createRender(defaultPreset.calling.render),
    runInLine: (_, run) => run(),
    limits: { maxModelBytes: 50 * 1024 },
    clock: { monotonic: () => 0 },
    spill: async (text) => {
      stored.push(text)
      return `/results/${stored.length}.txt`
    },
    ...changes,
  }
  return { stored, call: () => callTool({ name: tool.name }, deps) }
}

/** An answer of more than a mebibyte, as it is received. */
function largeAnswer(extra: JsonObject = {}) {
  const values = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`key-${at}`, `value ${at}`]))
  const content = [{ type: 'text', text: '50,000 values' }]
  const result = { content, structuredContent: { ...values, ...extra } }
  return { json: JSON.stringify({ jsonrpc: '2.0', id: 1, result }), result }
}

const received = (json: string) => (parseMessage(json) as { readonly result: JsonObject }).result

test('FI-89 a large structured result is shown as its size and stored as it was sent', async () => {
  const { json, result } = largeAnswer()
  const { call, stored } = world(received(json), { mask: (text) => text.replaceAll('a secret', '•••') })
  const bytes = Buffer.byteLength(json)
  expect(await call()).toEqual({
    text: `50,000 values\n[structured content: ${bytes} bytes of JSON. The whole answer of the server is in the file /results/1.txt]`,
    spilled: { path: '/results/1.txt', bytes },
    blocks: result.content,
    structured: result.structuredContent,
    failed: false,
    ref: 'shop/list',
    ms: 0,
  })
  expect(stored).toEqual([json])
})

test('FI-89 the values of a large structured result are not walked', async () => {
  const { json } = largeAnswer()
  const walked: string[] = []
  const structured = new Proxy<JsonObject>(
    {},
    {
      ownKeys: () => {
        walked.push('keys')
        return []
      },
      get: (_, key) => void walked.push(String(key)),
    },
  )
  rememberJson(structured, json)
  const { call } = world({ content: [], structuredContent: structured }, { mask: (text) => text })
  expect((await call()).text).toContain('[structured content: ')
  expect(walked).toEqual([])
})

test.each([
  ['plain', 'token-hunter2-hunter2'],
  ['written with escapes', 'token-\u0068unter2-hunter2'],
])('FI-89 T35 a secret in a large structured result is masked, %s', async (kind, text) => {
  const redactor = new Redactor()
  redactor.register('hunter2-hunter2')
  const { json } = largeAnswer({ leaked: text })
  const sent = kind === 'plain' ? json : json.replace('hunter2-hunter2', '\\u0068unter2-hunter2')
  const { call, stored } = world(received(sent), { mask: (each) => redactor.maskKnown(each) })
  expect((await call()).structured).toMatchObject({ leaked: 'token-•••' })
  expect(stored.join('')).not.toContain('unter2-hunter2')
})

test('a structured result below a mebibyte is shown completely', async () => {
  const json = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { content: [], structuredContent: { a: 1 } } })
  expect((await world(received(json)).call()).text).toBe('```json\n{"a":1}\n```')
})
