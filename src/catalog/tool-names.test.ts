import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { namingSchemes } from '../model/preset.ts'
import type { NamingScheme } from '../model/preset.ts'
import { NameTable, createClaims, mayOwnName } from './tool-names.ts'
import type { NameClaim, ToolId } from './tool-names.ts'

const schemes = ['double', 'single', 'mcp', 'omp', 'claude'] as const

function nameAll(scheme: NamingScheme, tools: readonly ToolId[], native: readonly string[] = []) {
  const names = new NameTable<NameClaim>(new Set(native))
  const claims = tools.map(({ server, tool }) => createClaims(namingSchemes[scheme], server)(tool))
  for (const claim of claims) names.add(claim)
  return { names, claims, called: claims.map(({ name }) => name), clashes: names.clashes() }
}

function nameOf(scheme: NamingScheme, server: string, tool: string): string {
  return nameAll(scheme, [{ server, tool }]).called.join()
}

describe('P2 B9 C9 C10 D16 O13 tool names', () => {
  test.each([
    ['double', 'github', 'search_issues', 'github__search_issues'],
    ['claude', 'github', 'search_issues', 'mcp__github__search_issues'],
    ['single', 'context7', 'resolve-library-id', 'context7_resolve-library-id'],
    ['single', 'context7', 'query-docs', 'context7_query-docs'],
    ['mcp', 'Context7', 'Query-Docs', 'mcp_context7_query_docs'],
    ['omp', 'context7', 'resolve-library-id', 'mcp_context_resolve_library_id'],
    ['omp', 'my.server', 'Do--It', 'mcp_my_server_do_it'],
    ['omp', 'puppeteer', 'puppeteer_screenshot', 'mcp_puppeteer_screenshot'],
    ['omp', 'a', 'a_a_b', 'mcp_a_a_b'],
    ['omp', 'context7', 'context7_query', 'mcp_context_query'],
    ['mcp', 'context7', 'context7_query', 'mcp_context7_query'],
    ['omp', 'web', 'website_open', 'mcp_web_website_open'],
    ['double', 'Files', 'Read.Text file', 'Files__Read_Text_file'],
  ] as const)('%s: %s, %s → %s', (scheme, server, tool, name) => {
    expect(nameOf(scheme, server, tool)).toBe(name)
  })

  test('T13 servers stay distinct: separators, homoglyphs, case and removed characters cause no shared name', () => {
    const servers = ['a', 'a__b', 'a_', 'а', 'A', 'a.b', 'a b', 'a_b', '天気', '地図']
    const { called, clashes } = nameAll(
      'double',
      servers.flatMap((server) => [
        { server, tool: 'b__c' },
        { server, tool: 'c' },
      ]),
    )
    expect(new Set(called).size).toBe(called.length)
    expect(clashes).toEqual([])
    expect(called.slice(0, 4)).toEqual(['a__b__c', 'a__c', 'a_b_63e5__b__c', 'a_b_63e5__c'])
  })

  test('T13 a long name is cut and gets a hash, so that two names with the same start differ', () => {
    const tool = 'x'.repeat(70)
    const { called, clashes } = nameAll('double', [
      { server: 's', tool: `${tool}1` },
      { server: 's', tool: `${tool}2` },
    ])
    expect(called).toEqual([
      `s__${'x'.repeat(51)}_h${called[0]?.slice(-8)}`,
      `s__${'x'.repeat(51)}_h${called[1]?.slice(-8)}`,
    ])
    expect(called[0]).not.toBe(called[1])
    expect(clashes).toEqual([])
  })

  test('a tool whose name looks like one with a hash gets a hash itself', () => {
    const taken =
      nameAll('single', [
        { server: 'a', tool: 'b_c' },
        { server: 'a_b', tool: 'c' },
      ]).called[1] ?? ''
    expect(taken).toMatch(/^a_b_c_h[0-9a-f]{8}$/)
    const { called } = nameAll('single', [
      { server: 'a', tool: 'b_c' },
      { server: 'a_b', tool: 'c' },
      { server: 'a', tool: taken.slice(2) },
    ])
    expect(called.slice(0, 2)).toEqual(['a_b_c', taken])
    expect(called[2]).toMatch(new RegExp(`^${taken}_h[0-9a-f]{8}$`))
  })
})

describe('C11 name clashes', () => {
  test('B11 naming single: distinct servers can clash, and the clash names both tools', () => {
    const { called, clashes } = nameAll('single', [
      { server: 'a_b', tool: 'c' },
      { server: 'a', tool: 'b_c' },
    ])
    expect(called).toEqual([expect.stringMatching(/^a_b_c_h[0-9a-f]{8}$/), 'a_b_c'])
    expect(clashes).toEqual([
      { name: 'a_b_c', kept: { server: 'a', tool: 'b_c' }, renamed: { server: 'a_b', tool: 'c' } },
    ])
  })

  test('an exact name wins over a changed one', () => {
    const { called } = nameAll('single', [
      { server: 'my.server', tool: 'go' },
      { server: 'my_server', tool: 'go' },
    ])
    expect(called).toEqual([expect.stringMatching(/^my_server_go_h/), 'my_server_go'])
  })

  test('a native tool wins over every server tool', () => {
    const tools = [
      { server: 'web', tool: 'fetch' },
      { server: 'web', tool: 'search' },
    ]
    const { called, clashes, names } = nameAll('single', tools, ['web_fetch'])
    expect(called).toEqual([expect.stringMatching(/^web_fetch_h[0-9a-f]{8}$/), 'web_search'])
    expect(clashes).toEqual([
      { name: 'web_fetch', kept: 'native', renamed: { server: 'web', tool: 'fetch' } },
    ])
    expect(names.holder('web_fetch')).toBeUndefined()
    const marked = called[0] ?? ''
    expect(nameAll('single', tools, ['web_fetch', marked]).called[0]).toMatch(/^t_[0-9a-f]{62}$/)
  })

  test('when the holder is removed the next claim gets the name, and takeRenamed reports it', () => {
    const { names, claims } = nameAll('single', [
      { server: 'a', tool: 'b_c' },
      { server: 'a_b', tool: 'c' },
    ])
    const [first, second] = claims
    if (!first || !second) throw new Error('two were named')
    names.takeRenamed()
    names.remove(first)
    expect(second.name).toBe('a_b_c')
    expect(names.takeRenamed()).toEqual([second])
    expect(names.takeRenamed()).toEqual([])
    names.add(first)
    expect(names.takeRenamed()).toEqual([second])
    expect([first.name, second.name]).toEqual(['a_b_c', expect.stringMatching(/_h/)])
  })
})

