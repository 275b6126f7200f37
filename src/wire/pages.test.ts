import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { outcomeOf } from '../../test/support/outcome.ts'
import type { Json, JsonObject } from '../model/json.ts'
import { readPages } from './pages.ts'
import { RpcError } from './wire-error.ts'

function server(...pages: readonly (Json | Error)[]) {
  const asked: JsonObject[] = []
  return {
    asked,
    ask: async (params: JsonObject): Promise<Json> => {
      const page = pages[Math.min(asked.length, pages.length - 1)]
      asked.push(params)
      if (page instanceof Error) throw page
      return page ?? null
    },
  }
}

const none = { ttlMs: 0, cacheScope: 'private' } as const

test('D15 readPages: all pages form one list, and the empty string is a valid cursor', async () => {
  const { asked, ask } = server(
    { tools: [1], nextCursor: '' },
    { tools: [2, 3], nextCursor: 'b' },
    { tools: [], nextCursor: 'c' },
    { tools: [4], nextCursor: null },
  )
  expect(await readPages(ask, 'tools')).toEqual({ items: [1, 2, 3, 4], ...none })
  expect(asked).toEqual([{}, { cursor: '' }, { cursor: 'b' }, { cursor: 'c' }])
})

describe('FI-31 T24 readPages: a list without an end', () => {
  test('FI-31 stops at a repeated cursor and keeps the entries so far', async () => {
    const { asked, ask } = server(
      { tools: [1], nextCursor: 'a' },
      { tools: [2], nextCursor: 'b' },
      { tools: [3], nextCursor: 'a' },
    )
    expect(await readPages(ask, 'tools')).toEqual({
      items: [1, 2, 3],
      ...none,
      cut: 'because a cursor was repeated',
    })
    expect(asked).toHaveLength(3)
  })

  test('T24 FI-31 stops after 200 pages', async () => {
    let page = 0
    const result = await readPages(async () => ({ tools: [page], nextCursor: `${page++}` }), 'tools')
    expect({ ...result, items: result.items.length, page }).toEqual({
      items: 200,
      ...none,
      cut: 'after 200 pages',
      page: 200,
    })
  })

  test('T24 FI-31 stops after 10000 entries', async () => {
    const { asked, ask } = server({ tools: Array.from({ length: 100_000 }, () => 1), nextCursor: 'a' })
    const result = await readPages(ask, 'tools')
    expect({ ...result, items: result.items.length }).toEqual({
      items: 10_000,
      ...none,
      cut: 'after 10000 entries',
    })
    expect(asked).toHaveLength(1)
  })

  test('a list with exactly the maximum number of entries is not truncated', async () => {
    const { ask } = server({ tools: [1, 2, 3] })
    expect(await readPages(ask, 'tools', { pages: 1, items: 3 })).toEqual({ items: [1, 2, 3], ...none })
  })

  test('reading ends within the limits for any cursors (property)', async () => {
    const anyPage = fc.record({
      tools: fc.array(fc.integer(), { maxLength: 5 }),
      nextCursor: fc.oneof(fc.string({ maxLength: 1 }), fc.constant(null), fc.integer()),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(anyPage, { minLength: 1 }), async (pages) => {
        let next = 0
        const result = await readPages(async () => pages[next++ % pages.length] ?? null, 'tools', {
          pages: 10,
          items: 12,
        })
        expect(next).toBeLessThanOrEqual(10)
        expect(result.items.length).toBeLessThanOrEqual(12)
      }),
    )
  })
})

describe('readPages: an expired cursor', () => {
  const stale = new RpcError(-32602, 'bad cursor')

  test('restarts from the first page once', async () => {
    const { asked, ask } = server(
      { tools: [1], nextCursor: 'a' },
      stale,
      { tools: [1], nextCursor: 'b' },
      { tools: [2] },
    )
    expect(await readPages(ask, 'tools')).toEqual({ items: [1, 2], ...none })
    expect(asked).toEqual([{}, { cursor: 'a' }, {}, { cursor: 'b' }])
  })

  test('fails when the restarted list fails as well', async () => {
    const { ask } = server({ tools: [], nextCursor: 'a' }, stale, { tools: [], nextCursor: 'a' }, stale)
    expect(await outcomeOf(readPages(ask, 'tools'))).toEqual({
      wire: 'protocol',
      message: 'bad cursor',
      sent: true,
    })
  })

  test('on the first page, the same error is passed through, as is any other error', async () => {
    expect(await outcomeOf(readPages(server(stale).ask, 'tools'))).toEqual({
      rpc: -32602,
      message: 'bad cursor',
    })
    const { ask } = server({ tools: [], nextCursor: 'a' }, new RpcError(-32603, 'broke'))
    expect(await outcomeOf(readPages(ask, 'tools'))).toEqual({ rpc: -32603, message: 'broke' })
  })
})

test.each<[Json]>([[null], ['x'], [[]], [{}], [{ tools: {} }]])(
  'readPages: %j is rejected as a page',
  async (page) => {
    expect(await outcomeOf(readPages(server(page).ask, 'tools'))).toEqual({
      wire: 'protocol',
      message: 'The answer has no "tools" list.',
      sent: true,
    })
  },
)

test('C29 readPages: the list is as fresh as its stalest page, and private if any page is', async () => {
  const fresh = async (...pages: JsonObject[]) => {
    const numbered = pages.map((page, index) => ({
      tools: [],
      ...page,
      ...(index < pages.length - 1 && { nextCursor: `${index}` }),
    }))
    const { ttlMs, cacheScope } = await readPages(server(...numbered).ask, 'tools')
    return [ttlMs, cacheScope]
  }
  const shared = { ttlMs: 1000, cacheScope: 'public' }
  expect([
    await fresh(shared),
    await fresh(shared, { ttlMs: 500, cacheScope: 'public' }),
    await fresh(shared, { ttlMs: 2000, cacheScope: 'private' }),
    await fresh(shared, {}),
    await fresh({ ttlMs: -5, cacheScope: 'public' }),
    await fresh({ ttlMs: '9', cacheScope: 'x' }),
  ]).toEqual([
    [1000, 'public'],
    [500, 'public'],
    [1000, 'private'],
    [0, 'private'],
    [0, 'public'],
    [0, 'private'],
  ])
})
