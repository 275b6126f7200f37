import { HostError } from '../../../index.ts'
import type { Store, StoredCall } from '../../../store.ts'
import type { CallDetail, CallRow } from '../../api/tool-routes.ts'
import { commandOfCall } from '../../facts/call-command.ts'
import { nextAfterCall, toStoredRow } from '../../facts/call-facts.ts'
import { clean } from '../../facts/result-facts.ts'
import { escapeLine } from '../../terminal/escape.ts'
import { readCount } from '../read-count.ts'
import type { CallLog } from './call-log.ts'

export interface TimelineQuery {
  readonly server?: string
  readonly state?: string
  readonly by?: string
  readonly conversation?: string
  /** The id of a call: only older ones. */
  readonly before?: string
  readonly limit?: string
}

interface TimelinePage {
  readonly calls: readonly CallRow[]
  readonly hasMore: boolean
}

const usualLimit = 100
const maxLimit = 500
/** How often the store is asked for more, where a filter that only rows can tell leaves few of them. */
const maxReads = 20

/** All calls by their start, the newest first; at most `limit`. */
export async function readTimeline(
  log: CallLog,
  store: Store | undefined,
  query: TimelineQuery,
): Promise<TimelinePage> {
  const limit = readCount(query.limit, usualLimit, { name: 'limit', least: 1, most: maxLimit })
  const after = query.before === undefined ? undefined : await placeOf(query.before, log, store)
  const fits = (row: CallRow) => matches(row, query) && (!after || isEarlier(row, after))
  const live = [...log.running(), ...log.ended()].map((call) => log.rowOf(call)).filter(fits)
  // Those of this process are known here better, and before the store has them.
  const isNew = (row: CallRow) => log.get(row.id) === undefined && fits(row)
  const isOver = query.state !== undefined && outcomes[query.state] === undefined
  const stored = store && !isOver ? await readStored(store, { query, after, limit, fits: isNew }) : nothing
  const calls = [...live, ...stored.calls].toSorted((a, b) => (isEarlier(a, b) ? 1 : -1))
  return {
    calls: await withTitles(calls.slice(0, limit), store),
    hasMore: stored.hasMore || calls.length > limit,
  }
}

const nothing: TimelinePage = { calls: [], hasMore: false }

type RowPlace = Pick<CallRow, 'at' | 'id'>

/** Whether a call began before another one; of the same moment the id decides, as in the store. */
function isEarlier(row: RowPlace, than: RowPlace): boolean {
  return row.at < than.at || (row.at === than.at && row.id < than.id)
}

async function placeOf(id: string, log: CallLog, store: Store | undefined): Promise<RowPlace> {
  const live = log.get(id)
  if (live) return { id, at: live.startedAt }
  const stored = await store?.calls.get(id)
  if (stored) return { id, at: Date.parse(stored.startedAt) }
  throw new HostError('usage', {}, '"before" is the id of a call, and there is no such call.')
}

async function readStored(
  store: Store,
  {
    query,
    after,
    limit,
    fits,
  }: {
    readonly query: TimelineQuery
    readonly after: RowPlace | undefined
    readonly limit: number
    readonly fits: (row: CallRow) => boolean
  },
): Promise<TimelinePage> {
  await store.calls.flush()
  const calls: CallRow[] = []
  let before = after && { id: after.id, startedAt: new Date(after.at).toISOString() }
  for (let reads = 0; reads < maxReads; reads++) {
    const found = await store.calls.list({ ...toFilter(query), ...(before && { before }), limit: limit + 1 })
    calls.push(...found.map((call) => toStoredRow(call)).filter(fits))
    if (calls.length > limit || found.length <= limit)
      return { calls: calls.slice(0, limit), hasMore: calls.length > limit }
    before = found.at(-1)
  }
  return { calls, hasMore: calls.length > 0 }
}

const outcomes: Readonly<Record<string, StoredCall['outcome']>> = {
  done: 'done',
  failed: 'failed',
  unknown: 'failed',
  refused: 'denied',
  cancelled: 'cancelled',
}

function toFilter({ server, state, by, conversation }: TimelineQuery) {
  const outcome = state === undefined ? undefined : outcomes[state]
  const maker = (['page', 'terminal', 'app'] as const).find((each) => each === by)
  return {
    ...(server !== undefined && { server }),
    ...(outcome !== undefined && { outcome }),
    // Rows of earlier versions do not say who made them; `matches` decides about those.
    ...(maker && { by: maker }),
    ...(conversation !== undefined && { conversation }),
  }
}

function matches(row: CallRow, { server, state, by, conversation }: TimelineQuery): boolean {
  return (
    (server === undefined || row.server === server) &&
    (state === undefined || row.state === state) &&
    (by === undefined || row.by === by) &&
    (conversation === undefined || row.conversation === conversation)
  )
}

/** Adds the titles of conversations, each read once. */
export async function withTitles(
  rows: readonly CallRow[],
  store: Store | undefined,
): Promise<readonly CallRow[]> {
  const ids = new Set(rows.flatMap(({ conversation }) => conversation ?? []))
  if (!store || ids.size === 0) return rows
  const found = await Promise.all(
    [...ids].map(
      async (id) => [id, (await store.conversations.get(id).catch(() => undefined))?.title] as const,
    ),
  )
  const titles = new Map(found)
  return rows.map((row) => {
    const title = row.conversation === undefined ? undefined : titles.get(row.conversation)
    return title === undefined || title === '' ? row : { ...row, conversationTitle: escapeLine(title) }
  })
}

/** A call that only the store has: without progress, stderr and messages. */
export function storedDetail(call: StoredCall): CallDetail {
  const { args, result, outcome, bytes, error, ref } = call
  const row = toStoredRow(call)
  const command = commandOfCall(ref, args)
  return {
    call: row,
    args,
    ...(!error && {
      result: {
        isFailed: outcome !== 'done',
        blocks: [
          {
            type: 'text',
            text: clean(result),
            length: result.length,
            ...(Buffer.byteLength(result) < bytes && { isCut: true }),
          },
        ],
        bytes,
      },
    }),
    ...(error && { error }),
    next: nextAfterCall(row, command, error),
    progress: [],
    stderr: [],
    decision: 'The rule that decided is known only for calls of this process.',
    command,
    wire: [],
  }
}
