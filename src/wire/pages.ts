import { isObject } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import { isPlainList } from './frames/decode.ts'
import { RpcError, WireError } from './wire-error.ts'

/** T24: no server may keep us listing for ever. */
export const pageLimits = { pages: 200, items: 10_000 } as const

export interface Pages {
  readonly items: readonly Json[]
  /** Set when the list was cut, and why. */
  readonly cut?: string
  /** How long the server says this may be used; 0 when it says nothing. */
  readonly ttlMs: number
  /** `private` belongs to one login. */
  readonly cacheScope: 'public' | 'private'
  /** Nothing is hidden in any text of it; where that is not known, each is looked at. */
  readonly isPlain?: true
}

/** All pages of a list. A cursor is opaque, and the empty one is a cursor as well. */
export async function readPages(
  ask: (params: JsonObject) => Promise<Json>,
  key: string,
  limits: { readonly pages: number; readonly items: number } = pageLimits,
): Promise<Pages> {
  try {
    return await readOnce(ask, key, limits)
  } catch (error) {
    // A cursor that went bad in the middle: what was read so far may not fit together. Once more from the start.
    if (error instanceof StaleCursor) return readOnce(ask, key, limits)
    throw error
  }
}

class StaleCursor extends WireError {}

async function readOnce(
  ask: (params: JsonObject) => Promise<Json>,
  key: string,
  limits: { readonly pages: number; readonly items: number },
): Promise<Pages> {
  const items: Json[] = []
  const seen = new Set<string>()
  let freshness: Pick<Pages, 'ttlMs' | 'cacheScope'> = { ttlMs: Infinity, cacheScope: 'public' }
  let cursor: string | undefined
  let isPlain = true
  const end = (cut?: string): Pages => ({
    items,
    ...freshness,
    ...(isPlain && { isPlain }),
    ...(cut !== undefined && { cut }),
  })
  for (let pages = 0; pages < limits.pages; pages++) {
    const page = await readPage(ask, cursor, key)
    freshness = freshest(freshness, page)
    isPlain &&= isPlainList(page)
    for (const item of page[key] as readonly Json[]) {
      // `readPage` made sure that it is a list
      if (items.length === limits.items) return end(`after ${limits.items} entries`)
      items.push(item)
    }
    const next = page['nextCursor']
    if (typeof next !== 'string') return end()
    if (seen.has(next)) return end('because a cursor came twice')
    seen.add(next)
    cursor = next
  }
  return end(`after ${limits.pages} pages`)
}

async function readPage(
  ask: (params: JsonObject) => Promise<Json>,
  cursor: string | undefined,
  key: string,
): Promise<JsonObject> {
  let page: Json
  try {
    page = await ask(cursor === undefined ? {} : { cursor })
  } catch (error) {
    if (cursor !== undefined && error instanceof RpcError && error.code === -32602) {
      throw new StaleCursor('protocol', error.message, { sent: true, cause: error })
    }
    throw error
  }
  if (isObject(page) && Array.isArray(page[key])) return page
  throw new WireError('protocol', `The answer has no list of ${key}.`, { sent: true })
}

/** A list is as fresh as its stalest page, and private if one page is. */
function freshest(
  so: Pick<Pages, 'ttlMs' | 'cacheScope'>,
  { ttlMs, cacheScope }: JsonObject,
): Pick<Pages, 'ttlMs' | 'cacheScope'> {
  const given = typeof ttlMs === 'number' && ttlMs > 0 ? ttlMs : 0
  return {
    ttlMs: Math.min(so.ttlMs, given),
    cacheScope: cacheScope === 'public' ? so.cacheScope : 'private',
  }
}
