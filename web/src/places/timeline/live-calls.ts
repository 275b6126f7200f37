import { signal } from '@preact/signals'
import { useCallback, useEffect, useState } from 'preact/hooks'
import type { CallRow, Fault } from '../../../../src/client.ts'
import { toFault, useAnswer } from '../../state/answers.ts'
import { send } from '../../state/client.ts'
import { onFeed } from '../../state/page-state.ts'
import { fits, mergeCalls } from './call-list.ts'
import type { CallFilter } from './call-list.ts'

const pageSize = 100
/** Calls that events told of since the page was opened. */
const told = signal<readonly CallRow[]>([])
const maxTold = 1000
onFeed('call.changed', ({ call }) => {
  told.value = mergeCalls(told.value, [call]).slice(0, maxTold)
})

/** The timeline, kept true by events; `more` reads earlier calls. */
export function useCalls(filter: CallFilter) {
  const { words: _words, ...query } = filter
  const key = JSON.stringify(query)
  const newest = useAnswer('GET /api/calls', { query: { ...query, limit: String(pageSize) } })
  const [earlier, setEarlier] = useState<{
    readonly key: string
    readonly calls: readonly CallRow[]
    readonly hasMore: boolean
  }>()
  const [problem, setProblem] = useState<Fault>()
  const own = earlier?.key === key ? earlier : undefined
  const calls = mergeCalls(own?.calls ?? [], newest.value?.calls ?? [], told.value).filter((call) =>
    fits(call, filter),
  )
  const hasMore = own ? own.hasMore : (newest.value?.hasMore ?? false)
  const last = [...(newest.value?.calls ?? []), ...(own?.calls ?? [])].at(-1)?.id
  const more = useCallback(async () => {
    if (last === undefined) return
    try {
      const answer = await send('GET /api/calls', {
        query: { ...query, limit: String(pageSize), before: last },
      })
      setEarlier((now) => ({
        key,
        calls: [...(now?.key === key ? now.calls : []), ...answer.calls],
        hasMore: answer.hasMore,
      }))
    } catch (error) {
      setProblem(toFault(error))
    }
  }, [key, last])
  useEffect(() => setProblem(undefined), [key])
  return {
    calls,
    hasMore,
    more,
    isLoading: newest.isLoading && !newest.value,
    error: newest.error ?? problem,
  }
}
