import { isObject } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import { markOf } from './frames/answer-text.ts'
import { isPlainList } from './frames/decode.ts'
import { RpcError, WireError } from './wire-error.ts'

/** T24: bounds how long a server can keep one listing going. */
export const pageLimits = { pages: 200, items: 10_000 } as const

export interface Pages {
  readonly items: readonly Json[]
  /** Set when the list was truncated: the reason. */
  readonly cut?: string
  /** How long the list may be cached; 0 if the server names no time. */
  readonly ttlMs: number
  /** The server says 0: clients may not keep the list. Absent if it names no time. */
  readonly isUnkept?: true
  /** `private`: valid for one login only. */
  readonly cacheScope: 'public' | 'private'
  /** No text of the list has hidden characters. If absent, each text has to be checked. */
  readonly isPlain?: true
}

/** Reads all pages of a list. Cursors are opaque; the empty string is a valid cursor. */
export async function readPages(
  requestPage: (params: JsonObject) => Promise<Json>,
  key: string,
  limits: { readonly pages: number; readonly items: number } = pageLimits,
): Promise<Pages> {
  try {
    return await readAllPages(requestPage, key, limits)
  } catch (error) {
    // The cursor expired in the middle: pages read so far may be inconsistent with the rest. Restart once.
    if (error instanceof StaleCursor) return readAllPages(requestPage, key, limits)
    throw error
  }
}

class StaleCursor extends WireError {}

async function readAllPages(
  requestPage: (params: JsonObject) => Promise<Json>,
  key: string,
  limits: { readonly pages: number; readonly items: number },
): Promise<Pages> {
  const items: Json[] = []
  const seen = new Set<string>()
  let freshness: Pick<Pages, 'ttlMs' | 'cacheScope'> = { ttlMs: Infinity, cacheScope: 'public' }
  let cursor: string | undefined
  let isPlain = true
  let isUnkept = false
  const finish = (cut?: string): Pages => ({
    items,
    ...freshness,
    ...(isPlain && { isPlain }),
    ...(isUnkept && { isUnkept }),
    ...(cut !== undefined && { cut }),
  })
  for (let pages = 0; pages < limits.pages; pages++) {
    const page = await readPage(requestPage, cursor, key)
    freshness = combineFreshness(freshness, page)
    isPlain &&= isPlainList(page)
    isUnkept ||= page['ttlMs'] === 0
    for (const item of page[key] as readonly Json[]) {
      // `readPage` checked that it is a list
      if (items.length === limits.items) return finish(`after ${limits.items} entries`)
      items.push(item)
    }
    const next = page['nextCursor']
    if (typeof next !== 'string') return finish()
    if (seen.has(next)) return finish('because a cursor was repeated')
    seen.add(next)
    cursor = next
  }
  return finish(`after ${limits.pages} pages`)
}

async function readPage(
  requestPage: (params: JsonObject) => Promise<Json>,
  cursor: string | undefined,
  key: string,
): Promise<JsonObject> {
  let page: Json
  try {
    page = await requestPage(cursor === undefined ? {} : { cursor })
  } catch (error) {
    if (cursor !== undefined && error instanceof RpcError && error.code === -32602) {
      throw new StaleCursor('protocol', error.message, { sent: true, cause: error })
    }
    throw error
  }
  if (isObject(page) && Array.isArray(page[key])) return page
  throw new WireError('protocol', `The answer has no "${key}" list.`, { sent: true })
}

/** A list is as fresh as its stalest page, and private if any page is. */
function combineFreshness(
  current: Pick<Pages, 'ttlMs' | 'cacheScope'>,
  { ttlMs, cacheScope }: JsonObject,
): Pick<Pages, 'ttlMs' | 'cacheScope'> {
  const pageTtlMs = typeof ttlMs === 'number' && ttlMs > 0 ? ttlMs : 0
  return {
    ttlMs: Math.min(current.ttlMs, pageTtlMs),
    cacheScope: cacheScope === 'public' ? current.cacheScope : 'private',
  }
}

/** The marks of the answers that a list consists of. */
export class AnswerMarks {
  /** Something besides the answers that decides what becomes of a list. */
  readonly #context: string
  #marks: string[] = []
  #expected = 0

  constructor(context: string) {
    this.#context = context
  }

  /** A page is requested; without a cursor it is the first one, also after a restart. */
  expect({ cursor }: JsonObject): void {
    if (cursor === undefined) {
      this.#marks = []
      this.#expected = 0
    }
    this.#expected++
  }

  add(text: string): void {
    this.#marks.push(markOf(text))
  }

  get isFirst(): boolean {
    return this.#marks.length === 1 && this.#expected === 1
  }

  get mark(): string {
    return [this.#context, ...this.#marks].join(' ')
  }

  /** Where an answer did not arrive as text, the items are marked instead. */
  markOf({ items, ttlMs }: Pick<Pages, 'items' | 'ttlMs'>): string {
    if (this.#marks.length === this.#expected) return this.mark
    return [this.#context, markOf(JSON.stringify([items, ttlMs]))].join(' ')
  }
}
