import { toStoredRow } from '../../facts/call-facts.ts'
import type { ServeContext } from '../serve-context.ts'
import { followTasks } from './follow-tasks.ts'
import { learnServers } from './learn-servers.ts'
import { offersOf } from './offer-state.ts'
import { withTitles } from './timeline.ts'

/** Changes of a server's lists in this time are published together. */
const togetherMs = 50
/** How often the store is asked for calls of other programs, while a page is open. */
const lookMs = 1000
const lookedAt = 100

interface ListChange {
  readonly added: Set<string>
  readonly removed: Set<string>
  readonly changed: Set<string>
}

/** Publishes changed lists, calls that other programs made, and what calls of this process depend on. */
export function followOffers(context: ServeContext): Disposable {
  const { host, feed } = context
  const { calls, subscriptions } = offersOf(context)
  const lists = new Map<string, ListChange>()
  let timer: NodeJS.Timeout | undefined
  const publishLists = async () => {
    timer = undefined
    const changes = [...lists]
    lists.clear()
    const counts = await context.counts()
    for (const [server, { added, removed, changed }] of changes)
      feed.publish({
        type: 'tools.changed',
        server,
        added: [...added],
        removed: [...removed],
        changed: [...changed],
        counts,
      })
  }
  const note = (server: string): ListChange => {
    const known = lists.get(server) ?? { added: new Set(), removed: new Set(), changed: new Set() }
    lists.set(server, known)
    timer ??= setTimeout(() => void publishLists().catch(() => undefined), togetherMs)
    return known
  }
  const events = host.on((event) => {
    calls.onEvent(event)
    if (event.type === 'list.changed') note(event.server)
    if (event.type !== 'catalog.changed') return
    const change = note(event.server)
    for (const kind of ['added', 'removed', 'changed'] as const)
      for (const ref of event[kind]) change[kind].add(ref)
  })
  const questions = feed.onChange((change) => {
    if (change.type === 'question.changed') calls.onQuestion(change.question)
    if (change.type === 'conversation.changed') calls.onConversation(change.conversation)
  })
  const answers = context.desk.onOver((id) => calls.onAnswered(id))
  const refusals = context.desk.onRefusal((refusal) => calls.onRefusal(refusal))
  const others = followOtherCalls(context)
  const tasks = followTasks(context)
  const learning = learnServers(context)
  return {
    [Symbol.dispose]() {
      clearTimeout(timer)
      events[Symbol.dispose]()
      questions[Symbol.dispose]()
      answers[Symbol.dispose]()
      refusals[Symbol.dispose]()
      others[Symbol.dispose]()
      tasks[Symbol.dispose]()
      learning[Symbol.dispose]()
      for (const each of subscriptions.values()) each[Symbol.dispose]()
      subscriptions.clear()
    },
  }
}

/** Calls of terminals arrive by the journal, those of chats in other processes by the store. */
function followOtherCalls(context: ServeContext): Disposable {
  const { feed } = context
  /** Of the last look: older ones do not come back. */
  let known: ReadonlySet<string> = new Set()
  let isFirst = true
  let version = ''
  let looking: Promise<void> | undefined
  const look = async () => {
    const opened = await context.store().catch(() => undefined)
    const store = opened?.store
    if (!store) return
    const taken = await opened.takeCalls?.().catch(() => 0)
    const now = await store.version()
    if (now === version && !taken && !isFirst) return
    version = now
    const newest = await store.calls.newest(lookedAt)
    const ids = newest.filter((id) => !known.has(id))
    known = new Set(newest)
    const wasFirst = isFirst
    isFirst = false
    if (wasFirst) return
    for (const id of ids.toReversed()) {
      // Calls of this process were published when they ended.
      const call = offersOf(context).calls.get(id) ? undefined : await store.calls.get(id)
      if (!call) continue
      const [row] = await withTitles([toStoredRow(call)], store)
      if (row) feed.publish({ type: 'call.changed', call: row })
    }
  }
  const lookOnce = () => {
    if (!feed.hasReaders) return
    looking ??= look()
      // A store that is away is said by the routes that need it.
      .catch(() => undefined)
      .finally(() => (looking = undefined))
  }
  const timer = setInterval(lookOnce, lookMs)
  timer.unref()
  const readers = feed.onReaders((hasReaders) => hasReaders && lookOnce())
  return {
    [Symbol.dispose]() {
      clearInterval(timer)
      readers[Symbol.dispose]()
    },
  }
}
