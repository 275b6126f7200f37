import { afterEach, expect, test, vi } from 'vitest'
import { ClientError } from '../../../src/client.ts'
import type { FeedEvent, Snapshot } from '../../../src/client.ts'
import type { Connection, LiveWorld, TabMessage } from './live.ts'
import { stayLive } from './live.ts'

/** A feed that tabs read, and whose streams a test cuts. */
function startFeed() {
  const log: FeedEvent[] = []
  const streams = new Set<ReadableStreamDefaultController<FeedEvent>>()
  const opened: (number | undefined)[] = []
  const state = { epoch: 'one', seq: 0, answers: 'all' as 'all' | 'nothing' | 'refuses', snapshots: 0 }
  const snapshot = () => ({ epoch: state.epoch, seq: state.seq }) as Snapshot // tabs read only these here
  const fail = (): void => {
    if (state.answers === 'nothing')
      throw new ClientError(0, { code: 'unreachable', message: 'Nothing answers.' })
    if (state.answers === 'refuses') throw new Error('refused')
  }
  return {
    state,
    opened,
    streams,
    /** Sends an event to every reader. */
    say(line: string) {
      const event: FeedEvent = {
        seq: ++state.seq,
        at: 0,
        type: 'server.said',
        server: 's',
        stream: 'stderr',
        line,
      }
      log.push(event)
      for (const stream of streams) stream.enqueue(event)
    },
    cut() {
      for (const stream of streams) stream.error(new TypeError('network error'))
      streams.clear()
    },
    async *follow(
      after: { epoch: string; seq: number } | undefined,
      signal: AbortSignal,
      onAlive: () => void,
    ) {
      fail()
      opened.push(after?.seq)
      let own: ReadableStreamDefaultController<FeedEvent> | undefined
      const stream = new ReadableStream<FeedEvent>({
        start(controller) {
          own = controller
          streams.add(controller)
          if (after?.epoch !== state.epoch)
            controller.enqueue({ seq: state.seq, at: 0, type: 'snapshot', snapshot: snapshot() })
          else for (const event of log.filter(({ seq }) => seq > after.seq)) controller.enqueue(event)
        },
      })
      signal.addEventListener(
        'abort',
        () => streams.has(own!) && (streams.delete(own!), own!.error(signal.reason)),
      )
      onAlive()
      yield* stream
    },
    async readSnapshot() {
      fail()
      state.snapshots++
      return snapshot()
    },
  }
}

/** The lock of a browser: one holder, the others in line. */
function createLock(): LiveWorld['lock'] {
  const state = { isHeld: false }
  const line: (() => void)[] = []
  return async (options, lead) => {
    if ('ifAvailable' in options && state.isHeld) return lead(null)
    while (state.isHeld) {
      await new Promise<void>((resolve, reject) => {
        line.push(resolve)
        if ('signal' in options) options.signal.addEventListener('abort', () => reject(options.signal.reason))
      })
    }
    state.isHeld = true
    try {
      await lead({})
    } finally {
      state.isHeld = false
      line.shift()?.()
    }
  }
}

const ends: (() => void)[] = []
afterEach(() => ends.splice(0).forEach((end) => end()))

function openTab(feed: ReturnType<typeof startFeed>, lock: LiveWorld['lock']) {
  const channel = new BroadcastChannel('plugboard-test')
  const ended = new AbortController()
  const lines: string[] = []
  const connections: Connection['state'][] = []
  const done = stayLive(
    {
      follow: (after, { signal, onAlive }) => feed.follow(after, signal, onAlive),
      readSnapshot: () => feed.readSnapshot(),
      isRefused: (error) => error instanceof Error && error.message === 'refused',
      lock,
      channel: {
        post: (message: TabMessage) => channel.postMessage(message),
        listen: (onMessage) =>
          channel.addEventListener('message', (event) => onMessage((event as MessageEvent<TabMessage>).data)),
      },
      onEvents: (events) =>
        lines.push(...events.map((event) => (event.type === 'server.said' ? event.line : `at ${event.seq}`))),
      onConnection: ({ state }) => connections.push(state),
      wait: () => new Promise((resolve) => setTimeout(resolve, 1)),
      now: () => 0,
    },
    ended.signal,
  )
  const close = async (): Promise<void> => {
    ended.abort()
    await done
    channel.close()
  }
  ends.push(() => void close())
  return { lines, connections, close, done }
}

