import { connect } from 'node:net'
import { once } from 'node:events'
import { queryObjects } from 'node:v8'
import { describe, expect, test } from 'vitest'
import type { FeedChange, FeedEvent, Snapshot } from '../../src/client.ts'
import { EventFeed } from '../../src/surfaces/server/event-feed.ts'
import { openEventStream } from '../../src/surfaces/server/event-stream.ts'
import { readEvents } from '../../src/client/read-events.ts'
import { startServed } from '../support/served.ts'

const notice = (message: string): FeedChange => ({ type: 'notice', message })
const toText = (event: FeedEvent) => JSON.stringify(event)

function open() {
  const feed = new EventFeed('first', toText)
  let snapshots = 0
  const snapshot = () => {
    snapshots++
    return Promise.resolve({ epoch: feed.epoch, seq: feed.seq } as Snapshot) // the stream reads no more of it
  }
  const read = (after?: { readonly epoch: string; readonly seq: number }) =>
    readEvents(openEventStream({ feed, snapshot, toText, ...(after && { after }) }))
  return { feed, read, snapshots: () => snapshots }
}

/** The next events, shortly: a number and what it says. */
async function take(events: AsyncGenerator<FeedEvent>, count: number) {
  const taken: string[] = []
  while (taken.length < count) {
    const { value, done } = await events.next()
    if (done) return [...taken, 'end']
    taken.push(`${value.seq} ${value.type === 'notice' ? value.message : value.type}`)
  }
  return taken
}

describe('events', () => {
  test('a reader gets a snapshot first, then every change in order without gaps', async () => {
    const { feed, read } = open()
    feed.publish(notice('before anyone reads'))
    const events = read()
    expect(await take(events, 1)).toEqual(['1 snapshot'])
    for (const each of ['a', 'b', 'c']) feed.publish(notice(each))
    expect(await take(events, 3)).toEqual(['2 a', '3 b', '4 c'])
    feed.close()
    expect(await take(events, 1)).toEqual(['end'])
  })

  test('a reader that comes back goes on after its last event, without a snapshot', async () => {
    const { feed, read, snapshots } = open()
    const first = read()
    await take(first, 1)
    for (const each of ['a', 'b', 'c']) feed.publish(notice(each))
    await take(first, 1)
    await first.return(undefined)
    feed.publish(notice('while away'))
    expect(await take(read({ epoch: 'first', seq: 1 }), 3)).toEqual(['2 b', '3 c', '4 while away'])
    expect(snapshots()).toBe(1)
  })

  test.each([
    ['of another start', { epoch: 'other', seq: 1 }],
    ['from the future', { epoch: 'first', seq: 99 }],
  ])('a number %s counts for nothing: a snapshot follows', async (_what, after) => {
    const { feed, read } = open()
    await take(read(), 1)
    feed.publish(notice('a'))
    expect(await take(read(after), 1)).toEqual(['1 snapshot'])
  })

  test('a reader that does not read costs nothing, and gets a snapshot when it reads again', async () => {
    const { feed, read } = open()
    const slow = read()
    await take(slow, 1)
    for (let at = 0; at < 10_000; at++) feed.publish(notice('x'.repeat(1000)))
    expect(feed.after(9999)).toHaveLength(1)
    expect(feed.after(0)).toBe(undefined)
    expect(await take(slow, 1)).toEqual(['10000 snapshot'])
    feed.publish(notice('now'))
    expect(await take(slow, 1)).toEqual(['10001 now'])
  })

  test('large events are kept by their size: few of them are worth a snapshot', () => {
    const { feed, read } = open()
    read()
    feed.join()
    for (let at = 0; at < 20; at++) feed.publish(notice('x'.repeat(1_000_000)))
    expect([feed.after(13)?.length, feed.after(5)]).toEqual([7, undefined])
  })

  test('1,000 events of one moment arrive in order, in few pieces', async () => {
    const { feed, read } = open()
    const events = read()
    await take(events, 1)
    for (let at = 1; at <= 1000; at++) feed.publish(notice(String(at)))
    const taken = await take(events, 1000)
    expect(taken).toEqual(Array.from({ length: 1000 }, (_, at) => `${at + 1} ${at + 1}`))
  })

  test('listeners learn that the first reader came and the last one left', async () => {
    const { feed, read } = open()
    const told: boolean[] = []
    feed.onReaders((hasReaders) => told.push(hasReaders))
    const [one, other] = [read(), read()]
    await Promise.all([take(one, 1), take(other, 1)])
    await one.return(undefined)
    expect([told, feed.hasReaders]).toEqual([[true], true])
    await other.return(undefined)
    expect([told, feed.hasReaders]).toEqual([[true, false], false])
  })
})

