import { describe, expect, test } from 'vitest'
import { turn } from '../../test/support/outcome.ts'
import { Events } from './host-events.ts'
import type { UntimedEvent } from '../model/event.ts'
import type { HostEvent } from '../model/event.ts'
import { Redactor } from '../model/secrets/redactor.ts'

const said = (line: string): UntimedEvent => ({
  type: 'server.said',
  id: 'i',
  server: 'x',
  stream: 'stderr',
  line,
})

function open() {
  let now = 0
  const redactor = new Redactor()
  return { redactor, events: new Events(redactor, () => ++now) }
}

describe('Events (D-13)', () => {
  test('every listener gets all events in order, with their time, until it is disposed of', () => {
    const { events } = open()
    const [one, two]: [HostEvent[], HostEvent[]] = [[], []]
    const off = events.on((event) => one.push(event))
    events.on((event) => two.push(event))
    events.emit(said('a'))
    off[Symbol.dispose]()
    off[Symbol.dispose]()
    events.emit(said('b'))
    const [a, b] = [
      { at: 1, ...said('a') },
      { at: 2, ...said('b') },
    ]
    expect([one, two]).toEqual([[a], [a, b]])
  })

  test('a listener without calls gets no event of a call, and none is made for it alone', () => {
    const { events } = open()
    const [all, few]: [HostEvent[], HostEvent[]] = [[], []]
    const started: UntimedEvent = { type: 'call.started', id: 'call-1', ref: 'x/y' }
    events.on((event) => few.push(event), { calls: false })
    expect(events.hasCallListeners).toBe(false)
    const off = events.on((event) => all.push(event))
    expect(events.hasCallListeners).toBe(true)
    events.emit(started)
    events.emit(said('a'))
    off[Symbol.dispose]()
    expect(events.hasCallListeners).toBe(false)
    const line = { at: 2, ...said('a') }
    expect([all, few]).toEqual([[{ at: 1, ...started }, line], [line]])
  })

  test('secrets are masked at any depth, in keys too', () => {
    const { events, redactor } = open()
    redactor.register('hunter2-hunter2')
    const seen: HostEvent[] = []
    events.on((event) => seen.push(event))
    const params = {
      list: ['hunter2-hunter2', { deep: 'x hunter2-hunter2 y', 'hunter2-hunter2': null, n: 5 }],
    }
    events.emit({ type: 'server.notified', id: 'i', server: 'x', method: 'm', params })
    expect(seen).toEqual([
      {
        at: 1,
        type: 'server.notified',
        id: 'i',
        server: 'x',
        method: 'm',
        params: { list: ['•••', { deep: 'x ••• y', '•••': null, n: 5 }] },
      },
    ])
  })

  test('all listeners get the same order, also if a listener causes another event', () => {
    const { events } = open()
    const seen: string[] = []
    const line = (event: HostEvent) => (event.type === 'server.said' ? event.line : '')
    events.on((event) => {
      if (line(event) === 'a') events.emit(said('b'))
    })
    events.on((event) => seen.push(line(event)))
    events.emit(said('a'))
    events.emit(said('c'))
    expect(seen).toEqual(['a', 'b', 'c'])
  })

  test('a listener that throws does not affect the others', async () => {
    const { events } = open()
    const thrown: string[] = []
    const listeners = process.listeners('uncaughtException')
    process.removeAllListeners('uncaughtException')
    process.once('uncaughtException', (error) => thrown.push(error.message))
    const seen: number[] = []
    try {
      events.on(() => {
        throw new Error('a bug of the embedder')
      })
      const off = events.on(({ at }) => {
        seen.push(at)
      })
      events.emit(said('a'))
      await turn()
      off[Symbol.dispose]()
    } finally {
      for (const listener of listeners) process.on('uncaughtException', listener)
    }
    expect({ seen, thrown }).toEqual({ seen: [1], thrown: ['a bug of the embedder'] })
  })
})