/** Few letters, so that names clash often. */
const word = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'b', '_', '7', '.', 'А', '-'), minLength: 1, maxLength: 5 }),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 80 }),
  fc.string({ unit: fc.constantFrom('x', '_'), minLength: 60, maxLength: 64 }),
)
const tools = fc.uniqueArray(fc.record({ server: word, tool: word }), {
  maxLength: 40,
  selector: ({ server, tool }) => JSON.stringify([server, tool]),
})

describe.each(schemes)('naming %s, for any servers and tools', (scheme) => {
  test('C10 D-6 T13 names are unique, valid for providers, and resolve to their tool', () => {
    fc.assert(
      fc.property(tools, fc.array(word), (all, native) => {
        const { names, claims, called } = nameAll(scheme, all, native)
        expect(new Set(called).size).toBe(called.length)
        for (const claim of claims) {
          expect(claim.name).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
          expect(names.holder(claim.name)).toBe(claim)
        }
        expect(called.filter((name) => native.includes(name))).toEqual([])
      }),
    )
  })

  test('C11 names do not depend on the order of adding and removing', () => {
    const arrivals = tools.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }), fc.subarray(all)),
    )
    fc.assert(
      fc.property(arrivals, ([all, shuffled, gone]) => {
        const straight = new Map(nameAll(scheme, all).claims.map((claim) => [ref(claim), claim.name]))
        const { names, claims } = nameAll(scheme, shuffled)
        for (const claim of claims) if (gone.some((one) => ref(one) === ref(claim))) names.remove(claim)
        for (const claim of claims) if (gone.some((one) => ref(one) === ref(claim))) names.add(claim)
        expect(new Map(claims.map((claim) => [ref(claim), claim.name]))).toEqual(
          new Map(shuffled.map((tool) => [ref(tool), straight.get(ref(tool))])),
        )
        expect(names.clashes().length).toBe(nameAll(scheme, all).clashes.length)
      }),
    )
  })

  test('C11 clashes reports every renamed tool with the holder of its name', () => {
    fc.assert(
      fc.property(tools, (all) => {
        const { claims, clashes } = nameAll(scheme, all)
        const renamed = claims.filter(
          ({ name, plain }) => name !== plain && plain.length <= 64 && !/_h[0-9a-f]{8}$/.test(plain),
        )
        const reported = new Set(clashes.map((clash) => ref(clash.renamed)))
        expect(renamed.filter((claim) => !reported.has(ref(claim)))).toEqual([])
        for (const { name, kept } of clashes) {
          expect(ref(claims.find((claim) => claim.name === name))).toBe(kept === 'native' ? '' : ref(kept))
        }
      }),
    )
  })
})

function ref(named: ToolId | undefined): string {
  return JSON.stringify([named?.server, named?.tool])
}

test('NameTable: many claims to one name take less than quadratic time', () => {
  const all = Array.from({ length: 10_000 }, (_, at) => ({
    server: 's',
    tool: String.fromCodePoint(0x4e00 + at),
  }))
  const { names, claims, called } = nameAll('double', all)
  expect(new Set(called).size).toBe(10_000)
  for (const claim of claims) names.remove(claim)
  expect(names.clashes()).toEqual([])
})

describe('mayOwnName', () => {
  test('D-4 accepts every name that the table gives to a tool of the server: plain, cut, hashed or clashing', () => {
    const word = fc.oneof(
      fc.string({
        unit: fc.constantFrom('a', 'A', '_', '.', '7', '-', 'é', ' '),
        minLength: 1,
        maxLength: 4,
      }),
      fc.string({ unit: fc.constantFrom('a', '_', '7'), minLength: 50, maxLength: 70 }),
    )
    const tool = fc.oneof(word, fc.constantFrom('x_h01234567', `t_${'0'.repeat(62)}`, 'a_a_b'))
    const ids = fc.array(fc.record({ server: word, tool }), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(fc.constantFrom(...schemes), ids, fc.nat(5), (scheme, tools, at) => {
        // A native tool with the same name forces the next candidate.
        const native = nameAll(scheme, tools).called.slice(0, at)
        for (const called of [nameAll(scheme, tools).claims, nameAll(scheme, tools, native).claims])
          for (const { server, name } of called)
            expect([name, mayOwnName(namingSchemes[scheme], server, name)]).toEqual([name, true])
      }),
      { numRuns: 300 },
    )
  })

  test.each([
    ['double', 'good', 'hang__echo', false],
    ['double', 'good', 'goods__echo', false],
    ['double', 'good', 'good_echo', false],
    ['single', 'good', 'good_echo', true],
    ['omp', 'context7', 'mcp_context_query', true],
    ['omp', 'context7', 'context_query', false],
  ] as const)('%s: %s, %s: %s', (scheme, server, name, expected) => {
    expect(mayOwnName(namingSchemes[scheme], server, name)).toBe(expected)
  })
})