describe('events over HTTP', () => {
  test('a program that never reads its stream holds back nobody, and is forgotten when it leaves', async () => {
    await using it = await startServed()
    const deaf = connect(it.port, '127.0.0.1')
    deaf.pause()
    deaf.write(
      `GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:${it.port}\r\nAuthorization: Bearer ${it.served.token}\r\n\r\n`,
    )
    const events = it.client.follow()[Symbol.asyncIterator]()
    const first = await events.next()
    expect(first.value).toMatchObject({ type: 'snapshot', snapshot: { shownCwd: '~/shop', isDemo: false } })
    const { feed } = it.served
    for (let at = 0; at < 300; at++) {
      feed.publish(notice('x'.repeat(100_000)))
      if (at % 50 === 49) await new Promise((resolve) => setImmediate(resolve))
    }
    let last: FeedEvent | undefined
    while (last?.seq !== 300) last = (await events.next()).value as FeedEvent // ends with the last one
    expect(feed.readers).toBe(2)
    const left = new Promise<void>((resolve) => {
      feed.onReaders((hasReaders) => hasReaders || resolve())
    })
    await events.return?.(undefined)
    deaf.destroy()
    await left
    expect(feed.readers).toBe(0)
  })

  test('a stream keeps nothing of what it has sent', async () => {
    await using it = await startServed()
    const events = it.client.follow()[Symbol.asyncIterator]()
    await events.next()
    const send = async (count: number) => {
      for (let at = 0; at < count; at++) {
        it.served.feed.publish(notice('x'))
        await events.next()
      }
    }
    await send(50)
    const before = queryObjects(Promise, { format: 'count' })
    await send(400)
    expect(queryObjects(Promise, { format: 'count' }) - before).toBeLessThan(200)
    await events.return?.(undefined)
  })

  test('the streams end when serve ends', async () => {
    const it = await startServed()
    const seen: string[] = []
    const reading = (async () => {
      for await (const { type } of it.client.follow()) {
        seen.push(type)
        void it.served.close()
      }
    })()
    await reading
    expect(seen).toEqual(['snapshot'])
    await it[Symbol.asyncDispose]()
  })

  test('lines of a server that writes very much are cut to what a person can read', async () => {
    const loud = `for (let i = 0; i < 3000; i++) console.error('line ' + i); setTimeout(() => {}, 60000)`
    await using it = await startServed({ loud: { command: process.execPath, args: ['-e', loud] } })
    const lines: string[] = []
    const events = it.client.follow()[Symbol.asyncIterator]()
    await events.next()
    const ended = new AbortController()
    void it.served.host.connect('loud', { signal: ended.signal }).catch(() => undefined)
    while (lines.length < 100) {
      const { value } = await events.next()
      const event = value as FeedEvent // the stream goes on
      if (event.type === 'server.said') lines.push(event.line)
    }
    ended.abort()
    expect(lines.slice(0, 2)).toEqual(['line 0', 'line 1'])
    expect(lines[99]).toBe('line 99')
  })
})

test('D-9 a secret of a server is in no answer and no event', async () => {
  const secret = 'a "quoted" 0123456789 key'
  await using it = await startServed(
    { x: { command: process.execPath, args: ['-e', ''], env: { API_KEY: '${THE_KEY}' } } },
    { env: { THE_KEY: secret } },
  )
  const events = it.client.follow()[Symbol.asyncIterator]()
  await events.next()
  await it.served.host.connect('x').catch(() => undefined)
  it.served.feed.publish(notice(`the key is ${secret}`))
  const said: string[] = []
  while (!said.some((line) => line.startsWith('the key is'))) {
    const { value } = await events.next()
    const event = value as FeedEvent // the stream goes on
    if (event.type === 'notice') said.push(event.message)
  }
  expect(said.at(-1)).not.toContain('0123456789')
})

test('serve ends although a client has sent half a request', async () => {
  await using it = await startServed()
  const socket = connect(it.port, '127.0.0.1')
  const closed = new Promise((resolve) => socket.on('close', resolve).on('error', () => undefined))
  socket.write('GET / HTTP/1.1\r\nHost: ')
  await once(socket.resume(), 'connect')
  await it.served.close()
  await closed
  expect(socket.destroyed).toBe(true)
})