test('of eight tabs one reads the stream, and all draw the same events', async () => {
  const feed = startFeed()
  const lock = createLock()
  const first = openTab(feed, lock)
  await vi.waitFor(() => expect(first.lines).toEqual(['at 0']))
  const tabs = [first, ...Array.from({ length: 7 }, () => openTab(feed, lock))]
  await vi.waitFor(() => expect(tabs.every(({ lines }) => lines.length === 1)).toBe(true))
  feed.say('a')
  feed.say('b')
  await vi.waitFor(() => expect(tabs.map(({ lines }) => lines)).toEqual(tabs.map(() => ['at 0', 'a', 'b'])))
  expect(feed.streams.size).toBe(1)
})

test('the first snapshot is asked for before it is known which tab leads, and drawn once', async () => {
  const feed = startFeed()
  const lock = createLock()
  let answer = () => {}
  const known = new Promise<void>((resolve) => (answer = resolve))
  const tab = openTab(feed, async (options, lead) => {
    await known
    return lock(options, lead)
  })
  expect(feed.state.snapshots).toBe(1)
  answer()
  await vi.waitFor(() => expect(feed.streams.size).toBe(1))
  feed.say('a')
  await vi.waitFor(() => expect(tab.lines).toEqual(['at 0', 'a']))
  expect([feed.state.snapshots, feed.opened]).toEqual([1, [0]])
})

test('when the leading tab closes, another goes on at the same event, without a snapshot', async () => {
  const feed = startFeed()
  const lock = createLock()
  const first = openTab(feed, lock)
  await vi.waitFor(() => expect(first.lines).toEqual(['at 0']))
  const second = openTab(feed, lock)
  feed.say('a')
  await vi.waitFor(() => expect(second.lines.at(-1)).toMatch(/a|at 1/))
  const before = feed.state.snapshots
  await first.close()
  feed.say('b')
  await vi.waitFor(() => expect(second.lines.at(-1)).toBe('b'))
  expect(feed.opened).toEqual([0, 1])
  expect(feed.state.snapshots).toBe(before)
})

test('a cut stream is lost and comes back where it was; the other tabs hear of it', async () => {
  const feed = startFeed()
  const lock = createLock()
  const leader = openTab(feed, lock)
  await vi.waitFor(() => expect(leader.connections).toEqual(['live']))
  const other = openTab(feed, lock)
  await vi.waitFor(() => expect(other.connections).toEqual(['live']))
  feed.say('a')
  await vi.waitFor(() => expect(leader.lines).toEqual(['at 0', 'a']))
  feed.cut()
  feed.say('while away')
  await vi.waitFor(() => expect(leader.connections).toEqual(['live', 'lost', 'live']))
  await vi.waitFor(() => expect(other.connections).toEqual(['live', 'lost', 'live']))
  await vi.waitFor(() => expect(leader.lines).toEqual(['at 0', 'a', 'while away']))
  expect(other.lines.at(-1)).toBe('while away')
})

test('a process that ended is told apart from a cut stream, and its next start is taken over with a snapshot', async () => {
  const feed = startFeed()
  const tab = openTab(feed, createLock())
  await vi.waitFor(() => expect(tab.connections).toEqual(['live']))
  feed.state.answers = 'nothing'
  feed.cut()
  await vi.waitFor(() => expect(tab.connections).toEqual(['live', 'lost', 'ended']))
  Object.assign(feed.state, { answers: 'all', epoch: 'two', seq: 7 })
  await vi.waitFor(() => expect(tab.lines).toEqual(['at 0', 'at 7']))
  expect(tab.connections).toEqual(['live', 'lost', 'ended', 'live'])
})

test('a refused token ends it and frees the lead for a tab with the new one', async () => {
  const feed = startFeed()
  const lock = createLock()
  const old = openTab(feed, lock)
  await vi.waitFor(() => expect(old.connections).toEqual(['live']))
  feed.state.answers = 'refuses'
  feed.cut()
  await old.done
  expect(old.connections.at(-1)).toBe('refused')
  feed.state.answers = 'all'
  const fresh = openTab(feed, lock)
  await vi.waitFor(() => expect(fresh.connections).toEqual(['live']))
})
