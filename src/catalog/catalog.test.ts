import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hashOf } from '../model/canonical.ts'
import type { JsonObject } from '../model/json.ts'
import { namingSchemes } from '../model/preset.ts'
import type { ToolDefinition } from '../model/tool.ts'
import { Catalog } from './catalog.ts'
import type { CatalogServer, Snapshot } from './catalog.ts'

const at = '2026-11-15T00:00:00.000Z'
const github = JSON.parse(
  readFileSync(new URL('../../test/fixtures/tools/github.json', import.meta.url), 'utf8'),
) as readonly ToolDefinition[] // our own fixture

function define(name: string, more: JsonObject = {}): ToolDefinition {
  return { name, inputSchema: { type: 'object', properties: {} }, ...more }
}

function snapshot(...tools: readonly (string | ToolDefinition)[]): Snapshot {
  const definitions = tools.map((tool) => (typeof tool === 'string' ? define(tool) : tool))
  return { tools: definitions, resources: [], resourceTemplates: [], prompts: [], at }
}

function server(name: string, more: Partial<CatalogServer> = {}): CatalogServer {
  return { name, tools: { allow: null, deny: [] }, ...more }
}

const nothing = { added: [], removed: [], changed: [] }

describe('Catalog', () => {
  test('sorts tools by server and then by tool, in whatever order they are added', () => {
    const [one, other] = [new Catalog(), new Catalog()]
    one.replace(server('b'), snapshot('y', 'x'))
    one.replace(server('a'), snapshot('Z', 'z', 'b'))
    other.replace(server('a'), snapshot('b', 'z', 'Z'))
    other.replace(server('b'), snapshot('x', 'y'))
    expect(one.tools().map(({ ref }) => ref)).toEqual(['a/Z', 'a/b', 'a/z', 'b/x', 'b/y'])
    expect(JSON.stringify(one.tools())).toBe(JSON.stringify(other.tools()))
  })

  test('B17 C23 tools, byName and byRef return the current state', () => {
    const catalog = new Catalog()
    expect(catalog.tools()).toEqual([])
    expect(catalog.replace(server('a'), snapshot('x'))).toEqual({ ...nothing, added: ['a/x'] })
    expect(catalog.tools().map(({ name }) => name)).toEqual(['a__x'])
    expect(catalog.byName('a__x')).toBe(catalog.tools()[0])
    expect(catalog.byRef('a/x')).toBe(catalog.tools()[0])
    expect(catalog.byName('a__y')).toBeUndefined()
    expect(catalog.byRef('a/y')).toBeUndefined()
    expect(catalog.byRef('nonsense')).toBeUndefined()
  })

  test('T23 cuts a very long description; the hash covers all of it', () => {
    const catalog = new Catalog()
    const words = `a${'😀'.repeat(20_000)}`
    catalog.replace(server('a'), snapshot(define('x', { description: words })))
    expect(catalog.byName('a__x')).toMatchObject({
      description: `a${'😀'.repeat(16_383)}\n[The rest was left out.]`,
      hash: hashOf(define('x', { description: words })),
    })
  })

  test('a tool that is listed twice counts once and causes no clash', () => {
    const catalog = new Catalog()
    expect(catalog.replace(server('a'), snapshot('x', 'x'))).toEqual({ ...nothing, added: ['a/x'] })
    expect(catalog.clashes()).toEqual([])
    expect(catalog.replace(server('a'), snapshot())).toEqual({ ...nothing, removed: ['a/x'] })
    expect(catalog.byName('a__x')).toBeUndefined()
  })

  test('C22 replace: reports added, removed and changed tools', () => {
    const catalog = new Catalog()
    catalog.replace(server('a'), snapshot('gone', 'same', define('other', { description: 'before' })))
    catalog.replace(server('b'), snapshot('x'))
    const { version } = catalog
    const [same] = catalog.tools().filter(({ tool }) => tool === 'same')
    const now = snapshot('new', 'same', define('other', { description: 'after' }))
    expect(catalog.replace(server('a'), now)).toEqual({
      added: ['a/new'],
      removed: ['a/gone'],
      changed: ['a/other'],
    })
    expect(catalog.tools().map(({ ref }) => ref)).toEqual(['a/new', 'a/other', 'a/same', 'b/x'])
    expect(catalog.byRef('a/other')?.description).toBe('after')
    expect(catalog.byRef('a/same')).toBe(same)
    expect(catalog.byRef('a/gone')).toBeUndefined()
    expect(catalog.byName('a__gone')).toBeUndefined()
    expect(catalog.version).toBe(version + 1)
    expect(catalog.snapshotOf('a')).toBe(now)
  })

  test('replace: without a snapshot the tools of the server are removed, and can be added again', () => {
    const catalog = new Catalog()
    catalog.replace(server('a'), snapshot('x'))
    expect(catalog.replace(server('a'), undefined)).toEqual({ ...nothing, removed: ['a/x'] })
    expect(catalog.replace(server('a'), undefined)).toEqual(nothing)
    expect([catalog.tools(), catalog.toolsOf('a'), catalog.snapshotOf('a')]).toEqual([[], [], undefined])
    expect(catalog.replace(server('a'), snapshot('x'))).toEqual({ ...nothing, added: ['a/x'] })
  })

  test('replace: the same tools in another order of tools and keys change nothing', () => {
    const catalog = new Catalog()
    catalog.replace(server('github'), snapshot(...github))
    const [before, version] = [catalog.tools(), catalog.version]
    const again = JSON.parse(JSON.stringify(github)) as ToolDefinition[] // a copy
    const turned = again
      .reverse()
      .map((tool) => Object.fromEntries(Object.entries(tool).reverse()) as ToolDefinition) // the same keys
    expect(catalog.replace(server('github'), snapshot(...turned))).toEqual(nothing)
    expect(catalog.tools()).toBe(before)
    expect(catalog.version).toBe(version)
  })

  test('slices: lists of unchanged servers stay the same objects', () => {
    const catalog = new Catalog()
    for (const name of ['a', 'b', 'c']) catalog.replace(server(name), snapshot('x'))
    const [a, b, c] = catalog.slices()
    catalog.replace(server('b'), snapshot('x', 'y'))
    const after = catalog.slices()
    expect([after[0] === a, after[1] === b, after[2] === c]).toEqual([true, false, true])
  })

  test('C11 replace: a clash renames a tool of another server and reports it as changed', () => {
    const catalog = new Catalog({ naming: namingSchemes.single, native: ['files_read'] })
    catalog.replace(server('a_b'), snapshot('c'))
    const { hash } = catalog.tools()[0] ?? {}
    expect(catalog.replace(server('a'), snapshot('b_c'))).toEqual({
      ...nothing,
      added: ['a/b_c'],
      changed: ['a_b/c'],
    })
    expect(catalog.byName('a_b_c')?.ref).toBe('a/b_c')
    const renamed = catalog.byRef('a_b/c')
    expect(renamed?.name).toMatch(/^a_b_c_h[0-9a-f]{8}$/)
    expect(renamed?.hash).toBe(hash)
    expect(catalog.byName(renamed?.name ?? '')).toBe(renamed)
    expect(catalog.clashes()).toEqual([
      { name: 'a_b_c', kept: { server: 'a', tool: 'b_c' }, renamed: { server: 'a_b', tool: 'c' } },
    ])
    expect(catalog.replace(server('a'), undefined)).toEqual({
      ...nothing,
      removed: ['a/b_c'],
      changed: ['a_b/c'],
    })
    expect(catalog.tools().map(({ name }) => name)).toEqual(['a_b_c'])
    catalog.replace(server('files'), snapshot('read'))
    expect(catalog.byName('files_read')).toBeUndefined()
    expect(catalog.clashes()).toMatchObject([{ name: 'files_read', kept: 'native' }])
  })

  test('O13 naming omp: of equal names only the last tool is offered, and the next one after its removal', () => {
    const catalog = new Catalog({ naming: namingSchemes.omp, native: ['mcp_x_own'] })
    catalog.replace(server('my-server'), snapshot('go', 'stay'))
    expect(catalog.replace(server('my.server'), snapshot('go'))).toEqual({
      ...nothing,
      added: ['my.server/go'],
      removed: ['my-server/go'],
    })
    expect(catalog.tools().map(({ name, ref }) => `${name} ${ref}`)).toEqual([
      'mcp_my_server_stay my-server/stay',
      'mcp_my_server_go my.server/go',
    ])
    expect([catalog.byRef('my-server/go'), catalog.byName('')]).toEqual([undefined, undefined])
    expect(catalog.replace(server('my.server'), undefined)).toEqual({
      ...nothing,
      added: ['my-server/go'],
      removed: ['my.server/go'],
    })
    catalog.replace(server('x'), snapshot('own'))
    expect(catalog.byRef('x/own')?.name).toMatch(/^mcp_x_own_h[0-9a-f]{8}$/)
  })

  test.each(['single', 'omp'] as const)(
    'naming %s: the result depends only on the last snapshots, whatever was added and removed before',
    (naming) => {
      const names = fc.uniqueArray(fc.constantFrom('b', 'b_c', 'c', 'b.c', 'd'), { maxLength: 5 })
      const steps = fc.array(fc.tuple(fc.constantFrom('a', 'a_b', 'a.b'), fc.option(names)), {
        maxLength: 12,
      })
      fc.assert(
        fc.property(steps, (all) => {
          const catalog = new Catalog({ naming: namingSchemes[naming] })
          const last = new Map<string, readonly string[] | null>()
          const known = new Set<string>()
          for (const [name, tools] of all) {
            const { added, removed } = catalog.replace(server(name), tools ? snapshot(...tools) : undefined)
            for (const ref of added) known.add(ref)
            for (const ref of removed) known.delete(ref)
            last.set(name, tools)
          }
          const fresh = new Catalog({ naming: namingSchemes[naming] })
          for (const [name, tools] of last) if (tools) fresh.replace(server(name), snapshot(...tools))
          expect(JSON.stringify(catalog.tools())).toBe(JSON.stringify(fresh.tools()))
          expect(catalog.clashes()).toEqual(fresh.clashes())
          expect(new Set(catalog.tools().map(({ ref }) => ref))).toEqual(known)
          for (const tool of catalog.tools()) expect(catalog.byName(tool.name)).toBe(tool)
        }),
      )
    },
  )
})

