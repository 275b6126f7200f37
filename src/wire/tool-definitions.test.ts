import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json } from '../model/json.ts'
import { readToolDefinitions } from './tool-definitions.ts'

const good = { name: 'good', inputSchema: { type: 'object' } }
const read = (...items: readonly Json[]) => readToolDefinitions(items, { hasHeaders: false })

test('tool definitions: a bad definition quarantines only that tool, with the reason', () => {
  expect(
    read(
      good,
      'x',
      null,
      { inputSchema: { type: 'object' } },
      { name: '', inputSchema: { type: 'object' } },
      { ...good, name: 'd', description: 5 },
      { ...good, name: 'a', annotations: 'x' },
      { name: 's' },
      { name: 't', inputSchema: {} },
      { ...good, extra: 1 },
      { ...good, name: 'last', description: '', annotations: {} },
    ),
  ).toEqual({
    tools: [good, { ...good, name: 'last', description: '', annotations: {} }],
    quarantined: [
      { tool: '#2', reason: 'it is not an object' },
      { tool: '#3', reason: 'it is not an object' },
      { tool: '#4', reason: 'it has no name' },
      { tool: '', reason: 'it has no name' },
      { tool: 'd', reason: 'its description is not a string' },
      { tool: 'a', reason: 'its annotations are not an object' },
      { tool: 's', reason: 'it has no inputSchema' },
      { tool: 't', reason: 'its inputSchema is not of type object' },
      { tool: 'good', reason: 'it is defined twice' },
    ],
    conflicting: [{ ...good, extra: 1 }],
    paramHeaders: new Map(),
  })
})

test('tool definitions: no outputSchema of any kind keeps a tool out', () => {
  const tool = { ...good, outputSchema: { $ref: 'https://example.com/nothing' } }
  expect(read(tool, { ...good, name: 'b', outputSchema: 'x' })).toMatchObject({ quarantined: [] })
})

test('tool definitions: a bad x-mcp-header quarantines its tool only on transports with headers', () => {
  const bad = {
    name: 'bad',
    inputSchema: { type: 'object', properties: { a: { type: 'array', 'x-mcp-header': 'A' } } },
  }
  const fine = {
    name: 'fine',
    inputSchema: { type: 'object', properties: { a: { type: 'string', 'x-mcp-header': 'A' } } },
  }
  const overHttp = readToolDefinitions([bad, fine, good], { hasHeaders: true })
  expect({
    tools: overHttp.tools.map(({ name }) => name),
    quarantined: overHttp.quarantined.map(({ tool }) => tool),
    headers: [...overHttp.paramHeaders.keys()],
  }).toEqual({ tools: ['fine', 'good'], quarantined: ['bad'], headers: ['fine', 'good'] })
  expect(read(bad, fine)).toEqual({ tools: [bad, fine], quarantined: [], paramHeaders: new Map() })
})

test('T44 tool definitions: names of Object.prototype members are ordinary tool names', () => {
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']
  expect(read(...names.map((name) => ({ ...good, name }))).tools.map(({ name }) => name)).toEqual(names)
})

test('tool definitions: each listed item is a tool or quarantined, and tool names are unique (property)', () => {
  const item = fc.oneof(
    fc.jsonValue(),
    fc.record({
      name: fc.oneof(fc.string({ maxLength: 2 }), fc.integer()),
      inputSchema: fc.constant({ type: 'object' }),
    }),
  )
  fc.assert(
    fc.property(fc.array(item), fc.boolean(), (items, hasHeaders) => {
      const { tools, quarantined } = readToolDefinitions(items as readonly Json[], { hasHeaders })
      expect(tools.length + quarantined.length).toBe(items.length)
      expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length)
    }),
  )
})

test('FI-31 tool definitions: 100000 tools are read in one pass', () => {
  const items = Array.from({ length: 100_000 }, (_, index) => ({ ...good, name: `t${index}` }))
  expect(readToolDefinitions(items, { hasHeaders: true }).tools).toHaveLength(100_000)
})

test('tool definitions: a tool that runs only as a task is quarantined if the server declares no tasks', () => {
  const tools = ['required', 'optional', 'forbidden'].map((taskSupport) => ({
    ...good,
    name: taskSupport,
    execution: { taskSupport },
  }))
  const [, optional, forbidden] = tools
  expect(readToolDefinitions(tools, { hasHeaders: false, isTaskless: true })).toEqual({
    tools: [optional, forbidden],
    quarantined: [{ tool: 'required', reason: 'it runs only as a task, and the server declares no tasks' }],
    paramHeaders: new Map(),
  })
  expect(read(...tools)).toMatchObject({ tools, quarantined: [] })
})
