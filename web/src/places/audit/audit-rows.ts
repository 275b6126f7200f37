import { useCallback, useState } from 'preact/hooks'
import type { AuditFacts, FeedEvent, RouteInput } from '../../../../src/client.ts'
import { useAction, useAnswer } from '../../state/answers.ts'
import { send } from '../../state/client.ts'

type Query = NonNullable<RouteInput<'GET /api/audit'>['query']>

/** The filter of the trail, as it stands in the address. */
export type AuditFilter = Readonly<Partial<Record<(typeof names)[number], string>>>

const names = ['since', 'server', 'outcome'] as const

export function readAuditFilter(query: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (query[name] ? [[name, query[name]]] : [])))
}

interface EarlierRows {
  /** The filter that they were read with. */
  readonly key: string
  readonly rows: readonly AuditFacts[]
  readonly next?: string | undefined
}

/** The rows of a filter, read again after each call; `more` reads earlier ones. */
export function useAudit(filter: AuditFilter) {
  const key = JSON.stringify(filter)
  const query = filter as Query // an outcome that does not exist is refused by the server
  const newest = useAnswer('GET /api/audit', { query }, { on: ['call.changed'], when: isOver })
  const [earlier, setEarlier] = useState<EarlierRows>()
  const own = earlier?.key === key ? earlier : undefined
  const next = own ? own.next : newest.value?.next
  const more = useAction(
    useCallback(async () => {
      if (next === undefined) return
      const answer = await send('GET /api/audit', { query: { ...query, before: next } })
      // With those that are shown: rows that calls have added since push others off the first page.
      setEarlier((now) => ({
        key,
        rows: mergeRows(now?.key === key ? now.rows : [], newest.value?.rows ?? [], answer.rows),
        next: answer.next,
      }))
    }, [key, next]),
  )
  return {
    rows: mergeRows(own?.rows ?? [], newest.value?.rows ?? []),
    notes: newest.value?.notes ?? [],
    hasMore: next !== undefined,
    more,
    isLoading: newest.isLoading && !newest.value,
    error: newest.error ?? more.error,
  }
}

function isOver(event: FeedEvent): boolean {
  return event.type === 'call.changed' && event.call.state !== 'running' && event.call.state !== 'waits'
}

/** Rows of several answers, each once, the newest first. */
export function mergeRows(...lists: readonly (readonly AuditFacts[])[]): readonly AuditFacts[] {
  const byId = new Map(lists.flat().map((row) => [row.id, row]))
  return [...byId.values()].sort((one, other) => (one.at === other.at ? 0 : one.at < other.at ? 1 : -1))
}