describe('the tool filter of an entry', () => {
  test.each([
    [{ allow: null, deny: [] }, ['get_a', 'get_b', 'set_a', 'set_*']],
    [{ allow: [], deny: [] }, []],
    [{ allow: ['get_*'], deny: [] }, ['get_a', 'get_b']],
    [{ allow: ['get_*', 'set_a'], deny: ['get_b'] }, ['get_a', 'set_a']],
    [{ allow: null, deny: ['set_*'] }, ['get_a', 'get_b']],
    [{ allow: ['Get_a', 'a'], deny: [] }, []],
    [{ allow: ['*'], deny: ['*'] }, []],
  ])('%j admits %j', (tools, admitted) => {
    const catalog = new Catalog()
    catalog.replace(server('s', { tools }), snapshot('get_a', 'get_b', 'set_a', 'set_*'))
    expect(
      catalog
        .tools()
        .map(({ tool }) => tool)
        .sort(),
    ).toEqual([...admitted].sort())
  })

  test('a changed filter changes the tools of the same snapshot', () => {
    const catalog = new Catalog()
    const list = snapshot('x', 'y')
    catalog.replace(server('s'), list)
    const narrowed = server('s', { tools: { allow: ['x'], deny: [] } })
    expect(catalog.replace(narrowed, list)).toEqual({ ...nothing, removed: ['s/y'] })
  })
})

