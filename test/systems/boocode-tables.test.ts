import { describe, expect, expectTypeOf, test } from 'vitest'
import {
  appendMcpTools,
  createBoocodeTools,
  createToolTables,
  matchToolGlob,
  refreshToolNames,
  toToolDefs,
} from '../../src/adapters/boocode.ts'
import * as boocodeEntry from '../../src/adapters/boocode.ts'
import type { ToolDef } from '../../src/adapters/boocode.ts'
import { nativeTool, startBoocode } from '../support/boocode.ts'
import { serverWithTools } from '../support/tool-host.ts'

const mcpTool = (server: string, tool: string, fields: Partial<ToolDef> = {}) =>
  nativeTool(`${server}_${tool}`, { route: { server, tool }, ...fields })
const namesOf = (tools: Iterable<{ readonly name: string }>) => Array.from(tools, ({ name }) => name)

describe('BooCode: tool tables', () => {
  test('P8 appendMcpTools: adds tools, sorts by name and rebuilds both other tables', () => {
    const {
      ALL_TOOLS,
      TOOLS_BY_NAME,
      READ_ONLY_TOOL_NAMES,
      appendMcpTools: append,
    } = createBoocodeTools([
      nativeTool('view_file'),
      nativeTool('grep'),
      nativeTool('save', { annotations: { readOnlyHint: false } }),
    ])
    expect(namesOf(ALL_TOOLS)).toEqual(['grep', 'save', 'view_file'])
    append([mcpTool('context7', 'query-docs'), mcpTool('z', 'last')])
    const all = ['context7_query-docs', 'grep', 'save', 'view_file', 'z_last']
    expect(namesOf(ALL_TOOLS)).toEqual(all)
    expect([...TOOLS_BY_NAME.keys()]).toEqual(all)
    expect(ALL_TOOLS.every((tool) => TOOLS_BY_NAME.get(tool.name) === tool)).toBe(true)
    expect(READ_ONLY_TOOL_NAMES).toEqual(['context7_query-docs', 'grep', 'view_file', 'z_last'])
  })

  test('P8 appendMcpTools: replaces a tool of the same name, but never one of BooCode’s own', () => {
    const tables = createToolTables([nativeTool('grep')])
    const [first, second] = [mcpTool('a', 't'), mcpTool('a', 't')]
    const clashing = mcpTool('x', 'y', { name: 'grep' })
    expect(appendMcpTools(tables, [first])).toEqual([])
    expect(appendMcpTools(tables, [second, clashing])).toEqual([clashing])
    expect(tables.TOOLS_BY_NAME.get('a_t')).toBe(second)
    expect(tables.TOOLS_BY_NAME.get('grep')?.route).toBeUndefined()
    expect([...tables.toolToServer.keys()]).toEqual(['a_t'])
  })

  test('P8 createBoocodeTools: two sets of tables in one process share nothing', () => {
    const [one, other] = [createBoocodeTools(), createBoocodeTools([nativeTool('grep')])]
    one.appendMcpTools([mcpTool('a', 't')])
    expect([namesOf(one.ALL_TOOLS), namesOf(other.ALL_TOOLS)]).toEqual([['a_t'], ['grep']])
  })

  test('P8 tables: names such as __proto__ and constructor are safe', () => {
    const tables = createToolTables()
    appendMcpTools(tables, [mcpTool('a', 't', { name: '__proto__' })])
    expect([...tables.TOOLS_BY_NAME.keys()]).toEqual(['__proto__'])
    expect(tables.TOOLS_BY_NAME.get('constructor')).toBeUndefined()
  })

  test('B17 refreshToolNames: adds tools appended later to DEFAULT_TOOLS', () => {
    const tables = createToolTables([nativeTool('grep')])
    // As a module of BooCode that imported the table before any server started.
    const { DEFAULT_TOOLS } = tables
    appendMcpTools(tables, [mcpTool('a', 't')])
    expect(DEFAULT_TOOLS).toEqual(['grep'])
    refreshToolNames(tables)
    expect(DEFAULT_TOOLS).toEqual(['a_t', 'grep'])
  })

  test('B17 tables: follow a server that adds and removes tools', async () => {
    const late = { name: 'late', inputSchema: { type: 'object' } }
    const lists = [{ result: { tools: [{ ...late, name: 'first' }] } }, { result: { tools: [late] } }]
    const script = {
      on: { 'tools/list': { each: lists }, 'tools/call:first': [{ listChanged: 'tools' }, 'answer'] },
    }
    await using boocode = await startBoocode(
      { a: serverWithTools(['first'], script) },
      { native: [nativeTool('grep')] },
    )
    expect(boocode.DEFAULT_TOOLS).toEqual(['a_first', 'grep'])
    const changed = new Promise<void>((resolve) => {
      boocode.host.on(({ type }) => void (type === 'catalog.changed' && resolve()))
    })
    const before = boocode.tool('a_first')
    await before.execute({})
    await changed
    expect(boocode.DEFAULT_TOOLS).toEqual(['a_late', 'grep'])
    expect([...boocode.toolToServer.keys()]).toEqual(['a_late'])
    expect(await before.execute({})).toEqual({
      error: true,
      output: 'The server "a" no longer offers "a_first".',
    })
  })

  test('P9 every conversation sees all configured tools', async () => {
    await using boocode = await startBoocode({ a: serverWithTools(['one']) })
    const seen = await Promise.all(
      ['c1', 'c2'].map(async (conversation) => namesOf((await boocode.host.scope({ conversation })).tools())),
    )
    expect(seen).toEqual([['a_one'], ['a_one']])
  })

  test('B16 matchToolGlob: treats BooCode’s own tools and those of servers alike', () => {
    const tools = ['context7_query-docs', 'grep', 'view_file', 'web_search']
    const admitted = (patterns: readonly string[]) => tools.filter((name) => matchToolGlob(patterns, name))
    expect([
      admitted(['*']),
      admitted(['*', '!web_*']),
      admitted(['view_file', 'grep', 'context7_*']),
      admitted([]),
    ]).toEqual([tools, tools.slice(0, 3), tools.slice(0, 3), []])
  })

  test('P8 plugboard/boocode: exports everything under the names of the documents', () => {
    expect(Object.keys(boocodeEntry).sort()).toEqual([
      'appendMcpTools',
      'createBoocodeTools',
      'createToolTables',
      'initialize',
      'matchToolGlob',
      'refreshToolNames',
      'toToolDefs',
    ])
    expect(Object.keys(createBoocodeTools()).sort()).toEqual([
      'ALL_TOOLS',
      'DEFAULT_TOOLS',
      'READ_ONLY_TOOL_NAMES',
      'TOOLS_BY_NAME',
      'appendMcpTools',
      'initialize',
      'refreshToolNames',
      'toolToServer',
    ])
  })

  test('P8 toToolDefs: returns only the tools, for tables of one’s own', async () => {
    await using boocode = await startBoocode({ a: serverWithTools(['one', 'two']) })
    const defs = await toToolDefs(boocode.host)
    expect(namesOf(defs)).toEqual(['a_one', 'a_two'])
    expect(await defs[0]?.execute({ n: 1 })).toBe('{"name":"one","arguments":{"n":1}}')
    expectTypeOf(defs).toExtend<ToolDef[]>()
  })
})