describe('an offered tool', () => {
  function only(definition: ToolDefinition, more: Partial<CatalogServer> = {}, catalog = new Catalog()) {
    catalog.replace(server('s', more), snapshot(definition))
    return catalog.tools()[0]
  }

  test('T17 is the definition without hidden characters; the hash covers the original', () => {
    const definition = define('x', {
      title: 'X\u200b\u200b\u200b',
      description: ' as\nit came\u202e \ud83d',
      inputSchema: { type: 'object' },
      outputSchema: { type: 'object' },
      annotations: { title: 'Y', readOnlyHint: true, openWorldHint: false },
    })
    expect(JSON.parse(JSON.stringify(only(definition)))).toEqual({
      ref: 's/x',
      name: 's__x',
      title: 'X',
      description: ' as\nit came \ufffd',
      inputSchema: { type: 'object' },
      outputSchema: { type: 'object' },
      annotations: { title: 'Y', readOnlyHint: true, openWorldHint: false },
      server: 's',
      tool: 'x',
      concurrencySafe: false,
      hash: hashOf({
        name: 'x',
        title: 'X\u200b\u200b\u200b',
        description: ' as\nit came\u202e \ud83d',
        inputSchema: { type: 'object' },
        outputSchema: { type: 'object' },
        annotations: { title: 'Y', readOnlyHint: true, openWorldHint: false },
      }),
    })
  })

  test('T17 removes hidden characters from schemas, and keeps a schema without them as the same object', () => {
    const hiding = define('x', {
      inputSchema: {
        type: 'object',
        properties: {
          a: { type: 'string', description: 'Fine.\u{e0041}\u{e0042}', pattern: '^[^\u0000-\u001f]+$' },
          'b\u202e': { enum: ['one\u2066'] },
        },
      },
    })
    expect(only(hiding)?.inputSchema).toEqual({
      type: 'object',
      properties: {
        a: { type: 'string', description: 'Fine.', pattern: '^[^\\u0000-\\u001f]+$' },
        b: { enum: ['one'] },
      },
    })
    const plain = define('x', {
      description: 'Né → 1',
      inputSchema: { type: 'object', properties: { a: {} } },
    })
    expect(only(plain)?.inputSchema).toBe(plain.inputSchema)
  })

  test('has an empty description if none is given, and drops an invalid outputSchema', () => {
    expect(only(define('x', { description: 7, title: null, outputSchema: 'text' }))).toEqual(
      expect.objectContaining({ description: '', annotations: {} }),
    )
    expect(Object.keys(only(define('x', { outputSchema: 'text' })) ?? {})).not.toContain('outputSchema')
  })

  test.each([
    ['nonsense', {}],
    [{ readOnlyHint: 'yes', title: 3, destructiveHint: true }, { destructiveHint: true }],
    [{ title: 'T' }, { title: 'T' }],
    [{ readOnly: false }, { readOnlyHint: false }],
    [{ readOnly: false, readOnlyHint: true }, { readOnlyHint: false }],
    [{ readOnly: true }, {}],
  ])('T22 P4 C12 annotations %j are read as %j', (annotations, read) => {
    expect(only(define('x', { annotations }))?.annotations).toEqual(read)
  })

  test.each([
    [undefined, false, false],
    ['never', false, false],
    ['readOnlyHint', true, false],
    ['always', true, true],
  ] as const)(
    'C25 D19 parallel %s: concurrencySafe is %s for a read-only tool, else %s',
    (parallel, reads, writes) => {
      const more = parallel ? { parallel } : {}
      expect(only(define('x', { annotations: { readOnlyHint: true } }), more)?.concurrencySafe).toBe(reads)
      expect(only(define('x'), more)?.concurrencySafe).toBe(writes)
    },
  )

  test('O14 properties: always adds empty properties to an object schema, as-sent does not', () => {
    const definition = define('x', { inputSchema: { type: 'object', additionalProperties: true } })
    expect(only(definition)?.inputSchema).toBe(definition.inputSchema)
    expect(only(definition, {}, new Catalog({ properties: 'always' }))?.inputSchema).toEqual({
      type: 'object',
      additionalProperties: true,
      properties: {},
    })
  })

  test('hash: changes with every text that reaches a model, not with the order of keys or with times in _meta', () => {
    const base = define('x', {
      description: 'd',
      inputSchema: { type: 'object', properties: { a: {}, b: {} } },
    })
    const hash = only(base)?.hash
    const same = [
      define('x', { inputSchema: { properties: { b: {}, a: {} }, type: 'object' }, description: 'd' }),
      { ...base, _meta: { timestamp: 1 } },
    ]
    const others = [
      { ...base, description: 'D' },
      { ...base, title: 't' },
      { ...base, annotations: { destructiveHint: true } },
      { ...base, outputSchema: {} },
      define('x', {
        description: 'd',
        inputSchema: { type: 'object', properties: { a: {}, b: { type: 'string' } } },
      }),
    ]
    expect(same.map((tool) => only(tool)?.hash)).toEqual([hash, hash])
    expect(new Set([hash, ...others.map((tool) => only(tool)?.hash)]).size).toBe(6)
  })
})
